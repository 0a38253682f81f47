"""Records as parts of the history in a folder, laid out as the bucket (moka/usage/places.py)."""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from moka.usage import places
from moka.usage.columns import Table
from moka.usage.places import Part
from moka.usage.records import Application, Gap, Interval, Job

Record = Application | Interval | Gap | Job


def write(folder: Path, table: Table, records: Iterable[Record], number: int = 1) -> list[Path]:
    """Write records of a table, a part for each day and cluster; the files. number: that the parts have."""
    rows: dict[Part, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        row = record.row()
        for day in _days(record):
            rows[Part(table=table.name, day=day, cluster=row["cluster"], number=number)].append(row)
    files = []
    with duckdb.connect() as session:
        for part, lines in rows.items():
            file = folder / part.key
            file.parent.mkdir(parents=True, exist_ok=True)
            source = file.with_suffix(".json")
            source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            session.execute(
                f"COPY (SELECT * FROM read_json('{source}', format = 'newline_delimited', "
                f"columns = {table.duckdb_types()})) TO '{file}' (FORMAT parquet, COMPRESSION zstd)"
            )
            source.unlink()
            files.append(file)
    return files


def _days(record: Record) -> list[date]:
    if isinstance(record, Job):
        return places.days_of(record)
    return [places.day_of(record.submitted if isinstance(record, Application) else record.began)]
