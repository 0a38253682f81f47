"""Hears of driver pods, and of no others, through kopf; nothing of kopf's is left on them."""

import asyncio
import logging
import threading
from collections.abc import Callable, Collection
from typing import Any

import kopf

from moka.names import DRIVER_SELECTOR
from services.driver_finalizer.api import ServiceAccount
from services.driver_finalizer.rules import Object

PODS = ("v1", "pods")

CHUNK = 250
"""Pods in an answer, when all of them are listed; a driver's is about 15 KiB."""

Hear = Callable[[Object, bool], None]


class Watch:
    """Watches the driver pods of some namespaces, in a thread, as kopf takes the loop that it runs in.

    hear: is told of each pod, and whether it is gone; called in that thread.
    """

    def __init__(self, account: ServiceAccount, namespaces: Collection[str], hear: Hear) -> None:
        self._operator = kopf.operator(
            registry=_registry(account, hear),
            settings=_settings(),
            namespaces=sorted(namespaces),
            standalone=True,
            stop_flag=(flag := threading.Event()),
        )
        self._stop = flag
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it watches: it ends where it is no longer let to."""
        return self._thread.is_alive()

    async def stop(self) -> None:
        """End, within seconds."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join, 15)

    def _run(self) -> None:
        try:
            asyncio.run(self._operator)
        except Exception as error:
            # Whoever started it sees that it has ended, and starts another.
            logging.getLogger("moka.driver_finalizer").warning(
                "watching ended", extra={"fields": {"error": str(error) or type(error).__name__}}
            )


def _registry(account: ServiceAccount, hear: Hear) -> kopf.OperatorRegistry:
    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    def login(**_: Any) -> kopf.ConnectionInfo:
        return kopf.ConnectionInfo(server=account.server, ca_path=account.authority, token=account.token)

    @kopf.on.event(*PODS, registry=registry)
    async def heard(type: str | None, body: kopf.Body, **_: Any) -> None:
        hear(body, type == "DELETED")

    return registry


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.watching.label_selectors[PODS] = DRIVER_SELECTOR
    settings.watching.chunk_size = CHUNK
    # Of namespaces and definitions nothing may be read, and nothing is to be written.
    settings.scanning.disabled = True
    settings.posting.enabled = False
    # Where it may no longer watch, it is to end soon: it is started again for what it may.
    settings.networking.error_backoffs = (1, 2, 4)
    settings.networking.request_timeout = 60
    settings.networking.connect_timeout = 10
    settings.queueing.worker_limit = 100
    settings.queueing.idle_timeout = 0.05
    return settings
