"""Answers requests: by host, from what is known of drivers, and through the proxy."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler
from botocore.exceptions import BotoCoreError, ClientError

from services.common.addresses import is_address
from services.common.kubernetes import ApiError, Object
from services.common.logs import fields
from services.common.metrics import Metrics
from services.ui_gateway import answers, texts
from services.ui_gateway.access import not_shown
from services.ui_gateway.answers import History, NotThere, Redirect, UiNotReady
from services.ui_gateway.drivers import Driver, Drivers
from services.ui_gateway.hosts import Application, Hosts, Page
from services.ui_gateway.login import Login
from services.ui_gateway.lookups import AnswerCache, TooManyQuestions
from services.ui_gateway.proxy import Proxy, ProxyRefusal, Unreachable
from services.ui_gateway.responses import html, plain, redirect, retry

METHODS = ("GET", "HEAD")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 60.0)

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Namespace and name of an application."""

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What differs between clusters.

    hosts: names that it answers for. namespaces: of jobs. history: where the History Server is.
    history_days: how long event logs are kept. scheme: that people use. ui_port: of drivers.
    """

    hosts: Hosts
    namespaces: Collection[str]
    history: History
    history_days: int
    scheme: str
    ui_port: int


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What it knows, and whom it asks.

    drivers: as watches keep them.
    applications: SparkApplications, None where there is none. links: the newest run that is known of a name.
    """

    drivers: Drivers
    applications: AnswerCache[Key, Object | None]
    links: AnswerCache[Key, str | None]


