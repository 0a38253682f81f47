"""Jobs in the database, from their acceptance to their end, as workers and watchers have them go."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest

from moka.jobs.job import Unique
from moka.submission.job_id import new_id
from moka.submission.reasons import Reason
from moka.submission.states import DesiredState, State
from services.archer.database import claims, reading, transitions
from services.archer.database.acceptance import (
    Acceptance,
    AnotherIsActive,
    KeyReused,
    Submission,
    accept,
    accept_unique,
)
from services.archer.database.pool import Pool, pool
from tests.support.loops import run_apart

PACE = claims.Pace(
    operator="spark-operator",
    namespaces=("jobs",),
    rate=1000,
    burst=1000,
    namespace_rate=1000,
    namespace_burst=1000,
    unacknowledged=1000,
)


@pytest.fixture
def run(address):
    """Run a coroutine function with a pool of the database."""

    def run(work: Callable[[Pool], Awaitable[object]]) -> object:
        async def inside():
            async with pool(address) as connections:
                await connections.run(lambda c: claims.register(c, "a", [PACE]))
                return await work(connections)

        return run_apart(inside())

    return run


def anything(queue: str, tier: int, owner: str) -> None:
    """Who may replace every job."""


def submission(**changes) -> Submission:
    values = {
        "id": new_id(datetime.now(UTC)),
        "principal": "ann",
        "groups": ["data", "ml"],
        "key": None,
        "hash": b"1",
        "name": "pi",
        "queue": "data.etl",
        "tier": 2,
        "workflow": None,
        "architecture": "arm64",
        "document": {"name": "pi"},
        "namespace": "jobs",
        "cluster": "a",
        "unique_key": "data.etl/day",
    }
    return Submission(**{**values, **changes})


async def claimed(connections: Pool, most: int = 100) -> list[claims.Claim]:
    return await connections.run(lambda c: claims.claim(c, "a", PACE, {}, "worker-1", most))


async def submitted(connections: Pool, *claimed: claims.Claim) -> set[UUID]:
    done = [
        transitions.NewApplication(job=c.job, claim=c.number, application=f"pi-{c.attempt}") for c in claimed
    ]
    return await connections.run(lambda c: transitions.record_applications(c, done))


async def ended(connections: Pool, job: UUID, state: State, reason: Reason, **more) -> set[UUID]:
    attempt = (await reading.get(connections, job)).attempt
    end = transitions.End(job=job, attempt=attempt, state=state, reason=reason, **more)
    return await connections.run(lambda c: transitions.record_ends(c, [end]))


def test_a_job_goes_from_its_acceptance_to_its_end_and_all_of_it_is_told(run):
    job = submission()

    async def work(connections):
        assert await accept(connections, [job]) == [Acceptance(job.id, new=True)]
        [claim] = await claimed(connections)
        assert (claim.job, claim.document, claim.namespace) == (job.id, {"name": "pi"}, "jobs")
        assert (claim.principal, list(claim.groups)) == ("ann", ["data", "ml"])
        assert await claimed(connections) == []
        assert await submitted(connections, claim) == {job.id}
        running = [transitions.DriverStart(job=job.id, attempt=1, spark_id="spark-1")]
        assert await connections.run(lambda c: transitions.record_starts(c, running)) == {job.id}
        assert await ended(connections, job.id, State.SUCCEEDED, Reason.SUCCEEDED) == {job.id}
        return (
            await reading.get(connections, job.id),
            await reading.events(connections, job.id),
            await reading.attempts(connections, job.id),
        )

    row, events, attempts = run(work)
    assert (row.state, row.cluster, row.attempt) == (State.SUCCEEDED, "a", 1)
    assert row.started <= row.ended
    assert [(event.number, event.state) for event in events] == list(
        enumerate(["accepted", "queued", "submitting", "submitted", "running", "succeeded"], 1)
    )
    [attempt] = attempts
    assert (attempt.application, attempt.spark_id, attempt.state) == ("pi-1", "spark-1", "succeeded")


def test_a_request_that_comes_again_gets_the_same_job_and_another_body_is_refused(run):
    first, again = submission(key="k"), submission(key="k")
    other, elsewhere = submission(key="k", hash=b"2"), submission(key="k", principal="bob")

    async def work(connections):
        await accept(connections, [first])
        return await accept(connections, [again, other, elsewhere])

    assert run(work) == [
        Acceptance(first.id, new=False),
        KeyReused(first.id),
        Acceptance(elsewhere.id, new=True),
    ]


def test_of_two_with_one_key_in_one_transaction_one_is_taken(run):
    first, second = submission(key="k"), submission(key="k")

    async def work(connections):
        outcomes = await accept(connections, [first, second])
        return outcomes, await claimed(connections)

    outcomes, claims_ = run(work)
    [one] = {outcome.job for outcome in outcomes}
    assert sorted(outcome.new for outcome in outcomes) == [False, True]
    assert [claim.job for claim in claims_] == [one]


def test_what_was_committed_without_being_told_is_not_run_again_though_it_has_ended(run):
    job = submission()

    async def work(connections):
        await accept(connections, [job])
        await connections.run(lambda c: transitions.want(c, [job.id], DesiredState.STOP, Reason.STOPPED, ""))
        outcome = await accept(connections, [job])
        return outcome, await claimed(connections), (await reading.get(connections, job.id)).state

    assert run(work) == ([Acceptance(job.id, new=True)], [], State.CANCELLED)


@pytest.mark.parametrize("second", ["refuse", "return", "replace"])
def test_of_a_unique_key_one_job_is_active(run, second):
    first = submission(unique=Unique(key="day"))
    other = submission(unique=Unique(key="day", second=second))
    third = submission(unique=Unique(key="day", second=second))

    async def work(connections):
        await accept_unique(connections, first, anything)
        [claim] = await claimed(connections)
        await submitted(connections, claim)
        outcomes = [await accept_unique(connections, job, anything) for job in (other, third)]
        return outcomes, [(await reading.get(connections, j.id)) for j in (first, other, third)]

    outcomes, rows = run(work)
    if second == "refuse":
        assert outcomes == [AnotherIsActive(first.id)] * 2
        assert rows[1:] == [None, None]
    elif second == "return":
        assert outcomes == [Acceptance(first.id, new=False)] * 2
        assert rows[1:] == [None, None]
    else:
        assert outcomes == [Acceptance(other.id, new=True), Acceptance(third.id, new=True)]
        assert rows[0].wanted is DesiredState.STOP
        # Only the last waits for the first.
        assert [row.state for row in rows] == [State.SUBMITTED, State.CANCELLED, State.ACCEPTED]


def test_the_job_that_replaces_another_is_placed_once_that_has_ended(run):
    first = submission(unique=Unique(key="day"))
    second = submission(unique=Unique(key="day", second="replace"))

    async def place(connections):
        place = transitions.Place(
            job=second.id,
            cluster="a",
            namespace="jobs",
            queue="data.etl",
            architecture="arm64",
            movable=False,
        )
        return await connections.run(lambda c: transitions.place(c, [place]))

    async def work(connections):
        await accept_unique(connections, first, anything)
        [claim] = await claimed(connections)
        await submitted(connections, claim)
        await accept_unique(connections, second, anything)
        due = "SELECT id FROM active WHERE state = 'accepted' AND due <= now() AND after IS NULL"
        assert await connections.fetch(due) == []
        await ended(connections, first.id, State.CANCELLED, Reason.STOPPED)
        assert (await reading.get(connections, first.id)).reason == Reason.REPLACED
        assert [row["id"] for row in await connections.fetch(due)] == [second.id]
        await place(connections)
        return [claim.job for claim in await claimed(connections)]

    assert run(work) == [second.id]


@pytest.mark.parametrize("key", [None, "once"])
def test_a_job_that_replaces_another_is_there_once_however_often_it_is_taken(run, key):
    """Whose connection is cut off does not hear that it was, and takes it again."""
    first = submission(unique=Unique(key="day"))
    second = submission(unique=Unique(key="day", second="replace"), key=key)

    async def work(connections):
        await accept_unique(connections, first, anything)
        [claim] = await claimed(connections)
        await submitted(connections, claim)
        outcomes = [await accept_unique(connections, second, anything) for _ in range(2)]
        return outcomes, (await reading.get(connections, second.id)).state

    assert run(work) == ([Acceptance(second.id, new=True)] * 2, State.ACCEPTED)


def test_a_worker_gets_the_queue_and_the_architecture_of_where_a_job_was_placed_last(run):
    job = submission(cluster=None, message="no cluster yet")

    async def work(connections):
        await accept(connections, [job])
        place = transitions.Place(
            job=job.id, cluster="a", namespace="jobs", queue="data.routed", architecture="amd64", movable=True
        )
        await connections.run(lambda c: transitions.place(c, [place]))
        [claim] = await claimed(connections)
        return claim, await reading.jobs(connections, {"queue": "data.routed"})

    claim, [listed] = run(work)
    assert (claim.queue, claim.architecture, claim.document) == ("data.routed", "amd64", {"name": "pi"})
    assert listed.id == job.id


def test_a_unique_job_that_replaces_one_without_an_application_takes_its_place_at_once(run):
    first = submission(unique=Unique(key="day"))
    second = submission(unique=Unique(key="day", second="replace"))
    third = submission(unique=Unique(key="day"))

    async def work(connections):
        await accept_unique(connections, first, anything)
        await accept_unique(connections, second, anything)
        outcome = await accept_unique(connections, third, anything)
        return outcome, (await reading.get(connections, first.id)).reason

    assert run(work) == (AnotherIsActive(second.id), "replaced")


def test_a_hundred_that_want_to_be_unique_at_once_are_one(run):
    jobs = [submission(unique=Unique(key="day", second="return")) for _ in range(100)]

    async def work(connections):
        outcomes = await asyncio.gather(*[accept_unique(connections, job, anything) for job in jobs])
        return outcomes, await claimed(connections)

    outcomes, claims_ = run(work)
    [claim] = claims_
    assert {outcome.job for outcome in outcomes} == {claim.job}
    assert sum(outcome.new for outcome in outcomes) == 1


def test_a_worker_that_comes_back_after_its_lease_changes_nothing(run):
    job = submission()

    async def work(connections):
        await accept(connections, [job])
        [late] = await claimed(connections)
        await connections.fetch("UPDATE active SET claimed_until = now() - interval '1 second'")
        assert await connections.run(transitions.reclaim) == {job.id}
        [current] = await claimed(connections)
        assert await submitted(connections, late) == set()
        release = transitions.Release(
            job=job.id, claim=late.number, reason=Reason.REFUSED_FOR_NOW, message="", seconds=0, bound=False
        )
        assert await connections.run(lambda c: transitions.release(c, [release])) == set()
        assert await submitted(connections, current) == {job.id}

    run(work)


def test_a_job_that_may_have_an_application_is_not_moved_nor_cancelled_before_that_is_known(run):
    job = submission(movable=True)

    async def work(connections):
        await accept(connections, [job])
        await claimed(connections)
        await connections.fetch("UPDATE active SET claimed_until = now() - interval '1 second'")
        await connections.run(transitions.reclaim)
        assert await connections.run(lambda c: transitions.unplace(c, "a", "cordoned")) == set()
        await connections.run(lambda c: transitions.want(c, [job.id], DesiredState.STOP, Reason.STOPPED, ""))
        row = await reading.get(connections, job.id)
        return row.state, row.wanted, await claimed(connections)

    assert run(work) == (State.QUEUED, DesiredState.STOP, [])


def test_an_attempt_that_failed_is_followed_by_another_and_late_words_of_it_count_no_more(run):
    job = submission()

    async def work(connections):
        await accept(connections, [job])
        [claim] = await claimed(connections)
        await submitted(connections, claim)
        await ended(connections, job.id, State.FAILED, Reason.NODE_LOST, pause_seconds=0)
        late = transitions.End(job=job.id, attempt=1, state=State.SUCCEEDED, reason=Reason.SUCCEEDED)
        assert await connections.run(lambda c: transitions.record_ends(c, [late])) == set()
        place = transitions.Place(
            job=job.id, cluster="a", namespace="jobs", queue="data.etl", architecture="arm64", movable=False
        )
        await connections.run(lambda c: transitions.place(c, [place]))
        [claim] = await claimed(connections)
        return claim.attempt, [
            (a.number, a.state, a.reason) for a in await reading.attempts(connections, job.id)
        ]

    assert run(work) == (2, [(1, "failed", "node lost")])


def test_queues_take_turns_and_tier_1_goes_first_within_each(run):
    jobs = [submission(queue="data.etl", tier=2) for _ in range(50)]
    jobs += [submission(queue="data.etl", tier=1) for _ in range(3)]
    jobs += [submission(queue="ml.train", tier=3) for _ in range(50)]

    async def work(connections):
        await accept(connections, jobs)
        by_id = {job.id: (job.queue, job.tier) for job in jobs}
        return [by_id[claim.job] for _ in range(5) for claim in await claimed(connections, 4)]

    order = run(work)
    assert order.count(("ml.train", 3)) == order.count(("data.etl", 1)) + order.count(("data.etl", 2)) == 10
    assert order.count(("data.etl", 1)) == 3
    assert max(i for i, flow in enumerate(order) if flow == ("data.etl", 1)) < min(
        i for i, flow in enumerate(order) if flow == ("data.etl", 2)
    )


def test_an_operator_gets_no_more_than_it_has_looked_at(run):
    pace = claims.Pace(
        operator="spark-operator",
        namespaces=("jobs",),
        rate=1000,
        burst=1000,
        namespace_rate=1000,
        namespace_burst=1000,
        unacknowledged=5,
    )

    async def work(connections):
        await accept(connections, [submission() for _ in range(20)])
        first = await connections.run(lambda c: claims.claim(c, "a", pace, {}, "w"))
        none = await connections.run(lambda c: claims.claim(c, "a", pace, {}, "w"))
        await connections.fetch("UPDATE active SET acknowledged = true WHERE state = 'submitting'")
        return (
            len(first),
            len(none),
            len(await connections.run(lambda c: claims.claim(c, "a", pace, {}, "w"))),
        )

    assert run(work) == (5, 0, 5)


def test_jobs_are_listed_by_pages_whatever_comes_meanwhile(run):
    jobs = [submission(principal="ann" if i % 2 else "bob") for i in range(10)]

    async def work(connections):
        await accept(connections, jobs)
        first = await reading.jobs(connections, {"principal": "ann"}, most=3)
        await accept(connections, [submission(principal="ann")])
        second = await reading.jobs(connections, {"principal": "ann"}, before=first[-1].id, most=3)
        queued = await reading.jobs(connections, {}, [State.QUEUED, State.FAILED], most=100)
        return [row.id for row in (*first, *second)], len(queued)

    ids, queued = run(work)
    assert ids == sorted([job.id for job in jobs if job.principal == "ann"], reverse=True)
    assert queued == 11
