"""Uploads what Spark has written, every few seconds and at the end."""

import logging
import os
import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from moka import event_logs
from moka.event_logs import Marker
from services.common.logs import fields
from services.event_log_uploader.credentials import NoCredentials
from services.event_log_uploader.logs_folder import WRITABLE, InS3, LogFolder, Step, room, scan, steps
from services.event_log_uploader.s3 import S3, Part, RequestFailed

LONGEST_PAUSE_SECONDS = 60.0
"""Between two rounds, while S3 is away."""

PAUSE_AT_END_SECONDS = 1.0
"""After a failure, once the driver has ended."""

STUCK_SECONDS = 300.0
"""Without the end of a round."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Application:
    """Whose logs these are. cluster: name in the settings. namespace, name: of its SparkApplication."""

    cluster: str
    namespace: str
    name: str


@dataclass
class Counts:
    """Counts since the start; dropped_files: that had to be emptied before they were in S3."""

    puts: int = 0
    uploaded_bytes: int = 0
    failures: int = 0
    credentials_failures: int = 0
    dropped_files: int = 0


class Uploader:
    """Brings the logs of a folder to S3.

    folder: Spark's `spark.eventLog.dir`.
    seconds: between rounds.
    volume_bytes: that the folder's volume holds.
    clock: seconds that only grow.
    """

    def __init__(
        self,
        folder: Path,
        s3: S3,
        application: Application,
        seconds: float,
        volume_bytes: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.counts = Counts()
        self._folder, self._s3, self._application = folder, s3, application
        self._seconds, self._volume_bytes, self._clock = seconds, volume_bytes, clock
        self._in_s3: defaultdict[tuple[str, float], InS3] = defaultdict(InS3)
        self._failed_rounds = 0
        self._last_end = self._last_complete = clock()
        self._behind_since: float | None = None

    @property
    def behind_seconds(self) -> float:
        """Age of the oldest change that is not in S3, at most; 0 where none is known."""
        return 0.0 if self._behind_since is None else self._clock() - self._behind_since

    def problem(self) -> str | None:
        """Why the process has to be replaced; None while it works."""
        silent = self._clock() - self._last_end
        return f"no round has ended for {silent:.0f} s" if silent > STUCK_SECONDS else None

    def run(self, end: threading.Event, seconds_at_end: float) -> bool:
        """Upload until `end` is set, and then what is left -> whether all of it is in S3."""
        # Drivers that start at once do not upload at once.
        pause = random.uniform(0, self._seconds)
        while not end.wait(pause):
            self.round()
            pause = self.pause()
        deadline = self._clock() + seconds_at_end
        while not (complete := self.round()) and self._clock() < deadline:
            threading.Event().wait(PAUSE_AT_END_SECONDS)
        return complete

    def pause(self) -> float:
        """Seconds until the next round; after failures longer, by the number of them."""
        if not self._failed_rounds:
            return self._seconds
        seconds = min(LONGEST_PAUSE_SECONDS, self._seconds * 2.0 ** min(self._failed_rounds, 10))
        return max(self._seconds, seconds) * random.uniform(0.8, 1.2)

    def round(self) -> bool:
        """Upload what is new -> whether all that there was at the beginning is in S3."""
        begin = self._clock()
        complete = False
        try:
            logs = scan(self._folder)
            if any(True for folder in logs for _ in self._steps(folder)):
                self._behind_since = self._last_complete if self._behind_since is None else self._behind_since
            for folder in logs:
                self._bring(folder)
            self._behind_since, self._last_complete = None, begin
            complete = True
        except (RequestFailed, NoCredentials, OSError) as error:
            self._failed(error)
        else:
            self._failed_rounds = 0
        self._make_room()
        self._s3.close()
        self._last_end = self._clock()
        return complete

    def _failed(self, error: Exception) -> None:
        self._failed_rounds += 1
        self.counts.failures += 1
        self.counts.credentials_failures += isinstance(error, NoCredentials)
        log.warning("not uploaded", extra=fields(error=error, behind_seconds=round(self.behind_seconds)))

    def _bring(self, folder: LogFolder) -> None:
        """Do what a log needs, up to the first failure: what follows would be in S3 before it."""
        in_s3 = self._in_s3[folder.identity]
        for step in self._steps(folder):
            self._do(folder, step, in_s3)
        in_s3.finished = folder.complete
        if in_s3.finished:
            log.info("log is complete", extra=fields(log=folder.log, joined=folder.has_every_file))

    def _steps(self, folder: LogFolder) -> Iterator[Step]:
        return steps(folder, self._in_s3[folder.identity], self._clock())

    def _do(self, folder: LogFolder, step: Step, in_s3: InS3) -> None:
        match step.action:
            case "mark":
                self._put(event_logs.open_key(folder.log), self._marker(folder))
                in_s3.marked = self._clock()
            case "begin":
                self._put(self._status_key(folder, in_progress=True), b"")
                in_s3.in_progress = True
            case "send":
                assert step.file is not None
                part = Part(folder.path / step.file.name, step.file.size)
                self._put(event_logs.archive_key(folder.log, step.file.name), [part])
                in_s3.sent[step.file.name] = (step.file.identity, step.file.size)
            case "seal":
                assert step.file is not None
                path = folder.path / step.file.name
                path.chmod(path.stat().st_mode & ~WRITABLE)
            case "complete":
                self._put(self._status_key(folder, in_progress=False), b"")
            case "clear":
                self._s3.delete(self._status_key(folder, in_progress=True))
            case "join":
                parts = [Part(folder.path / file.name, file.size) for file in folder.files]
                self._put(event_logs.hot_key(folder.log), parts)
            case "unmark":
                self._s3.delete(event_logs.open_key(folder.log))

    def _put(self, key: str, body: bytes | list[Part]) -> None:
        size = self._s3.put(key, body)
        self.counts.puts += 1
        self.counts.uploaded_bytes += size

    def _marker(self, folder: LogFolder) -> bytes:
        marker = Marker(
            cluster=self._application.cluster,
            namespace=self._application.namespace,
            name=self._application.name,
            app_id=folder.log,
            started=datetime.fromtimestamp(folder.started, UTC).isoformat(timespec="seconds"),
        )
        return marker.as_json().encode()

    @staticmethod
    def _status_key(folder: LogFolder, *, in_progress: bool) -> str:
        return event_logs.archive_key(folder.log, event_logs.status_file(folder.log, in_progress=in_progress))

    def _make_room(self) -> None:
        try:
            freed = room(scan(self._folder), self._volume_bytes)
            for path in freed.removed:
                path.unlink()
            for path in freed.emptied:
                os.truncate(path, 0)
                self.counts.dropped_files += 1
                log.error("events dropped, as the volume was nearly full", extra=fields(file=path.name))
        except OSError as error:
            log.warning("no room made on the volume", extra=fields(error=error))
