"""The controller: watches the job namespaces that it serves, and has the remover look at their drivers, and
pods whose binding was lost deleted."""

import asyncio
import logging
from collections.abc import Collection

import aiohttp

from moka.names import JOB_NAMESPACE_LABEL
from services.common.kubernetes import Api, ApiError, Object, ServiceAccount
from services.common.logs import fields
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.common.watch import Watch as EventWatch
from services.driver_finalizer.bindings import EVENTS, LostBindings
from services.driver_finalizer.remover import Remover
from services.driver_finalizer.watch import Watch

REFRESH_SECONDS = 3.0
"""Time between looks at which namespaces there are."""

STALLED_AFTER_SECONDS = 60.0
"""After this time a remover that does nothing, not even wait, is taken for dead."""

log = logging.getLogger(__name__)


class Controller:
    """Watches driver pods and removes their finalizers; watches for lost bindings, and deletes their pods.

    namespaces: that it serves; None for those that are registered, as they come and go.
    """

    def __init__(
        self, account: ServiceAccount, namespaces: Collection[str] | None, api: Api, metrics: Metrics
    ) -> None:
        self._account = account
        self._namespaces = namespaces
        self._api = api
        self._remover = Remover(api, metrics)
        self.lost_bindings = LostBindings(api, metrics)
        self._served: frozenset[str] = frozenset()
        self._watch: Watch | None = None
        self._event_watches: dict[str, asyncio.Task[None]] = {}
        metrics.gauge("namespaces", "Job namespaces that are served.", lambda: len(self._served))

    async def run(self) -> None:
        """Serve until a signal ends it."""
        try:
            await run_until_signal(self._remover.run(), self.lost_bindings.run(), self._follow_namespaces())
        finally:
            self._watch_events(frozenset())
            if self._watch is not None:
                await self._watch.stop()

    def problem(self) -> str | None:
        """Why it has to be started anew; None while it works."""
        return "stalled" if self._remover.idle_seconds > STALLED_AFTER_SECONDS else None

    async def _follow_namespaces(self) -> None:
        while True:
            try:
                await self._refresh()
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("refreshing namespaces failed", extra=fields(error=error))
            await asyncio.sleep(REFRESH_SECONDS)

    async def _refresh(self) -> None:
        """Watch the namespaces that are registered and whose pods it may read."""
        alive = self._watch is not None and self._watch.alive
        # Where it watches, it may; a watch that it may no longer have ends.
        readable = self._served if alive else frozenset()
        registered = await self._registered()
        served = frozenset([name for name in registered if name in readable or await self._may_read(name)])
        if served == self._served and (alive or not served):
            return
        if self._watch is not None:
            await self._watch.stop()
            self._watch = None
        log.info("serving", extra=fields(namespaces=sorted(served)))
        self._served = served
        self._remover.drop_all_but(served)
        self.lost_bindings.drop_all_but(served)
        self._watch_events(served)
        if served:
            loop = asyncio.get_running_loop()

            def observe(pod: Object, deleted: bool) -> None:
                loop.call_soon_threadsafe(self._remover.observe, pod, deleted)

            self._watch = Watch(self._account, served, observe)
            self._watch.start()

    def _watch_events(self, served: frozenset[str]) -> None:
        """Watch these namespaces for lost bindings, and no others.

        Apart from drivers: where it may not yet, finalizers go as before.
        """
        for name in self._event_watches.keys() - served:
            self._event_watches.pop(name).cancel()
        for name in served - self._event_watches.keys():
            watch = EventWatch(self._api, name, "events", "", self.lost_bindings, field_selector=EVENTS)
            self._event_watches[name] = asyncio.create_task(watch.run())

    async def _registered(self) -> list[str]:
        if self._namespaces is not None:
            return sorted(self._namespaces)
        path = f"/api/v1/namespaces/{self._account.namespace}/configmaps"
        config_maps = await self._api.get(path, labelSelector=JOB_NAMESPACE_LABEL) or {}
        return sorted(
            item["metadata"]["labels"][JOB_NAMESPACE_LABEL] for item in config_maps.get("items", [])
        )

    async def _may_read(self, namespace: str) -> bool:
        """Whether it may read pods of a namespace: for as long as it has its Role there."""
        try:
            # There is no such pod: asking for one costs the API server the least.
            await self._api.get(f"/api/v1/namespaces/{namespace}/pods/may-i")
        except ApiError as error:
            if error.status == 403:
                return False
            raise
        return True
