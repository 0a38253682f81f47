"""Places accepted jobs that have no cluster yet, or have to go to another."""

import asyncio
import logging

from moka.jobs import checks
from moka.submission.job_id import id_text
from moka.submission.placement import Misplaced, Placed, Unplaced, place
from moka.submission.reasons import Reason
from moka.submission.routes import route_of
from moka.submission.states import State
from services.archer.database import environment, transitions
from services.archer.database.pool import Away, Connection, Pool
from services.archer.traces import JobTraces
from services.archer.worker.stored_job import Unreadable, stored_job
from services.common.logs import fields

IDLE_SECONDS = 1.0
UNPLACED_SECONDS = 10.0
"""Until a job is looked at again for which there was no cluster."""

DUE = """
SELECT active.id, active.attempt, active.tried, active.cluster, active.namespace, jobs.queue,
       jobs.architecture, jobs.document
FROM active JOIN jobs USING (id)
WHERE active.state = 'accepted' AND due <= now() AND after IS NULL AND wanted = 'run'
ORDER BY due, active.id LIMIT $1
FOR UPDATE OF active SKIP LOCKED
"""

log = logging.getLogger(__name__)


class Placer:
    """Places jobs; any number of them side by side."""

    def __init__(self, pool: Pool, traces: JobTraces) -> None:
        self._pool = pool
        self._traces = traces

    async def run(self) -> None:
        """Place for ever."""
        while True:
            try:
                placed = await self._pool.run(self._place)
                for cluster, because in await self._closed():
                    await self._unplace(cluster, because)
            except Away as error:
                log.warning("placing failed", extra=fields(error=error))
                placed = 0
            if not placed:
                await asyncio.sleep(IDLE_SECONDS)

    async def _place(self, connection: Connection, most: int = 200) -> int:
        """Place jobs that are due; how many were looked at."""
        rows = await connection.fetch(DUE, most)
        if not rows:
            return 0
        surroundings = await environment.read(connection)
        places: list[transitions.Place] = []
        late, ends = [], []
        for row in rows:
            if row["tried"]:
                # Its application may be there: there it is tried again.
                places.append(
                    transitions.Place(
                        job=row["id"],
                        cluster=row["cluster"],
                        namespace=row["namespace"],
                        queue=row["queue"],
                        architecture=row["architecture"],
                        movable=False,
                    )
                )
                continue
            try:
                job = stored_job(row["document"])
            except Unreadable as error:
                log.warning("a job waits", extra=fields(job=id_text(row["id"]), error=error))
                late.append(row["id"])
                continue
            match place(
                job,
                route_of(job.workflow, surroundings.routes, surroundings.now),
                surroundings.clusters,
                lambda job, cluster: checks.mistakes(job, surroundings.targets[cluster]),
            ):
                case Placed(cluster, placed, movable):
                    places.append(
                        transitions.Place(
                            job=row["id"],
                            cluster=cluster,
                            namespace=placed.namespace,
                            queue=placed.queue,
                            architecture=placed.architecture,
                            movable=movable,
                        )
                    )
                case Unplaced():
                    late.append(row["id"])
                case Misplaced(wrong):
                    ends.append(
                        transitions.End(
                            job=row["id"],
                            attempt=row["attempt"],
                            state=State.FAILED,
                            reason=Reason.APPLICATION_REFUSED,
                            message=" ".join(str(mistake) for mistake in wrong),
                        )
                    )
        await transitions.place(connection, places)
        await transitions.postpone(connection, late, UNPLACED_SECONDS)
        self._traces.ended(await transitions.record_ends(connection, ends))
        return len(places) + len(ends)

    async def _closed(self) -> list[tuple[str, str]]:
        """Clusters that take no jobs now, and why."""
        surroundings = await self._pool.run(environment.read)
        return [
            (cluster.name, cluster.cordoned or "its API server does not answer")
            for cluster in surroundings.clusters
            if cluster.cordoned is not None or not cluster.healthy
        ]

    async def _unplace(self, cluster: str, because: str) -> None:
        await self._pool.run(lambda connection: transitions.unplace(connection, cluster, because))
