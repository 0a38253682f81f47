"""Clusters that have left the environment: no worker has had them in its own for a while."""

from collections.abc import Sequence
from uuid import UUID

from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import plans, transitions
from services.archer.database.pool import Connection
from services.archer.database.transitions import End

AWAY_SECONDS = 900.0
"""Workers of two versions may have different clusters while the ones take the place of the others."""

NAME = "UPDATE clusters SET named = now(), gone = NULL WHERE name = ANY($1::text[])"

LEFT = """
SELECT name FROM clusters
WHERE named < now() - make_interval(secs => $1)
  AND (gone IS NULL OR EXISTS (SELECT FROM active WHERE active.cluster = clusters.name))
"""

LEAVE = "UPDATE clusters SET gone = coalesce(gone, now()) WHERE name = $1"

HELD = """
SELECT id, attempt FROM active
WHERE cluster = $1 AND (tried OR state IN ('submitting', 'submitted', 'running')) LIMIT $2
"""
"""Jobs whose applications may be there."""


async def register(connection: Connection, clusters: Sequence[str]) -> None:
    """Say that these are in the environment."""
    await connection.execute(NAME, clusters)


async def departed_clusters(connection: Connection, seconds: float = AWAY_SECONDS) -> list[str]:
    """Clusters that have left, and of which something is still to be put right."""
    return [row["name"] for row in await connection.fetch(LEFT, seconds)]


async def leave(connection: Connection, cluster: str, most: int = 5000) -> set[UUID]:
    """Take a cluster out: jobs that wait for it are placed anew, the others have ended; these.

    Nobody is left who could say what became of their applications, so they are lost, and do not run again.
    most: jobs at a time.
    """
    await connection.execute(LEAVE, cluster)
    await plans.forget(connection, cluster)
    message = f"{cluster} has left the environment"
    await transitions.unplace(connection, cluster, message, most, routed=True)
    return await transitions.record_ends(
        connection,
        [
            End(
                job=row["id"],
                attempt=row["attempt"],
                state=State.LOST,
                reason=Reason.CLUSTER_LEFT,
                message=f"{message}: what became of its application, nobody knows",
            )
            for row in await connection.fetch(HELD, cluster, most)
        ],
    )
