import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from services.common.metrics import Metrics
from services.history_gate.scan import COUNT_SECONDS, Scans
from services.history_gate.servers import Servers, session

NOW = 1_800_000_000.0
DEAD = "http://127.0.0.1:9"


class Bucket:
    def __init__(self):
        self.counts = 0

    def count(self, prefix):
        assert prefix == "hot/"
        self.counts += 1
        return 1_234 * self.counts


class Page:
    """The list of a pod, which says when a scan began; None before the first has ended."""

    def __init__(self, scanned):
        self.scanned = scanned

    async def answer(self, _):
        line = "" if self.scanned is None else f'<span id="last-updated">{self.scanned * 1000:.0f}</span>'
        return web.Response(text=f"<html><p>Last updated: {line}</p></html>", content_type="text/html")


def after(seconds, *pages, began=NOW, dead=()):
    """Values of the gauges at moments, given in seconds after `NOW`, with a look at each."""

    async def run():
        running = []
        for page in pages:
            application = web.Application()
            application.router.add_get("/", page.answer)
            running.append(TestServer(application))
            await running[-1].start_server()
        urls = [*(str(server.make_url("")).rstrip("/") for server in running), *dead]
        moment, bucket, metrics = [began], Bucket(), Metrics("history_gate")
        async with session() as requests:
            scans = Scans(bucket, Servers(requests, urls), 300, metrics, lambda: moment[0])
            values = []
            for second in seconds:
                moment[0] = NOW + second
                await scans.round()
                values.append(
                    tuple(
                        metrics.registry.get_sample_value(f"moka_history_gate_{name}")
                        for name in ("scan_age_seconds", "scan_interval_seconds", "hot_logs")
                    )
                )
        for server in running:
            await server.close()
        return values

    return asyncio.run(run())


def test_a_scan_is_as_old_as_the_page_of_the_list_says():
    assert after([0], Page(NOW - 42)) == [(pytest.approx(42), 300, 1_234)]


def test_of_several_pods_the_one_that_is_behind_counts():
    [(age, _, _)] = after([0], Page(NOW - 42), Page(NOW - 4_200))

    assert age == pytest.approx(4_200)


def test_a_pod_that_never_finishes_a_scan_is_noticed():
    ages = [age for age, _, _ in after([0, 1_000], Page(None))]

    assert ages == [pytest.approx(0), pytest.approx(1_000)]


def test_a_pod_that_is_away_is_noticed():
    ages = [age for age, _, _ in after([0, 1_000], Page(NOW + 990), dead=[DEAD])]

    assert ages[-1] == pytest.approx(1_000)


def test_logs_are_counted_once_an_hour():
    counts = [hot for _, _, hot in after([0, 60, COUNT_SECONDS - 1, COUNT_SECONDS], Page(NOW))]

    assert counts == [1_234, 1_234, 1_234, 2_468]
