import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate.listing import LOST_SHARE, MOST_OPENED, Listing
from services.history_gate.servers import Servers, session
from services.history_gate.storage import Stored

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
DEAD = "http://127.0.0.1:9"


def job(number):
    return f"spark-{number:032x}"


class Bucket:
    """Logs, by hours since they were written."""

    def __init__(self, hours):
        self.hours = dict(hours)

    def objects(self, prefix):
        yield Stored(prefix, 0, NOW)
        for name, hours in self.hours.items():
            yield Stored(event_logs.hot_key(name), 1, NOW - timedelta(hours=hours))


class HistoryServer:
    """One with a list, which has jobs whose page is opened, as Spark does; others are not there."""

    def __init__(self, listed, readable):
        self.listed, self.readable, self.opened = set(listed), set(readable), []

    async def data(self, request):
        return web.Response(status=200 if request.match_info["app"] in self.listed else 404)

    async def page(self, request):
        name = request.match_info["app"]
        self.opened.append(name)
        if name in self.readable:
            self.listed.add(name)
        return web.Response(status=200 if name in self.readable else 404)


def looking(bucket, steps, *servers, dead=()):
    """Take steps with the watch of a list, each at a time of its own, in hours after `NOW`."""

    async def run():
        running = []
        for server in servers:
            application = web.Application()
            application.router.add_get("/api/v1/applications/{app}", server.data)
            application.router.add_get("/history/{app}/jobs/", server.page)
            running.append(TestServer(application))
            await running[-1].start_server()
        urls = [*(str(server.make_url("")).rstrip("/") for server in running), *dead]
        moment, metrics = [0.0], Metrics("history_gate")
        async with session() as requests:
            listing = Listing(bucket, Servers(requests, urls), 300, metrics, lambda: moment[0])
            for hours, step in steps:
                moment[0] = (NOW + timedelta(hours=hours)).timestamp()
                await step(listing)
        for server in running:
            await server.close()
        return {
            name: metrics.registry.get_sample_value(f"moka_history_gate_{name}")
            for name in ("unlisted_share", "left_out", "relisted_total")
        }

    return asyncio.run(run())


def test_a_job_that_a_killed_server_left_out_is_opened_once_it_was_missing_twice():
    bucket = Bucket({job(1): 2, job(2): 2})
    server = HistoryServer({job(1)}, {job(1), job(2)})

    first = looking(bucket, [(0, Listing.repair)], server)
    assert (server.opened, first["left_out"]) == ([], 1)

    values = looking(bucket, [(0, Listing.repair), (1, Listing.repair), (2, Listing.repair)], server)

    assert server.opened == [job(2)]
    assert values == {"unlisted_share": 0, "left_out": 0, "relisted_total": 1}


@pytest.mark.parametrize("hours", [0.5, 30], ids=["not read yet, maybe", "long ago"])
def test_logs_of_other_times_are_not_looked_for(hours):
    server = HistoryServer(set(), {job(1)})

    looking(Bucket({job(1): hours}), [(0, Listing.repair), (0.2, Listing.repair)], server)

    assert server.opened == []


def test_a_job_that_is_listed_late_is_not_opened():
    server = HistoryServer(set(), {job(1)})

    async def listed(_):
        server.listed.add(job(1))

    values = looking(Bucket({job(1): 2}), [(0, Listing.repair), (0, listed), (1, Listing.repair)], server)

    assert (server.opened, values["left_out"]) == ([], 0)


def test_each_pod_has_a_list_of_its_own_and_one_that_is_away_is_not_taken_for_empty():
    servers = HistoryServer({job(1)}, {job(1)}), HistoryServer(set(), {job(1)})

    steps = [(0, Listing.repair), (1, Listing.repair)]
    values = looking(Bucket({job(1): 2}), steps, *servers, dead=[DEAD])

    assert [server.opened for server in servers] == [[], [job(1)]]
    assert values["left_out"] == 0


def test_a_pod_that_was_away_is_asked_again_for_what_ended_meanwhile(monkeypatch):
    server = HistoryServer(set(), {job(1)})
    status = Servers.status

    async def away(*_):
        return None

    async def go(_):
        monkeypatch.setattr(Servers, "status", away)

    async def come(_):
        monkeypatch.setattr(Servers, "status", status)

    steps = [(0, go), (0, Listing.repair), (1, come), (1, Listing.repair), (2, Listing.repair)]
    values = looking(Bucket({job(1): 2}), steps, server)

    assert (server.opened, values["left_out"]) == ([job(1)], 0)


def test_a_list_that_is_lost_is_told_and_nobody_opens_all_of_it():
    """A scan that could not list the folder empties the list; later ones fill it again."""
    names = [job(number) for number in range(100)]
    server = HistoryServer(names, names)

    async def lose(_):
        server.listed.clear()

    steps = [(0, Listing.repair), (0, lose), (0.1, Listing.sample), (1, Listing.repair), (2, Listing.repair)]
    values = looking(Bucket(dict.fromkeys(names, 2)), steps, server)

    assert values["unlisted_share"] == 1 > LOST_SHARE
    assert server.opened == []


def test_jobs_that_left_the_list_after_days_are_not_missed():
    server = HistoryServer({job(1)}, {job(1)})

    async def expire(_):
        server.listed.clear()

    steps = [(0, Listing.repair), (100, expire), (100, Listing.sample)]
    values = looking(Bucket({job(1): 2}), steps, server)

    assert values["unlisted_share"] == 0


def test_a_log_that_is_gone_meanwhile_is_forgotten():
    server = HistoryServer(set(), set())

    values = looking(Bucket({job(1): 2}), [(0, Listing.repair), (1, Listing.repair)], server)

    assert (server.opened, values["left_out"], values["relisted_total"]) == ([job(1)], 0, 0)


def test_no_more_are_opened_at_a_time_than_somebody_could_watch():
    names = [job(number) for number in range(MOST_OPENED + 20)]
    server = HistoryServer(set(), names)

    values = looking(Bucket(dict.fromkeys(names, 2)), [(0, Listing.repair), (1, Listing.repair)], server)

    assert (len(server.opened), values["left_out"]) == (MOST_OPENED, 20)
