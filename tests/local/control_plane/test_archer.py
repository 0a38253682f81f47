"""Archer's worker on a real API server and a real PostgreSQL; the operator is played by a stub."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta

import pytest

from localcloud.control_plane.stand_ins.accounts import account
from moka.components.kubernetes import archer_deadline
from moka.components.kubernetes.archer_rights import CLUSTER_RIGHTS, NAMESPACE_RIGHTS, OPERATOR_RIGHTS
from moka.names import ARCHER_WORKER, SPARK_OPERATOR_NAMESPACE
from moka.submission.cluster_document import CONFIG_MAP, ClusterDocument, OperatorShare
from moka.submission.configuration import Configuration, DatabaseAccess, TracesPlace
from moka.submission.job_id import application_name, new_id
from moka.submission.reasons import Reason
from moka.submission.states import ENDED, DesiredState, State
from services.archer.database import claims, reading, transitions
from services.archer.database.acceptance import Submission, accept
from services.archer.database.migrate import migrate
from services.archer.database.pool import pool
from services.archer.traces import JobTraces, tracing
from services.archer.tracing import OFF
from services.archer.worker import station
from services.archer.worker.cluster import Cluster, applications
from services.archer.worker.follower import Follower
from services.archer.worker.submitter import Submitter
from services.archer.worker.worker import Worker
from services.common.kubernetes import Api, ApiError, ServiceAccount
from tests.support.admission import bind
from tests.support.jobs import make_job, make_job_target
from tests.support.loops import run_apart
from tests.support.operator_stub import EXIT_1, OperatorStub
from tests.support.otlp_receiver import otlp_receiver
from tests.support.plane_admin import plane_admin
from tests.support.postgresql import PostgreSQL
from tests.support.roles import bound_cluster_role, bound_role
from tests.support.simulated_operator import define

ARCHER = "archer-worker"
CLUSTER = "spark-a"


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture(scope="module")
def cluster_api(api):
    define(api)
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ARCHER}},
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": ARCHER, "namespace": ARCHER},
            },
            *bound_cluster_role(ARCHER, CLUSTER_RIGHTS, ARCHER),
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": SPARK_OPERATOR_NAMESPACE},
            },
            *bound_role(ARCHER, SPARK_OPERATOR_NAMESPACE, OPERATOR_RIGHTS, ARCHER),
        ]
    )
    return api


@pytest.fixture
def job_namespace(cluster_api, namespace):
    """A namespace in which Archer may do what it has to, and nothing else."""
    cluster_api.apply_all(bound_role(ARCHER, namespace, NAMESPACE_RIGHTS, ARCHER))
    cluster_api.apply_all([config_map(namespace)])
    unbind = bind(cluster_api, archer_deadline.POLICY_NAME, archer_deadline.rules([namespace]))
    yield namespace
    unbind()


def config_map(namespace, operator="spark-operator"):
    """What the cluster says of itself, with one operator that is quick."""
    document = ClusterDocument(
        target=make_job_target(cluster=CLUSTER, namespaces=[namespace]),
        operators=[OperatorShare(name=operator, namespaces=[namespace], applications_per_minute=6000)],
    )
    metadata = {"name": CONFIG_MAP, "namespace": SPARK_OPERATOR_NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": document.as_data()}


class Platform:
    """Archer's worker and its database, and the stub that plays the operator."""

    def __init__(self, pool, cluster, stub, namespace):
        self.pool = pool
        self.cluster = cluster
        self.stub = stub
        self.namespace = namespace

    async def submit(self, name="pi", **changes):
        job = make_job(name=name, namespace=self.namespace, **changes)
        row = Submission(
            id=new_id(datetime.now(UTC)),
            principal="ann",
            groups=["data"],
            key=None,
            hash=b"",
            name=job.name,
            queue=job.queue,
            tier=job.tier,
            workflow=job.workflow,
            architecture=job.architecture,
            document=job.model_dump(mode="json", exclude_unset=True),
            namespace=job.namespace,
        )
        await accept(self.pool, [row])
        return row.id

    async def until(self, condition, patience=60):
        """Ask until a condition holds."""
        async with asyncio.timeout(patience):
            while not (answer := await condition()):
                await asyncio.sleep(0.1)
        return answer

    async def ended(self, *jobs):
        """The rows of jobs once all have ended."""

        async def rows():
            found = [await reading.get(self.pool, job) for job in jobs]
            return found if all(row.state in ENDED for row in found) else None

        return await self.until(rows)

    async def in_state(self, job, state):
        async def there():
            return (await reading.get(self.pool, job)).state is state

        await self.until(there)

    async def stop_working(self):
        """End the workers, as their process would end."""
        for task in self.tasks[1:]:
            task.cancel()
        await asyncio.gather(*self.tasks[1:], return_exceptions=True)

    async def none_left(self):
        """Until no application is on the cluster, but those that nothing holds."""

        async def held():
            listed = await self.cluster.api.get(applications(self.namespace))
            return not [item for item in listed["items"] if item["metadata"].get("finalizers")]

        await self.until(held)


