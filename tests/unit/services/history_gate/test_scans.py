import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from services.common.metrics import Metrics
from services.history_gate.scans import Scans
from services.history_gate.servers import session

PAGE = '<ul><li><p>Last updated: <span id="last-updated">{}</span></p></li></ul>'
DEAD = "http://127.0.0.1:9"
"""Discard: nothing listens there."""


def answer(text):
    async def page(_):
        return web.Response(text=text)

    return page


def age(now, *pages, dead=()):
    """The age at a moment, after a round that began at 1,000 s; None is a page before the first scan."""

    async def run():
        urls = list(dead)
        running = []
        for page in pages:
            application = web.Application()
            application.router.add_get("/", answer("<p>no jobs</p>" if page is None else PAGE.format(page)))
            running.append(TestServer(application))
            await running[-1].start_server()
            urls.append(str(running[-1].make_url("")).rstrip("/"))
        moment = [1000.0]
        metrics = Metrics("history_gate")
        async with session() as requests:
            scans = Scans(requests, urls, metrics, lambda: moment[0])
            await scans.round()
        for server in running:
            await server.close()
        moment[0] = now
        return metrics.registry.get_sample_value("moka_history_gate_scan_age_seconds")

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("pages", "dead", "expected"),
    [
        ([1_990_000], (), 10.0),
        ([1_990_000, 1_500_000], (), 500.0),
        ([None], (), 1000.0),
        ([1_990_000], (DEAD,), 1000.0),
    ],
    ids=["one pod", "the one that is behind most", "no scan is done yet", "one that does not answer"],
)
def test_the_age_of_the_last_scan_is_told(pages, dead, expected):
    assert age(2000.0, *pages, dead=dead) == expected
