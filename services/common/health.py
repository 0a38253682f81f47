"""Health and metrics of a service over HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client.aiohttp import make_aiohttp_handler

from services.common.metrics import Metrics


@asynccontextmanager
async def health_server(
    listen: tuple[str, int],
    problem: Callable[[], str | None],
    metrics: Metrics,
    unready: Callable[[], str | None] = lambda: None,
) -> AsyncIterator[None]:
    """Serve `/healthz`, `/readyz` and `/metrics` for as long as the context lasts.

    listen: host and port.
    problem: why the process has to be replaced, in a word; None while it is healthy. A new process would do
    no better without the API server or a database, so their absence is no problem of this one.
    unready: what it waits for before it does its work; None once it does.
    """
    application = web.Application()
    application.add_routes([*health_routes(problem, metrics), web.get("/readyz", reporting(unready))])
    async with serving(application, listen):
        yield


@asynccontextmanager
async def serving(application: web.Application, listen: tuple[str, int]) -> AsyncIterator[None]:
    """Serve an application at a host and port for as long as the context lasts."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, *listen).start()
        yield
    finally:
        await runner.cleanup()


def health_routes(problem: Callable[[], str | None], metrics: Metrics) -> list[web.RouteDef]:
    """`/healthz` and `/metrics`, as `health_server` serves them, for a program with pages of its own."""
    return [web.get(path, handler) for path, handler in handlers(problem, metrics).items()]


def handlers(problem: Callable[[], str | None], metrics: Metrics) -> dict[str, Handler]:
    """Path -> what answers there, for a service that has pages of its own on the same port."""
    return {"/healthz": reporting(problem), "/metrics": make_aiohttp_handler(metrics.registry)}


def reporting(problem: Callable[[], str | None]) -> Handler:
    """Answers 200 `ok`, or 503 with the problem."""

    async def report(_: web.Request) -> web.StreamResponse:
        reason = problem()
        return web.Response(text=f"{reason or 'ok'}\n", status=503 if reason else 200)

    return report
