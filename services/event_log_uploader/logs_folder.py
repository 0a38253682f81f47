"""What lies in the folder that Spark writes event logs to, and what to do next: no network, no clock.

Spark rolls a log: it closes file N before it makes N + 1, and never opens it again; at the end it closes the
last one, and then renames `appstatus_<log>.inprogress` (apache/spark: EventLogFileWriters.scala,
`RollingEventLogFilesWriter`). The History Server needs the status, and all files up to the last one without
a gap (EventLogFileReaders.scala). So whatever happens at whatever moment, in S3 the status comes first, files
come in their order, and that the log is complete comes last.
"""

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from moka import event_logs

MARKED_EVERY_SECONDS = 300.0
"""A marker's age is how others tell that the driver lives: three of these, and it is gone."""

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class EventsFile:
    """A file of events.

    identity: that no other file has, even of the same name.
    size: bytes that it has at least.
    sealed: it is closed and in S3 as it is; its mode says so, which a restart of the uploader survives.
    """

    name: str
    index: int
    identity: int
    size: int
    sealed: bool


@dataclass(frozen=True)
class LogFolder:
    """A log on the volume; its files in their order.

    started: when the log began, seconds since 1970.
    complete: Spark has closed it.
    """

    log: str
    path: Path
    started: float
    complete: bool
    files: Sequence[EventsFile]

    @property
    def identity(self) -> tuple[str, float]:
        """That no other log has, even where the folder was emptied for another of the same name."""
        return self.log, self.started

    @property
    def has_every_file(self) -> bool:
        """Whether no file of it was removed to make room."""
        return bool(self.files) and [file.index for file in self.files] == list(range(1, len(self.files) + 1))

    def closed(self, file: EventsFile) -> bool:
        """Whether Spark writes to a file no more."""
        return self.complete or file is not self.files[-1]


@dataclass
class InS3:
    """What S3 has of a log, as far as this process knows; closed files besides are known by their mode.

    marked: when the marker was put last, by the uploader's clock; None where it was not.
    sent: name of a file -> its identity and the bytes that were sent last.
    """

    marked: float | None = None
    in_progress: bool = False
    finished: bool = False
    sent: dict[str, tuple[int, int]] = field(default_factory=dict)

    def marker_due(self, now: float) -> bool:
        """Whether the marker is to be put, at this time of the uploader's clock."""
        return self.marked is None or now - self.marked >= MARKED_EVERY_SECONDS


Action = Literal["mark", "begin", "send", "seal", "complete", "clear", "join", "unmark"]
"""`mark`, `unmark`: the marker of a log that is not in one object. `begin`, `complete`: its status, in
progress and complete. `clear`: delete the former. `send`: a file. `seal`: it is closed and was sent. `join`:
all files as one object."""


@dataclass(frozen=True)
class Step:
    """One step, of which those before it must have succeeded. file: of `send` and `seal`."""

    action: Action
    file: EventsFile | None = None


def scan(folder: Path) -> list[LogFolder]:
    """The logs in Spark's folder; other things in there are none of ours. Raises OSError."""
    logs = []
    for path in sorted(folder.iterdir()):
        log = event_logs.log_of(path.name)
        if log is not None and path.is_dir() and not path.is_symlink():
            try:
                logs.append(_scan_log(log, path))
            except FileNotFoundError:
                # The status was renamed meanwhile, which happens once.
                logs.append(_scan_log(log, path))
    return [log for log in logs if log is not None]


def _scan_log(log: str, path: Path) -> LogFolder | None:
    # Names before sizes: of a file that is not the last of these names, the size is its last.
    names = {entry.name for entry in path.iterdir()}
    indexes = {name: index for name in names if (index := event_logs.events_index(log, name)) is not None}
    complete = event_logs.status_file(log, in_progress=False)
    status = complete if complete in names else event_logs.status_file(log, in_progress=True)
    if status not in names:
        return None
    return LogFolder(
        log=log,
        path=path,
        started=(path / status).stat().st_mtime,
        complete=status == complete,
        files=[_events_file(path / name, indexes[name]) for name in sorted(indexes, key=indexes.__getitem__)],
    )


def _events_file(path: Path, index: int) -> EventsFile:
    status = path.stat()
    return EventsFile(path.name, index, status.st_ino, status.st_size, not status.st_mode & WRITABLE)


def steps(log: LogFolder, in_s3: InS3, now: float) -> Iterator[Step]:
    """What a log still needs in S3, in the order in which it has to be done. now: by the uploader's clock."""
    if in_s3.finished:
        return
    if in_s3.marker_due(now):
        yield Step("mark")
    if not in_s3.in_progress:
        yield Step("begin")
    for file in log.files:
        yield from _file_steps(log, file, in_s3)
    if log.complete:
        yield Step("complete")
        yield Step("clear")
        # Who joins logs that were cut off, or are not whole here, knows them by their marker.
        if log.has_every_file:
            yield Step("join")
            yield Step("unmark")


def _file_steps(log: LogFolder, file: EventsFile, in_s3: InS3) -> Iterator[Step]:
    if file.sealed:
        return
    closed = log.closed(file)
    if in_s3.sent.get(file.name) != (file.identity, file.size) and (closed or file.size):
        yield Step("send", file)
    if closed:
        yield Step("seal", file)


@dataclass(frozen=True)
class Room:
    """What is to go from the volume. removed: files that are in S3. emptied: files that are not."""

    removed: Sequence[Path] = ()
    emptied: Sequence[Path] = ()


def room(logs: Sequence[LogFolder], volume_bytes: int) -> Room:
    """What is to go, oldest first, so that the driver is not evicted for its log.

    Above half of the volume, closed files that are in S3 go. Above three quarters S3 has been away for long,
    and closed files are emptied: events of that time are lost, and all later ones are not. The first file
    stays, as it says which application this is.
    """
    used_bytes = sum(file.size for log in logs for file in log.files)
    removed, emptied = [], []
    for log in logs:
        for file in log.files:
            if used_bytes > volume_bytes // 2 and file.sealed:
                removed.append(log.path / file.name)
                used_bytes -= file.size
    for log in logs:
        for file in log.files:
            may_go = not file.sealed and log.closed(file) and file.index > 1 and file.size
            if used_bytes > volume_bytes * 3 // 4 and may_go:
                emptied.append(log.path / file.name)
                used_bytes -= file.size
    return Room(removed, emptied)
