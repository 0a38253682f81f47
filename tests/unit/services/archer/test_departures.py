"""Clusters that have left the environment get no jobs, and keep none."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from moka.submission.job_id import new_id
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import claims, environment, reading, transitions
from services.archer.database.acceptance import Submission, accept
from services.archer.database.claims import Pace
from services.archer.database.pool import pool
from services.archer.traces import JobTraces
from services.archer.tracing import OFF
from services.archer.worker.departures import Departures
from services.archer.worker.placer import Placer
from tests.support.jobs import make_job, make_job_target
from tests.support.loops import run_apart

STAYS, LEAVES = "spark-a", "spark-b"
PACE = Pace(
    operator="spark-operator",
    namespaces=["spark-jobs"],
    rate=100,
    burst=100,
    namespace_rate=100,
    namespace_burst=100,
    unacknowledged=100,
)
JOB = make_job()
LONG_AGO = "UPDATE clusters SET named = now() - interval '1 hour' WHERE name = $1"


@asynccontextmanager
async def two_clusters(address):
    """A pool, of an environment with both."""
    async with pool(address) as connections:
        for name in (STAYS, LEAVES):
            target = make_job_target(cluster=name)
            await connections.run(lambda c, name=name: claims.register(c, name, [PACE]))
            await connections.run(lambda c, name=name, target=target: environment.tell(c, name, target))
        yield connections


def departures(connections, *clusters):
    """Of a worker with these in its environment."""
    return Departures(connections, clusters, JobTraces(connections, OFF))


async def queued(connections, **changes):
    """A job that waits for the cluster that leaves."""
    values = {
        "id": new_id(datetime.now(UTC)),
        "principal": "ann",
        "groups": [],
        "key": None,
        "hash": b"1",
        "name": JOB.name,
        "queue": JOB.queue,
        "tier": JOB.tier,
        "workflow": None,
        "architecture": "arm64",
        "document": JOB.model_dump(mode="json", exclude_unset=True),
        "namespace": "spark-jobs",
        "cluster": LEAVES,
        "movable": False,
    }
    one = Submission(**{**values, **changes})
    await accept(connections, [one])
    return one.id


async def clusters(connections):
    return [cluster.name for cluster in (await connections.run(environment.read)).clusters]


async def hour_ago(connections):
    await connections.run(lambda c: c.execute(LONG_AGO, LEAVES))


def test_jobs_that_wait_for_one_that_has_left_go_elsewhere(address):
    async def work():
        async with two_clusters(address) as connections:
            job = await queued(connections)
            await hour_ago(connections)
            await departures(connections, STAYS).look()
            await connections.run(Placer(connections, JobTraces(connections, OFF))._place)
            row = await reading.get(connections, job)
            return await clusters(connections), row.state, row.cluster

    assert run_apart(work()) == ([STAYS], State.QUEUED, STAYS)


def test_jobs_whose_applications_were_there_are_lost_and_do_not_run_again(address):
    async def work():
        async with two_clusters(address) as connections:
            job = await queued(connections)
            [claim] = await connections.run(lambda c: claims.claim(c, LEAVES, PACE, {}, "worker", 10))
            application = transitions.NewApplication(job=job, claim=claim.number, application="pi-1")
            await connections.run(lambda c: transitions.record_applications(c, [application]))
            await hour_ago(connections)
            await departures(connections, STAYS).look()
            return await reading.get(connections, job)

    row = run_apart(work())
    assert (row.state, row.reason, row.attempt) == (State.LOST, Reason.CLUSTER_LEFT, 1)
    assert row.message == "spark-b has left the environment: what became of its application, nobody knows"


@pytest.mark.parametrize("named", [(STAYS, LEAVES), (LEAVES,)])
def test_one_that_any_worker_has_stays_and_one_that_comes_back_is_there_again(address, named):
    async def work():
        async with two_clusters(address) as connections:
            job = await queued(connections)
            await hour_ago(connections)
            # After a time without any worker, say.
            await departures(connections, *named).look()
            await departures(connections, STAYS).look()
            first = await clusters(connections), (await reading.get(connections, job)).cluster
            await hour_ago(connections)
            await departures(connections, STAYS).look()
            second = await clusters(connections)
            await departures(connections, *named).look()
            return first, second, await clusters(connections)

    first, second, third = run_apart(work())
    assert first == ([STAYS, LEAVES], LEAVES)
    assert second == [STAYS]
    assert third == [STAYS, LEAVES]
