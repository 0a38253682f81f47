"""Jobs that have ended go to the history of what was used, and a job is one run there."""

from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from moka.submission.configuration import HistoryPlace, PlanDays
from moka.submission.job_id import application_name, id_text, lowest_id, parse_id
from moka.submission.month import Month
from moka.submission.reasons import Reason
from moka.submission.states import ENDED, State
from moka.usage import merge, places
from moka.usage.questions import NEEDS, RUNS, QueryScope
from moka.usage.records import APPLICATIONS, DAY, HOUR, JOB_STATES, JOBS, Application, Attempt, Job, Usage
from services.archer.database import reading, transitions
from services.archer.database.partitions import statements
from services.archer.database.pool import pool
from services.archer.keeper import ended_jobs
from services.archer.keeper.ended_jobs import EndedJobs
from services.archer.keeper.history import History, NotKept, drop
from services.archer.keeper.keeper import Keeper
from services.common.metrics import Metrics
from tests.support import usage_history
from tests.support.archer import start
from tests.support.jobs import make_job
from tests.support.loops import run_apart

JOB = make_job(workflow="daily").model_dump(mode="json", exclude_unset=True)
CLUSTERS = {"spark-a": (4000, 16_384, 0)}
LONG_AGO = datetime(2026, 2, 3, 23, 59, tzinfo=UTC)
FILL = """
INSERT INTO jobs (id, principal, name, queue, tier, architecture, document, cluster)
SELECT unnest($1::uuid[]), 'ann', 'etl', 'analytics.daily', 1, 'any', '{}', 'spark-a'
"""
END = "UPDATE jobs SET state = 'failed', reason = 'program failed', ended = $2 WHERE id = ANY($1::uuid[])"


def keys(s3):
    return [one["Key"] for one in s3.list_objects_v2(Bucket="records").get("Contents", [])]


def copied(s3, folder):
    """The bucket, as a folder."""
    for key in keys(s3):
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        s3.download_file("records", key, str(folder / key))
    return folder


def _keeper(connections, records, history=None):
    return Keeper(connections, history, Metrics("k"), PlanDays(), records)


def recorded(s3, folder):
    """All jobs that the history has, in the order of their ids, and how many records there are of each."""
    copied(s3, folder)
    rows = usage_history.rows(folder, JOBS)
    jobs = merge.jobs(
        Job(
            **{name: value for name, value in row.items() if name not in ("submitted", "attempts")},
            attempts=tuple(Attempt(**attempt) for attempt in row["attempts"]),
        )
        for row in rows
    )
    return jobs, [sum(row["job"] == job.job for row in rows) for job in jobs]


def ids(count, at=LONG_AGO):
    return [lowest_id(at + timedelta(seconds=number)) for number in range(count)]


async def filled(connections, jobs, ended):
    """Have partitions with jobs, which end."""

    async def fill(connection):
        for statement in statements(Month.of(LONG_AGO), ahead=0):
            await connection.execute(statement)
        await connection.execute(FILL, jobs)
        await connection.execute(END, jobs, ended)

    await connections.run(fill)


async def waiting(connections):
    return [row["job"] for row in await connections.fetch("SELECT job FROM unrecorded ORDER BY job")]


async def ended(connections, job, state, reason, **more):
    attempt = (await reading.get(connections, job)).attempt
    end = transitions.End(job=job, attempt=attempt, state=state, reason=reason, **more)
    await connections.run(lambda c: transitions.record_ends(c, [end]))


