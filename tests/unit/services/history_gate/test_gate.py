import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate import gate as gate_module
from services.history_gate import verdict as verdict_module
from services.history_gate.executor_logs import cluster_logs
from services.history_gate.gate import Gate
from services.history_gate.servers import Servers, session
from services.history_gate.storage import Stored

LOG = "spark-" + "0a" * 16
NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)
MARKER = event_logs.Marker(
    cluster="spark-a", namespace="jobs", name="nightly", app_id=LOG, started="2026-11-22T19:00:00Z"
)
LOGS = cluster_logs(["spark-a=moka-spark-a=https://console.example/logs?prefix={prefix}"])
DEAD = "http://127.0.0.1:9"
"""Discard: nothing listens there."""


class Bucket:
    """Objects in memory, some written a while ago. asked: keys that were asked for."""

    def __init__(self, **written):
        self.ages = written
        self.asked = []

    def size(self, key):
        self.asked.append(key)
        return 5 * 2**20 if key.startswith("hot/") and "hot" in self.ages else None

    def marker(self, log):
        if "marker" not in self.ages:
            return None
        return MARKER, NOW - timedelta(seconds=self.ages["marker"])

    def objects(self, prefix):
        return iter([Stored(f"{prefix}events_1", 300 * 2**20, NOW)] if "archive" in self.ages else [])


class HistoryServer:
    """What the gate needs of one: pages of jobs, and a wait before the first."""

    def __init__(self, wait=None, status=200):
        self.paths, self.headers, self.wait, self.status = [], [], wait, status

    async def answer(self, request):
        self.paths.append(request.raw_path)
        self.headers.append(request.headers)
        if self.wait and request.path.endswith("/jobs/"):
            await self.wait.wait()
        if request.path == "/history/away":
            raise web.HTTPFound("/history/home/")
        return web.Response(text=f"page {request.raw_path}", status=self.status, headers={"X-Spark": "4.3"})


