"""What is known of the environment, asked for every few seconds, so that a request need not."""

import asyncio
import logging

from services.archer.database import environment
from services.archer.database.pool import Away, Pool
from services.common.logs import fields

SECONDS = 2.0

log = logging.getLogger(__name__)


class ClusterDirectory:
    """Clusters and routes as they were a moment ago."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._now: environment.Surroundings | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether the database has answered once."""
        return self._now is not None

    async def current(self) -> environment.Surroundings:
        """The clusters and routes. Raises Away where they were never known."""
        if self._now is None:
            await self.refresh()
        assert self._now is not None
        return self._now

    async def refresh(self) -> None:
        """Ask now. Raises Away."""
        self._now = await self._pool.run(environment.read)

    async def run(self) -> None:
        """Ask for ever."""
        while True:
            try:
                await self.refresh()
            except Away as error:
                log.warning("clusters and routes were not read", extra=fields(error=error))
            await asyncio.sleep(SECONDS)