def test_a_job_of_three_attempts_is_one_run_in_time_whatever_yunikorn_says_of_them(serve, bucket, tmp_path):
    async def life(client):
        """Two attempts whose nodes are lost, one that succeeds; and a job that fails."""
        connections, placed = client.pool, []
        for _ in ("retried", "failed"):
            answer = await client.post("/v1/jobs", json=JOB)
            assert answer.status_code == 201, answer.text
            placed.append(parse_id(answer.json()["id"]))
            if len(placed) == 1:
                for number in (1, 2):
                    await start(connections, f"spark-{number}")
                    lost = {"pause_seconds": 0.0}
                    await ended(connections, placed[0], State.FAILED, Reason.NODE_LOST, **lost)
                    await placed_again(connections, placed[0])
            await start(connections, "spark-3")
            state, reason = (
                (State.SUCCEEDED, Reason.SUCCEEDED)
                if len(placed) == 1
                else (State.FAILED, Reason.PROGRAM_FAILED)
            )
            await ended(connections, placed[-1], state, reason)
        await _keeper(connections, EndedJobs(connections, "records", "us-east-1")).keep()
        return placed, await waiting(connections)

    (retried, failed), left = serve(life)

    jobs, _ = recorded(bucket, tmp_path)
    assert left == [] and [job.job for job in jobs] == [id_text(retried), id_text(failed)]
    one = jobs[0]
    assert (one.state, one.reason, one.user_name, one.workflow) == ("succeeded", "succeeded", "ann", "daily")
    assert (one.queue, one.tier, one.cluster) == ("root.analytics.reports.tier1", 1, "spark-a")
    assert [(attempt.number, attempt.application, attempt.state) for attempt in one.attempts] == [
        (number, application_name("pi", retried, number), state)
        for number, state in ((1, "failed"), (2, "failed"), (3, "succeeded"))
    ]
    assert one.accepted <= one.submitted <= one.ended
    assert all(attempt.submitted <= attempt.started <= attempt.ended for attempt in one.attempts)
    # YuniKorn calls the one that succeeded failed, and the one that failed completed.
    used = Usage(kind="used", instance_type="UNKNOWN", cpu=3_600_000)
    usage_history.write(
        tmp_path,
        APPLICATIONS,
        [
            Application(
                cluster="spark-a",
                application=attempt.application,
                submitted=attempt.submitted + 10,
                started=attempt.submitted + 20,
                finished=attempt.submitted + 50,
                queue=job.queue,
                workflow="daily",
                usage=(used,),
                outcome="failed" if job is one else "completed",
            )
            for job in jobs
            for attempt in job.attempts
        ],
    )
    asked = QueryScope(
        began=one.accepted - HOUR, ended=one.accepted + HOUR, machines=CLUSTERS, slos={"daily": HOUR}
    )
    [runs] = usage_history.ask(tmp_path, RUNS, asked)
    expected = {"runs": 2, "completed": 1, "failed": 1, "in_time": 1, "late": 0, "unfinished": 0}
    assert {name: runs[name] for name in expected} == expected
    assert (runs["waiting"], runs["running"], runs["took"]) == (30, 90, one.ended - one.accepted)
    assert 0 <= runs["held"] <= runs["took"]
    [need] = usage_history.ask(tmp_path, NEEDS, asked)
    # Three attempts of a core-hour each, on machines of four cores.
    assert (need["runs"], need["machine_millis"]) == (1, 3 * 250 * HOUR)


async def placed_again(connections, job):
    """Bring a job to its cluster again, as the placer does."""
    place = transitions.Place(
        job=job,
        cluster="spark-a",
        namespace="spark-jobs",
        queue="analytics.reports",
        architecture="any",
        movable=False,
    )
    assert await connections.run(lambda c: transitions.place(c, [place])) == {job}


class Killed(BaseException):
    """The process ended there."""


@pytest.mark.parametrize("more", [0, 2])
@pytest.mark.parametrize("step", ["write", "put", "delete"])
def test_wherever_it_is_killed_the_next_one_loses_and_doubles_nothing(
    address, bucket, tmp_path, monkeypatch, step, more
):
    first, late = ids(5), ids(more, LONG_AGO - timedelta(hours=1))

    async def work():
        async with pool(address) as connections:
            await filled(connections, first, LONG_AGO + timedelta(hours=1))
            dying = EndedJobs(connections, "records", "us-east-1")
            with monkeypatch.context() as patch:
                patch.setattr(ended_jobs, "BATCH", 3)
                kill(patch, dying, step)
                with pytest.raises(Killed):
                    await dying.record()
            assert set(await waiting(connections)) == set(first)
            if late:
                await filled(connections, late, LONG_AGO)
            await EndedJobs(connections, "records", "us-east-1").record()
            return await waiting(connections)

    assert run_apart(work()) == []
    jobs, _ = recorded(bucket, tmp_path)
    assert [job.job for job in jobs] == [id_text(job) for job in [*late, *first]]


