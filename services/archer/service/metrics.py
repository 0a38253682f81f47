"""What the service tells of itself, in series that are few whatever is asked."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import generate_latest

from services.archer.database.pool import Away, Pool
from services.archer.service.changes import Changes
from services.archer.service.problems import Problem
from services.common.metrics import Metrics

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; 50 ms is what a status may take."""


class ServiceMetrics:
    """Requests, and what became of submissions."""

    def __init__(self, changes: Changes, pool: Pool) -> None:
        metrics = Metrics("archer")
        self._registry = metrics.registry
        self.requests = metrics.counter("requests", "Requests answered.", ("operation", "status"))
        self.seconds = metrics.histogram(
            "request_seconds", "Until a request was answered that is not one to wait.", BUCKETS
        )
        self._submissions = metrics.counter("submissions", "Jobs that were sent.", ("outcome",))
        metrics.gauge("waits", "Requests that wait for a job.", lambda: changes.waits)
        metrics.gauge(
            "database_silent_seconds", "Since the database last answered.", lambda: pool.silent_seconds
        )

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
