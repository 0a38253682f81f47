import asyncio
from contextlib import closing

import aiohttp
import pytest

from localcloud.loopback import free_port
from services.common.health import health_server
from services.common.metrics import Metrics


@pytest.fixture
def responses():
    """Status and text of each path, while a health server serves it."""

    def fetch(problem, metrics, *paths):
        async def play():
            port = free_port()
            async with (
                health_server(("127.0.0.1", port), problem, metrics),
                aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session,
            ):
                responses = [await session.get(path) for path in paths]
                return [(response.status, await response.text()) for response in responses]

        # In a loop of its own: `asyncio.run` would leave none to the tests of components.
        with closing(asyncio.new_event_loop()) as loop:
            return loop.run_until_complete(play())

    return fetch


def test_a_service_without_a_problem_is_healthy(responses):
    assert responses(lambda: None, Metrics("portal"), "/healthz") == [(200, "ok\n")]


def test_kubernetes_restarts_a_service_with_a_problem(responses):
    assert responses(lambda: "stalled", Metrics("portal"), "/healthz") == [(503, "stalled\n")]


def test_metrics_have_the_name_of_the_service_and_their_value_of_the_moment(responses):
    metrics = Metrics("portal")
    metrics.counter("requests", "Requests.").inc()
    sessions = ["alice", "bob"]
    metrics.gauge("sessions", "Sessions.", lambda: len(sessions))
    sessions.append("carol")

    [(status, text)] = responses(lambda: None, metrics, "/metrics")

    assert status == 200
    lines = [line for line in text.splitlines() if not line.startswith("# HELP")]
    assert lines == [
        "# TYPE moka_portal_requests_total counter",
        "moka_portal_requests_total 1.0",
        "# TYPE moka_portal_sessions gauge",
        "moka_portal_sessions 3.0",
    ]
