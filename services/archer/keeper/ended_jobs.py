"""Jobs that have ended go to the history of what was used: table `jobs` of moka/usage/records.py.

The database has a list of those that are not there yet (table `unrecorded`). Some of them are written as
parts, and then leave the list. Who ends in between leaves a part that the next one writes again, under the
same key if it has the same jobs, and otherwise beside it: records of a job that are there twice are one
(moka/usage/merge.py). A part is never written over with other jobs, so two keepers at once lose nothing
either.
"""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import asyncpg
import boto3

from moka.names import queue_path
from moka.submission.job_id import id_text, submitted_at
from moka.usage import places
from moka.usage.places import Part
from moka.usage.queue_names import queue_names
from moka.usage.records import JOBS, Attempt, Job
from services.archer.database.pool import Connection, Pool
from services.archer.keeper import parquet

BATCH = 5_000
"""Jobs that are in memory at a time."""

WAITING = """
SELECT id, name, principal, queue, tier, workflow, state, reason, cluster, ended, (
  SELECT jsonb_agg(to_jsonb(attempt) ORDER BY number) FROM attempts AS attempt WHERE attempt.job = jobs.id
) AS attempts
FROM (SELECT job FROM unrecorded ORDER BY job LIMIT $1) AS waiting JOIN jobs ON jobs.id = waiting.job
ORDER BY id
"""

RECORDED = "DELETE FROM unrecorded WHERE job = ANY($1::uuid[])"


class EndedJobs:
    """Brings jobs that have ended to a bucket. region: of it."""

    def __init__(self, pool: Pool, bucket: str, region: str) -> None:
        self._pool = pool
        self._bucket = bucket
        self._s3: Any = boto3.client("s3", region_name=region)

    async def record(self) -> None:
        """Bring all there are. Raises Away and what S3 answers."""
        while rows := await self._pool.fetch(WAITING, BATCH):
            for part, jobs in parts(filter(None, map(_job, rows))).items():
                await asyncio.to_thread(self._put, part, jobs)
            done = [row["id"] for row in rows]
            await self._pool.run(lambda connection, done=done: _recorded(connection, done))  # type: ignore[misc]

    def _put(self, part: Part, jobs: Iterable[Job]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "jobs.parquet"
            parquet.write_records(JOBS, (job.row() for job in jobs), file)
            with file.open("rb") as body:
                self._s3.put_object(Bucket=self._bucket, Key=part.key, Body=body)


def parts(jobs: Iterable[Job]) -> dict[Part, list[Job]]:
    """The jobs of each day and cluster, by the part that they make."""
    groups: dict[tuple[Any, str], list[Job]] = defaultdict(list)
    for job in jobs:
        for day in places.days_of(job):
            groups[day, job.cluster].append(job)
    return {
        Part(table=JOBS.name, day=day, cluster=cluster, number=places.number_of(day_jobs)): day_jobs
        for (day, cluster), day_jobs in groups.items()
    }


async def _recorded(connection: Connection, jobs: list[Any]) -> None:
    await connection.execute(RECORDED, jobs)


def _job(row: asyncpg.Record) -> Job | None:
    """None for one that ended before it had a cluster: it used none."""
    attempts = [_attempt(attempt) for attempt in row["attempts"] or ()]
    cluster = row["cluster"] or (attempts[-1].cluster if attempts else None)
    if cluster is None:
        return None
    names = queue_names(queue_path(row["queue"], row["tier"]))
    return Job(
        cluster=cluster,
        job=id_text(row["id"]),
        accepted=_millis(submitted_at(row["id"])),
        ended=_millis(row["ended"]),
        name=row["name"],
        user_name=row["principal"],
        workflow=row["workflow"] or "",
        queue=names.path,
        organization=names.organization,
        project=names.project,
        tier=names.tier,
        state=row["state"],
        reason=row["reason"] or "",
        attempts=tuple(attempts),
    )


def _attempt(values: Mapping[str, Any]) -> Attempt:
    times = {
        name: _millis(datetime.fromisoformat(values[name])) if values[name] else None
        for name in ("started", "ended")
    }
    return Attempt(
        number=values["number"],
        cluster=values["cluster"],
        application=values["application"],
        submitted=_millis(datetime.fromisoformat(values["submitted"])),
        state=values["state"] or "",
        reason=values["reason"] or "",
        **times,
    )


def _millis(at: datetime) -> int:
    return int(at.timestamp() * 1000)
