"""Why jobs wait: what is seen on the clusters is kept here by workers, for the service to answer from.

Nothing is written of a job while that stays the same; the time of a look is written once for a namespace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from moka.submission.breaker import Breaker
from moka.submission.reasons import FAULTS, Reason
from moka.submission.states import DesiredState, State
from moka.submission.token_bucket import TokenBucket
from moka.submission.waiting import COUNTED, VAGUE, JobFacts, Pace, Wait, WaitReason
from services.archer.database.pool import Connection, Pool


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A job whose application the operator has looked at, and that does not run.

    user, groups: it runs in their name. known: what was kept of this attempt.
    """

    job: UUID
    attempt: int
    application: str
    queue: str
    tier: int
    user: str
    groups: Sequence[str]
    known: WaitReason | None


PENDING = """
SELECT active.id, active.attempt, application, active.queue, active.tier, principal, groups,
  waits.word, waits.message
FROM active JOIN attempts ON attempts.job = active.id AND number = active.attempt
  JOIN jobs ON jobs.id = active.id
  LEFT JOIN waits ON waits.job = active.id AND waits.attempt = active.attempt
WHERE active.cluster = $1 AND active.namespace = $2 AND active.state = 'submitted' AND acknowledged
  AND active.since < now() - make_interval(secs => $4)
ORDER BY active.id LIMIT $3
"""


async def pending(pool: Pool, cluster: str, namespace: str, most: int, seconds: float = 0.0) -> list[Pending]:
    """Jobs of a namespace that have waited there for so long, the oldest first. Raises Away."""
    return [
        Pending(
            job=row["id"],
            attempt=row["attempt"],
            application=row["application"],
            queue=row["queue"],
            tier=row["tier"],
            user=row["principal"],
            groups=row["groups"],
            known=_observed_wait(row),
        )
        for row in await pool.fetch(PENDING, cluster, namespace, most, seconds)
    ]


LOOKED = "UPDATE watches SET looked = now() WHERE cluster = $1 AND namespace = $2"

FORGET = "DELETE FROM waits WHERE cluster = $1 AND namespace = $2 AND NOT job = ANY($3::uuid[])"

KEEP = """
INSERT INTO waits (job, attempt, cluster, namespace, word, message)
SELECT job, attempt, $1, $2, word, message
FROM unnest($3::uuid[], $4::smallint[], $5::text[], $6::text[]) AS seen (job, attempt, word, message)
ON CONFLICT (job) DO UPDATE SET attempt = EXCLUDED.attempt, cluster = $1, namespace = $2,
  word = EXCLUDED.word, message = EXCLUDED.message, since = now()
"""


async def keep(
    connection: Connection, cluster: str, namespace: str, observations: Sequence[tuple[Pending, WaitReason]]
) -> int:
    """Keep why the jobs of a namespace wait, and forget those that do not any more; how many were written."""
    if observations:
        await connection.execute(LOOKED, cluster, namespace)
    await connection.execute(FORGET, cluster, namespace, [waiting_job.job for waiting_job, _ in observations])
    changes = [
        (waiting_job, reason)
        for waiting_job, reason in observations
        if worth_keeping(waiting_job.known, reason)
    ]
    if changes:
        await connection.execute(
            KEEP,
            cluster,
            namespace,
            [waiting_job.job for waiting_job, _ in changes],
            [waiting_job.attempt for waiting_job, _ in changes],
            [reason.word for _, reason in changes],
            [reason.message for _, reason in changes],
        )
    return len(changes)


def worth_keeping(kept_reason: WaitReason | None, reason: WaitReason) -> bool:
    """Whether what is seen now says more than what is known."""
    return reason != kept_reason and not (
        kept_reason and reason.word in VAGUE and kept_reason.word not in VAGUE
    )


PAUSES = frozenset({*FAULTS, Reason.REFUSED_FOR_NOW})
"""Reasons for which an accepted job is not to begin yet."""

