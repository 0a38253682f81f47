"""What is known of the environment: its clusters, and the routes to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from moka.jobs.job_target import JobTarget
from moka.submission.breaker import Breaker
from moka.submission.placement import Cluster
from moka.submission.routes import Route
from services.archer.database.pool import Connection

CLUSTERS = """
SELECT name, target, cordoned, failures, open_until, extract(epoch FROM now())::float8 AS now, (
  SELECT count(*) FROM (
    SELECT 1 FROM active WHERE state = 'queued' AND wanted = 'run' AND active.cluster = name LIMIT 10000
  ) AS counted
) AS waiting
FROM clusters WHERE target IS NOT NULL AND gone IS NULL ORDER BY name
"""

ROUTES = """
SELECT workflow, cluster, namespace, queue, architecture, since, why, by FROM routes WHERE ended IS NULL
"""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """clusters: that have told what they have, and have not left. targets: of these, by name. now: of the
    database."""

    clusters: Sequence[Cluster]
    targets: Mapping[str, JobTarget]
    routes: Sequence[Route]
    now: datetime


async def read(connection: Connection) -> Surroundings:
    """All that placing needs to know."""
    rows = await connection.fetch(CLUSTERS)
    targets = {row["name"]: JobTarget.from_outputs(row["target"]) for row in rows}
    return Surroundings(
        clusters=[
            Cluster(
                name=row["name"],
                queues=list(targets[row["name"]].queues),
                cordoned=row["cordoned"],
                healthy=not Breaker(row["failures"], row["open_until"]).is_open(row["now"]),
                waiting=row["waiting"],
            )
            for row in rows
        ],
        targets=targets,
        routes=[Route(**row) for row in await connection.fetch(ROUTES)],
        now=await connection.fetchval("SELECT now()"),
    )


async def tell(connection: Connection, cluster: str, target: JobTarget) -> None:
    """Keep what a cluster says that it has."""
    await connection.execute(
        "INSERT INTO clusters (name, target, told) VALUES ($1, $2, now()) "
        "ON CONFLICT (name) DO UPDATE SET target = $2, told = now()",
        cluster,
        target.as_outputs(),
    )
