"""Parts of tables: new ones of what was taken, the one of a day's applications, and many that become one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

from moka.usage import merge, places
from moka.usage.columns import Table
from moka.usage.places import Part
from moka.usage.records import APPLICATIONS, GAPS, PROFILES, Application, Gap, Interval
from services.usage_recorder import parquet
from services.usage_recorder.bucket import Bucket
from services.usage_recorder.ledger import Addition

ONLY = 1
"""Number of the part with a day's applications: it is written anew with those that came, under its key, which
S3 does in one step."""

SMALL = 64 * 2**20
"""Bytes of a part below which it is put together with others."""

AT_ONCE = 2**30
"""Bytes that are put together at a time: they are on the pod's disk twice."""


def parts_of(
    cluster: str, number: int, intervals: Sequence[Interval], gaps: Sequence[Gap], folder: Path
) -> list[Addition]:
    """Parts of what was taken, a table and day each."""
    return [
        *_parts(PROFILES, cluster, number, intervals, folder),
        *_parts(GAPS, cluster, number, gaps, folder),
    ]


def _parts(
    table: Table, cluster: str, number: int, records: Sequence[Interval] | Sequence[Gap], folder: Path
) -> list[Addition]:
    days: dict[date, list[Interval | Gap]] = defaultdict(list)
    for record in records:
        days[places.day_of(record.began)].append(record)
    additions = []
    for day, rows in sorted(days.items()):
        part = Part(table=table.name, day=day, cluster=cluster, number=number)
        file = folder / f"{table.name}-{day}{places.SUFFIX}"
        parquet.write(table, (row.row() for row in rows), file)
        additions.append(Addition(part.key, file))
    return additions


def with_applications(
    bucket: Bucket, cluster: str, records: Iterable[Application], folder: Path
) -> list[Addition]:
    """The parts of the days of applications, with those that there were."""
    days: dict[date, list[Application]] = defaultdict(list)
    for record in records:
        days[places.day_of(record.submitted)].append(record)
    additions = []
    for day, new in sorted(days.items()):
        prefix = places.prefix(APPLICATIONS.name, day, cluster)
        keys = [entry.key for entry in bucket.objects(prefix) if places.part(entry.key)]
        earlier_records = [
            Application.of_row(row) for row in parquet.read(APPLICATIONS, _local_files(bucket, keys, folder))
        ]
        part = Part(table=APPLICATIONS.name, day=day, cluster=cluster, number=ONLY)
        file = folder / f"{APPLICATIONS.name}-{day}{places.SUFFIX}"
        parquet.write(
            APPLICATIONS,
            (application.row() for application in merge.applications([*earlier_records, *new])),
            file,
        )
        additions.append(Addition(part.key, file, [key for key in keys if key != part.key]))
    return additions


def joined(
    bucket: Bucket, table: Table, day: date, cluster: str, number: int, folder: Path
) -> Addition | None:
    """The part that takes the place of a day's small ones; None where there are not several."""
    small, size = [], 0
    for entry in bucket.objects(places.prefix(table.name, day, cluster)):
        if places.part(entry.key) and entry.size < SMALL and size + entry.size <= AT_ONCE:
            small.append(entry.key)
            size += entry.size
    if len(small) < 2:
        return None
    file = folder / f"joined{places.SUFFIX}"
    parquet.join(table, _local_files(bucket, small, folder), file)
    return Addition(Part(table=table.name, day=day, cluster=cluster, number=number).key, file, small)


def counted(loose: Mapping[str, int], additions: Iterable[Addition]) -> dict[str, int]:
    """How many parts of each table and day there are since they were put together, with these."""
    counts = dict(loose)
    for addition in additions:
        part = places.part(addition.key)
        if part is not None:
            key = loose_key(part.table, part.day)
            counts[key] = counts.get(key, 0) + 1
    return counts


def loose_key(table: str, day: date) -> str:
    """By which loose parts are counted."""
    return f"{table}/{day.isoformat()}"


def loose_part(key: str) -> tuple[str, date]:
    """Table and day of such a key."""
    table, _, day = key.partition("/")
    return table, date.fromisoformat(day)


def _local_files(bucket: Bucket, keys: Sequence[str], folder: Path) -> list[Path]:
    files: list[Path] = []
    for key in keys:
        file = folder / f"fetched-{len(files)}{places.SUFFIX}"
        bucket.fetch(key, file)
        files.append(file)
    return files
