"""Questions to the records of what was used: each is one text of SQL, which DuckDB and Spark both take, and
to which both give the same rows.

What a question reads are views by the names of tables (moka/usage/records.py), and two more: `asked`, with
the window of time, and `clusters`, with what a machine of each has. A session is told of them by
statements: `duckdb_views` or `spark_views`, and `Asked.views`, which both take. What the two take to mean
different things is not used: they divide whole numbers, add them up, name days and compare times
differently.

Nothing here imports an engine.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from moka.usage.columns import Column, Table
from moka.usage.records import APPLICATIONS, GAPS, PROFILES

NAME = re.compile(r"[a-z][a-z0-9-]*")

UNNEST = "CREATE OR REPLACE TEMP MACRO explode(parts) AS unnest(parts)"
"""Gives DuckDB Spark's name of what makes a row of each part of a list."""


@dataclass(frozen=True)
class Question:
    """A question.

    name: of the file with its text.
    reads: tables that it reads.
    columns: of its answer.
    keys: what tells apart what curves are of, where it is about curves.
    """

    name: str
    reads: tuple[Table, ...]
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ()

    @cached_property
    def sql(self) -> str:
        """Its text."""
        return (
            _text_of(self.name)
            .replace("{curves}", _text_of("curves"))
            .replace("{keys}", ", ".join(self.keys))
        )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked about.

    began, ended: of the window, milliseconds since 1970.
    machines: by cluster, what jobs can have of one: thousandths of a core, MiB, GPUs (0: they do not count).
    """

    began: int
    ended: int
    machines: Mapping[str, tuple[int, int, int]]

    def views(self) -> list[str]:
        """Statements for either engine. Raises ValueError for a cluster of another name than settings
        have."""
        if wrong := [name for name in self.machines if not NAME.fullmatch(name)]:
            raise ValueError(f"{wrong[0]!r} is no name of a cluster.")
        if not self.machines:
            raise ValueError("There is no cluster to ask about.")
        clusters = ", ".join(
            f"('{name}', {cpu}, {memory}, {gpu})" for name, (cpu, memory, gpu) in self._sorted()
        )
        return [
            _view(
                "asked",
                f"SELECT {_numbers('began', 'ended')} FROM (VALUES ({self.began}, {self.ended}))"
                " AS given (began, ended)",
            ),
            _view(
                "clusters",
                f"SELECT cluster, {_numbers('cpu', 'memory', 'gpu')} FROM (VALUES {clusters})"
                " AS given (cluster, cpu, memory, gpu)",
            ),
        ]

    def _sorted(self) -> list[tuple[str, tuple[int, int, int]]]:
        return sorted(self.machines.items())


AMOUNTS = Question(
    "amounts",
    (PROFILES,),
    (
        Column("cluster", "string", "its name in the settings"),
        Column("queue", "string", "path of the queue"),
        Column("percent", "bigint", "of the time in use that is covered, rounded down"),
        Column("machines", "bigint", "thousandths of a machine that cover it"),
        Column("cpu", "bigint", "the most in use while no more machines were: thousandths of a core"),
        Column("memory", "bigint", "the same: MiB"),
        Column("gpu", "bigint", "the same: GPUs"),
        Column("busy", "bigint", "milliseconds in which the queue had anything in use"),
        Column("machine_millis", "bigint", "thousandths of a machine times milliseconds that it used"),
        Column("cpu_millis", "bigint", "thousandths of a core times milliseconds that it used"),
        Column("memory_millis", "bigint", "MiB times milliseconds that it used"),
        Column("gpu_millis", "bigint", "GPUs times milliseconds that it used"),
        Column("applications", "bigint", "the most that ran at a time"),
    ),
    keys=("cluster", "queue"),
)

NEEDS = Question(
    "needs",
    (APPLICATIONS,),
    (
        Column("cluster", "string", "its name in the settings"),
        Column("queue", "string", "path of the queue"),
        Column("workflow", "string", "its name"),
        Column("runs", "bigint", "of it that are counted"),
        Column(
            "machine_millis", "bigint", "thousandths of a machine times milliseconds that 90% of runs keep to"
        ),
    ),
)

DAYS = Question(
    "days",
    (PROFILES, GAPS),
    (
        Column("cluster", "string", "its name in the settings"),
        Column("days", "bigint", "of the window of which there are records"),
        Column("gap_millis", "bigint", "milliseconds of the window of which it is known that nothing is"),
    ),
)

DEMANDS = Question(
    "demands",
    (PROFILES,),
    (
        Column("cluster", "string", "its name in the settings"),
        Column("queue", "string", "path of the queue"),
        Column("workflow", "string", "empty for applications of none"),
        Column("hour", "bigint", "of the day, in UTC"),
        Column("share", "bigint", "percentage of the time in use that is covered: 50, 75, 90, 95 or 99"),
        Column("machines", "bigint", "the smallest amount that covers it: thousandths of a machine"),
        Column("cpu", "bigint", "the most in use in the units that are covered: thousandths of a core"),
        Column("memory", "bigint", "the same: MiB"),
        Column("gpu", "bigint", "the same: GPUs"),
        Column("applications", "bigint", "the most that ran at a time"),
    ),
    keys=("cluster", "queue", "workflow", "hour"),
)

QUESTIONS = {question.name: question for question in (AMOUNTS, DEMANDS, NEEDS, DAYS)}


def duckdb_views(tables: Mapping[Table, Sequence[str]]) -> list[str]:
    """Statements that let DuckDB read tables. tables: with the files of each, or patterns of them."""
    views = [UNNEST]
    for table, paths in tables.items():
        columns = ", ".join(
            f"CAST({name} AS {kind}) AS {name}" for name, kind in table.duckdb_types().items()
        )
        names = ", ".join(map(_text, paths))
        # Without files there is nothing to read the columns of.
        source = f"FROM read_parquet([{names}], hive_partitioning = false)" if paths else "WHERE false"
        if not paths:
            columns = ", ".join(
                f"CAST(NULL AS {kind}) AS {name}" for name, kind in table.duckdb_types().items()
            )
        views.append(_view(table.name, f"SELECT {columns} {source}"))
    return views


def spark_views(tables: Mapping[Table, str]) -> list[str]:
    """Statements that let Spark read tables. tables: with the folder of each, which need not have
    anything."""
    return [
        f"CREATE OR REPLACE TEMPORARY VIEW {table.name} ({table.spark_schema()}) USING parquet "
        f"OPTIONS (path {_text(path)}, recursiveFileLookup 'true')"
        for table, path in tables.items()
    ]


def _text_of(name: str) -> str:
    return files(__name__).joinpath(f"{name}.sql").read_text()


def _view(name: str, query: str) -> str:
    return f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {query}"


def _numbers(*names: str) -> str:
    return ", ".join(f"CAST({name} AS BIGINT) AS {name}" for name in names)


def _text(text: str) -> str:
    if set(text) & set("'\\"):
        raise ValueError(f"{text!r} has a quote or a backslash, of which engines make different things.")
    return f"'{text}'"
