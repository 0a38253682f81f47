"""Reading jobs, those that are active and those that have ended alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from moka.submission.states import ENDED, DesiredState, State
from services.archer.database.pool import Pool


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """A job as it is now.

    wanted: None of a job that has ended. event: number of the last one.
    """

    id: UUID
    principal: str
    name: str
    queue: str
    tier: int
    workflow: str | None
    state: State
    wanted: DesiredState | None
    reason: str | None
    message: str | None
    cluster: str | None
    namespace: str | None
    attempt: int
    event: int | None
    started: datetime | None
    ended: datetime | None


@dataclass(frozen=True, kw_only=True)
class AttemptRow:
    """An attempt of a job; times None, and state, until it comes to them."""

    number: int
    cluster: str
    namespace: str
    application: str
    spark_id: str | None
    submitted: datetime
    started: datetime | None
    ended: datetime | None
    state: str | None
    reason: str | None
    message: str | None


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """What happened to a job."""

    number: int
    at: datetime
    state: str
    attempt: int
    reason: str
    message: str


COLUMNS = """
  jobs.id, jobs.principal, jobs.name, jobs.queue, jobs.tier, jobs.workflow,
  coalesce(active.state, jobs.state) AS state, active.wanted, jobs.reason, jobs.message,
  coalesce(active.cluster, jobs.cluster) AS cluster, active.namespace,
  coalesce(active.attempt, jobs.attempts, 1) AS attempt, active.event, jobs.started, jobs.ended
"""

GET = f"SELECT {COLUMNS} FROM jobs LEFT JOIN active USING (id) WHERE jobs.id = $1"

CHANGED = """
SELECT asked.id FROM unnest($1::uuid[], $2::integer[]) AS asked (id, event)
LEFT JOIN active USING (id)
WHERE active.event IS DISTINCT FROM asked.event
"""

ATTEMPTS = """
SELECT number, cluster, namespace, application, spark_id, submitted, started, ended, state, reason, message
FROM attempts WHERE job = $1 ORDER BY number
"""

EVENTS = """
SELECT number, at, state, attempt, reason, message FROM events
WHERE job = $1 AND number > $2 ORDER BY number LIMIT $3
"""

EQUAL: Mapping[str, str] = {
    "principal": "jobs.principal",
    "name": "jobs.name",
    "queue": "jobs.queue",
    "tier": "jobs.tier",
    "workflow": "jobs.workflow",
}
"""Filter -> the column that has to be equal."""


async def get(pool: Pool, job: UUID) -> JobRow | None:
    """A job; None where there is none. Raises Away."""
    rows = await pool.fetch(GET, job)
    return _job(rows[0]) if rows else None


async def document(pool: Pool, job: UUID) -> dict[str, Any] | None:
    """The job as it was sent. Raises Away."""
    rows = await pool.fetch("SELECT document FROM jobs WHERE id = $1", job)
    return dict(rows[0]["document"]) if rows else None


async def attempts(pool: Pool, job: UUID) -> list[AttemptRow]:
    """The attempts of a job that got an application, in order. Raises Away."""
    return [AttemptRow(**row) for row in await pool.fetch(ATTEMPTS, job)]


async def events(pool: Pool, job: UUID, after: int = 0, most: int = 500) -> list[EventRow]:
    """The events of a job after one of them, in order. Raises Away."""
    return [EventRow(**row) for row in await pool.fetch(EVENTS, job, after, most)]


async def changed(pool: Pool, last_events: Mapping[UUID, int]) -> set[UUID]:
    """Which jobs have events after those that are known, or have ended. Raises Away."""
    rows = await pool.fetch(CHANGED, list(last_events), list(last_events.values()))
    return {row["id"] for row in rows}


async def jobs(
    pool: Pool,
    filters: Mapping[str, Any],
    states: Sequence[State] = (),
    before: UUID | None = None,
    most: int = 100,
) -> list[JobRow]:
    """Jobs, the newest first.

    filters: of EQUAL. states: any of these; all where there is none. before: those that were submitted
    before this one. Raises Away.
    """
    conditions, arguments = [], []

    def argument(value: object) -> str:
        arguments.append(value)
        return f"${len(arguments)}"

    for name, value in filters.items():
        conditions.append(f"{EQUAL[name]} = {argument(value)}")
    if states:
        ended = [state for state in states if state in ENDED]
        active = [state for state in states if state not in ENDED]
        conditions.append(
            f"(active.state = ANY({argument(active)}::text[]) OR jobs.state = ANY({argument(ended)}::text[]))"
        )
    if before:
        conditions.append(f"jobs.id < {argument(before)}")
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM jobs LEFT JOIN active USING (id) {where}"
        f"ORDER BY jobs.id DESC LIMIT {argument(most)}",
        *arguments,
    )
    return [_job(row) for row in rows]


def _job(row: asyncpg.Record) -> JobRow:
    desired_state = row["wanted"]
    values = {
        **row,
        "state": State(row["state"]),
        "wanted": DesiredState(desired_state) if desired_state else None,
    }
    return JobRow(**values)
