"""Claiming: a worker takes the jobs of a cluster that are next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from moka.submission.breaker import Breaker
from moka.submission.fairness import next_turn
from moka.submission.token_bucket import TokenBucket
from services.archer.database.pool import Connection

LEASE = timedelta(seconds=60)
"""For so long a claim holds. A worker asks the API server for less long."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How quickly jobs go to an operator, and how many it may have before it.

    namespaces: those of the operator; each has a bucket of its own, besides that of all of them.
    rate: applications a second. burst: at once. unacknowledged: that it has not looked at, at most.
    """

    operator: str
    namespaces: Sequence[str]
    rate: float = 2.0
    burst: float = 20.0
    namespace_rate: float = 2.0
    namespace_burst: float = 20.0
    unacknowledged: int = 100


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A job that a worker has.

    number: of the claim, which fences it. at: when it was claimed, by the database's clock.
    queue, architecture: as Place has them.
    tried: whether an earlier claim may have made the application of this attempt.
    """

    job: UUID
    number: int
    at: datetime
    attempt: int
    name: str
    namespace: str
    queue: str
    architecture: str
    principal: str
    groups: Sequence[str]
    document: Mapping[str, Any]
    wanted: str
    tried: bool


FLOWS = """
WITH RECURSIVE flows AS (
  SELECT first.* FROM unnest($2::text[]) AS own (namespace), LATERAL (
    SELECT namespace, queue FROM active
    WHERE state = 'queued' AND wanted = 'run' AND cluster = $1 AND active.namespace = own.namespace
    ORDER BY queue LIMIT 1
  ) AS first
  UNION ALL
  SELECT following.* FROM flows, LATERAL (
    SELECT namespace, queue FROM active
    WHERE state = 'queued' AND wanted = 'run' AND cluster = $1 AND active.namespace = flows.namespace
      AND active.queue > flows.queue
    ORDER BY queue LIMIT 1
  ) AS following
), bound AS (
  SELECT 1 + 2 * $3 / greatest(count(*), 1) AS most FROM flows
)
SELECT namespace, queue, tier, waiting, sum(waiting) OVER in_turn = bound.most AS more
FROM flows, bound, LATERAL (
  SELECT tier, count(*) AS waiting FROM (
    SELECT tier FROM active
    WHERE state = 'queued' AND wanted = 'run' AND cluster = $1 AND active.namespace = flows.namespace
      AND active.queue = flows.queue
    ORDER BY tier LIMIT bound.most
  ) AS next GROUP BY tier
) AS tiers
WINDOW in_turn AS (PARTITION BY namespace, queue ORDER BY tier)
"""
"""Which queues have jobs that wait, and how many of which tier are next, counted up to twice what is a
queue's if all get the same; `more` where it was not counted further. From one entry of the index to the next:
however many wait, it costs as much as there are queues (https://wiki.postgresql.org/wiki/Loose_indexscan)."""

TAKE = """
WITH next AS (
  SELECT job.id, job.tried
  FROM unnest($2::text[], $3::text[], $4::smallint[], $5::integer[]) AS flow (namespace, queue, tier, jobs),
  LATERAL (
    SELECT id, tried FROM active
    WHERE state = 'queued' AND wanted = 'run' AND cluster = $1 AND namespace = flow.namespace
      AND queue = flow.queue AND tier = flow.tier
    ORDER BY id LIMIT flow.jobs FOR UPDATE SKIP LOCKED
  ) AS job
), claims AS (
  UPDATE active SET state = 'submitting', event = event + 1, since = now(), claim = claim + 1, tried = true,
    claimed_until = now() + $6::interval
  WHERE id = ANY(ARRAY(SELECT id FROM next))
  RETURNING id, event, state, attempt, claim, namespace, wanted, since
), event_rows AS (
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, event, state, attempt, 'claimed', $7 FROM claims
)
SELECT claims.*, next.tried, jobs.name, jobs.queue, jobs.architecture, jobs.principal, jobs.groups,
  jobs.document
FROM claims JOIN next USING (id) JOIN jobs USING (id) WHERE jobs.id = ANY(ARRAY(SELECT id FROM claims))
ORDER BY jobs.tier, jobs.id
"""
"""Arrays: PostgreSQL takes a limit that it does not know for a tenth of all, and would read whole tables."""


