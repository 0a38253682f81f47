"""Where the records of what was used are in the resource-usage bucket.

    usage/v1/<table>/day=<day>/cluster=<cluster>/part-<8 digits>.parquet        records (records.py)
    usage/v1/recorders/<cluster in EKS>/state.json.gz                           what a recorder goes on from
    usage/v1/recorders/<cluster in EKS>/staged/<8 digits>-<writer>-<n>.parquet  parts that do not count yet
    <cluster in EKS>/yunikorn/<year>/<month>/<day>/<time>-<id>.jsonl.gz         summaries by Fluent Bit

A record's day is that of its submission or beginning, in UTC, so that a record that comes late or again is
beside the ones that it is merged with. A job is in the parts of each day on which it was accepted, or
YuniKorn may have taken an application of it (`days_of`): who asks about a day finds beside its applications
the jobs that they are of. `day` and `cluster` are also columns, as engines read such keys.

A part has the records of one day and is written whole: beside the tables first (`staged`), where no question
looks; then the state is saved that names it, and only then it is moved to where it counts. So what a writer
put there whose state was not saved never counts, and what one has saved the next one moves
(services/usage_recorder/ledger.py). A part of jobs has a number of its content (`number_of`): it is put where
it counts, as often as one likes, and under its key nothing else ever is.

Fluent Bit writes the keys of summaries, in the form that its pipeline.yaml has.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from moka.usage.records import RECORDED, VERSION, Job

ROOT = f"usage/v{VERSION}/"
SUFFIX = ".parquet"

_PART = re.compile(
    rf"{ROOT}(?P<table>[a-z]+)/day=(?P<day>\d{{4}}-\d\d-\d\d)/cluster=(?P<cluster>[a-z][a-z0-9-]*)"
    rf"/part-(?P<number>\d{{8,19}}){re.escape(SUFFIX)}"
)
_STAGED = re.compile(rf"{ROOT}recorders/[^/]+/staged/(?P<number>\d{{8}})-\w+-\d+{re.escape(SUFFIX)}")
_SUMMARIES = re.compile(r"(?P<cluster>[^/]+)/yunikorn/(?P<day>\d{4}/\d\d/\d\d)/\d{6}-\w+\.jsonl\.gz")


@dataclass(frozen=True, kw_only=True, order=True)
class Part:
    """A file of a table's records of one day.

    number: the writer's, from 1, of no more than 19 digits.
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


def recorder_prefix(eks_cluster: str) -> str:
    """Prefix of the keys of what a cluster's recorder keeps for itself."""
    return f"{ROOT}recorders/{eks_cluster}/"


def state_key(eks_cluster: str) -> str:
    """Key of what a cluster's recorder goes on from."""
    return f"{recorder_prefix(eks_cluster)}state.json.gz"


def staged_prefix(eks_cluster: str) -> str:
    """Prefix of the keys of parts that do not count yet."""
    return f"{recorder_prefix(eks_cluster)}staged/"


def staged_key(eks_cluster: str, number: int, writer: str, index: int) -> str:
    """Key of a part that does not count yet.

    number: of the state that makes it count. writer: of letters and digits. index: among the state's parts.
    """
    return f"{staged_prefix(eks_cluster)}{number:08}-{writer}-{index}{SUFFIX}"


def staged_number(key: str) -> int | None:
    """The number of the state that makes a staged part count; None of another key."""
    match = _STAGED.fullmatch(key)
    return int(match["number"]) if match else None


def record_prefixes(cluster: str, eks_cluster: str) -> tuple[str, ...]:
    """Patterns of the beginnings of all keys that a cluster's recorder writes, with `*` for any text."""
    tables = (f"{prefix(table.name)}day=*/cluster={cluster}/" for table in RECORDED)
    return *tables, recorder_prefix(eks_cluster)


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


def days_of(job: Job) -> list[date]:
    """The days in whose parts a job is: that of its acceptance, and for each attempt those from when its
    application was made until its driver ran, between which YuniKorn took it."""
    days = {day_of(job.accepted)}
    for attempt in job.attempts:
        until = next((at for at in (attempt.started, attempt.ended) if at is not None), job.ended)
        days.update(_days(day_of(attempt.submitted), day_of(until)))
    return sorted(days)


def number_of(jobs: Iterable[Job]) -> int:
    """The number of a part that has these jobs, in any order, which no other part has: 63 bits of SHA-256."""
    text = "\n".join(sorted(job.job for job in jobs))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


def _days(first: date, last: date) -> Iterable[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _day(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).date()
    except ValueError:
        return None
