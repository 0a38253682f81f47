"""UIs of drivers on loopback addresses of their own, their pods, and the gateway before them."""

import asyncio
import json
from contextlib import AsyncExitStack

import aiohttp
from aiohttp import web
from yarl import URL

from localcloud.loopback import free_port
from services.common.health import handlers, reporting
from services.common.metrics import Metrics
from services.ui_gateway.answers import History
from services.ui_gateway.drivers import Drivers
from services.ui_gateway.gateway import Gateway, Knowledge, Settings, serve
from services.ui_gateway.hosts import Hosts, pages
from services.ui_gateway.lookups import AnswerCache, Rate
from services.ui_gateway.proxy import Proxy
from tests.support.loops import run_apart as run_apart

DOMAIN = "spark-a.spark.example"
HISTORY_HOST = "history.spark.example"
HISTORY = f"https://{HISTORY_HOST}"
RUN = f"spark-{'a' * 32}"
OTHER_RUN = f"spark-{'b' * 32}"


def driver_pod(
    name="etl",
    *,
    namespace="data",
    uid="",
    run=RUN,
    address="127.1.0.1",
    phase="Running",
    created="2026-11-22T10:00:00Z",
    started="2026-11-22T10:00:05Z",
    waiting="",
    owner=None,
    version="1",
):
    """A driver's pod; `owner`: name of the SparkApplication that owns it, if not the one it names."""
    state = {"waiting": {"reason": waiting}} if waiting else {"running": {"startedAt": started}}
    labels = {"spark-role": "driver", "sparkoperator.k8s.io/app-name": name}
    return {
        "metadata": {
            "name": f"{name}-driver",
            "namespace": namespace,
            "uid": uid or f"{namespace}-{name}-{created}",
            "creationTimestamp": created,
            "resourceVersion": version,
            "labels": {**labels, **({"spark-app-selector": run} if run else {})},
            "ownerReferences": [{"kind": "SparkApplication", "name": owner or name, "uid": "a"}],
        },
        "status": {
            "phase": phase,
            "podIP": address,
            "containerStatuses": [
                {"name": "sidecar", "state": {"waiting": {"reason": "Other"}}},
                {"name": "spark-kubernetes-driver", "state": state},
            ],
        },
    }


class Uis:
    """A gateway, and what is behind it, for as long as the context lasts.

    handler: of every UI; by default the request, as it came, in JSON.
    applications, links: by namespace and name; an exception in place of an answer is raised.
    login: makes the login of the hosts that are served, with their metrics.
    """

    def __init__(
        self, *pods, handler=None, applications=None, links=None, platform=(), scheme="https", login=None
    ):
        self.drivers = Drivers()
        for pod in pods:
            self.drivers.observe(pod, False)
        self.handler = handler or echo
        self.applications = applications or {}
        self.links = links or {}
        self.asked = []
        self.port = free_port()
        self.ui_port = free_port()
        self._platform = platform
        self._scheme = scheme
        self._login = login
        self._stack = AsyncExitStack()
        self._uis = {}

    async def __aenter__(self):
        metrics = Metrics("ui_gateway")
        knowledge = Knowledge(
            drivers=self.drivers,
            applications=AnswerCache(self._asking(self.applications), Rate(20)),
            links=AnswerCache(self._asking(self.links), Rate(20)),
        )
        hosts = Hosts(DOMAIN, pages(self._platform))
        settings = Settings(
            hosts=hosts,
            namespaces={"data", "science"},
            history=History(f"{self._scheme}://{HISTORY_HOST}"),
            history_days=90,
            scheme=self._scheme,
            ui_port=self.ui_port,
        )
        own = {**handlers(lambda: None, metrics), "/ready": reporting(lambda: "not yet")}
        proxy = await self._stack.enter_async_context(Proxy())
        login = self._login(hosts, metrics) if self._login else None
        gateway = Gateway(settings, knowledge, proxy, metrics, own, login)
        self._serving = asyncio.create_task(serve(gateway, ("127.0.0.1", self.port)))
        self._session = await self._stack.enter_async_context(
            aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar())
        )
        return self

    async def __aexit__(self, *_):
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        for address in list(self._uis):
            await self.close_ui(address)
        await self._stack.aclose()

    async def open_ui(self, address="127.1.0.1"):
        """A UI begins to listen."""
        application = web.Application(client_max_size=1 << 30)
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, address, self.ui_port).start()
        self._uis[address] = runner

    async def close_ui(self, address="127.1.0.1"):
        """It listens no more."""
        await self._uis.pop(address).cleanup()

    async def ask(self, host, path="/", method="GET", **headers):
        """Status, headers and body of a response."""
        url = URL(f"http://127.0.0.1:{self.port}{path}", encoded=True)
        options = {"headers": {"Host": host, **headers}, "allow_redirects": False}
        while True:
            try:
                async with self._session.request(method, url, **options) as response:
                    return response.status, response.headers, await response.read()
            except aiohttp.ClientConnectorError:
                # The gateway does not listen yet.
                if self._serving.done():
                    raise
                await asyncio.sleep(0.01)

    async def _answer(self, request):
        return await self.handler(request)

    def _asking(self, answers):
        async def ask(key):
            self.asked.append(key)
            answer = answers.get(key)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask


async def echo(request):
    """The request, as it came."""
    return web.json_response({"path": request.raw_path, "headers": dict(request.headers)})


def echoed(body):
    """Path and headers, in lower case, that a UI was asked with."""
    request = json.loads(body)
    return request["path"], {name.lower(): value for name, value in request["headers"].items()}
