"""Who follows which namespace: leases, so that each is followed by one worker.

They only spare work: what two followers write of one application comes to the same.
"""

from collections.abc import Sequence

from services.archer.database.pool import Connection

SECONDS = 15.0
"""For so long a lease holds; renewed three times as often."""

REGISTER = """
INSERT INTO watches (cluster, namespace) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING
"""

RENEW = """
UPDATE watches SET until = now() + make_interval(secs => $2) WHERE worker = $1 AND until > now()
RETURNING cluster, namespace
"""

TAKE = """
WITH free AS (
  SELECT cluster, namespace FROM watches
  WHERE (worker IS NULL OR until < now()) AND cluster = ANY($3::text[])
  ORDER BY cluster, namespace LIMIT $4
  FOR UPDATE SKIP LOCKED
)
UPDATE watches SET worker = $1, until = now() + make_interval(secs => $2), claim = claim + 1
FROM free WHERE watches.cluster = free.cluster AND watches.namespace = free.namespace
RETURNING watches.cluster, watches.namespace
"""

Followed = tuple[str, str]
"""Cluster and namespace."""


async def register(connection: Connection, watches: Sequence[Followed]) -> None:
    """Have rows for namespaces that are to be followed."""
    await connection.execute(REGISTER, [watch[0] for watch in watches], [watch[1] for watch in watches])


async def hold(connection: Connection, worker: str, clusters: Sequence[str], most: int = 2) -> set[Followed]:
    """Renew what a worker has, and take so many more that nobody has; all that it has now."""
    renewals = await connection.fetch(RENEW, worker, SECONDS)
    more = await connection.fetch(TAKE, worker, SECONDS, list(clusters), most)
    return {(row["cluster"], row["namespace"]) for row in (*renewals, *more)}


async def give_up(connection: Connection, worker: str) -> None:
    """Let others have what a worker follows, as it ends."""
    await connection.execute("UPDATE watches SET worker = NULL, until = NULL WHERE worker = $1", worker)
