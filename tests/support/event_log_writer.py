"""A rolling event log as Spark writes it (apache/spark: EventLogFileWriters.scala)."""

from pathlib import Path

from moka import event_logs

LOG = "spark-0123456789abcdef0123456789abcdef"


class EventLogWriter:
    """Writes a log into a folder. A kill is that nothing more is called.

    flushed: what is in the files, file by file: Spark keeps the rest in its own memory.
    """

    def __init__(self, folder: Path, log: str = LOG) -> None:
        self.log = log
        self.path = folder / event_logs.folder(log)
        self.flushed: list[bytes] = []
        self.complete = False

    def start(self) -> None:
        """Make the folder and the status."""
        self.path.mkdir()
        self._status(in_progress=True).touch()

    def roll(self) -> None:
        """Begin a new file; the one before is never opened again."""
        self.flushed.append(b"")
        self._file(len(self.flushed)).touch()

    def write(self, data: bytes) -> None:
        """Write and flush to the last file."""
        with self._file(len(self.flushed)).open("ab") as file:
            file.write(data)
        self.flushed[-1] += data

    def stop(self) -> None:
        """Close the log."""
        self._status(in_progress=True).rename(self._status(in_progress=False))
        self.complete = True

    def objects(self) -> dict[str, bytes]:
        """What S3 holds in archive/ once all of it is there."""
        files = {
            event_logs.events_file(self.log, index): data
            for index, data in enumerate(self.flushed, start=1)
            if data or self.complete or index < len(self.flushed)
        }
        files[event_logs.status_file(self.log, in_progress=not self.complete)] = b""
        return {event_logs.archive_key(self.log, name): data for name, data in files.items()}

    def _file(self, index: int) -> Path:
        return self.path / event_logs.events_file(self.log, index)

    def _status(self, *, in_progress: bool) -> Path:
        return self.path / event_logs.status_file(self.log, in_progress=in_progress)
