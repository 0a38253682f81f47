"""Months of long ago go to S3, and are lost nowhere on the way."""

import re
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from moka.submission.configuration import HistoryPlace, PlanDays
from moka.submission.job_id import id_text, lowest_id, new_id
from moka.submission.month import Month, due
from services.archer.database.partitions import months, statements
from services.archer.database.pool import pool
from services.archer.keeper import history, parquet
from services.archer.keeper.history import History, NotKept, drop
from services.archer.keeper.keeper import Keeper
from services.common.metrics import Metrics
from tests.support.documented import chapter
from tests.support.loops import run_apart

PAGE = "docs/operations/archer.md"
OLD, OLDER = Month(2026, 2), Month(2026, 1)
PLACE = HistoryPlace(bucket="records", region="us-east-1", days=30)
JOBS = """
INSERT INTO jobs (id, principal, groups, name, queue, tier, architecture, document, state, message, ended)
SELECT unnest($1::uuid[]), 'ann', '{data,"a b"}', 'etl', 'analytics.daily', 1, 'any',
  '{"name": "etl", "arguments": ["a,b", "\\"c\\""]}', 'failed', E'line 1\\nline "2"', now()
"""
EVENTS = """
INSERT INTO events (job, number, state, attempt, reason, message)
SELECT id, number, 'accepted', 1, 'taken', '' FROM unnest($1::uuid[]) AS id, generate_series(1, 3) AS number
"""
ACTIVE = "INSERT INTO active (id, state, queue, tier) VALUES ($1, 'running', 'analytics.daily', 1)"


def keys(s3):
    return [one["Key"] for one in s3.list_objects_v2(Bucket=PLACE.bucket).get("Contents", [])]


