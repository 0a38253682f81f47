"""Counts and traces what a service is asked, whoever answers it."""

import time

from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.archer.service.context import Context

WAITING = (b"wait=", b"follow=")
"""In a request that takes as long as it was asked to."""

TRACED = "/v1/"
"""Where paths begin that people and programs ask; probes and collectors ask others, all the time."""


class Telemetry:
    """An application whose requests are counted and traced, and whose connections end as it leaves."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app = app
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._context.tracing.share and scope["path"].startswith(TRACED):
            await self._traced(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    async def _traced(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in a span, of the trace that the request says it belongs to."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        attributes = {"http.request.method": scope["method"]}
        with self._context.tracing.tracer.start_as_current_span(
            scope["method"], extract(headers), SpanKind.SERVER, attributes
        ) as span:

            async def traced(message: Message) -> None:
                if message["type"] == "http.response.start":
                    _name(span, scope, message["status"])
                await send(message)

            await self._counted(scope, receive, traced)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                # A name of ours: what was asked for is not counted.
                operation = getattr(scope.get("endpoint"), "__name__", "none").strip("_")
                self._context.metrics.requests.labels(operation, f"{message['status'] // 100}xx").inc()
                if not any(word in scope["query_string"] for word in WAITING):
                    self._context.metrics.seconds.observe(time.perf_counter() - began)
                if self._context.changes.leaving:
                    # The next request on it would come to nobody.
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        await self._app(scope, receive, measured)


def _name(span: Span, scope: Scope, status: int) -> None:
    """Names and attributes of spans of HTTP (https://opentelemetry.io/docs/specs/semconv/http/http-spans/)."""
    span.set_attribute("http.response.status_code", status)
    if route := getattr(scope.get("route"), "path", None):
        span.update_name(f"{scope['method']} {route}")
        span.set_attribute("http.route", route)
    if job := scope.get("path_params", {}).get("job"):
        span.set_attribute("moka.job", job)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))
