"""Keeps the database in order: months to come, what is of long ago, and jobs that are to be in the history of
what was used."""

import asyncio
import logging
import time
from datetime import UTC, datetime

from moka.submission.configuration import REQUEST_DAYS, PlanDays
from moka.submission.month import Month
from services.archer.database.partitions import months, statements
from services.archer.database.pool import Away, Connection, Pool
from services.archer.database.retention import forget
from services.archer.keeper.ended_jobs import EndedJobs
from services.archer.keeper.history import FAILURES, History
from services.common.logs import fields
from services.common.metrics import Metrics

SECONDS = 3600.0

FORGET = """
DELETE FROM requests WHERE ctid IN (
  SELECT ctid FROM requests WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT 5000
)
"""

log = logging.getLogger(__name__)


class Keeper:
    """Does what is to be done from time to time, as the owner of the tables.

    history: None where months stay in the database. plans: how long they are kept.
    ended_jobs: None where no history has them.
    """

    def __init__(
        self,
        pool: Pool,
        history: History | None,
        metrics: Metrics,
        plans: PlanDays,
        ended_jobs: EndedJobs | None = None,
    ) -> None:
        self._pool = pool
        self._history = history
        self._plans = plans
        self._ended_jobs = ended_jobs
        self._ahead = metrics.labelled_gauge("months_ahead", "Months to come that have partitions.", ())
        self._due = metrics.labelled_gauge("months_due", "Months whose history should be in S3.", ())
        self._failures = metrics.counter("failures", "Rounds that failed.")
        self._last_round = time.monotonic()
        metrics.gauge(
            "round_age_seconds", "Since a round came to its end.", lambda: time.monotonic() - self._last_round
        )

    async def run(self) -> None:
        """Keep for ever."""
        while True:
            try:
                await self.keep()
            except (Away, *FAILURES) as error:
                self._failures.inc()
                log.warning("keeping failed", extra=fields(error=error))
            await asyncio.sleep(SECONDS)

    async def keep(self) -> None:
        """Make the next months, forget requests and plans, record jobs, and move history.

        Raises Away and FAILURES.
        """
        await self._pool.run(_partitions)
        current_month = Month.of(datetime.now(UTC))
        self._ahead.set(sum(month > current_month for month in await self._pool.run(months)))
        while await self._pool.run(_forget):
            pass
        await self._pool.run(lambda c: forget(c, self._plans.in_force, self._plans.proposed))
        if self._ended_jobs is not None:
            await self._ended_jobs.record()
        if self._history is not None:
            self._due.set(len(await self._history.due()))
            await self._history.keep()
            self._due.set(len(await self._history.due()))
        self._last_round = time.monotonic()


async def _partitions(connection: Connection) -> None:
    for statement in statements(Month.of(datetime.now(UTC))):
        await connection.execute(statement)


async def _forget(connection: Connection) -> bool:
    """Forget some requests; whether there may be more."""
    return await connection.execute(FORGET, REQUEST_DAYS) != "DELETE 0"