@pytest.fixture
def run(plane, cluster_api, job_namespace, postgresql, tmp_path):
    """Run a coroutine function with a platform that works; `workers` of them at once."""
    admin_account = plane_admin(plane, tmp_path)

    def run(work, ends=lambda _: ("COMPLETED", ""), workers=1, collector=None):
        folder = account(plane, ARCHER, ARCHER, ARCHER)
        archer = ServiceAccount(folder, plane.endpoint)
        with postgresql.database() as address:

            async def inside():
                await migrate(address)
                told = configuration(collector)
                async with (
                    pool(address) as connections,
                    Api(archer) as api,
                    Api(admin_account) as admin,
                    tracing(ARCHER_WORKER, told) as spans,
                ):
                    target = make_job_target(cluster=CLUSTER, namespaces=[job_namespace])
                    cluster = Cluster(CLUSTER, api, [], target)
                    stub = OperatorStub(admin, job_namespace, ends)
                    platform = Platform(connections, cluster, stub, job_namespace)
                    tasks = [asyncio.create_task(stub.run())]
                    for _ in range(workers):
                        worker = Worker(connections, {CLUSTER: api}, {}, spans)
                        tasks += [asyncio.create_task(part) for part in worker.parts()]
                    platform.tasks = tasks
                    try:
                        await work(platform)
                    finally:
                        for task in tasks:
                            task.cancel()
                        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                            if isinstance(outcome, Exception):
                                raise outcome

            run_apart(inside())

    return run


def configuration(collector):
    """What workers are told, where their traces go to a collector."""
    return Configuration(
        environment="test",
        database=DatabaseAccess(url="postgresql://archer@localhost/archer"),
        traces=TracesPlace(endpoint=collector.endpoint) if collector else None,
    )


def test_every_job_is_submitted_once_and_ends_as_its_application_does(run):
    def ends(item):
        return ("FAILED", EXIT_1) if item["metadata"]["name"].startswith("bad") else ("COMPLETED", "")

    async def work(platform):
        good = [await platform.submit() for _ in range(20)]
        bad = [await platform.submit("bad") for _ in range(5)]
        rows = await platform.ended(*good, *bad)
        assert [row.state for row in rows] == [State.SUCCEEDED] * 20 + [State.FAILED] * 5
        assert {row.reason for row in rows} == {"succeeded", "program failed"}
        assert set(platform.stub.seen.values()) == {1}
        assert len(platform.stub.seen) == 25
        await platform.none_left()

    run(work, ends, workers=2)


