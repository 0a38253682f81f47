"""Rows as Parquet, which DuckDB makes, a row group at a time: those of a partition of CSV that PostgreSQL
writes, and records of lines of JSON."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

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
"""Of DuckDB, which writes a group of rows when it has it."""

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


async def csv_of(connection: Connection, table: str, month: Month, day: datetime, file: Path) -> int:
    """Write the rows of the jobs of a day, as they stand; how many there were."""
    own: Table = METADATA.tables[table]
    key = ", ".join(column.name for column in own.primary_key)
    first = own.primary_key.columns[0].name
    columns = ", ".join(_types(column)[0].replace("{}", f'"{column.name}"') for column in own.columns)
    done = await connection.copy_from_query(
        f"SELECT {columns} FROM {partition_name(table, month)} "
        f"WHERE {first} >= $1 AND {first} < $2 ORDER BY {key}",
        lowest_id(day),
        lowest_id(day + timedelta(days=1)),
        output=file,
        format="csv",
    )
    return int(done.split()[1])


def write(table: str, source: Path, target: Path) -> None:
    """Make Parquet of such a CSV."""
    types = {column.name: _types(column)[1] for column in METADATA.tables[table].columns}
    with _duckdb() as duck:
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
    with _duckdb() as duck:
        duck.execute(
            f"COPY (SELECT * FROM read_json('{source}', format = 'newline_delimited', "
            f"columns = {table.duckdb_types()})) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
        )
    source.unlink()


def rows(file: Path) -> int:
    """Rows that a file of Parquet has, all of them read."""
    with _duckdb() as duck:
        [found] = duck.execute(
            f"SELECT count(*), max(COLUMNS(*)::VARCHAR) FROM read_parquet('{file}')"
        ).fetchall()
    return int(found[0])


def _duckdb() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        config={
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
