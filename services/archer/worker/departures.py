"""Takes clusters out that have left the environment."""

import asyncio
import logging
from collections.abc import Sequence

from moka.submission.job_id import id_text
from services.archer.database import departures
from services.archer.database.pool import Away, Pool
from services.archer.traces import JobTraces
from services.common.logs import fields

SECONDS = 60.0

log = logging.getLogger(__name__)


class Departures:
    """Looks for clusters that no worker has any more; any number of them side by side.

    clusters: of this worker's environment.
    """

    def __init__(self, pool: Pool, clusters: Sequence[str], traces: JobTraces) -> None:
        self._pool = pool
        self._clusters = clusters
        self._traces = traces

    async def run(self) -> None:
        """Look for ever."""
        while True:
            try:
                await self.look()
            except Away as error:
                log.warning("clusters that have left were not looked for", extra=fields(error=error))
            await asyncio.sleep(SECONDS)

    async def look(self) -> None:
        """Say which clusters there are, and take out those that nobody has said for a while. Raises Away."""
        # First: after a time without any worker, all of them are there.
        await self._pool.run(lambda connection: departures.register(connection, self._clusters))
        for cluster in await self._pool.run(departures.departed_clusters):
            await self._leave(cluster)

    async def _leave(self, cluster: str) -> None:
        ends = await self._pool.run(lambda connection: departures.leave(connection, cluster))
        self._traces.ended(ends)
        for job in ends:
            log.warning("its cluster has left", extra=fields(job=id_text(job), cluster=cluster))