def test_a_job_s_trace_has_its_attempts_and_what_workers_asked_of_the_cluster(run):
    def ends(item):
        first = item["metadata"]["name"].endswith("-1")
        return ("FAILED", "driver pod not found") if first else ("", "")

    async def work(platform):
        platform.job = await platform.submit(restart={"seconds": 1})
        await platform.in_state(platform.job, State.RUNNING)
        await platform.until(lambda: attempts(platform, 2))
        await platform.in_state(platform.job, State.RUNNING)
        await platform.pool.run(
            lambda c: transitions.want(c, [platform.job], DesiredState.STOP, Reason.STOPPED, "by ann")
        )
        await platform.ended(platform.job)
        jobs.append(platform.job)

    async def attempts(platform, count):
        return len(await reading.attempts(platform.pool, platform.job)) == count

    jobs = []
    with otlp_receiver() as collector:
        run(work, ends, collector=collector)

    [job] = jobs
    assert {(span.service, span.trace) for span in collector.spans} == {(ARCHER_WORKER, job.hex)}
    made = collector.named("create application")
    assert [span.attributes["moka.attempt"] for span in made] == [1, 2]
    assert made[0].attributes["moka.application"] == application_name("pi", job, 1)
    assert len(collector.named("delete application")) == 1
    [whole] = collector.named("job pi")
    assert {span.parent for span in collector.spans} == {whole.id, ""}
    assert [span.attributes["moka.attempt"] for span in collector.named("submitting")] == [1, 2]
    assert whole.attributes["moka.state"] == "cancelled" and not whole.failed


def test_a_driver_that_failed_by_the_infrastructure_gets_another_attempt(run):
    def ends(item):
        first = item["metadata"]["name"].endswith("-1")
        return ("FAILED", "driver pod not found") if first else ("COMPLETED", "")

    async def work(platform):
        job = await platform.submit(restart={"seconds": 1})
        [row] = await platform.ended(job)
        assert (row.state, row.attempt) == (State.SUCCEEDED, 2)
        attempts = await reading.attempts(platform.pool, job)
        assert [(a.number, a.state, a.reason) for a in attempts] == [
            (1, "failed", "driver lost"),
            (2, "succeeded", "succeeded"),
        ]

    run(work, ends)


def test_a_job_that_is_stopped_is_cancelled_and_nothing_of_it_is_left(run):
    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        await platform.pool.run(
            lambda c: transitions.want(c, [job], DesiredState.STOP, Reason.STOPPED, "by ann")
        )
        [row] = await platform.ended(job)
        assert (row.state, row.reason) == (State.CANCELLED, "stopped")
        path = f"{applications(platform.namespace)}/{application_name('pi', job, 1)}"

        async def gone():
            return await platform.cluster.api.get(path) is None

        await platform.until(gone)

    run(work, lambda _: ("", ""))


def test_an_application_that_somebody_removes_by_hand_is_a_job_that_is_lost(run):
    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        await platform.cluster.remove(platform.namespace, application_name("pi", job, 1))
        [row] = await platform.ended(job)
        assert (row.state, row.reason) == (State.LOST, "application removed")

    run(work, lambda _: ("", ""))


def test_a_namespace_that_is_deleted_under_its_jobs_is_the_reason_that_they_have(run, cluster_api):
    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        await asyncio.to_thread(cluster_api.delete, f"/api/v1/namespaces/{platform.namespace}")
        [row] = await platform.ended(job)
        assert (row.state, row.reason) == (State.LOST, "namespace deleted")

    run(work, lambda _: ("", ""))


def test_workers_that_die_in_the_middle_leave_nothing_that_another_does_not_finish(run):
    async def work(platform):
        jobs = [await platform.submit() for _ in range(30)]
        await platform.in_state(jobs[0], State.SUCCEEDED)
        await platform.stop_working()
        # Their leases end with them; in place of waiting for a minute.
        await platform.pool.fetch("UPDATE active SET claimed_until = now() WHERE state = 'submitting'")
        heir = Worker(platform.pool, {CLUSTER: platform.cluster.api}, {})
        parts = [asyncio.create_task(part) for part in heir.parts()]
        rows = await platform.ended(*jobs)
        assert {row.state for row in rows} == {State.SUCCEEDED}
        assert set(platform.stub.seen.values()) == {1}
        for part in parts:
            part.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*parts)

    run(work)


