"""Taking jobs: a job's row, its place among the active, its first events and its request, all at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from moka.jobs.job import Unique
from moka.submission.job_id import id_text
from moka.submission.reasons import Reason
from moka.submission.states import DesiredState
from services.archer.database.pool import Connection, Pool
from services.archer.database.transitions import want


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A job that is to be taken.

    key, hash: of the request, if its sender gave it a key; `hash` tells another body with the same key.
    document: the job as it was sent.
    queue, architecture: its own, or what its route gives it; of a queue `organization.project`.
    cluster, namespace, movable: where it is placed; `cluster` None, with a `message`, where it is not yet.
    unique_key: of its own queue and `unique`.
    """

    id: UUID
    principal: str
    groups: Sequence[str]
    key: str | None
    hash: bytes
    name: str
    queue: str
    tier: int
    workflow: str | None
    architecture: str
    document: dict[str, Any]
    namespace: str
    cluster: str | None = None
    movable: bool = False
    message: str = ""
    unique: Unique | None = None
    unique_key: str | None = None


@dataclass(frozen=True)
class Acceptance:
    """job: the one that is there now; `new`, or one that was sent before. replaced: those it comes after."""

    job: UUID
    new: bool
    replaced: Sequence[UUID] = field(default=(), compare=False)


@dataclass(frozen=True)
class KeyReused:
    """The key came before with another body. job: what was made of that."""

    job: UUID


@dataclass(frozen=True)
class AnotherIsActive:
    """Another job has the same unique key. job: that one."""

    job: UUID


Outcome = Acceptance | KeyReused | AnotherIsActive

INSERT = """
WITH input AS (
  SELECT * FROM unnest(
    $1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::smallint[], $8::text[],
    $9::jsonb[], $10::text[], $11::text[], $12::boolean[], $13::text[], $14::text[], $15::uuid[], $16::text[],
    $17::text[]
  ) AS input (id, principal, key, hash, name, queue, tier, workflow, document, namespace, cluster, movable,
              message, unique_key, after, groups, architecture)
), request_rows AS (
  INSERT INTO requests (principal, key, hash, job)
  SELECT principal, key, hash, id FROM input WHERE key IS NOT NULL
  ON CONFLICT DO NOTHING
  RETURNING job
), new AS (
  INSERT INTO jobs (id, principal, groups, name, queue, tier, workflow, architecture, document)
  SELECT id, principal, ARRAY(SELECT jsonb_array_elements_text(groups::jsonb)), name, queue, tier, workflow,
         architecture, document
  FROM input WHERE key IS NULL OR id IN (SELECT job FROM request_rows)
  -- Committed before, and its connection was cut off before it was told: it may have ended since.
  ON CONFLICT DO NOTHING
  RETURNING id
), active_rows AS (
  INSERT INTO active (id, state, event, queue, tier, cluster, namespace, movable, attempt, due, unique_key,
                      after)
  SELECT id, CASE WHEN cluster IS NULL THEN 'accepted' ELSE 'queued' END,
         CASE WHEN cluster IS NULL THEN 1 ELSE 2 END,
         queue, tier, cluster, namespace, movable, 1, CASE WHEN cluster IS NULL THEN now() END, unique_key,
         after
  FROM input JOIN new USING (id)
), event_rows AS (
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, 1, 'accepted', 1, 'taken', message FROM input JOIN new USING (id)
  UNION ALL
  SELECT id, 2, 'queued', 1, 'placed', cluster FROM input JOIN new USING (id) WHERE cluster IS NOT NULL
)
SELECT id FROM new
"""


OWNED = "SELECT queue, tier, principal FROM jobs WHERE id = ANY($1::uuid[])"

MayReplace = Callable[[str, int, str], None]
"""Raises for a job of this queue, tier and owner that the sender may not stop."""


async def accept(pool: Pool, submissions: Sequence[Submission]) -> list[Outcome]:
    """Take jobs without a unique key, all in one transaction; what becomes of each, in their order.

    Again, it comes to the same. Raises Away.
    """

    async def insert(connection: Connection) -> list[Outcome]:
        new = await _insert(connection, submissions)
        return await _outcomes(connection, submissions, new)

    return await pool.run(insert)


