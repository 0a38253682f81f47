"""Keeps the database in order: claims nobody came back from, partitions to come, requests of long ago."""

import asyncio
import logging
from datetime import UTC, datetime

from moka.submission.job_id import id_text
from services.archer.database import transitions
from services.archer.database.partitions import Month, statements
from services.archer.database.pool import Away, Connection, Pool
from services.common.logs import fields

RECLAIM_SECONDS = 2.0
HOUR = 3600.0
REQUEST_DAYS = 7
"""For so long a request that comes again gets the same job."""

FORGET = """
DELETE FROM requests WHERE ctid IN (
  SELECT ctid FROM requests WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT 5000
)
"""

log = logging.getLogger(__name__)


class Keeper:
    """Does what is to be done from time to time; any number of them side by side."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def run(self) -> None:
        """Keep for ever."""
        last = float("-inf")
        loop = asyncio.get_running_loop()
        while True:
            try:
                for job in await self._pool.run(transitions.reclaim):
                    log.warning("a claim ended without its worker", extra=fields(job=id_text(job)))
                if loop.time() - last > HOUR:
                    await self._pool.run(_partitions)
                    while await self._pool.run(_forget):
                        pass
                    last = loop.time()
            except Away as error:
                log.warning("keeping failed", extra=fields(error=error))
            await asyncio.sleep(RECLAIM_SECONDS)


async def _partitions(connection: Connection) -> None:
    for statement in statements(Month.of(datetime.now(UTC))):
        await connection.execute(statement)


async def _forget(connection: Connection) -> bool:
    """Forget some requests; whether there may be more."""
    return await connection.execute(FORGET, REQUEST_DAYS) != "DELETE 0"
