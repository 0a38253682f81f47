"""Why a job waits, as the service answers from the database."""

import pytest

from moka.submission.breaker import FAILURES
from moka.submission.job_id import parse_id
from moka.submission.reasons import Reason
from moka.submission.states import DesiredState, State
from moka.submission.waiting import Wait, WaitReason
from services.archer.database import claims, leases, transitions, waits
from tests.support.archer import archer
from tests.support.jobs import make_job
from tests.support.loops import run_apart

JOB = make_job().model_dump(mode="json", exclude_unset=True)
BOB = {"X-Sender": "bob"}
CLUSTER, NAMESPACE = "spark-a", JOB["namespace"]


@pytest.fixture
def serve(address):
    """Run a coroutine function with a client of a service, whose cluster has an operator."""

    def serve(work, **pace):
        async def inside():
            async with archer(address) as client:
                await register(client, **pace)
                return await work(client)

        return run_apart(inside())

    return serve


async def register(client, **changes):
    pace = claims.Pace(operator="spark-operator", namespaces=(NAMESPACE,), **changes)
    await client.pool.run(lambda c: claims.register(c, CLUSTER, [pace]))
    await client.pool.run(lambda c: leases.register(c, [(CLUSTER, NAMESPACE)]))
    return pace


async def submit(client, **options):
    answer = await client.post("/v1/jobs", json={**JOB, **options})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def ask(client, job):
    answer = await client.get(f"/v1/jobs/{job}/why")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def make(client, pace, count=100):
    """Have the applications of so many jobs made, as a worker does."""
    claimed = await client.pool.run(lambda c: claims.claim(c, CLUSTER, pace, {}, "worker", count))
    done = [transitions.NewApplication(job=c.job, claim=c.number, application=f"pi-{c.job}") for c in claimed]
    await client.pool.run(lambda c: transitions.record_applications(c, done))


def said(answer):
    return Wait(answer["word"]), answer["message"]


def test_a_job_in_a_queue_has_those_before_it(serve):
    async def work(client):
        jobs = [await submit(client) for _ in range(3)]
        return [await ask(client, job) for job in jobs]

    first, _, third = map(said, serve(work))
    assert first == (Wait.TURN, "no jobs of its queue and tier are before it on spark-a")
    assert third == (Wait.TURN, "2 jobs of its queue and tier are before it on spark-a")


def test_an_operator_that_is_slow_to_look_is_named(serve):
    async def work(client):
        pace = await register(client, unacknowledged=1)
        made, waits = await submit(client), await submit(client)
        await make(client, pace)
        return await ask(client, made), await ask(client, waits)

    made, waits = map(said, serve(work))
    assert made[0] is waits[0] is Wait.OPERATOR_BUSY
    assert made[1].startswith("operator spark-operator has not looked at its application yet, of 1 ")
    assert waits[1].startswith("operator spark-operator has 1 applications that it has not looked at")


def test_an_empty_bucket_says_how_quickly_it_fills(serve):
    async def work(client):
        pace = await register(client, rate=0.001, burst=1)
        await submit(client)
        await make(client, pace)
        return await ask(client, await submit(client))

    word, message = said(serve(work, rate=0.001, burst=1))
    assert word is Wait.PACE
    assert message.startswith("operator spark-operator gets 0.06 applications a minute; no jobs")


def test_a_cluster_that_is_cordoned_or_away_is_the_reason(serve):
    async def work(client):
        job = await submit(client)
        await client.pool.fetch("UPDATE clusters SET cordoned = 'new nodes'")
        cordoned = await ask(client, job)
        await client.pool.fetch(
            "UPDATE clusters SET cordoned = NULL, failures = $1, open_until = extract(epoch FROM now()) + 60",
            FAILURES,
        )
        return cordoned, await ask(client, job)

    cordoned, away = map(said, serve(work))
    assert cordoned == (
        Wait.CLUSTER_CORDONED,
        "spark-a takes no jobs (new nodes), and it may run nowhere else",
    )
    assert away[0] is Wait.CLUSTER_AWAY


