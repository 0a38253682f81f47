"""Columns of tables: names and types from which each engine's own schema is written.

DuckDB and Spark name these types alike, so a schema is one text for both. Times are milliseconds since 1970
in UTC, as numbers: engines disagree on time zones of timestamps, not on numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Scalar = Literal["string", "bigint"]
TYPES: dict[Scalar, tuple[str, str]] = {"string": ("VARCHAR", "STRING"), "bigint": ("BIGINT", "BIGINT")}
"""Type of a column -> what DuckDB and Spark call it."""


@dataclass(frozen=True)
class Column:
    """A column of a table, or a field of its rows' parts.

    type: of its values; of columns, a list of parts that have them.
    says: what a value means, and its unit.
    required: whether every row has a value.
    """

    name: str
    type: "Scalar | Sequence[Column]"
    says: str
    required: bool = True


@dataclass(frozen=True)
class Table:
    """A table of the history.

    name: as a part of keys, and in questions.
    key: columns that tell its rows apart.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    def duckdb_types(self) -> dict[str, str]:
        """Column -> its type in DuckDB."""
        return {column.name: _duckdb(column) for column in self.columns}

    def spark_schema(self) -> str:
        """The schema in Spark's DDL."""
        return ", ".join(f"{column.name} {_spark(column)}" for column in self.columns)


def _duckdb(column: Column) -> str:
    if isinstance(column.type, str):
        return TYPES[column.type][0]
    fields = ", ".join(f"{field.name} {_duckdb(field)}" for field in column.type)
    return f"STRUCT({fields})[]"


def _spark(column: Column) -> str:
    if isinstance(column.type, str):
        return TYPES[column.type][1]
    fields = ", ".join(f"{field.name}: {_spark(field)}" for field in column.type)
    return f"ARRAY<STRUCT<{fields}>>"
