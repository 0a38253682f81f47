"""Where the log of an application is, and so what its page is. All calls block."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from moka import event_logs
from services.history_gate.keeper import SILENT_SECONDS, now
from services.history_gate.storage import Storage


@dataclass(frozen=True)
class Hot:
    """It has ended, and the server lists it. size: bytes of its log."""

    size: int


@dataclass(frozen=True)
class Running:
    """Its driver gives signs of life: the server would go on showing what there was when it was asked."""

    marker: event_logs.Marker


@dataclass(frozen=True)
class Archived:
    """It is kept as Spark wrote it. size: bytes of as much of its log as one answer of S3 lists."""

    size: int


@dataclass(frozen=True)
class Unknown:
    """There is no log: it was never there, or it is too old."""


Verdict = Hot | Running | Archived | Unknown

LISTED = 1000
"""Files that are asked for: an answer of S3."""


def verdict(storage: Storage, log: str, time: Callable[[], datetime] = now) -> Verdict:
    """Where a log is. One request for a job that has ended lately, which most are."""
    if (size := storage.size(event_logs.hot_key(log))) is not None:
        return Hot(size)
    try:
        marked = storage.marker(log)
    except ValueError:
        # Somebody else's object: what there is of a log says more.
        marked = None
    if marked and (time() - marked[1]).total_seconds() <= SILENT_SECONDS:
        return Running(marked[0])
    files = list(islice(storage.objects(event_logs.archive_key(log, "")), LISTED))
    return Archived(sum(file.size for file in files)) if files else Unknown()