def test_a_job_that_no_cluster_takes_now_says_which_and_why(serve):
    async def work(client):
        await client.pool.fetch("UPDATE clusters SET cordoned = 'new nodes'")
        operator = {"X-Sender": "olga operators"}
        await client.put("/v1/clusters/spark-a/cordon", json={"why": "new nodes"}, headers=operator)
        return await ask(client, await submit(client))

    word, message = said(serve(work))
    assert word is Wait.NO_CLUSTER
    assert "spark-a (cordoned: new nodes)" in message


def test_a_job_waits_for_the_one_that_it_replaces(serve):
    async def work(client):
        unique = {"key": "nightly", "second": "replace"}
        first = await submit(client, unique=unique)
        await make(client, await register(client))
        return first, await ask(client, await submit(client, unique=unique)), await ask(client, first)

    job, second, first = serve(work)
    assert said(second) == (Wait.REPLACED_JOB, f"it begins once job {job} has ended, which it replaces")
    assert first["word"] == "stop"


def test_between_two_attempts_there_is_a_pause_and_the_reason_for_it(serve):
    async def work(client):
        job = await submit(client)
        await make(client, await register(client))
        end = transitions.End(
            job=parse_id(job),
            attempt=1,
            state=State.FAILED,
            reason=Reason.NODE_LOST,
            message="node arm-1 is gone",
            pause_seconds=90,
        )
        await client.pool.run(lambda c: transitions.record_ends(c, [end]))
        return await ask(client, job)

    word, message = said(serve(work))
    assert word is Wait.PAUSE
    assert message.startswith("attempt 2 begins at ")
    assert message.endswith("UTC, as before: node arm-1 is gone")


def test_what_was_seen_on_the_cluster_is_told_with_its_time_and_goes_with_the_attempt(serve):
    full = WaitReason(Wait.QUEUE_FULL, "queue root.a.b.tier1 is full")

    async def look(client, what):
        [pending] = await waits.pending(client.pool, CLUSTER, NAMESPACE, 10)
        return await client.pool.run(lambda c: waits.keep(c, CLUSTER, NAMESPACE, [(pending, what)]))

    async def work(client):
        job = await submit(client)
        await make(client, await register(client))
        await client.pool.fetch("UPDATE active SET acknowledged = true")
        unseen = await ask(client, job)
        written = [await look(client, full)]
        first = await ask(client, job)
        # Of the scheduler's silence nothing follows, once it has said more.
        written += [await look(client, what) for what in (full, WaitReason(Wait.SCHEDULER, "nothing"))]
        last = await ask(client, job)
        running = [transitions.DriverStart(job=parse_id(job), attempt=1, spark_id="spark-1")]
        await client.pool.run(lambda c: transitions.record_starts(c, running))
        runs = await ask(client, job)
        await client.pool.run(lambda c: waits.keep(c, CLUSTER, NAMESPACE, []))
        return unseen, written, first, last, runs, await client.pool.fetch("SELECT * FROM waits")

    unseen, written, first, last, runs, left = serve(work)
    assert unseen["word"] == "scheduler"
    assert written == [1, 0, 0]
    assert said(first) == said(last) == (full.word, full.message)
    assert first["since"] == last["since"]
    assert first["as_of"] < last["as_of"]
    assert said(runs) == (Wait.NOTHING, "it runs")
    assert left == []


def test_a_job_that_is_to_stop_or_has_ended_waits_for_nothing_else(serve):
    async def work(client):
        job = await submit(client)
        await make(client, await register(client))
        await client.pool.run(
            lambda c: transitions.want(c, [parse_id(job)], DesiredState.STOP, Reason.STOPPED, "by ann")
        )
        stops = await ask(client, job)
        end = transitions.End(job=parse_id(job), attempt=1, state=State.CANCELLED, reason=Reason.STOPPED)
        await client.pool.run(lambda c: transitions.record_ends(c, [end]))
        return stops, await ask(client, job)

    stops, ended = serve(work)
    assert stops["word"] == "stop"
    assert (ended["state"], said(ended)) == ("cancelled", (Wait.NOTHING, "it has ended: cancelled"))


def test_why_is_for_those_who_may_see_the_job(serve):
    async def work(client):
        job = await submit(client)
        return [await client.get(f"/v1/jobs/{one}/why", headers=BOB) for one in (job, "x' OR 1=1")]

    for answer in serve(work):
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:archer:no-such-job")
