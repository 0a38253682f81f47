"""Gives back claims that nobody came back from."""

import asyncio
import logging

from moka.submission.job_id import id_text
from services.archer.database import transitions
from services.archer.database.pool import Away, Pool
from services.common.logs import fields

SECONDS = 2.0

log = logging.getLogger(__name__)


class Reclaimer:
    """Looks for claims whose lease has ended; any number of them side by side."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def run(self) -> None:
        """Reclaim for ever."""
        while True:
            try:
                for job in await self._pool.run(transitions.reclaim):
                    log.warning("a claim ended without its worker", extra=fields(job=id_text(job)))
            except Away as error:
                log.warning("claims were not looked at", extra=fields(error=error))
            await asyncio.sleep(SECONDS)