def ids(month, count=4):
    """Jobs of the first days of a month."""
    return [lowest_id(month.start + timedelta(days=n // 2, seconds=n)) for n in range(count)]


async def filled(connections, *of):
    """Have partitions of these months, with jobs."""

    async def fill(connection):
        for month in of:
            for statement in statements(month, ahead=0):
                await connection.execute(statement)
            await connection.execute(JOBS, ids(month))
            await connection.execute(EVENTS, ids(month))

    await connections.run(fill)


def table(s3, tmp_path, name):
    """All rows that S3 has of a table."""
    for number, key in enumerate(key for key in keys(s3) if f"/{name}/" in key):
        s3.download_file(PLACE.bucket, key, str(tmp_path / f"{name}-{number}.parquet"))
    return duckdb.sql(f"SELECT * FROM '{tmp_path}/{name}-*.parquet' ORDER BY ALL")


def test_a_month_goes_whole_and_one_with_a_job_that_is_active_waits(address, bucket, tmp_path):
    async def work():
        async with pool(address) as connections:
            await filled(connections, OLDER, OLD)
            await connections.run(lambda c: c.execute(ACTIVE, ids(OLDER)[0]))
            await Keeper(connections, History(connections, PLACE), Metrics("k"), PlanDays()).keep()
            waits = await connections.run(months), await connections.fetch("SELECT id FROM jobs")
            await connections.run(lambda c: c.execute("DELETE FROM active"))
            await Keeper(connections, History(connections, PLACE), Metrics("k"), PlanDays()).keep()
            return waits, await connections.run(months), await connections.fetch("SELECT id FROM jobs")

    (kept, rows), after, left = run_apart(work())
    assert OLDER in kept and OLD not in kept and {row["id"] for row in rows} == set(ids(OLDER))
    assert OLDER not in after and left == []
    jobs = table(bucket, tmp_path, "jobs")
    first = dict(zip(jobs.columns, jobs.fetchall()[0], strict=True))
    assert {row[0] for row in table(bucket, tmp_path, "jobs").fetchall()} == {*ids(OLDER), *ids(OLD)}
    assert first["message"] == 'line 1\nline "2"' and first["groups"] == '["data","a b"]'
    assert '"a,b"' in first["document"] and first["workflow"] is None
    assert table(bucket, tmp_path, "events").aggregate("count(*), min(message)").fetchall() == [(24, "")]


def test_a_day_that_is_large_goes_in_several_files_and_no_job_is_in_two(
    address, bucket, tmp_path, monkeypatch
):
    # A job's row has some 150 bytes, and its events twice as many.
    monkeypatch.setattr(parquet, "SLICE_BYTES", 400)

    async def work():
        async with pool(address) as connections:
            await filled(connections, OLD)
            await History(connections, PLACE).keep()

    run_apart(work())
    assert sorted(table(bucket, tmp_path, "jobs").project("id").fetchall()) == [(job,) for job in ids(OLD)]
    names = [key.rpartition("/")[2] for key in keys(bucket) if "/events/month=2026-02/part-01" in key]
    assert sorted(names) == ["part-01-2.parquet", "part-01.parquet"]
    table(bucket, tmp_path, "events")
    files = duckdb.sql(
        "SELECT count(*), count(DISTINCT filename) "
        f"FROM read_parquet('{tmp_path}/events-*.parquet', filename = true) GROUP BY job"
    )
    assert files.fetchall() == [(3, 1)] * 4


class Killed(BaseException):
    """The process ended there."""


STEPS = [
    ("write", 0),
    ("write", 1),
    ("_sha256", 0),
    ("_sha256", 3),
    ("rows", 1),
    ("drop", 0),
    ("put_object", 2),
]
"""Where it ends, and of how many of these before that."""


def test_wherever_it_is_killed_the_next_run_loses_and_doubles_nothing(address, bucket, tmp_path, monkeypatch):
    async def work():
        async with pool(address) as connections:
            await filled(connections, OLD)
            for step, survived in STEPS:
                moving = History(connections, PLACE)
                with monkeypatch.context() as patch:
                    kill(patch, moving, step, survived)
                    with pytest.raises(Killed):
                        await moving.keep()
                kept = {row["id"] for row in await connections.fetch("SELECT id FROM jobs")}
                assert kept == set(ids(OLD)), step
            await History(connections, PLACE).keep()
            return await connections.run(months)

    assert OLD not in run_apart(work())
    found = [row[0] for row in table(bucket, tmp_path, "jobs").fetchall()]
    assert sorted(found) == ids(OLD)
    assert len(table(bucket, tmp_path, "events").fetchall()) == 12


def kill(patch, moving, step, survived):
    """End it at this step, once it has survived so many of them; before what it does, or after."""
    place = history.parquet if step in ("write", "rows") else moving._s3 if step == "put_object" else history
    real, calls = getattr(place, step), iter(range(100))
    last = 0 if step == "drop" else survived

    def dying(*args, **kwargs):
        number = next(calls)
        if number == last and survived % 2 == 0:
            raise Killed
        result = real(*args, **kwargs)
        if number == last and step != "drop":
            raise Killed
        return before_commit(result) if step == "drop" else result

    patch.setattr(place, step, dying)


async def before_commit(work):
    """Do it, and end before the transaction is committed."""
    await work
    raise Killed


def test_the_page_asks_duckdb_for_a_job_of_long_ago_and_archer_says_where_it_is(
    address, bucket, serve, tmp_path
):
    async def gone(client):
        await filled(client.pool, OLD)
        job = f"/v1/jobs/{id_text(ids(OLD)[0])}"
        here = await client.get(job)
        await History(client.pool, PLACE).keep()
        return here, await client.get(job), await client.get(f"/v1/jobs/{id_text(new_id(datetime.now(UTC)))}")

    here, there, never = serve(gone, history=PLACE)

    assert here.status_code == 200
    assert (there.status_code, there.json()["type"].rpartition(":")[2]) == (404, "in-history")
    assert "Jobs of 2026-02" in there.json()["detail"]
    assert f"s3://{PLACE.bucket}/archer/history" in there.json()["detail"]
    assert never.json()["type"].rpartition(":")[2] == "no-such-job"
    [query] = re.findall(
        r"^```sql\n(.*?)^```", chapter(PAGE, "## Jobs of long ago"), re.MULTILINE | re.DOTALL
    )
    # The laptop's S3 is copied: DuckDB's own client of S3 is an extension that it fetches.
    for key in keys(bucket):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        bucket.download_file(PLACE.bucket, key, str(tmp_path / key))
    select = query.partition(";")[2].replace("s3://BUCKET", str(tmp_path))
    answer = duckdb.sql(select).fetchall()
    assert [row[:4] for row in answer] == [("etl", "ann", "analytics.daily", "failed")] * 4


def test_a_month_is_not_let_go_that_s3_does_not_have_whole(address, bucket):
    async def work():
        async with pool(address) as connections:
            await filled(connections, OLD)
            moving = History(connections, PLACE)
            parts = await moving.export(OLD)
            late = lowest_id(OLD.start + timedelta(days=9))
            await connections.run(lambda c: c.execute(JOBS, [late]))
            with pytest.raises(NotKept, match="jobs_2026_02 has 5 rows, and S3 4"):
                await connections.run(lambda c: drop(c, OLD, parts))
            return await connections.fetch("SELECT count(*) AS jobs FROM jobs")

    assert run_apart(work())[0]["jobs"] == 5


def test_months_that_are_due_are_those_that_ended_long_enough_ago():
    at = datetime(2026, 4, 1, tzinfo=UTC)
    assert due([Month(2026, 3), Month(2026, 2), Month(2026, 1)], 31, at) == [Month(2026, 1), Month(2026, 2)]
    assert due([Month(2026, 2)], 32, at) == []
    assert due([Month(2025, 12)], 90, at) == [Month(2025, 12)]
