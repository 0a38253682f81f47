"""Logs of jobs by Archer's API: a real PostgreSQL, and moto's S3 behind HTTP."""

import asyncio
import gzip
import json
import tracemalloc

import pytest

from moka.submission.job_id import parse_id
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import transitions
from services.archer.service import log_store
from tests.support.archer import archer, start
from tests.support.jobs import make_job
from tests.support.log_objects import PLACE, log_objects
from tests.support.loops import run_apart
from tests.support.moto_server import moto_server

JOB = make_job().model_dump(mode="json", exclude_unset=True)
ID = "spark-0a1b2c"
FOLLOW = {"Accept": "text/event-stream"}


@pytest.fixture(scope="module")
def server():
    with moto_server() as url:
        yield url


@pytest.fixture
def objects(server, monkeypatch):
    """The logs of the application of a job's attempt."""
    monkeypatch.setattr(log_store, "LOOK_SECONDS", 0.05)
    with log_objects(server, monkeypatch, ID) as objects:
        yield objects


@pytest.fixture
def serve(address, objects):
    """Run a coroutine function with a client, the path of a running job's logs, and its driver's name."""

    def serve(work, logs=PLACE):
        async def inside():
            async with archer(address, logs=logs) as client:
                job, driver = await running(client)
                return await work(client, f"/v1/jobs/{job}/logs", driver)

        return run_apart(inside())

    return serve


async def running(client, spark_id=ID):
    job = (await client.post("/v1/jobs", json=JOB)).json()["id"]
    return job, await start(client.pool, spark_id)


async def end(client, path):
    job = parse_id(path.split("/")[3])
    last = transitions.End(job=job, attempt=1, state=State.SUCCEEDED, reason=Reason.SUCCEEDED)
    await client.pool.run(lambda c: transitions.record_ends(c, [last]))


def kind(answer):
    return answer.status_code, answer.json()["type"].removeprefix("urn:archer:")


def test_a_driver_s_log_is_text_in_the_order_of_its_lines_and_long_lines_are_whole(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(41, "and more"), (45, "last")], begun=40)
        objects.put(driver, [(2, "a long", "P"), (3, " line"), (1, "first")])
        objects.put("other-exec-1", [(1, "of an executor")], role="executor")
        return await client.get(path), await client.get(path, params={"times": True})

    plain, timed = serve(work)
    assert plain.text == "first\na long line\nand more\nlast\n"
    assert plain.headers["content-type"] == "text/plain; charset=utf-8"
    assert plain.headers["x-content-type-options"] == "nosniff"
    assert timed.text.splitlines()[1] == "2026-11-22T10:00:02.000000000Z a long line"


def test_the_pods_that_have_logs_are_listed_and_read_by_their_names(serve, objects):
    async def work(client, path, driver):
        for number in (1, 2, 10):
            objects.put(f"pi-8f-exec-{number}", [(1, f"executor {number}")], role="executor")
        objects.put(driver, [(1, "driver")])
        pods = await client.get(path.replace("/logs", "/pods"))
        return driver, pods.json(), await client.get(path, params={"pod": "pi-8f-exec-10", "attempt": 1})

    driver, listed, log = serve(work)
    assert listed["attempt"] == 1
    assert listed["pods"][0] == {"name": driver, "role": "driver", "executor": None}
    assert {pod["name"]: pod["executor"] for pod in listed["pods"][1:]} == {
        "pi-8f-exec-1": 1,
        "pi-8f-exec-2": 2,
        "pi-8f-exec-10": 10,
    }
    assert log.text == "executor 10\n"


RANGES = {
    "bytes=0-4": (slice(0, 5), "*"),
    "bytes=3-3": (slice(3, 4), "*"),
    "bytes=12-": (slice(12, None), "24"),
    "bytes=20-4000": (slice(20, None), "24"),
    "bytes=23-": (slice(23, None), "24"),
    "bytes=-5": (slice(-5, None), "24"),
    "bytes=-4000": (slice(0, None), "24"),
}
BEYOND = ("bytes=24-", "bytes=999999999999999-", "bytes=-0")
NO_RANGES = (
    *("bytes=5-2", "bytes=0-1,4-5", "lines=0-1", "bytes=", "bytes=a-b", "bytes=-"),
    "bytes=0-" + "9" * 40,
)