async def claim(
    connection: Connection,
    cluster: str,
    pace: Pace,
    weights: Mapping[str, float],
    worker: str,
    most: int = 100,
) -> list[Claim]:
    """The jobs of an operator that are next, now this worker's for as long as a lease.

    None where another worker is claiming for the operator at this moment, it has enough before it, or its
    cluster is left in peace.
    """
    row = await connection.fetchrow(
        "SELECT failures, open_until, extract(epoch FROM now())::float8 AS now FROM clusters WHERE name = $1",
        cluster,
    )
    if row is None:
        return []
    now: float = row["now"]
    most = Breaker(row["failures"], row["open_until"]).permits(most, now)
    turn = await _turn(connection, cluster, pace.operator)
    if turn is None or not most:
        return []
    tokens, at, clocks = turn["tokens"], turn["at"], turn["clocks"]
    most = min(most, pace.unacknowledged - await _unacknowledged(connection, cluster, pace.namespaces))
    most, bucket = TokenBucket(pace.rate, pace.burst, min(tokens, pace.burst), at).take(max(most, 0), now)
    if not most:
        return []
    flows = await connection.fetch(FLOWS, cluster, list(pace.namespaces), most)
    buckets = await _buckets(connection, cluster, pace, now)
    waiting: dict[tuple[str, int], int] = {}
    more: set[tuple[str, int]] = set()
    for row in flows:
        key = f"{row['namespace']}/{row['queue']}", row["tier"]
        waiting[key] = min(row["waiting"], int(buckets[row["namespace"]].tokens))
        if row["more"] and waiting[key] == row["waiting"]:
            more.add(key)
    turns = next_turn(waiting, clocks, _flow_weights(waiting, weights), most, more)
    grants: list[tuple[str, str, int, int]] = []
    for (flow, tier), count in turns.jobs.items():
        namespace, queue = flow.split("/", 1)
        jobs, buckets[namespace] = buckets[namespace].take(count, now)
        grants.append((namespace, queue, tier, jobs))
    columns = [[grant[column] for grant in grants] for column in range(4)]
    claims = [_claim(row) for row in await connection.fetch(TAKE, cluster, *columns, LEASE, worker)]
    await _keep(connection, cluster, pace.operator, bucket.tokens + most - len(claims), now, turns.clocks)
    for namespace, namespace_bucket in buckets.items():
        await _keep(connection, cluster, f"{pace.operator}/{namespace}", namespace_bucket.tokens, now, {})
    return claims


def _claim(row: asyncpg.Record) -> Claim:
    return Claim(
        job=row["id"],
        number=row["claim"],
        at=row["since"],
        attempt=row["attempt"],
        name=row["name"],
        namespace=row["namespace"],
        queue=row["queue"],
        architecture=row["architecture"],
        principal=row["principal"],
        groups=row["groups"],
        document=row["document"],
        wanted=row["wanted"],
        tried=row["tried"],
    )


def _flow_weights(waiting: Mapping[tuple[str, int], int], weights: Mapping[str, float]) -> dict[str, float]:
    """A queue's weight is shared by the namespaces in which its jobs wait."""
    flows = {flow for flow, _ in waiting}
    queues = [flow.split("/", 1)[1] for flow in flows]
    return {
        flow: weights.get(queue, 1.0) / queues.count(queue)
        for flow in flows
        for queue in [flow.split("/", 1)[1]]
    }


async def _turn(connection: Connection, cluster: str, pace: str) -> Any:
    """The row of an operator, which only one worker has at a time; None while another has it."""
    return await connection.fetchrow(
        "SELECT tokens, at, clocks FROM paces WHERE cluster = $1 AND name = $2 FOR UPDATE SKIP LOCKED",
        cluster,
        pace,
    )


async def _unacknowledged(connection: Connection, cluster: str, namespaces: Sequence[str]) -> int:
    count: int = await connection.fetchval(
        "SELECT count(*) FROM active WHERE cluster = $1 AND namespace = ANY($2::text[]) "
        "AND state IN ('submitting', 'submitted') AND NOT acknowledged",
        cluster,
        list(namespaces),
    )
    return count


async def _buckets(connection: Connection, cluster: str, pace: Pace, now: float) -> dict[str, TokenBucket]:
    rows = await connection.fetch(
        "SELECT name, tokens, at FROM paces WHERE cluster = $1 AND name = ANY($2::text[])",
        cluster,
        [f"{pace.operator}/{namespace}" for namespace in pace.namespaces],
    )
    row_by_namespace = {row["name"].split("/", 1)[1]: row for row in rows}
    rate, size = pace.namespace_rate, pace.namespace_burst
    return {
        name: TokenBucket(rate, size, row_by_namespace[name]["tokens"], row_by_namespace[name]["at"]).filled(
            now
        )
        if name in row_by_namespace
        else TokenBucket(rate, size, size, now)
        for name in pace.namespaces
    }


async def _keep(
    connection: Connection, cluster: str, name: str, tokens: float, at: float, clocks: Mapping[str, float]
) -> None:
    await connection.execute(
        "INSERT INTO paces (cluster, name, tokens, at, clocks) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (cluster, name) DO UPDATE SET tokens = $3, at = $4, clocks = $5",
        cluster,
        name,
        tokens,
        at,
        dict(clocks),
    )


async def register(connection: Connection, cluster: str, paces: Sequence[Pace]) -> None:
    """Have rows for a cluster and its operators."""
    await connection.execute("INSERT INTO clusters (name) VALUES ($1) ON CONFLICT DO NOTHING", cluster)
    await connection.executemany(
        "INSERT INTO paces (cluster, name, tokens, at, namespaces, rate, size, unacknowledged) "
        "VALUES ($1, $2, $4, extract(epoch FROM now()), $5, $3, $4, $6) "
        "ON CONFLICT (cluster, name) "
        "DO UPDATE SET namespaces = $5, rate = $3, size = $4, unacknowledged = $6",
        [
            (cluster, pace.operator, pace.rate, pace.burst, list(pace.namespaces), pace.unacknowledged)
            for pace in paces
        ],
    )
