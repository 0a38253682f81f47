"""Has the applications removed of jobs that are not wanted any more."""

import asyncio
import logging
from uuid import UUID

import aiohttp
from opentelemetry.trace import SpanKind

from moka.submission.job_id import application_name, id_text
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import transitions
from services.archer.database.pool import Away, Pool
from services.archer.traces import JobTraces
from services.archer.worker.cluster import Cluster
from services.common.kubernetes import ApiError
from services.common.logs import fields

IDLE_SECONDS = 0.5

UNWANTED = """
SELECT active.id, jobs.name, active.namespace, active.attempt, active.state
FROM active JOIN jobs USING (id)
WHERE wanted <> 'run' AND tried AND active.cluster = $1 AND active.state <> 'submitting'
ORDER BY active.id LIMIT 500
"""

log = logging.getLogger(__name__)


class Stopper:
    """Stops the jobs of a cluster. What comes of it the follower sees."""

    def __init__(self, pool: Pool, cluster: Cluster, traces: JobTraces) -> None:
        self._pool = pool
        self._cluster = cluster
        self._traces = traces
        self._requests: set[UUID] = set()

    async def run(self) -> None:
        """Stop for ever."""
        while True:
            try:
                await self.stop()
            except (Away, ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("stopping failed", extra=fields(cluster=self._cluster.name, error=error))
            await asyncio.sleep(IDLE_SECONDS)

    async def stop(self) -> None:
        """Remove the applications of all jobs that are to stop. Raises Away and ApiError."""
        rows = await self._pool.fetch(UNWANTED, self._cluster.name)
        self._requests &= {row["id"] for row in rows}
        ends = []
        for row in rows:
            if row["id"] in self._requests:
                continue
            name = application_name(row["name"], row["id"], row["attempt"])
            with self._traces.span(
                "delete application", row["id"], SpanKind.CLIENT, cluster=self._cluster.name, application=name
            ):
                existed = await self._cluster.remove(row["namespace"], name)
            log.info("stopped", extra=fields(job=id_text(row["id"]), application=name, there=existed))
            if existed or row["state"] in (State.SUBMITTED, State.RUNNING):
                self._requests.add(row["id"])
            else:
                ends.append(
                    transitions.End(
                        job=row["id"],
                        attempt=row["attempt"],
                        state=State.CANCELLED,
                        reason=Reason.STOPPED,
                        message="stopped as its owner wanted; it had no application",
                    )
                )
        self._traces.ended(await self._pool.run(lambda connection: transitions.record_ends(connection, ends)))