class Gateway:
    """Answers every request.

    own: path -> handler for its own health and metrics. login: before pages; None shows them to everybody.
    """

    def __init__(
        self,
        settings: Settings,
        knowledge: Knowledge,
        proxy: Proxy,
        metrics: Metrics,
        own_handlers: Mapping[str, Handler],
        login: Login | None = None,
    ) -> None:
        self._settings = settings
        self._knowledge = knowledge
        self._proxy = proxy
        self._own_handlers = own_handlers
        self._login = login
        self._requests = metrics.counter("requests", "Requests answered.", ("page", "status"))
        self._seconds = metrics.histogram("request_seconds", "Time of a request, to its last byte.", SECONDS)
        self._stale = metrics.counter(
            "questions_failed", "Questions to the API server and to S3 that failed."
        )

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The response to a request."""
        if is_address(request.host):
            handler = self._own_handlers.get(request.path)
            return await handler(request) if handler else plain(404, "there is no such page")
        start = time.monotonic()
        target = self._settings.hosts.target(request.host)
        response = await self._of(request, target)
        if self._login is not None and self._login.is_at(request.host):
            page = "login"
        else:
            page = target.host if isinstance(target, Page) else "job" if target else "none"
        self._requests.labels(page, f"{response.status // 100}xx").inc()
        self._seconds.observe(time.monotonic() - start)
        return response

    async def _of(self, request: web.Request, target: Application | Page | None) -> web.StreamResponse:
        if self._login is not None and self._login.is_at(request.host):
            return await self._login.page(request)
        if target is None:
            return plain(404, "there is no page of that name")
        # An absolute URL, or what would become another server's behind a driver's address.
        if not request.raw_path.startswith("/"):
            return plain(400, "write the path of a page")
        if request.method not in METHODS:
            response = plain(
                405, "pages are for reading here; a job is stopped by deleting its SparkApplication"
            )
            response.headers["Allow"] = ", ".join(METHODS)
            return response
        # It would stay in the browser, and answer for the next driver of that name.
        if "Service-Worker" in request.headers:
            return plain(403, "pages have no service workers here")
        if self._login is not None and (barred := self._login.barred(request, target)):
            return barred
        if isinstance(target, Page):
            return await self._page(request, target)
        if target.namespace not in self._settings.namespaces:
            return plain(403, not_shown(target))
        return await self._job(request, target)

    async def _page(self, request: web.Request, page: Page) -> web.StreamResponse:
        server = page.upstream(request.path)
        if server is None:
            return plain(404, "there is no such page")
        try:
            return await self._proxy.pass_on(request, server, self._settings.scheme)
        except (ProxyRefusal, Unreachable) as error:
            log.warning("page out of reach", extra=fields(page=page.host, error=error))
            return plain(502, f"{page.host} does not answer; try again")

    async def _job(self, request: web.Request, target: Application) -> web.StreamResponse:
        driver = self._knowledge.drivers.newest(target.namespace, target.name)
        if run_request := answers.run_asked_for(request.raw_path):
            return self._run(request, driver, *run_request)
        if request.raw_path.startswith("/run/"):
            return plain(404, "runs are at /run/spark-<32 hexadecimal digits>/")
        path, history = request.raw_path, self._settings.history
        if driver is None:
            return self._response(target, await self._without_driver(target, path))
        if answer := answers.before_asking(driver, path, history):
            return self._response(target, answer)
        drivers = self._knowledge.drivers
        if not drivers.has_address(driver):
            return html(504, texts.no_answer(target.name, "its address is another job's by now"))
        try:
            response = await self._proxy.pass_on(request, self._server(driver), self._settings.scheme)
        except ProxyRefusal:
            return self._response(
                target,
                answers.after_refusal(
                    driver, path, history, answered=drivers.answered(driver), now=datetime.now(UTC)
                ),
            )
        except Unreachable as error:
            return html(504, texts.no_answer(target.name, str(error)))
        drivers.note_answer(driver)
        return response

    def _server(self, driver: Driver) -> str:
        address = f"[{driver.address}]" if ":" in driver.address else driver.address
        return f"http://{address}:{self._settings.ui_port}"

    def _run(self, request: web.Request, driver: Driver | None, run: str, path: str) -> web.Response:
        """The address of one run, which never leads to another."""
        query = f"?{request.raw_path.partition('?')[2]}" if "?" in request.raw_path else ""
        if driver is not None and driver.run == run and not driver.ended:
            return redirect(f"{self._settings.scheme}://{request.host}/{path.lstrip('/')}{query}")
        return redirect(self._settings.history.page(run, f"{path}{query}"))

    async def _without_driver(
        self, target: Application, path: str
    ) -> Redirect | UiNotReady | NotThere | None:
        """What there is of an application without a driver; None where that cannot be learned at present."""
        key, history = (target.namespace, target.name), self._settings.history
        known, application = await self._lookup(self._knowledge.applications.get, key)
        if application is not None:
            return answers.of_application(application, path, history)
        known_link, run = await self._lookup(self._knowledge.links.get, key)
        if run is not None:
            return Redirect(history.page(run, path))
        return NotThere() if known and known_link else None

    async def _lookup(
        self, ask: Callable[[Key], Awaitable[Value | None]], key: Key
    ) -> tuple[bool, Value | None]:
        """Whether there was an answer, and the answer."""
        try:
            return True, await ask(key)
        except TooManyQuestions:
            pass
        except (ApiError, BotoCoreError, ClientError, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("asking failed", extra=fields(application=key, error=error))
        self._stale.inc()
        return False, None

    def _response(self, target: Application, answer: Redirect | UiNotReady | NotThere | None) -> web.Response:
        match answer:
            case Redirect(url):
                return redirect(url)
            case UiNotReady(reason, history):
                return retry(html(503, texts.waiting(target.name, reason, history)))
            case NotThere():
                days, history = self._settings.history_days, self._settings.history.url
                return html(404, texts.not_there(target.name, target.namespace, days, history))
            case None:
                return retry(html(503, texts.unknown(target.name)))


async def serve(gateway: Gateway, listen: tuple[str, int]) -> None:
    """Answer requests for ever; `listen`: host and port."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", gateway.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, *listen).start()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
