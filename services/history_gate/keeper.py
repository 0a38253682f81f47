"""Joins the logs of drivers that are gone and whose uploader did not get to it."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from moka import event_logs
from services.common.logs import fields
from services.common.metrics import Metrics
from services.history_gate.join import joined
from services.history_gate.storage import Storage, Stored

SILENT_SECONDS = 900.0
"""After them without a sign a driver is gone: its uploader writes its marker anew every 5 minutes."""

RETURN_SECONDS = 600.0
"""After S3 was away drivers that run have been silent, too: their uploaders try again within 72 s and write
their markers then (services/event_log_uploader/uploader.py)."""

ROUND_SECONDS = 60.0
AT_ONCE = 4

log = logging.getLogger(__name__)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Keeper:
    """Looks for logs that nobody finishes, and finishes them.

    A log is in `hot/` before its marker goes, and each step may be repeated: whatever it is interrupted in,
    it begins anew.
    """

    def __init__(self, storage: Storage, metrics: Metrics, time: Callable[[], datetime] = now) -> None:
        self._storage = storage
        self._time = time
        self._away: datetime | None = None
        self._open = 0
        self._oldest = 0.0
        self._joined = metrics.counter("joined", "Logs of drivers that were gone, joined.")
        self._failed = metrics.counter(
            "join_failures", "Logs that could not be joined; they are tried again."
        )
        metrics.gauge("open_logs", "Logs that are not joined yet, at the last look.", lambda: self._open)
        metrics.gauge(
            "oldest_open_seconds",
            "For how long the log that waits longest has been without a sign of its driver.",
            lambda: self._oldest,
        )

    async def run(self) -> None:
        """Look, again and again, for as long as this is awaited."""
        while True:
            try:
                await self.round()
            except Exception:
                log.exception("could not look for logs to join")
            await asyncio.sleep(ROUND_SECONDS)

    async def round(self) -> None:
        """Look once, and join what has to be."""
        try:
            await asyncio.to_thread(self.keep_folder)
            markers = await asyncio.to_thread(lambda: list(self._storage.objects(event_logs.OPEN)))
        except Exception:
            self._away = self._time()
            raise
        silent = [self._silence(marker) for marker in markers]
        self._open, self._oldest = len(markers), max(silent, default=0.0)
        waiting = [
            marker.key.removeprefix(event_logs.OPEN)
            for marker, seconds in zip(markers, silent, strict=True)
            if seconds > SILENT_SECONDS
        ]
        if self._away and (self._time() - self._away).total_seconds() < RETURN_SECONDS:
            return
        slots = asyncio.Semaphore(AT_ONCE)

        async def join(name: str) -> None:
            async with slots:
                await asyncio.to_thread(self._finish, name)

        await asyncio.gather(*[join(name) for name in waiting if event_logs.is_log(name)])

    def keep_folder(self) -> None:
        """Have the list's folder be there: before the first log, and once all have expired, the History
        Server does not start without ("None of the specified log directories exist", of Spark 4.3).
        """
        if self._storage.size(event_logs.HOT) is None:
            self._storage.write(event_logs.HOT, [])

    def _finish(self, name: str) -> None:
        try:
            if self.join(name):
                self._joined.inc()
                log.info("joined", extra=fields(log=name))
        except Exception:
            self._failed.inc()
            log.exception("could not join", extra=fields(log=name))

    def join(self, name: str) -> bool:
        """Join a log and delete its marker, unless its driver gives signs of life; whether there was one."""
        files = list(self._files(name))
        if self._is_marked(name) or any(self._silence(file) <= SILENT_SECONDS for file in files):
            return False
        if files:
            *whole, last = files
            content = joined(
                (chunk for file in whole for chunk in self._storage.read(file.key)),
                self._storage.read(last.key),
                int(max(file.modified for file in files).timestamp() * 1000),
            )
            self._storage.write(event_logs.hot_key(name), content)
        # A driver that is back meanwhile writes its log anew at its end.
        if not self._is_marked(name):
            self._storage.delete(event_logs.open_key(name))
        return bool(files)

    def _is_marked(self, name: str) -> bool:
        """Whether its driver has written its marker lately; one that is quiet writes nothing else."""
        key = event_logs.open_key(name)
        return any(
            marker.key == key and self._silence(marker) <= SILENT_SECONDS
            for marker in self._storage.objects(key)
        )

    def _files(self, name: str) -> Iterator[Stored]:
        """Files of events of a log, in their order."""
        prefix = event_logs.archive_key(name, "")
        indexed = [
            (index, file)
            for file in self._storage.objects(prefix)
            if (index := event_logs.events_index(name, file.key.removeprefix(prefix))) is not None
        ]
        return (file for _, file in sorted(indexed, key=lambda entry: entry[0]))

    def _silence(self, file: Stored) -> float:
        """Seconds since an object was written."""
        return (self._time() - file.modified).total_seconds()
