"""Tells those who wait that something happened to their jobs, by one question to the database for all."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from services.archer.database import reading
from services.archer.database.pool import Away, Pool
from services.archer.service.problems import Problem
from services.common.logs import fields

MOST_EACH = 2_000
"""How many of them one principal may be."""

SECONDS = 0.25
"""Between questions."""

MOST = 12_000
"""Who may wait at a time: each takes 31 KiB (measured with 10,000), of the 768 MiB that a pod may have."""

log = logging.getLogger(__name__)


class Changes:
    """Who waits for which job."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._waits: dict[UUID, dict[asyncio.Event, int]] = {}
        self._count: Counter[str] = Counter()
        self.leaving = False
        """Whether the service ends, and nobody is to wait any more."""
        self._wake = asyncio.Event()

    @property
    def waits(self) -> int:
        """Who waits."""
        return self._count.total()

    def leave(self) -> None:
        """Wake all who wait; from now on nobody does."""
        self.leaving = True
        for events in self._waits.values():
            for waiting in events:
                waiting.set()

    async def run(self) -> None:
        """Ask for ever, while somebody waits."""
        while True:
            await self._wake.wait()
            last_events = {job: min(events.values()) for job, events in self._waits.items()}
            try:
                for job in await reading.changed(self._pool, last_events):
                    for waiting in self._waits.get(job, ()):
                        waiting.set()
            except Away as error:
                log.warning("asking for changes failed", extra=fields(error=error))
            if not self._waits:
                self._wake.clear()
            await asyncio.sleep(SECONDS)

    @contextmanager
    def of(self, job: UUID, event: int, who: str) -> Iterator[asyncio.Event]:
        """An event that is set when a job has one after this or has ended, or the service leaves.

        who: waits. Raises Problem.
        """
        full = self._count.total() >= MOST
        if full or self._count[who] >= MOST_EACH:
            raise Problem(
                "too-many-waits",
                f"{MOST if full else MOST_EACH} requests wait here{'' if full else f' for {who}'}: "
                "ask again without `wait`.",
                {"Retry-After": "5"},
            )
        waiting = asyncio.Event()
        if self.leaving:
            waiting.set()
        self._waits.setdefault(job, {})[waiting] = event
        self._count[who] += 1
        self._wake.set()
        try:
            yield waiting
        finally:
            self._count[who] -= 1
            if not self._count[who]:
                del self._count[who]
            del self._waits[job][waiting]
            if not self._waits[job]:
                del self._waits[job]
