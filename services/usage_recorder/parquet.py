"""Records as Parquet, by DuckDB, which reads them as lines of JSON."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import orjson

from moka.usage.columns import Table

MEMORY = "512MB"
"""Of DuckDB; what needs more goes to disk for a time."""

ROW_GROUP = 100_000


def write(table: Table, rows: Iterable[Any], file: Path) -> None:
    """Write rows, which orjson can write, to a file."""
    source = file.with_suffix(".json")
    with source.open("wb") as lines:
        lines.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    try:
        with session(file.parent) as duck:
            duck.execute(
                f"COPY (SELECT * FROM read_json('{source}', format = 'newline_delimited', "
                f"columns = {table.duckdb_types()})) {_to(file)}"
            )
    finally:
        source.unlink()


def read(table: Table, files: Sequence[Path]) -> list[dict[str, Any]]:
    """The rows of files."""
    if not files:
        return []
    with session(files[0].parent) as duck:
        answer = duck.execute(f"SELECT {', '.join(table.duckdb_types())} FROM {_from(files)}")
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def join(table: Table, files: Sequence[Path], file: Path) -> None:
    """Write the rows of files to one, in the order of what tells them apart."""
    columns = ", ".join(table.duckdb_types())
    with session(file.parent) as duck:
        duck.execute(
            f"COPY (SELECT {columns} FROM {_from(files)} ORDER BY {', '.join(table.key)}) {_to(file)}"
        )


def _from(files: Sequence[Path]) -> str:
    return f"read_parquet({[str(file) for file in files]}, hive_partitioning = false)"


def _to(file: Path) -> str:
    return f"TO '{file}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"


def session(folder: Path) -> duckdb.DuckDBPyConnection:
    """DuckDB in bounds of memory. folder: for what does not fit."""
    return duckdb.connect(
        config={
            "memory_limit": MEMORY,
            "threads": 1,
            "temp_directory": str(folder),
            # Nothing is fetched: what is used is in the wheel.
            "autoinstall_known_extensions": False,
        }
    )
