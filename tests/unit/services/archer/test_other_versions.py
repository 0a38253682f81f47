"""Jobs that another version of Archer has taken, with fields that this one does not know."""

from datetime import UTC, datetime

from moka.submission.job_id import new_id
from moka.submission.reasons import Reason, Retries
from moka.submission.states import State
from moka.submission.verdict import retries
from services.archer.database import claims, environment, reading
from services.archer.database.acceptance import Submission, accept
from services.archer.database.pool import pool
from services.archer.traces import JobTraces
from services.archer.tracing import OFF
from services.archer.worker.placer import Placer
from services.archer.worker.stored_job import stored_restart
from services.archer.worker.submitter import Submitter
from tests.support.jobs import make_job, make_job_target
from tests.support.loops import run_apart

PACE = claims.Pace(operator="spark-operator", namespaces=["spark-jobs"])
DOCUMENT = make_job().model_dump(mode="json", exclude_unset=True)
NEWER = {**DOCUMENT, "sandbox": "gvisor"}


class Cluster:
    """One that takes every application."""

    name = "spark-a"
    target = make_job_target(cluster="spark-a")

    def __init__(self):
        self.applications = []

    async def create(self, application):
        self.applications.append(application)


async def taken(connections, document, **changes):
    values = {
        "id": new_id(datetime.now(UTC)),
        "principal": "ann",
        "groups": [],
        "key": None,
        "hash": b"1",
        "name": document["name"],
        "queue": document["queue"],
        "tier": document["tier"],
        "workflow": None,
        "architecture": "arm64",
        "document": document,
        "namespace": "spark-jobs",
    }
    submission = Submission(**{**values, **changes})
    await accept(connections, [submission])
    return submission.id


async def registered(connections):
    await connections.run(lambda c: claims.register(c, Cluster.name, [PACE]))
    await connections.run(lambda c: environment.tell(c, Cluster.name, Cluster.target))


def test_a_job_of_a_newer_version_waits_for_a_cluster_and_keeps_no_other_back(address):
    async def work():
        async with pool(address) as connections:
            await registered(connections)
            jobs = [await taken(connections, NEWER), await taken(connections, DOCUMENT)]
            await connections.run(Placer(connections, JobTraces(connections, OFF))._place)
            return [(await reading.get(connections, job)).state for job in jobs]

    assert run_apart(work()) == [State.ACCEPTED, State.QUEUED]


def test_a_job_of_a_newer_version_is_given_back_and_the_others_are_submitted(address):
    async def work():
        async with pool(address) as connections:
            await registered(connections)
            place = {"cluster": Cluster.name, "movable": False}
            jobs = [await taken(connections, document, **place) for document in (NEWER, DOCUMENT)]
            cluster = Cluster()
            traces = JobTraces(connections, OFF)
            assert await Submitter(connections, cluster, PACE, {}, traces, "worker").submit() == 2
            states = [(await reading.get(connections, job)).state for job in jobs]
            return states, (await reading.events(connections, jobs[0]))[-1], cluster.applications

    states, event, applications = run_apart(work())
    assert states == [State.ACCEPTED, State.SUBMITTED]
    assert (event.reason, event.message) == (
        Reason.REFUSED_FOR_NOW,
        "this version of Archer cannot read the job: sandbox: Extra inputs are not permitted",
    )
    assert len(applications) == 1


def test_retries_of_a_newer_version_are_as_by_default():
    assert retries(stored_restart({"attempts": {"often": True}})) == Retries()