WHY = f"""
SELECT active.state, wanted, now() AS now, extract(epoch FROM now())::float8 AS seconds, active.since,
  active.attempt, tried, acknowledged, after, due, active.cluster, movable, cordoned, failures, open_until,
  event.reason, event.message AS because,
  waits.word, waits.message, waits.since AS told_since, watches.looked,
  operators.name AS operator, operators.rate, operators.unacknowledged AS most,
  operators.tokens, operators.size, operators.at, shares.tokens AS own_tokens, shares.at AS own_at,
  CASE WHEN active.state = 'queued' THEN (
    SELECT count(*) FROM (
      SELECT 1 FROM active AS other
      WHERE other.state = 'queued' AND other.wanted = 'run' AND other.cluster = active.cluster
        AND other.namespace = active.namespace AND other.queue = active.queue AND other.tier = active.tier
        AND other.id < active.id
      LIMIT {COUNTED}
    ) AS counted
  ) ELSE 0 END AS before,
  CASE WHEN active.state IN ('queued', 'submitted') THEN (
    SELECT count(*) FROM active AS other
    WHERE other.cluster = active.cluster AND other.namespace = ANY(operators.namespaces)
      AND other.state IN ('submitting', 'submitted') AND NOT other.acknowledged
  ) ELSE 0 END AS unacknowledged
FROM active
  LEFT JOIN clusters ON clusters.name = active.cluster
  LEFT JOIN paces AS operators
    ON operators.cluster = active.cluster AND operators.namespaces @> ARRAY[active.namespace::text]
  LEFT JOIN paces AS shares
    ON shares.cluster = active.cluster AND shares.name = operators.name || '/' || active.namespace
  LEFT JOIN waits ON waits.job = active.id AND waits.attempt = active.attempt
  LEFT JOIN watches ON watches.cluster = active.cluster AND watches.namespace = active.namespace
  LEFT JOIN events AS event ON event.job = active.id AND event.number = active.event
WHERE active.id = $1
LIMIT 1
"""


@dataclass(frozen=True)
class Answer:
    """What is known of a job. as_of: when that was seen. since: for how long it is so."""

    known: JobFacts
    as_of: datetime
    since: datetime


async def why(pool: Pool, job: UUID) -> Answer | None:
    """What a job waits for, as far as the database knows; None of one that has ended. Raises Away."""
    rows = await pool.fetch(WHY, job)
    if not rows:
        return None
    [row] = rows
    observed_wait = _observed_wait(row)
    facts = JobFacts(
        state=State(row["state"]),
        wanted=DesiredState(row["wanted"]),
        now=row["now"],
        now_seconds=row["seconds"],
        since=row["since"],
        attempt=row["attempt"],
        tried=row["tried"],
        acknowledged=row["acknowledged"],
        after=row["after"],
        due=row["due"],
        because=(row["because"] or row["reason"]) if row["reason"] in PAUSES else "",
        cluster=row["cluster"],
        movable=row["movable"],
        cordoned=row["cordoned"],
        breaker=Breaker(row["failures"] or 0, row["open_until"] or 0.0),
        pace=_pace(row),
        before=row["before"],
        observed_wait=observed_wait,
    )
    seen_there = observed_wait is not None and facts.state is State.SUBMITTED and facts.acknowledged
    return Answer(
        facts,
        as_of=(row["looked"] if seen_there else None) or row["now"],
        since=row["told_since"] if seen_there else row["since"],
    )


def _pace(row: asyncpg.Record) -> Pace | None:
    if row["operator"] is None or row["rate"] is None:
        return None
    buckets = [TokenBucket(row["rate"], row["size"], row["tokens"], row["at"])]
    if row["own_tokens"] is not None:
        buckets.append(TokenBucket(row["rate"], row["size"], row["own_tokens"], row["own_at"]))
    return Pace(
        operator=row["operator"],
        rate=row["rate"],
        unacknowledged=row["unacknowledged"],
        most=row["most"],
        bucket=min(buckets, key=lambda bucket: bucket.filled(row["seconds"]).tokens),
    )


def _observed_wait(row: asyncpg.Record) -> WaitReason | None:
    return WaitReason(Wait(row["word"]), row["message"]) if row["word"] is not None else None
