"""Names of Spark's event logs: on a driver's volume, as Spark gives them, and in the bucket.

    archive/eventlog_v2_<log>/...               as Spark rolls it, while the application runs
    hot/<log>.zstd                              one object of all events, once it has ended
    open/<log>                                  an application whose log is not in hot/ yet
    links/<cluster>/<namespace>/<application>   from an application's name to its log

A `log` is Spark's name of one: `<application id>`, with `_<attempt>` after it where there are attempts
(apache/spark: EventLogFileWriters.scala, `nameForAppAndAttempt`; none on Kubernetes).

It imports only the standard library, so that the image of any service can contain it.
"""

import json
import re
from dataclasses import asdict, dataclass

ARCHIVE = "archive/"
HOT = "hot/"
"""The History Server takes every object under it for a log."""

OPEN = "open/"
LINKS = "links/"

CODEC = "zstd"
"""Of every log; the History Server reads the codec from the end of a file's name."""

IN_PROGRESS = ".inprogress"
FOLDER_PREFIX = "eventlog_v2_"

_LOG = r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}"
_FOLDER = re.compile(rf"{FOLDER_PREFIX}({_LOG})")
_EVENTS = re.compile(rf"events_([1-9][0-9]{{0,8}})_({_LOG})\.{CODEC}")


def is_log(text: str) -> bool:
    """Whether text is the name of a log, and nothing that would lead elsewhere as a part of a key."""
    return re.fullmatch(_LOG, text) is not None


def folder(log: str) -> str:
    """Name of a log's folder: `eventlog_v2_<log>`."""
    return f"{FOLDER_PREFIX}{log}"


def log_of(folder_name: str) -> str | None:
    """The log that a folder of this name is of; None where it is no log's."""
    match = _FOLDER.fullmatch(folder_name)
    return match[1] if match else None


def events_file(log: str, index: int) -> str:
    """Name of a log's file of events; the first has index 1."""
    return f"events_{index}_{log}.{CODEC}"


def events_index(log: str, file_name: str) -> int | None:
    """Index of a log's file of events; None where a file of this name is something else."""
    match = _EVENTS.fullmatch(file_name)
    return int(match[1]) if match and match[2] == log else None


def status_file(log: str, *, in_progress: bool) -> str:
    """Name of the empty file that says whether a log is complete. The History Server reads none without."""
    return f"appstatus_{log}{IN_PROGRESS if in_progress else ''}"


def archive_key(log: str, file_name: str) -> str:
    """Key of a file of a log."""
    return f"{ARCHIVE}{folder(log)}/{file_name}"


def hot_key(log: str) -> str:
    """Key of a log in one object."""
    return f"{HOT}{log}.{CODEC}"


def open_key(log: str) -> str:
    """Key of the marker of a log that is not in one object yet."""
    return f"{OPEN}{log}"


def link_key(cluster: str, namespace: str, application: str) -> str:
    """Key of what leads from an application's name to its log."""
    return f"{LINKS}{cluster}/{namespace}/{application}"


@dataclass(frozen=True, kw_only=True)
class Marker:
    """What `open/<log>` says of an application.

    cluster: name in the settings.
    namespace, name: of its SparkApplication.
    app_id: Spark's id.
    attempt: Spark's; None on Kubernetes.
    started: when its log began, ISO 8601 in UTC.
    """

    cluster: str
    namespace: str
    name: str
    app_id: str
    started: str
    attempt: str | None = None

    def as_json(self) -> str:
        """As the object's text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Marker":
        """Read an object's text, with keys that a later version may have added.

        Raises ValueError when it is not a marker.
        """
        try:
            values = json.loads(text)
            marker = cls(**{key: values[key] for key in cls.__dataclass_fields__ if key in values})
        except (ValueError, TypeError) as error:
            raise ValueError(f"this is no marker of an event log: {error}.") from None
        if not all(isinstance(value, str) for value in asdict(marker).values() if value is not None):
            raise ValueError("this is no marker of an event log: its values are not all text.")
        return marker