def test_an_application_that_comes_after_its_job_was_stopped_is_removed(run):
    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        path = f"{applications(platform.namespace)}/{application_name('pi', job, 1)}"
        copy = await platform.cluster.api.get(path)
        await platform.pool.run(lambda c: transitions.want(c, [job], DesiredState.STOP, Reason.STOPPED, ""))
        await platform.ended(job)

        async def gone():
            return await platform.cluster.api.get(path) is None

        await platform.until(gone)
        kept = {key: copy["metadata"][key] for key in ("name", "namespace", "labels", "finalizers")}
        await platform.cluster.create(
            {**{key: copy[key] for key in ("apiVersion", "kind", "spec")}, "metadata": kept}
        )
        await platform.until(gone)

    run(work, lambda _: ("", ""))


def test_an_application_that_was_not_told_yet_is_not_taken_for_gone(run):
    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        late = Follower(platform.pool, platform.cluster, platform.namespace, JobTraces(platform.pool, OFF))
        await late.sweep()
        assert (await reading.get(platform.pool, job)).state is State.RUNNING

    run(work, lambda _: ("", ""))


def test_a_worker_that_stood_still_makes_no_application_for_a_claim_that_others_may_have(run, monkeypatch):
    monkeypatch.setattr(claims, "LEASE", timedelta(seconds=0))

    async def work(platform):
        job = await platform.submit()

        async def given_back():
            return [e for e in await reading.events(platform.pool, job) if e.reason == Reason.LEASE_ENDED]

        await platform.until(given_back)
        assert platform.stub.seen == {}

    run(work)


def test_what_an_earlier_claim_made_counts_though_the_cluster_would_refuse_it_now(run, cluster_api):
    """Such as a quota that is full, or a right that is gone."""

    async def work(platform):
        job = await platform.submit()
        await platform.in_state(job, State.RUNNING)
        # Its worker never told of it, and followers were late.
        await platform.stop_working()
        await platform.pool.fetch("UPDATE active SET state = 'queued'")
        await platform.pool.fetch("DELETE FROM attempts")
        cluster = _Refusing(CLUSTER, platform.cluster.api, [], platform.cluster.target)
        pace = claims.Pace(operator="spark-operator", namespaces=[platform.namespace])
        traces = JobTraces(platform.pool, OFF)
        assert await Submitter(platform.pool, cluster, pace, {}, traces, "another").submit() == 1
        assert (await reading.get(platform.pool, job)).state is State.SUBMITTED

    run(work, lambda _: ("", ""))


class _Refusing(Cluster):
    async def create(self, application):
        raise ApiError(403, "exceeded quota")


def test_what_a_cluster_says_anew_is_in_force_without_a_restart(run, cluster_api, job_namespace, monkeypatch):
    monkeypatch.setattr(station, "SECONDS", 0.2)

    async def work(platform):
        await platform.ended(await platform.submit())
        cluster_api.apply_all([config_map(job_namespace, operator="another")])

        async def registered():
            return await platform.pool.fetch("SELECT 1 FROM paces WHERE name = 'another'")

        await platform.until(registered)
        [row] = await platform.ended(await platform.submit("later"))
        assert row.state is State.SUCCEEDED

    run(work)


def test_a_cluster_that_says_nothing_keeps_none_of_the_jobs_that_go_elsewhere(run, cluster_api):
    path = f"/api/v1/namespaces/{SPARK_OPERATOR_NAMESPACE}/configmaps/{CONFIG_MAP}"
    cluster_api.delete(path)

    async def work(platform):
        job = await platform.submit()
        row = await reading.get(platform.pool, job)
        assert (row.state, row.cluster) == (State.ACCEPTED, None)
        cluster_api.apply_all([config_map(platform.namespace)])
        await platform.ended(job)

    run(work)