def test_a_range_is_those_bytes_and_one_beyond_the_end_or_none_is_told_so(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(1, "erste Zeile"), (60, "zweite Zeil")])
        asked = (*RANGES, *BEYOND, *NO_RANGES)
        return {one: await client.get(path, headers={"Range": one}) for one in asked}

    whole = b"erste Zeile\nzweite Zeil\n"
    answers = serve(work)
    for asked, (part, length) in RANGES.items():
        answer = answers[asked]
        first = part.indices(len(whole))[0]
        assert (answer.status_code, answer.content) == (206, whole[part]), asked
        last = first + len(answer.content) - 1
        assert answer.headers["content-range"] == f"bytes {first}-{last}/{length}"
    for asked in BEYOND:
        assert kind(answers[asked]) == (416, "beyond-the-end"), asked
        assert answers[asked].headers["content-range"] == "bytes */24"
    for asked in NO_RANGES:
        assert kind(answers[asked]) == (400, "invalid-request"), asked


@pytest.mark.parametrize("after", [0, 5, 11, 12, 24, 10**15])
def test_a_log_that_was_cut_off_goes_on_after_the_bytes_that_came(serve, objects, after):
    async def work(client, path, driver):
        objects.put(driver, [(1, "erste Zeile"), (60, "zweite Zeil")])
        return await client.get(path, params={"after": after})

    answer = serve(work)

    assert (answer.status_code, answer.content) == (200, b"erste Zeile\nzweite Zeil\n"[after:])


TRICKS = [
    ("pod", "../../other", 400),
    ("pod", "a/b", 400),
    ("pod", "%2e%2e", 400),
    ("pod", "x' OR 1=1 --", 400),
    ("pod", "\0", 400),
    ("pod", "x" * 300, 400),
    ("pod", "", 400),
    ("pod", "pi-8f-exec-7", 404),
    ("attempt", "0", 400),
    ("attempt", "1 OR 1=1", 400),
    ("attempt", "9" * 20, 400),
    ("attempt", "2", 404),
    ("after", "-1", 400),
    ("after", "9" * 40, 400),
]


def test_tricks_in_parameters_have_an_answer(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(1, "x")])
        return [await client.get(path, params={name: value}) for name, value, _ in TRICKS]

    kinds = {400: "invalid-request", 404: "no-logs"}
    assert [kind(answer) for answer in serve(work)] == [(status, kinds[status]) for *_, status in TRICKS]


def test_an_id_of_spark_that_is_none_leads_to_no_other_folder(address, objects):
    async def work():
        async with archer(address, logs=PLACE) as client:
            job, driver = await running(client, spark_id=f"{ID}/driver/../..")
            objects.put(driver, [(1, "x")])
            return await client.get(f"/v1/jobs/{job}/logs"), await client.get(f"/v1/jobs/{job}/pods")

    log, pods = run_apart(work())
    assert kind(log) == (404, "no-logs")
    assert pods.json()["pods"] == []


def test_logs_are_for_those_who_may_see_the_job(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(1, "secret")])
        bob = {"X-Sender": "bob"}
        return [
            await client.get(one, headers={**bob, **more})
            for one in (path, path.replace("/logs", "/pods"))
            for more in ({}, FOLLOW)
        ]

    for answer in serve(work):
        assert kind(answer) == (404, "no-such-job")


def test_a_job_without_logs_says_why_there_are_none(serve, objects):
    async def work(client, path, driver):
        waiting = (await client.post("/v1/jobs", json=JOB)).json()["id"]
        return await client.get(path), await client.get(f"/v1/jobs/{waiting}/logs")

    early, waiting = serve(work)
    assert kind(early) == kind(waiting) == (404, "no-logs")
    assert "is there after 0 s for drivers" in early.json()["detail"]
    assert "the job has not started" in waiting.json()["detail"]


def test_an_s3_that_does_not_give_them_is_a_problem_that_passes(serve, objects):
    async def work(client, path, driver):
        return await client.get(path), await client.get(path, headers=FOLLOW)

    for answer in serve(work, logs=PLACE.model_copy(update={"bucket": "nobody-s"})):
        assert kind(answer) == (503, "logs-away")
        assert answer.headers["retry-after"]


def test_an_environment_without_logs_says_so(serve):
    async def work(client, path, driver):
        return await client.get(path)

    answer = serve(work, logs=None)
    assert kind(answer) == (404, "no-logs")
    assert "cluster spark-a" in answer.json()["detail"]


