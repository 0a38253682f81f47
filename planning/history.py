"""The history of what was used, in a folder or a bucket, asked with DuckDB.

Of a bucket the parts of the days are copied first: DuckDB reads S3 by an extension that it fetches when it
runs.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

from moka.usage import places
from moka.usage.columns import Table
from moka.usage.questions import QueryScope, Question, duckdb_views, shared_views
from moka.usage.records import GAPS

GAP_DAYS = 31
"""Days before a window in which a gap may have begun that is not over in it."""

COPIES = 16
"""Of objects at a time."""


class UnreadableHistory(Exception):
    """Records that cannot be read; the message is a sentence."""


def ask(
    folder: Path,
    questions: Iterable[Question],
    window: QueryScope,
    days: Sequence[date],
    *,
    threads: int = 2,
    memory: str = "3GB",
) -> dict[Question, list[dict[str, Any]]]:
    """The answers from the records of some days in a folder, laid out as the bucket. Raises
    UnreadableHistory.

    window: what is asked about, within these days. memory: that DuckDB may have.
    """
    questions = list(questions)
    tables = {table for question in questions for table in question.reads}
    files = {table: _parts(folder, table, days) for table in tables}
    with tempfile.TemporaryDirectory(prefix="usage-") as spilled:
        config = _config(threads, memory, spilled)
        try:
            with duckdb.connect(config=config) as session:
                for statement in [*duckdb_views(files), *window.views(), *shared_views(questions)]:
                    session.execute(statement)
                return {question: _rows(session.execute(question.sql)) for question in questions}
        except (duckdb.Error, ValueError) as error:
            first = str(error).splitlines()[0]
            raise UnreadableHistory(f"The history in {folder} cannot be read: {first}") from None


def _config(threads: int, memory: str, spilled: str) -> dict[str, Any]:
    """spilled: folder for what does not fit memory, which DuckDB would have in the current one."""
    return {
        "threads": threads,
        "memory_limit": memory,
        "temp_directory": spilled,
        "preserve_insertion_order": False,
        # Nothing is fetched, whatever a file asks for.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def _rows(answer: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def _parts(folder: Path, table: Table, days: Sequence[date]) -> list[str]:
    """Files of a table's records."""
    return [
        str(file)
        for day in _days_of(table, days)
        for file in sorted((folder / places.prefix(table.name, day)).rglob(f"*{places.SUFFIX}"))
        if places.part(file.relative_to(folder).as_posix()) is not None
    ]


def _days_of(table: Table, days: Sequence[date]) -> Iterator[date]:
    if table is GAPS:
        yield from (min(days) - timedelta(days=GAP_DAYS - number) for number in range(GAP_DAYS))
    yield from days


@contextmanager
def copied(s3: Any, bucket: str, tables: Iterable[Table], days: Sequence[date]) -> Iterator[Path]:
    """A folder with the records of some days, as long as it is needed. s3: boto3's client, whose errors are
    raised."""
    with tempfile.TemporaryDirectory(prefix="usage-") as name, ThreadPoolExecutor(COPIES) as pool:
        folder = Path(name)
        keys = [key for table in tables for key in _keys(s3, bucket, table, days)]
        list(pool.map(lambda key: _copy(s3, bucket, key, folder), keys))
        yield folder


def _keys(s3: Any, bucket: str, table: Table, days: Sequence[date]) -> Iterator[str]:
    pages = s3.get_paginator("list_objects_v2")
    dates = set(_days_of(table, days))
    # A table of gaps is small, and asked for as one.
    prefixes: Mapping[str, str] = (
        {places.prefix(table.name): places.prefix(table.name, min(dates))}
        if table is GAPS
        else {places.prefix(table.name, day): "" for day in dates}
    )
    for prefix, after in prefixes.items():
        for page in pages.paginate(Bucket=bucket, Prefix=prefix, StartAfter=after):
            for entry in page.get("Contents", ()):
                part = places.part(entry["Key"])
                if part is not None and part.day in dates:
                    yield entry["Key"]


def _copy(s3: Any, bucket: str, key: str, folder: Path) -> None:
    file = folder / key
    file.parent.mkdir(parents=True, exist_ok=True)
    s3.download_file(bucket, key, str(file))
