"""Dataclasses as rows of a statement: an array for each field, which PostgreSQL unnests."""

from collections.abc import Sequence
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints
from uuid import UUID

COLUMN_TYPES = {UUID: "uuid", bool: "boolean", int: "integer", float: "double precision", str: "text"}
"""Type of a field, or what it derives from -> type of its column."""


def unnested(row: type, alias: str) -> str:
    """SQL: rows of a dataclass from parameters $1 and on, with a column for each field, by its name.

    Raises KeyError for a field of another type than `COLUMN_TYPES` has.
    """
    types = get_type_hints(row)
    names = [field.name for field in fields(row)]
    arrays = [f"${number}::{_column_type(types[name])}[]" for number, name in enumerate(names, start=1)]
    return f"SELECT * FROM unnest({', '.join(arrays)}) AS {alias} ({', '.join(names)})"


def columns(row: type, rows: Sequence[Any]) -> list[list[object]]:
    """The parameters of `unnested`: the values of each field, of all rows."""
    return [[getattr(item, field.name) for item in rows] for field in fields(row)]


def _column_type(annotation: Any) -> str:
    """Of a field; None is a value of every column."""
    [kind] = [part for part in get_args(annotation) or (annotation,) if part is not NoneType]
    base = next(known for known in COLUMN_TYPES if issubclass(kind, known))
    return COLUMN_TYPES[base]
