"""Counts what a service is asked, whoever answers it."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.archer.service.context import Context

WAITING = (b"wait=", b"follow=")
"""In a request that takes as long as it was asked to."""


class Measured:
    """An application whose requests are counted, and whose connections end as it leaves."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app = app
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
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