async def events(answer):
    """Kind, id and text of the events of a stream."""
    fields = {}
    async for line in answer.aiter_lines():
        field, _, value = line.partition(": ")
        if field:
            fields[field] = value
        elif "data" in fields:
            yield fields["event"], int(fields.get("id", 0)), json.loads(fields["data"])["text"]
            fields = {}


def test_a_log_is_followed_until_its_attempt_has_ended(serve, objects):
    async def work(client, path, driver):
        seen = []
        async with client.stream("GET", path, headers=FOLLOW) as answer:
            # The stream is there before the first line is.
            assert answer.status_code == 200
            objects.put(driver, [(1, "one"), (2, "tw", "P")])
            async for event in events(answer):
                seen.append(event)
                if len(seen) == 1:
                    objects.put(driver, [(61, "o"), (62, "three")], begun=61)
                if len(seen) == 2:
                    objects.put(driver, [(121, "grün")], begun=121)
                    await end(client, path)
        return seen

    assert serve(work) == [
        ("log", 4, "one\n"),
        ("log", 14, "two\nthree\n"),
        ("log", 20, "grün\n"),
        ("end", 0, ""),
    ]


def test_a_stream_that_was_cut_off_goes_on_where_it_was(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(1, "one"), (2, "two")])
        await end(client, path)
        found = []
        for last in ("0", "4", "8", "100"):
            async with client.stream("GET", path, headers={**FOLLOW, "Last-Event-ID": last}) as answer:
                found.append("".join([text async for _, _, text in events(answer)]))
        return found, await client.get(path, headers={**FOLLOW, "Last-Event-ID": "x"})

    found, wrong = serve(work)
    assert found == ["one\ntwo\n", "two\n", "", ""]
    assert kind(wrong) == (400, "invalid-request")


def test_a_job_that_never_runs_is_followed_to_its_end(serve):
    async def work(client, path, driver):
        job = (await client.post("/v1/jobs", json=JOB)).json()["id"]
        async with client.stream("GET", f"/v1/jobs/{job}/logs", headers=FOLLOW) as answer:
            await client.post(f"/v1/jobs/{job}/stop")
            return [event async for event in events(answer)]

    assert serve(work) == [("end", 0, "")]


def test_who_reads_too_many_at_a_time_is_asked_to_wait_and_who_ends_makes_room(serve, objects, monkeypatch):
    monkeypatch.setattr(log_store, "READING", 1)

    async def work(client, path, driver):
        objects.put(driver, [(1, "x")])
        async with client.stream("GET", path, headers=FOLLOW) as answer:
            following = events(answer)
            await anext(following)
            refused = await client.get(path)
        async with asyncio.timeout(30):
            while (again := await client.get(path)).status_code != 200:
                await asyncio.sleep(0.05)
        return refused, again

    refused, again = serve(work)
    assert kind(refused) == (503, "too-many-waits")
    assert again.text == "x\n"


def test_what_is_no_log_is_named_in_its_place(serve, objects):
    async def work(client, path, driver):
        objects.put(driver, [(1, "one")])
        objects.put_bytes(driver, b"no gzip", begun=60)
        objects.put_bytes(driver, gzip.compress(b"no json\n"), begun=120)
        objects.put(driver, [(200, "two")], begun=200)
        return await client.get(path)

    first, gzipless, jsonless, last = serve(work).text.splitlines()
    assert (first, last) == ("one", "two")
    assert "it is not gzip" in gzipless
    assert "is no record of Fluent Bit's" in jsonless


async def _length(client, path, **query):
    """Bytes of a log, none of which is kept."""
    async with client.stream("GET", path, params=query) as answer:
        return sum([len(part) async for part in answer.aiter_bytes()])


def test_a_log_that_is_long_when_it_is_unpacked_is_never_in_memory(serve, objects):
    """60 MB of zeros, of a line that never ends."""
    zeros = "0" * 10_000
    records = (
        json.dumps({"log": f"2026-11-22T10:00:00.{number:09}Z stdout P {zeros}"}) for number in range(6_000)
    )
    content = gzip.compress("\n".join(records).encode(), compresslevel=1)

    async def work(client, path, driver):
        objects.put_bytes(driver, content)
        tracemalloc.start()
        size = await _length(client, path)
        await client.get(path, headers={"Range": "bytes=50000000-50000009"})
        rest = await _length(client, path, after=size - 10_000_000)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size, rest, peak

    size, rest, peak = serve(work)
    assert size >= 60_000_000
    assert rest == 10_000_000
    assert peak < 30 * 2**20
