"""The controller: watches where it may, and lets the remover and whoever asks of its health do their part."""

import asyncio
import logging
import signal
from collections.abc import Collection
from contextlib import suppress

import aiohttp
from aiohttp import web

from moka.names import JOB_NAMESPACE_LABEL
from services.driver_finalizer.api import Api, ApiError, ServiceAccount
from services.driver_finalizer.remover import Remover
from services.driver_finalizer.rules import Object
from services.driver_finalizer.watching import Watch

LOOK_AGAIN = 3.0
"""Seconds between looks at which namespaces there are."""

STALLED = 60.0
"""Seconds after which a remover that does nothing, not even wait, is taken for dead."""

log = logging.getLogger("moka.driver_finalizer")


class Controller:
    """The whole of it.

    namespaces: that it serves; None for those that are registered, as they come and go.
    """

    def __init__(self, account: ServiceAccount, namespaces: Collection[str] | None, api: Api) -> None:
        self._account = account
        self._namespaces = namespaces
        self._api = api
        self.remover = Remover(api)
        self.served: frozenset[str] = frozenset()
        self._watch: Watch | None = None

    async def run(self, host: str, port: int) -> None:
        """Serve until told to end by a signal."""
        loop = asyncio.get_running_loop()
        told = asyncio.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, told.set)
        runner = web.AppRunner(self._application(), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
        removing = asyncio.create_task(self.remover.run())
        watching = asyncio.create_task(self._follow())
        ending = asyncio.create_task(told.wait())
        try:
            done, _ = await asyncio.wait((removing, watching, ending), return_when=asyncio.FIRST_COMPLETED)
            for task in done - {ending}:
                task.result()
        finally:
            for task in (removing, watching, ending):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task
            if self._watch is not None:
                await self._watch.stop()
            await runner.cleanup()

    async def _follow(self) -> None:
        """Watch the namespaces that there are and that it may."""
        while True:
            try:
                await self._look()
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("looking failed", extra={"fields": {"error": str(error) or type(error).__name__}})
            await asyncio.sleep(LOOK_AGAIN)

    async def _look(self) -> None:
        alive = self._watch is not None and self._watch.alive
        # Where it watches, it may; a watch that it may no longer have ends.
        sure = self.served if alive else frozenset()
        wanted = await self._wanted()
        served = frozenset([name for name in wanted if name in sure or await self._may(name)])
        if served == self.served and (alive or not served):
            return
        if self._watch is not None:
            await self._watch.stop()
            self._watch = None
        log.info("serving", extra={"fields": {"namespaces": sorted(served)}})
        self.served = served
        self.remover.forget(served)
        if served:
            loop = asyncio.get_running_loop()

            def hear(pod: Object, gone: bool) -> None:
                loop.call_soon_threadsafe(self.remover.hear, pod, gone)

            self._watch = Watch(self._account, served, hear)
            self._watch.start()

    async def _wanted(self) -> list[str]:
        if self._namespaces is not None:
            return sorted(self._namespaces)
        path = f"/api/v1/namespaces/{self._account.namespace}/configmaps"
        found = await self._api.get(path, labelSelector=JOB_NAMESPACE_LABEL)
        return sorted(
            one["metadata"]["labels"][JOB_NAMESPACE_LABEL] for one in (found or {}).get("items", [])
        )

    async def _may(self, namespace: str) -> bool:
        """Whether it may read pods of a namespace: for as long as it has its Role there."""
        try:
            # There is no such pod: asking for one costs the API server the least.
            await self._api.get(f"/api/v1/namespaces/{namespace}/pods/may-i")
        except ApiError as error:
            if error.status == 403:
                return False
            raise
        return True

    def _application(self) -> web.Application:
        application = web.Application()
        application.add_routes([web.get("/healthz", self._health), web.get("/metrics", self._metrics)])
        return application

    async def _health(self, _: web.Request) -> web.Response:
        """Whether it does what it is for; a new process would do no better without the API server."""
        stalled = self.remover.clock() - self.remover.beat > STALLED
        return web.Response(text="stalled\n" if stalled else "ok\n", status=503 if stalled else 200)

    async def _metrics(self, _: web.Request) -> web.Response:
        waiting = self.remover.waiting
        numbers = {
            ("released_total", "counter"): self.remover.counts.released,
            ("failures_total", "counter"): self.remover.counts.failures,
            ("namespaces", "gauge"): len(self.served),
            ("held", "gauge"): len(self.remover.pods),
            ("waiting", "gauge"): len(waiting),
            ("longest_wait_seconds", "gauge"): round(max(waiting, default=0.0), 3),
        }
        lines = [
            line
            for (name, kind), number in numbers.items()
            for line in (
                f"# TYPE moka_driver_finalizer_{name} {kind}",
                f"moka_driver_finalizer_{name} {number}",
            )
        ]
        return web.Response(text="\n".join(lines) + "\n")