def with_gate(bucket, use, *servers, dead=(), monkeypatch=None, clock=lambda: 0.0):
    """Run what is done with a gate before some servers."""

    async def run():
        running = []
        for server in servers:
            application = web.Application()
            application.router.add_route("*", "/{rest:.*}", server.answer)
            running.append(TestServer(application))
            await running[-1].start_server()
        urls = [*dead, *[str(server.make_url("")).rstrip("/") for server in running]]
        async with session() as requests:
            metrics = Metrics("history_gate")
            gate = Gate(
                bucket,
                Servers(requests, urls),
                "http://{name}.{namespace}.{cluster}.example/",
                30,
                LOGS,
                metrics,
                clock,
            )
            application = web.Application()
            application.add_routes(gate.routes())
            async with TestClient(TestServer(application)) as client:
                client.value = lambda name: metrics.registry.get_sample_value(f"moka_history_gate_{name}")
                result = await use(client)
        for server in running:
            await server.close()
        return result

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _time(monkeypatch):
    monkeypatch.setattr(verdict_module, "now", lambda: NOW)
    monkeypatch.setattr(gate_module, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(verdict_module.verdict, "__defaults__", (lambda: NOW,))


def page(path, count=1):
    async def use(client):
        # As it is written here, dots and all.
        url = URL(str(client.make_url("/")).rstrip("/") + path, encoded=True)
        answers = [await client.session.get(url, allow_redirects=False) for _ in range(count)]
        return [(answer.status, await answer.text(), answer.headers) for answer in answers]

    return use


def test_data_of_a_job_come_from_the_server_that_has_read_it():
    """Pages of stages and executors ask for them, not below /history/."""
    servers = HistoryServer(), HistoryServer()
    paths = [f"/history/{LOG}/jobs/"] + [
        f"/api/v1/applications/{LOG}{rest}" for rest in ("", "/executors", "/stages/7", "/allexecutors")
    ]

    async def use(client):
        for path in paths:
            assert (await client.get(path)).status == 200

    with_gate(Bucket(hot=0), use, *servers)

    read = [server for server in servers if server.paths]
    assert len(read) == 1
    assert set(paths) <= set(read[0].paths)


@pytest.mark.parametrize("bucket", [Bucket(marker=10), Bucket()], ids=["runs", "unknown"])
def test_data_of_a_job_without_history_are_not_asked_for(bucket):
    server = HistoryServer()

    [(status, _, _)] = with_gate(bucket, page(f"/api/v1/applications/{LOG}/executors"), server)

    assert (status, server.paths) == (404, [])


def test_the_list_of_all_jobs_has_its_data_as_before():
    server = HistoryServer()

    [(status, _, _)] = with_gate(Bucket(), page("/api/v1/applications?limit=5"), server)

    assert (status, server.paths) == (200, ["/api/v1/applications?limit=5"])


@pytest.mark.parametrize("place", ["hot", "archive"])
@pytest.mark.parametrize("rest", ["", "/jobs/", "/stages/stage/?id=1&attempt=0", "/1/jobs/"])
def test_a_job_that_has_ended_is_shown_by_the_server(place, rest):
    server = HistoryServer()

    [(status, text, headers)] = with_gate(Bucket(**{place: 0}), page(f"/history/{LOG}{rest}"), server)

    assert (status, text) == (200, f"page /history/{LOG}{rest}")
    assert headers["X-Spark"] == "4.3"


def test_a_job_that_runs_is_not_asked_of_the_server_but_led_to_its_live_ui():
    server = HistoryServer()

    [(status, text, _)] = with_gate(Bucket(marker=60, archive=0), page(f"/history/{LOG}/jobs/"), server)

    assert status == 200
    assert "nightly still runs" in text
    assert 'href="http://nightly.jobs.spark-a.example/"' in text
    assert server.paths == []


def test_a_driver_that_gives_no_sign_any_more_is_opened_from_the_archive():
    [(status, text, _)] = with_gate(
        Bucket(marker=3600, archive=0), page(f"/history/{LOG}/jobs/"), HistoryServer()
    )

    assert (status, text) == (200, f"page /history/{LOG}/jobs/")


def test_once_it_has_ended_the_page_of_a_job_that_ran_is_the_server_s():
    bucket, server = Bucket(marker=60, archive=0), HistoryServer()

    async def use(client):
        before = await (await client.get(f"/history/{LOG}/jobs/")).text()
        bucket.ages["hot"] = 0
        return before, await (await client.get(f"/history/{LOG}/jobs/")).text()

    before, after = with_gate(bucket, use, server)
    assert "still runs" in before
    assert after == f"page /history/{LOG}/jobs/"


def test_a_job_without_a_log_says_how_long_logs_are_kept():
    server = HistoryServer()

    [(status, text, _)] = with_gate(Bucket(), page(f"/history/{LOG}/jobs/"), server)

    assert status == 404
    assert "older than 30 days" in text
    assert server.paths == []


@pytest.mark.parametrize(
    "name", ["..%2f..%2fhot", "%2e%2e", "a%00b", "x" * 200, "a%20b", "<script>", "%3Cscript%3E", "é"]
)
def test_what_is_no_id_is_asked_of_nobody(name):
    bucket, server = Bucket(hot=0), HistoryServer()

    [(status, text, _)] = with_gate(bucket, page(f"/history/{name}/jobs/"), server)

    assert status in (400, 404)
    assert "<script>" not in text
    assert bucket.asked == server.paths == []


def test_a_log_that_takes_long_is_read_once_for_all_who_wait():
    async def use(client):
        waits = [await client.get(f"/history/{LOG}/stages/") for _ in range(3)]
        texts = [await answer.text() for answer in waits]
        server.wait.set()
        await asyncio.sleep(0)
        while client.value("being_read"):
            await asyncio.sleep(0.01)
        after = await client.get(f"/history/{LOG}/stages/")
        return texts, await after.text()

    async def with_wait(client):
        server.wait = asyncio.Event()
        return await use(client)

    server = HistoryServer()
    texts, after = with_gate(Bucket(archive=0), with_wait, server)
    assert all("is being read" in text and "300.0 MiB" in text and 'content="3"' in text for text in texts)
    assert after == f"page /history/{LOG}/stages/"
    assert server.paths.count(f"/history/{LOG}/jobs/") == 2, "once for the three, and once as they came back"


def test_an_error_of_the_server_is_shown_in_its_words():
    [(status, text, _)] = with_gate(Bucket(hot=0), page(f"/history/{LOG}/jobs/"), HistoryServer(status=500))

    assert status == 502
    assert f"500 page /history/{LOG}/jobs/" in text


def test_a_job_that_was_just_opened_is_not_looked_for_again():
    bucket = Bucket(hot=0)

    with_gate(bucket, page(f"/history/{LOG}/jobs/", count=5), HistoryServer())

    assert bucket.asked == [event_logs.hot_key(LOG)]


def test_after_a_while_it_is():
    bucket, times = Bucket(hot=0), iter(range(0, 10_000, 100))

    with_gate(bucket, page(f"/history/{LOG}/jobs/", count=2), HistoryServer(), clock=lambda: next(times))

    assert len(bucket.asked) == 2


def test_a_job_is_read_by_one_pod_and_jobs_are_by_all():
    servers = [HistoryServer() for _ in range(3)]

    async def use(client):
        for number in range(30):
            for _ in range(2):
                await client.get(f"/history/spark-{number}/jobs/")

    with_gate(Bucket(hot=0), use, *servers)

    homes = [{path.split("/")[2] for path in server.paths} for server in servers]
    assert all(homes)
    assert sum(map(len, homes)) == 30


@pytest.mark.parametrize("path", [f"/history/{LOG}/jobs/", "/", "/api/v1/applications"])
def test_another_pod_answers_for_one_that_is_gone(path):
    [(status, text, _)] = with_gate(Bucket(hot=0), page(path), HistoryServer(), dead=[DEAD])

    assert (status, text) == (200, f"page {path}")


def test_without_any_pod_it_says_that_the_server_starts():
    [(status, text, _)] = with_gate(Bucket(hot=0), page("/"), dead=[DEAD])

    assert status == 503
    assert "is starting" in text


def test_the_list_and_what_pages_are_made_of_are_passed_on_as_they_are():
    server = HistoryServer()

    [(_, text, _)] = with_gate(Bucket(), page("/static/webui.js?v=a%2Fb"), server)

    assert text == "page /static/webui.js?v=a%2Fb"


def test_a_link_to_an_executor_s_logs_leads_to_their_place_in_s3():
    pod = "nightly-0a1b-exec-7"
    [(status, _, headers)] = with_gate(
        Bucket(), page(f"/logs/spark-a/jobs/{LOG}/executor/{pod}"), HistoryServer()
    )

    assert status == 302
    assert headers["Location"] == (
        f"https://console.example/logs?prefix=moka-spark-a/jobs/{LOG}/executor/{pod}/"
    )


@pytest.mark.parametrize(
    "path",
    [
        f"another/jobs/{LOG}/executor/pod",
        f"spark-a/jobs/{LOG}",
        f"spark-a/jobs/{LOG}/executor/pod/container",
        f"spark-a/jobs/{LOG}/placeholder/pod",
        f"spark-a/../{LOG}/executor/pod",
        f"spark-a/jobs/{LOG}/executor/%0d%0aSet-Cookie:x",
        f"spark-a/jobs/{LOG}/executor/a&b",
        "",
    ],
)
def test_an_address_of_logs_that_are_nobody_s_leads_nowhere(path):
    server = HistoryServer()

    [(status, _, _)] = with_gate(Bucket(), page(f"/logs/{path}"), server)

    assert status in (400, 404)
    assert server.paths == []


def test_redirects_are_the_browser_s():
    bucket = Bucket(hot=0)

    async def use(client):
        answer = await client.get("/history/away", allow_redirects=False)
        return answer.status, answer.headers.get("Location")

    assert with_gate(bucket, use, HistoryServer()) == (302, "/history/home/")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nobody_changes_anything(method):
    server = HistoryServer()

    async def use(client):
        return (await client.request(method, "/history/x/jobs/")).status

    assert with_gate(Bucket(hot=0), use, server) == 405
    assert server.paths == []