def kill(patch, dying, step):
    """End it before it writes a file, once it has put one, or in its last transaction."""

    def killed(*_):
        raise Killed

    async def killed_in_transaction(connection, jobs):
        await connection.execute(ended_jobs.RECORDED, jobs)
        raise Killed

    put = dying._put

    def put_and_die(*arguments):
        put(*arguments)
        raise Killed

    if step == "write":
        patch.setattr(ended_jobs.parquet, "write_records", killed)
    elif step == "put":
        patch.setattr(dying, "_put", put_and_die)
    else:
        patch.setattr(ended_jobs, "_recorded", killed_in_transaction)


def test_what_is_written_again_has_the_same_key_if_it_is_the_same(address, bucket, tmp_path, monkeypatch):
    async def work():
        async with pool(address) as connections:
            await filled(connections, ids(5), LONG_AGO)
            with monkeypatch.context() as patch:
                dying = EndedJobs(connections, "records", "us-east-1")
                kill(patch, dying, "delete")
                with pytest.raises(Killed):
                    await dying.record()
            before = keys(bucket)
            await EndedJobs(connections, "records", "us-east-1").record()
            return before

    before = run_apart(work())
    # The job that was accepted at midnight is of the next day.
    assert len(before) == 1 and keys(bucket) == before and all(places.part(key) for key in before)
    assert recorded(bucket, tmp_path)[1] == [1] * 5


def test_while_s3_is_away_jobs_wait_and_so_does_their_month(address, bucket, tmp_path, monkeypatch):
    async def work():
        async with pool(address) as connections:
            await filled(connections, ids(3), LONG_AGO)
            with monkeypatch.context() as patch:
                patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
                patch.setenv("AWS_MAX_ATTEMPTS", "1")
                away = EndedJobs(connections, "records", "us-east-1")
            history = History(connections, HistoryPlace(bucket="records", region="us-east-1", days=30))
            with pytest.raises((BotoCoreError, ClientError)):
                await _keeper(connections, away, history).keep()
            await history.keep()
            parts = await history.export(Month.of(LONG_AGO))
            with pytest.raises(NotKept, match="is active, or not recorded"):
                await connections.run(lambda c: drop(c, Month.of(LONG_AGO), parts))
            kept = await connections.fetch("SELECT id FROM jobs")
            back = EndedJobs(connections, "records", "us-east-1")
            await _keeper(connections, back, history).keep()
            return kept, await connections.fetch("SELECT id FROM jobs")

    kept, left = run_apart(work())
    assert len(kept) == 3 and left == []
    assert [job.job for job in recorded(bucket, tmp_path)[0]] == [id_text(job) for job in ids(3)]


def test_a_job_that_never_had_a_cluster_is_of_none(address, bucket):
    async def work():
        async with pool(address) as connections:
            await filled(connections, ids(1), LONG_AGO)
            await connections.run(lambda c: c.execute("UPDATE jobs SET cluster = NULL"))
            await EndedJobs(connections, "records", "us-east-1").record()
            return await waiting(connections)

    assert run_apart(work()) == [] and keys(bucket) == []


def test_a_job_is_in_the_parts_of_the_days_on_which_its_applications_may_be(address, bucket, tmp_path):
    [job] = ids(1)
    attempts = """
    INSERT INTO attempts (job, number, cluster, namespace, application, submitted, started, ended)
    VALUES ($1, 1, 'spark-a', 'n', 'etl-1', $2, $3, $4), ($1, 2, 'spark-b', 'n', 'etl-2', $4, NULL, NULL)
    """

    async def work():
        async with pool(address) as connections:
            await filled(connections, [], LONG_AGO)
            await connections.run(lambda c: c.execute(FILL, [job]))
            times = [
                LONG_AGO + timedelta(seconds=30),
                LONG_AGO + timedelta(minutes=2),
                LONG_AGO + timedelta(days=4),
            ]
            await connections.run(lambda c: c.execute(attempts, job, *times))
            await connections.run(lambda c: c.execute(END, [job], LONG_AGO + timedelta(days=5)))
            await EndedJobs(connections, "records", "us-east-1").record()

    run_apart(work())
    days = [places.part(key).day.isoformat() for key in sorted(keys(bucket))]
    # Accepted a minute before midnight; the first driver ran after it, and for days; the second never did.
    assert days == ["2026-02-03", "2026-02-04", "2026-02-07", "2026-02-08"]
    jobs, records = recorded(bucket, tmp_path)
    assert records == [4] and jobs[0].ended - jobs[0].accepted == 5 * DAY


def test_the_history_knows_all_states_in_which_jobs_end():
    assert set(JOB_STATES) == ENDED
