"""How far the History Server's scans are, and how many logs each has to list."""

import asyncio
import logging
import re
import time as clock
from collections.abc import Callable

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate.servers import Servers
from services.history_gate.storage import Storage

ROUND_SECONDS = 60.0
COUNT_SECONDS = 3600.0
"""Between two counts of the logs, each of which is a request for every thousand."""

UPDATED = re.compile(r'id="last-updated"[^>]*>\s*(\d+)\s*<')
"""On the page of the list: when the last scan that came to its end began, in milliseconds
(apache/spark: HistoryPage, FsHistoryProvider.getLastUpdatedTime)."""

log = logging.getLogger(__name__)


class Scans:
    """Metrics of scans. interval_seconds: from one's end to the next. time: in seconds since 1970."""

    def __init__(
        self,
        storage: Storage,
        servers: Servers,
        interval_seconds: int,
        metrics: Metrics,
        time: Callable[[], float] = clock.time,
    ) -> None:
        self._storage = storage
        self._servers = servers
        self._time = time
        # Of a pod that says nothing, the last that it did say.
        self._scanned = dict.fromkeys(servers.urls, time())
        self._counted: float | None = None
        self._hot = 0
        metrics.gauge(
            "scan_age_seconds",
            "Since the last finished scan began, of the pod for which that is longest ago.",
            lambda: time() - min(self._scanned.values()),
        )
        metrics.gauge(
            "scan_interval_seconds", "From the end of a scan to the next.", lambda: interval_seconds
        )
        metrics.gauge("hot_logs", "Logs that each scan lists, at the last count.", lambda: self._hot)

    async def run(self) -> None:
        """Look, again and again, for as long as this is awaited."""
        while True:
            try:
                await self.round()
            except Exception:
                log.exception("could not look for scans")
            await asyncio.sleep(ROUND_SECONDS)

    async def round(self) -> None:
        """Ask each pod for its last scan; count the logs where the last count is an hour old."""
        for url, text in (await self._servers.texts("/")).items():
            if match := UPDATED.search(text):
                self._scanned[url] = int(match[1]) / 1000
        now = self._time()
        if self._counted is None or now - self._counted >= COUNT_SECONDS:
            self._hot = await asyncio.to_thread(self._storage.count, event_logs.HOT)
            self._counted = now
