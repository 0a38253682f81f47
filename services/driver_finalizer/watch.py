"""Watches driver pods, and no others, through kopf, which leaves nothing on them."""

import asyncio
import logging
import threading
from collections.abc import Callable, Collection
from typing import Any

import kopf

from moka.names import DRIVER_SELECTOR
from services.common.kubernetes import Object, ServiceAccount
from services.common.logs import fields

PODS = ("v1", "pods")

LIST_CHUNK = 250
"""Pods in a response when all of them are listed; a driver's is about 15 KiB."""

Observer = Callable[[Object, bool], None]
"""Takes a pod, and whether it has been deleted."""

log = logging.getLogger(__name__)


class Watch:
    """Watches the driver pods of some namespaces, in a thread, as kopf takes the loop that it runs in.

    observe: called in that thread, with each pod and with each change of one.
    """

    def __init__(self, account: ServiceAccount, namespaces: Collection[str], observe: Observer) -> None:
        self._stop = threading.Event()
        self._operator = kopf.operator(
            registry=_registry(account, observe),
            settings=_settings(),
            namespaces=sorted(namespaces),
            standalone=True,
            stop_flag=self._stop,
        )
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it watches: it ends once it may not."""
        return self._thread.is_alive()

    async def stop(self) -> None:
        """End within seconds."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join, 15)

    def _run(self) -> None:
        try:
            asyncio.run(self._operator)
        except Exception as error:
            # The controller sees that it has ended, and starts another.
            log.warning("watch ended", extra=fields(error=error))


def _registry(account: ServiceAccount, observe: Observer) -> kopf.OperatorRegistry:
    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    def login(**_: Any) -> kopf.ConnectionInfo:
        return kopf.ConnectionInfo(server=account.server, ca_path=account.authority, token=account.token)

    @kopf.on.event(*PODS, registry=registry)
    async def event(type: str | None, body: kopf.Body, **_: Any) -> None:
        observe(body, type == "DELETED")

    return registry


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.watching.label_selectors[PODS] = DRIVER_SELECTOR
    settings.watching.chunk_size = LIST_CHUNK
    # It may not read namespaces or definitions, and is to write nothing.
    settings.scanning.disabled = True
    settings.posting.enabled = False
    # Where it may no longer watch, it is to end soon: it is started again for what it may.
    settings.networking.error_backoffs = (1, 2, 4)
    settings.networking.request_timeout = 60
    settings.networking.connect_timeout = 10
    settings.queueing.worker_limit = 100
    settings.queueing.idle_timeout = 0.05
    return settings