async def accept_unique(pool: Pool, submission: Submission, may_replace: MayReplace) -> Outcome:
    """Take a job of which there is to be one at most. Raises Away, and what `may_replace` raises."""
    while True:
        try:
            return await pool.run(lambda connection: _insert_unique(connection, submission, may_replace))
        except asyncpg.UniqueViolationError:
            # Another came at the same moment, and is there now.
            continue


async def _insert(
    connection: Connection,
    submissions: Sequence[Submission],
    unique_key: str | None = None,
    after: UUID | None = None,
) -> set[UUID]:
    rows = await connection.fetch(
        INSERT,
        [submission.id for submission in submissions],
        [submission.principal for submission in submissions],
        [submission.key for submission in submissions],
        [submission.hash for submission in submissions],
        [submission.name for submission in submissions],
        [submission.queue for submission in submissions],
        [submission.tier for submission in submissions],
        [submission.workflow for submission in submissions],
        [submission.document for submission in submissions],
        [submission.namespace for submission in submissions],
        [None if after else submission.cluster for submission in submissions],
        [submission.movable for submission in submissions],
        [submission.message for submission in submissions],
        [unique_key for _ in submissions],
        [after for _ in submissions],
        # Arrays in an array would all have to be of one length.
        [orjson.dumps(list(submission.groups)).decode() for submission in submissions],
        [submission.architecture for submission in submissions],
    )
    return {row["id"] for row in rows}


async def _outcomes(
    connection: Connection, submissions: Sequence[Submission], new: set[UUID]
) -> list[Outcome]:
    keyed = [
        submission for submission in submissions if submission.id not in new and submission.key is not None
    ]
    rows = await connection.fetch(
        "SELECT principal, key, hash, job FROM requests "
        "JOIN unnest($1::text[], $2::text[]) AS input (principal, key) USING (principal, key)",
        [submission.principal for submission in keyed],
        [submission.key for submission in keyed],
    )
    earlier = {(row["principal"], row["key"]): row for row in rows}
    return [
        _outcome(submission, earlier.get((submission.principal, submission.key or "")))
        for submission in submissions
    ]


def _outcome(submission: Submission, earlier: asyncpg.Record | None) -> Outcome:
    # Without a row it is new, or was committed before.
    if earlier is None or earlier["job"] == submission.id:
        return Acceptance(submission.id, new=True)
    if earlier["hash"] != submission.hash:
        return KeyReused(earlier["job"])
    return Acceptance(earlier["job"], new=False)


async def _insert_unique(connection: Connection, submission: Submission, may_replace: MayReplace) -> Outcome:
    assert submission.unique is not None
    unique_key = submission.unique_key
    first: UUID | None = await connection.fetchval(
        "SELECT id FROM active WHERE unique_key = $1 AND after IS NULL FOR UPDATE", unique_key
    )
    # After that: the same request, sent again before its answer, may have been who held the first.
    [outcome] = await _outcomes(connection, [submission], set())
    if outcome != Acceptance(submission.id, new=True):
        return outcome
    if first in (None, submission.id):
        new = await _insert(connection, [submission], unique_key)
        [outcome] = await _outcomes(connection, [submission], new)
        return outcome
    match submission.unique.second:
        case "refuse":
            return AnotherIsActive(first)
        case "return":
            await connection.execute(
                "INSERT INTO requests (principal, key, hash, job) "
                "SELECT $1, $2::text, $3, $4 WHERE $2::text IS NOT NULL ON CONFLICT DO NOTHING",
                submission.principal,
                submission.key,
                submission.hash,
                first,
            )
            return Acceptance(first, new=False)
        case "replace":
            # Of several that wait for the first, the last is the one that is wanted. It is there before the
            # first goes, which is what it waits for.
            waiting = await connection.fetch(
                "SELECT id FROM active WHERE after = $1 AND id <> $2", first, submission.id
            )
            because = f"replaced by {id_text(submission.id)}"
            replaced = [row["id"] for row in waiting]
            for row in await connection.fetch(OWNED, [first, *replaced]):
                may_replace(row["queue"], row["tier"], row["principal"])
            new = await _insert(connection, [submission], unique_key, after=first)
            [outcome] = await _outcomes(connection, [submission], new)
            if outcome == Acceptance(submission.id, new=True):
                await want(connection, replaced, DesiredState.STOP, Reason.REPLACED, because)
                await want(connection, [first], DesiredState.STOP, Reason.REPLACED, because)
                return Acceptance(submission.id, new=True, replaced=[first, *replaced])
            return outcome
