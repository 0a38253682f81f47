"""Where the records of what was used are in the resource-usage bucket.

    usage/v1/<table>/day=<day>/cluster=<cluster>/part-<8 digits>.parquet    records (moka/usage/records.py)
    <cluster in EKS>/yunikorn/<year>/<month>/<day>/<time>-<id>.jsonl.gz     summaries by Fluent Bit

A record's day is that of its submission or beginning, in UTC, so that a record that comes late or again is
beside the ones that it is merged with. `day` and `cluster` are also columns, as engines read such keys.

A part has the records of one day and is written whole. Its number comes from the writer's state, which is
saved after the part: a writer that starts anew with an older state first deletes the parts after that
(`later`), so that nothing is there twice.

Fluent Bit writes the keys of summaries, in the form that its pipeline.yaml has.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from moka.usage.records import VERSION

ROOT = f"usage/v{VERSION}/"
SUFFIX = ".parquet"

_PART = re.compile(
    rf"{ROOT}(?P<table>[a-z]+)/day=(?P<day>\d{{4}}-\d\d-\d\d)/cluster=(?P<cluster>[a-z][a-z0-9-]*)"
    rf"/part-(?P<number>\d{{8}}){re.escape(SUFFIX)}"
)
_SUMMARIES = re.compile(r"(?P<cluster>[^/]+)/yunikorn/(?P<day>\d{4}/\d\d/\d\d)/\d{6}-\w+\.jsonl\.gz")


@dataclass(frozen=True, kw_only=True, order=True)
class Part:
    """A file of a table's records of one day.

    number: the writer's, from 1.
    """

    table: str
    day: date
    cluster: str
    number: int

    @property
    def key(self) -> str:
        """Its key in the bucket."""
        return f"{prefix(self.table, self.day, self.cluster)}part-{self.number:08}{SUFFIX}"


def prefix(table: str, day: date | None = None, cluster: str | None = None) -> str:
    """Prefix of the keys of a table, of a day of it, or of a cluster's records of the day."""
    text = f"{ROOT}{table}/"
    if day is not None:
        text += f"day={day.isoformat()}/"
        if cluster is not None:
            text += f"cluster={cluster}/"
    return text


def part(key: str) -> Part | None:
    """The part that a key is of; None of another key."""
    match = _PART.fullmatch(key)
    day = _day(match["day"], "%Y-%m-%d") if match else None
    if match is None or day is None:
        return None
    return Part(table=match["table"], day=day, cluster=match["cluster"], number=int(match["number"]))


def later(keys: Iterable[str], number: int) -> list[str]:
    """Of the keys of one writer, the parts after a number: what it wrote and no state of it knows."""
    return [key for key in keys if (place := part(key)) is not None and place.number > number]


def summaries_prefix(eks_cluster: str, day: date) -> str:
    """Prefix of the keys of a cluster's summaries that were written on a day."""
    return f"{eks_cluster}/yunikorn/{day:%Y/%m/%d}/"


def summaries_of(key: str) -> tuple[str, date] | None:
    """The cluster in EKS, and the day, of which an object has summaries; None of another object."""
    match = _SUMMARIES.fullmatch(key)
    day = _day(match["day"], "%Y/%m/%d") if match else None
    return None if match is None or day is None else (match["cluster"], day)


def day_of(milliseconds: int) -> date:
    """The day, in UTC, of a time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date()


def _day(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).date()
    except ValueError:
        return None
