"""Rows as Parquet, which DuckDB makes, a row group at a time: those of a partition of CSV that PostgreSQL
writes, and records of lines of JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID as JobId

import duckdb
import orjson
from sqlalchemy import ARRAY, BigInteger, Boolean, Column, Integer, SmallInteger, Table
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP, UUID
from sqlalchemy.types import TypeEngine

from moka.submission.job_id import lowest_id
from moka.submission.month import Month
from moka.usage.columns import Table as UsageTable
from services.archer.database.partitions import partition_name
from services.archer.database.pool import Connection
from services.archer.database.tables import METADATA

VERSION = 1
"""Of the columns: part of each file's key. Another column is another version."""

MEMORY = "256MB"
"""Of DuckDB, which has all of a CSV there: 60 MB of it fit, and 100 MB do not (2.0.1)."""

SLICE_BYTES = 32 * 2**20
"""Of rows as text, of one file; a job with all its rows is never in two."""

EXPORT_SECONDS = 600.0
"""For the rows of a slice, or for a look at how large those of a day are."""

ROW_GROUP = 50_000
LONGEST_LINE = 16 * 2**20
"""Bytes; a job's document has 256 KiB at most (services/archer/service/limits.py)."""

TYPES: Mapping[type[TypeEngine[Any]], tuple[str, str]] = {
    UUID: ("{}", "UUID"),
    SmallInteger: ("{}", "SMALLINT"),
    Integer: ("{}", "INTEGER"),
    BigInteger: ("{}", "BIGINT"),
    Boolean: ("{}", "BOOLEAN"),
    TIMESTAMP: ("{} AT TIME ZONE 'UTC' AS {}", "TIMESTAMP"),
    ARRAY: ("to_json({}) AS {}", "JSON"),
    JSONB: ("{}", "JSON"),
}
"""Type of a column -> how PostgreSQL writes it, and its type here; all others are text. Times are in UTC."""


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Rows of a table that become a file: of the jobs from `first` to before `end`."""

    table: str
    month: Month
    first: JobId
    end: JobId


async def slices(connection: Connection, table: str, month: Month, day: datetime) -> list[Slice]:
    """The rows of the jobs of a day, by `SLICE_BYTES`; none where there are none."""
    job, key = _key(table)
    end = lowest_id(day + timedelta(days=1))
    rows = await connection.fetch(
        f"""
        SELECT DISTINCT ON (slice) job FROM (
          SELECT {job} AS job, (sum(octet_length(t::text)) OVER (ORDER BY {key}) - 1) / {SLICE_BYTES} AS slice
          FROM {partition_name(table, month)} AS t WHERE {job} >= $1 AND {job} < $2
        ) AS sized ORDER BY slice, job
        """,
        lowest_id(day),
        end,
        timeout=EXPORT_SECONDS,
    )
    firsts = list(dict.fromkeys(row["job"] for row in rows))
    return [
        Slice(table=table, month=month, first=first, end=following)
        for first, following in pairwise([*firsts, end])
    ]


async def csv_of(connection: Connection, part: Slice, file: Path) -> int:
    """Write the rows of a slice, as they stand; how many there were."""
    job, key = _key(part.table)
    table: Table = METADATA.tables[part.table]
    columns = ", ".join(_types(column)[0].replace("{}", f'"{column.name}"') for column in table.columns)
    done = await connection.copy_from_query(
        f"SELECT {columns} FROM {partition_name(part.table, part.month)} "
        f"WHERE {job} >= $1 AND {job} < $2 ORDER BY {key}",
        part.first,
        part.end,
        output=file,
        format="csv",
        timeout=EXPORT_SECONDS,
    )
    return int(done.split()[1])


def _key(table: str) -> tuple[str, str]:
    """The column of a table that has the job, and the columns of its key, with commas between."""
    columns = [column.name for column in METADATA.tables[table].primary_key]
    return columns[0], ", ".join(columns)


def write(table: str, source: Path, target: Path) -> None:
    """Make Parquet of such a CSV."""
    types = {column.name: _types(column)[1] for column in METADATA.tables[table].columns}
    with _duckdb(target.parent) as duck:
        duck.execute(
            f"COPY (SELECT * FROM read_csv('{source}', header = false, columns = {types}, delim = ',', "
            "quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, parallel = false, "
            f"max_line_size = {LONGEST_LINE})) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
        )


def write_records(table: UsageTable, records: Iterable[Mapping[str, Any]], target: Path) -> None:
    """Make Parquet of rows of a table of what was used."""
    source = target.with_suffix(".json")
    with source.open("wb") as lines:
        lines.writelines(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)
    with _duckdb(target.parent) as duck:
        duck.execute(
            f"COPY (SELECT * FROM read_json('{source}', format = 'newline_delimited', "
            f"columns = {table.duckdb_types()})) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
        )
    source.unlink()


def rows(file: Path) -> int:
    """Rows that a file of Parquet has, all of them read."""
    with _duckdb(file.parent) as duck:
        [row] = duck.execute(
            f"SELECT count(*), max(COLUMNS(*)::VARCHAR) FROM read_parquet('{file}')"
        ).fetchall()
    return int(row[0])


def _duckdb(folder: Path) -> duckdb.DuckDBPyConnection:
    """folder: that may be written to; the working directory may not."""
    return duckdb.connect(
        config={
            "temp_directory": str(folder),
            "memory_limit": MEMORY,
            "threads": 1,
            "preserve_insertion_order": True,
            # Nothing is fetched: what is used is in the wheel.
            "autoinstall_known_extensions": False,
        }
    )


def _types(column: Column[object]) -> tuple[str, str]:
    for kind in type(column.type).__mro__:
        if kind in TYPES:
            return TYPES[kind]
    return "{}", "VARCHAR"
