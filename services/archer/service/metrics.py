"""What the service tells of itself, in series that are few whatever is asked."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.archer.database.pool import Away
from services.archer.service.changes import Changes
from services.archer.service.problems import Problem
from services.common.metrics import Metrics

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; 50 ms is what a status may take."""

WAITING = (b"wait=", b"follow=")
"""In a request that takes as long as it was asked to."""


class ServiceMetrics:
    """Requests, and what became of submissions."""

    def __init__(self, changes: Changes) -> None:
        metrics = Metrics("archer")
        self._registry = metrics.registry
        self.requests = metrics.counter("requests", "Requests answered.", ("operation", "status"))
        self.seconds = metrics.histogram(
            "request_seconds", "Until a request was answered that is not one to wait.", BUCKETS
        )
        self._submissions = metrics.counter("submissions", "Jobs that were sent.", ("outcome",))
        metrics.gauge("waits", "Requests that wait for a job.", lambda: changes.waits)

    @contextmanager
    def submission(self) -> Iterator[None]:
        """Count a job that is sent, by whether it is taken or else why not."""
        outcome = "taken"
        try:
            yield
        except Problem as problem:
            outcome = problem.kind
            raise
        except Away:
            outcome = "away"
            raise
        except Exception:
            outcome = "error"
            raise
        finally:
            self._submissions.labels(outcome).inc()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class Measured:
    """An application whose requests are counted, and whose connections end as it leaves."""

    def __init__(self, app: ASGIApp, metrics: ServiceMetrics, changes: Changes) -> None:
        self._app = app
        self._metrics = metrics
        self._changes = changes

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
                self._metrics.requests.labels(operation, f"{message['status'] // 100}xx").inc()
                if not any(word in scope["query_string"] for word in WAITING):
                    self._metrics.seconds.observe(time.perf_counter() - began)
                if self._changes.leaving:
                    # The next request on it would come to nobody.
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        await self._app(scope, receive, measured)
