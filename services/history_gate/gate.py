"""The way to the History Server: a job's page, or what there is to say while there is none."""

import asyncio
import time
from collections.abc import Callable, Mapping

from aiohttp import web

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate import executor_logs, pages
from services.history_gate.executor_logs import ClusterLogs
from services.history_gate.servers import Servers, Unreachable
from services.history_gate.storage import Storage
from services.history_gate.verdict import Archived, Hot, Running, Unknown, verdict

PATIENCE_SECONDS = 2.0
"""A page that takes longer to read is waited for with a page that says so."""

OPEN_SECONDS = 60.0
"""For so long a job that was opened is passed on without another look."""

MOST_OPEN = 10_000
"""Jobs that were opened lately, as many as are remembered."""


class Gate:
    """Handlers of requests.

    live_url: of a running job, with `{name}`, `{namespace}` and `{cluster}`. days: that logs are kept.
    logs: of executors, by cluster. clock: in seconds, from any time on.
    """

    def __init__(
        self,
        storage: Storage,
        servers: Servers,
        live_url: str,
        days: int,
        logs: Mapping[str, ClusterLogs],
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._storage = storage
        self._servers = servers
        self._live_url = live_url
        self._days = days
        self._logs = logs
        self._clock = clock
        self._open_until: dict[str, float] = {}
        self._reading: dict[str, asyncio.Task[tuple[int, str]]] = {}
        self._counts = {
            Hot: metrics.counter("opened_hot", "Jobs that were opened from the list's logs."),
            Archived: metrics.counter("opened_archive", "Jobs that were opened from the archive."),
            Running: metrics.counter("still_running", "Requests for the history of jobs that still run."),
            Unknown: metrics.counter("not_found", "Requests for jobs without a log."),
        }
        self._errors = metrics.counter("server_errors", "Logs that the History Server could not open.")
        metrics.gauge(
            "being_read", "Logs that are being read for the first time.", lambda: len(self._reading)
        )

    def routes(self) -> list[web.RouteDef]:
        """All ways in, for GET and HEAD: nobody changes anything here."""
        return [
            web.get("/history/{app}", self.job),
            web.get("/history/{app}/{rest:.*}", self.job),
            web.get("/api/v1/applications/{app}", self.data),
            web.get("/api/v1/applications/{app}/{rest:.*}", self.data),
            web.get("/logs/{path:.*}", self.logs),
            web.get("/{rest:.*}", self.list_page),
        ]

    async def list_page(self, request: web.Request) -> web.StreamResponse:
        """The list, its data, styles and scripts."""
        return await self._pass_on(request, request.path)

    async def logs(self, request: web.Request) -> web.StreamResponse:
        """Logs of an executor: not shown here, as whoever reads them needs rights of his own."""
        page = executor_logs.page_of(self._logs, request.match_info["path"])
        if page is None:
            return _html(pages.no_logs(), 404)
        raise web.HTTPFound(page)

    async def data(self, request: web.Request) -> web.StreamResponse:
        """Data of a job, for its pages (static/utils.js of Spark 4.3): of the pod that has read it, and of no
        job that runs, of which the server would keep what there was."""
        _, log = _names(request)
        if not event_logs.is_log(log):
            return web.Response(text="no such app", status=404)
        if self._clock() >= self._open_until.get(log, 0.0):
            location = await asyncio.to_thread(verdict, self._storage, log)
            if isinstance(location, Running | Unknown):
                return web.Response(text=f"no such app: {log}", status=404)
        return await self._pass_on(request, log)

    async def job(self, request: web.Request) -> web.StreamResponse:
        """A page of a job."""
        app, log = _names(request)
        if not event_logs.is_log(log):
            return _html(pages.unknown(log, self._days), 404)
        if self._clock() < self._open_until.get(log, 0.0):
            return await self._pass_on(request, log)
        location = await asyncio.to_thread(verdict, self._storage, log)
        if log not in self._reading:
            self._counts[type(location)].inc()
        match location:
            case Running(marker):
                url = self._live_url.format(
                    name=marker.name, namespace=marker.namespace, cluster=marker.cluster
                )
                return _html(pages.running(marker, url))
            case Unknown():
                return _html(pages.unknown(log, self._days), 404)
        return await self._open(request, app, log, location)

    async def _open(
        self, request: web.Request, app: str, log: str, location: Hot | Archived
    ) -> web.StreamResponse:
        """Have the server read a log, once for all who ask for it, and say so while that takes long."""
        task = self._reading.get(log)
        if task is None:
            path = f"/history/{app}/" + (f"{log.rpartition('_')[2]}/" if log != app else "") + "jobs/"
            task = self._reading[log] = asyncio.create_task(self._servers.get(path, log))
            task.add_done_callback(lambda _: self._reading.pop(log, None))
        await asyncio.wait([task], timeout=PATIENCE_SECONDS)
        if not task.done():
            return _html(pages.being_read(log, location.size))
        try:
            status, text = task.result()
        except Unreachable:
            return _html(pages.unreachable(), 503)
        if status != 200:
            self._errors.inc()
            return _html(pages.failed(log, f"{status} {text[:2000]}"), 502)
        self._remember(log)
        return await self._pass_on(request, log)

    def _remember(self, log: str) -> None:
        if len(self._open_until) >= MOST_OPEN:
            self._open_until.clear()
        self._open_until[log] = self._clock() + OPEN_SECONDS

    async def _pass_on(self, request: web.Request, key: str) -> web.StreamResponse:
        try:
            return await self._servers.pass_on(request, key)
        except Unreachable:
            return _html(pages.unreachable(), 503)


def _names(request: web.Request) -> tuple[str, str]:
    """The application of a path, and its log: of an attempt, where the path names one."""
    app, rest = request.match_info["app"], request.match_info.get("rest", "")
    attempt = rest.partition("/")[0]
    return app, f"{app}_{attempt}" if attempt.isascii() and attempt.isdecimal() else app


def _html(text: str, status: int = 200) -> web.Response:
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=text, status=status, content_type="text/html", headers=headers)
