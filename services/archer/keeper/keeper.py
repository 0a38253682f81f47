"""Keeps the database in order: partitions of months to come, and requests of long ago."""

import asyncio
import logging
from datetime import UTC, datetime

from services.archer.database.partitions import Month, statements
from services.archer.database.pool import Away, Connection, Pool
from services.common.logs import fields

SECONDS = 3600.0
REQUEST_DAYS = 7
"""For so long a request that comes again gets the same job."""

FORGET = """
DELETE FROM requests WHERE ctid IN (
  SELECT ctid FROM requests WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT 5000
)
"""

log = logging.getLogger(__name__)


class Keeper:
    """Does what is to be done from time to time, as the owner of the tables."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def run(self) -> None:
        """Keep for ever."""
        while True:
            try:
                await self.keep()
            except Away as error:
                log.warning("keeping failed", extra=fields(error=error))
            await asyncio.sleep(SECONDS)

    async def keep(self) -> None:
        """Make the partitions of the next months, and forget requests. Raises Away."""
        await self._pool.run(_partitions)
        while await self._pool.run(_forget):
            pass


async def _partitions(connection: Connection) -> None:
    for statement in statements(Month.of(datetime.now(UTC))):
        await connection.execute(statement)


async def _forget(connection: Connection) -> bool:
    """Forget some requests; whether there may be more."""
    return await connection.execute(FORGET, REQUEST_DAYS) != "DELETE 0"
