"""What the database knows of all jobs, as metrics: every worker tells the same."""

import asyncio
import logging

from prometheus_client import Gauge

from services.archer.database.pool import Away, Pool
from services.common.logs import fields
from services.common.metrics import Metrics

SECONDS = 10.0

BY_STATE = """
SELECT state, tier, count(*) AS jobs, extract(epoch FROM now() - min(since))::float8 AS oldest
FROM active GROUP BY state, tier
"""

log = logging.getLogger(__name__)


class Numbers:
    """Jobs by state and tier, and for how long the oldest of each is in it."""

    def __init__(self, pool: Pool, metrics: Metrics) -> None:
        self._pool = pool
        self._jobs = metrics.labelled_gauge("jobs", "Active jobs.", ("state", "tier"))
        self._oldest = metrics.labelled_gauge(
            "oldest_seconds", "Since the oldest of them came to its state.", ("state", "tier")
        )

    async def run(self) -> None:
        """Count for ever."""
        while True:
            try:
                rows = await self._pool.fetch(BY_STATE)
            except Away as error:
                log.warning("jobs were not counted", extra=fields(error=error))
            else:
                for gauge, key in ((self._jobs, "jobs"), (self._oldest, "oldest")):
                    _set(gauge, {(row["state"], str(row["tier"])): float(row[key]) for row in rows})
            await asyncio.sleep(SECONDS)


def _set(gauge: Gauge, values: dict[tuple[str, str], float]) -> None:
    gauge.clear()
    for labels, value in values.items():
        gauge.labels(*labels).set(value)
