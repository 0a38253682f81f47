"""Whether the History Server lists the jobs that have ended, and what brings back those that it left out.

Two faults of Spark 4.2 and 4.3 (apache/spark: FsHistoryProvider.scala), both seen with 4.3.0. A scan that
could not list the folder takes all logs for gone, and empties the list; later scans fill it again. And a log
that was written down and not yet read when the server was killed stays out of the list for ever, as a scan
reads it again only when it grows. Whoever opens the page of such a job has it listed.
"""

import asyncio
import logging
import random
import time as clock
from collections import deque
from collections.abc import Callable, Iterable, Iterator

import aiohttp

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate.servers import CONNECT_SECONDS, Servers
from services.history_gate.storage import Storage

SAMPLE_SECONDS = 300.0
SAMPLE = 50
"""Jobs of the list that are looked for again, every `SAMPLE_SECONDS`."""

REMEMBERED, REMEMBERED_SECONDS = 2_000, 12 * 3600.0
"""Jobs that were seen in the list, of which the log is not older: those of days ago leave it."""

REPAIR_SECONDS = 3600.0
FIRST_SECONDS, FURTHEST_SECONDS = 6 * 3600.0, 24 * 3600.0
"""How far back the first look for jobs that are left out goes, and how far any look does."""

SETTLED_INTERVALS = 4
"""Of scans, and at least an hour: a log that is older has been read."""

MOST_OPENED = 300
"""Jobs that are opened after a look, one after the other: each is read whole, as for somebody who watches."""

OPENING = aiohttp.ClientTimeout(total=600.0, sock_connect=CONNECT_SECONDS)
"""That the server may take for one of them."""

MOST_MISSING = 50_000
"""Jobs that are remembered as left out."""

LOST_SHARE = 0.2
"""Of the sample: where more is missing the list is being filled again, and nobody has to be brought back."""

AT_ONCE = 8

log = logging.getLogger(__name__)


class Listing:
    """The list of each pod. interval_seconds: between two scans. time: in seconds since 1970."""

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
        self._settled_seconds = max(SETTLED_INTERVALS * interval_seconds, 3600)
        self._time = time
        self._seen: dict[str, deque[tuple[str, float]]] = {
            url: deque(maxlen=REMEMBERED) for url in servers.urls
        }
        # Pod -> job -> how often its list had it not; 0 where it has not answered yet.
        self._missing: dict[str, dict[str, int]] = {url: {} for url in servers.urls}
        self._share = dict.fromkeys(servers.urls, 0.0)
        self._looked_until: float | None = None
        self._relisted = metrics.counter(
            "relisted", "Jobs that a pod had left out of its list, opened for it."
        )
        metrics.gauge(
            "unlisted_share",
            "Of jobs that were in a pod's list, those that are not any more; of the pod with the most.",
            lambda: max(self._share.values(), default=0.0),
        )
        metrics.gauge(
            "left_out",
            "Jobs that have ended and that a pod does not list, at the last look.",
            lambda: sum(times > 0 for missing in self._missing.values() for times in missing.values()),
        )

    async def run(self) -> None:
        """Look, again and again, for as long as this is awaited."""
        repaired: float | None = None
        while True:
            try:
                await self.sample()
                if repaired is None or self._time() - repaired >= REPAIR_SECONDS:
                    await self.repair()
                    repaired = self._time()
            except Exception:
                log.exception("could not look at the list")
            await asyncio.sleep(SAMPLE_SECONDS)

    async def sample(self) -> None:
        """Look for some of the jobs that were in the list of each pod."""
        oldest = self._time() - REMEMBERED_SECONDS
        for url, seen in self._seen.items():
            names = [name for name, written in seen if written > oldest]
            answers = await self._ask(url, random.sample(names, min(SAMPLE, len(names))))
            statuses = [status for status in answers if status in (200, 404)]
            if statuses or not names:
                self._share[url] = statuses.count(404) / max(1, len(statuses))

    async def repair(self) -> None:
        """Look for the jobs that have ended since the last time, and open those that were missing before."""
        if max(self._share.values(), default=0.0) > LOST_SHARE:
            return
        until = self._time() - self._settled_seconds
        since = until - FIRST_SECONDS if self._looked_until is None else self._looked_until
        since = max(since, until - FURTHEST_SECONDS)
        written = await asyncio.to_thread(lambda: dict(self._logs(since, until)))
        for url, missing in self._missing.items():
            names = list({**missing, **written})
            for name, status in zip(names, await self._ask(url, names), strict=True):
                if status == 200:
                    missing.pop(name, None)
                    self._seen[url].append((name, written.get(name, since)))
                elif name in missing or len(missing) < MOST_MISSING:
                    # One that does not answer is asked again.
                    missing[name] = missing.get(name, 0) + (status == 404)
            twice = [name for name, times in missing.items() if times > 1]
            for name in twice[:MOST_OPENED]:
                await self._open(url, name)
        self._looked_until = until

    async def _open(self, url: str, name: str) -> None:
        status = await self._servers.status(url, f"/history/{name}/jobs/", OPENING)
        if status is None:
            return
        # Where there is no log any more, nobody will list it.
        self._missing[url].pop(name, None)
        if status != 404:
            self._relisted.inc()

    async def _ask(self, url: str, names: Iterable[str]) -> list[int | None]:
        """What a pod says of each job, by its list only."""
        slots = asyncio.Semaphore(AT_ONCE)

        async def ask(name: str) -> int | None:
            async with slots:
                return await self._servers.status(url, f"/api/v1/applications/{name}")

        return await asyncio.gather(*map(ask, names))

    def _logs(self, since: float, until: float) -> Iterator[tuple[str, float]]:
        """Logs that were written between two times, and when; of one attempt, as on Kubernetes."""
        for stored in self._storage.objects(event_logs.HOT):
            name = stored.key.removeprefix(event_logs.HOT).removesuffix(f".{event_logs.CODEC}")
            if event_logs.is_log(name) and since <= stored.modified.timestamp() < until:
                yield name, stored.modified.timestamp()
