"""What a worker tells of its own work, and what the database knows of all jobs, which every worker tells."""

import asyncio
import logging
import time
from collections.abc import Sequence

import asyncpg
from prometheus_client import Gauge

from moka.submission.breaker import Breaker
from moka.submission.states import State
from services.archer.database.pool import Away, Pool
from services.archer.worker.worker import Worker
from services.common.logs import fields
from services.common.metrics import Metrics

SECONDS, LONGEST_SECONDS = 10.0, 60.0
"""Between counts. All active jobs are looked at, so of many it is counted less often."""

SHARE = 0.05
"""Of the time, in which the database counts for a worker, up to the longest pause."""

BY_STATE = """
SELECT state, tier, count(*) AS jobs, extract(epoch FROM now() - min(since))::float8 AS oldest,
  greatest(extract(epoch FROM now() - min(ready)), 0)::float8 AS waited
FROM active GROUP BY state, tier
"""

WAITING = frozenset({State.ACCEPTED, State.QUEUED, State.SUBMITTING})
"""What a cluster refuses for now goes through these for ever; it waits since its attempt could begin."""

CLUSTERS = """
SELECT name, cordoned, failures, open_until, extract(epoch FROM now())::float8 AS now FROM clusters
WHERE gone IS NULL
"""

UNFOLLOWED = """
SELECT cluster, count(*) FILTER (WHERE until IS NULL OR until < now()) AS namespaces
FROM watches WHERE cluster = ANY($1::text[]) GROUP BY cluster
"""
"""Of these: watches of a cluster that is none any more stay."""

AMOUNTS_BEHIND = """
SELECT cluster, extract(epoch FROM now() - (
  SELECT min(at) FROM allocation.revisions WHERE number > cluster_queues.revision
))::float8 AS behind FROM allocation.cluster_queues WHERE cluster = ANY($1::text[])
"""
"""Since there is a revision that a cluster does not have."""

log = logging.getLogger(__name__)


class Numbers:
    """Jobs by state and tier, for how long the oldest of each is in it, and what clusters are closed."""

    def __init__(self, pool: Pool, metrics: Metrics, worker: Worker) -> None:
        self._pool = pool
        self._jobs = metrics.labelled_gauge("jobs", "Active jobs.", ("state", "tier"))
        self._oldest = metrics.labelled_gauge(
            "oldest_seconds", "Since the oldest of them came to its state.", ("state", "tier")
        )
        self._waiting = metrics.labelled_gauge(
            "waiting_seconds", "For which the oldest job has waited for an application.", ("tier",)
        )
        self._behind = metrics.labelled_gauge(
            "amounts_behind_seconds", "Since there are amounts of queues that a cluster has not.", ("target",)
        )
        # `cluster` is where a pod is that is scraped.
        self._open = metrics.labelled_gauge("breaker_open", "1 of a cluster that is left alone.", ("target",))
        self._cordoned = metrics.labelled_gauge("cordoned", "1 of a cluster that takes no jobs.", ("target",))
        self._unfollowed = metrics.labelled_gauge(
            "unfollowed", "Namespaces of a cluster that no worker follows.", ("target",)
        )
        self._of_database = (
            *(self._jobs, self._oldest, self._waiting),
            *(self._open, self._cordoned, self._unfollowed, self._behind),
        )
        self._worker = worker
        metrics.gauge(
            "database_silent_seconds", "Since the database last answered.", lambda: pool.silent_seconds
        )
        metrics.gauge("leases", "Namespaces that it follows.", lambda: worker.leases)
        metrics.gauge(
            "status_lag_seconds",
            "Since the oldest thing was told by a cluster that is not in the database.",
            lambda: worker.behind_seconds,
        )
        metrics.gauge("watch_idle_seconds", "The longest silence of a watch.", lambda: worker.idle_seconds)

    async def run(self) -> None:
        """Count for ever."""
        while True:
            pause = SECONDS
            began = time.monotonic()
            try:
                rows = await self._pool.fetch(BY_STATE)
                pause = min(max(SECONDS, (time.monotonic() - began) / SHARE), LONGEST_SECONDS)
                clusters = await self._pool.fetch(CLUSTERS)
                unfollowed = await self._pool.fetch(UNFOLLOWED, self._worker.clusters)
                behind = await self._pool.fetch(AMOUNTS_BEHIND, self._worker.clusters)
            except Away as error:
                log.warning("jobs were not counted", extra=fields(error=error))
                # What is not known is not told.
                for gauge in self._of_database:
                    gauge.clear()
            else:
                for gauge, key in ((self._jobs, "jobs"), (self._oldest, "oldest")):
                    _set(gauge, {(row["state"], str(row["tier"])): float(row[key]) for row in rows})
                _set(self._waiting, _longest(rows))
                _set(self._unfollowed, {(row["cluster"],): float(row["namespaces"]) for row in unfollowed})
                _set(self._behind, {(row["cluster"],): row["behind"] or 0.0 for row in behind})
                _set(self._cordoned, {(row["name"],): float(row["cordoned"] is not None) for row in clusters})
                _set(
                    self._open,
                    {
                        (row["name"],): float(Breaker(row["failures"], row["open_until"]).is_open(row["now"]))
                        for row in clusters
                    },
                )
            await asyncio.sleep(pause)


class Counted(logging.Handler):
    """What its log says, counted: attempts by their end, and warnings by cluster."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__()
        self._attempts = metrics.counter("attempts", "Attempts, by what became of them.", ("reason",))
        self._warnings = metrics.counter("warnings", "What went wrong with a cluster.", ("target", "what"))

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record: its text is one of few, its fields are not counted."""
        values = getattr(record, "fields", {})
        if reason := values.get("reason"):
            self._attempts.labels(str(reason)).inc()
        elif record.levelno >= logging.WARNING and (cluster := values.get("cluster")):
            self._warnings.labels(cluster, record.msg).inc()


def _longest(rows: Sequence[asyncpg.Record]) -> dict[tuple[str, ...], float]:
    """Tier -> seconds for which the oldest of its jobs has waited."""
    waits: dict[tuple[str, ...], float] = {}
    for row in rows:
        if row["state"] in WAITING:
            tier = (str(row["tier"]),)
            waits[tier] = max(waits.get(tier, 0.0), row["waited"])
    return waits


def _set(gauge: Gauge, values: dict[tuple[str, ...], float]) -> None:
    gauge.clear()
    for labels, value in values.items():
        gauge.labels(*labels).set(value)
