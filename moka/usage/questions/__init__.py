"""Questions to the records of what was used: each is one text of SQL, which DuckDB and Spark both take, and
to which both give the same rows.

What a question reads are views by the names of tables (moka/usage/records.py), and three more: `asked`, with
the window of time, `clusters`, with what a machine of each has, and `slos`, with that of each workflow. What
several questions begin with is a view as well (`View`). A session is told of them by statements:
`duckdb_views` or `spark_views`, then `QueryScope.views` and `shared_views`, which both take.
What the two take to mean different things is not used: they divide whole numbers, add them up, name days and
compare times differently.

Nothing here imports an engine.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files

from moka.usage.columns import Column, Table
from moka.usage.records import APPLICATIONS, GAPS, JOBS, PROFILES

NAME = re.compile(r"[a-z][a-z0-9-]*")
WORKFLOW = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")

UNNEST = "CREATE OR REPLACE TEMP MACRO explode(parts) AS unnest(parts)"
"""Gives DuckDB Spark's name of what makes a row of each part of a list."""


@dataclass(frozen=True)
class View:
    """What several questions begin with. name: of the file with its text. views: that it reads."""

    name: str
    views: "tuple[View, ...]" = ()

    @cached_property
    def sql(self) -> str:
        """Its text."""
        return _text_of(self.name)


INTERVALS = View("intervals")
IN_USE = View("in_use", (INTERVALS,))
ENDED_JOBS = View("ended_jobs")
ATTEMPTS = View("attempts")
SUBMITTED_RUNS = View("submitted_runs")
SUBMITTED_USAGE = View("submitted_usage")


@dataclass(frozen=True)
class Question:
    """A question.

    name: of the file with its text.
    reads: tables that it reads, its views' among them.
    columns: of its answer.
    views: that it reads.
    """

    name: str
    reads: tuple[Table, ...]
    columns: tuple[Column, ...]
    views: tuple[View, ...] = ()

    @cached_property
    def sql(self) -> str:
        """Its text."""
        return _text_of(self.name)


@dataclass(frozen=True, kw_only=True)
class QueryScope:
    """What is asked about.

    began, ended: of the window, milliseconds since 1970.
    machines: by cluster, what jobs can have of one: thousandths of a core, MiB, GPUs (0: they do not count).
    slos: by workflow, milliseconds from submission in which a run has to be done.
    at: when it is asked, by which a run without an end can be late; by default the window's end.
    """

    began: int
    ended: int
    machines: Mapping[str, tuple[int, int, int]]
    slos: Mapping[str, int] = field(default_factory=dict)
    at: int | None = None

    def views(self) -> list[str]:
        """Statements for either engine. Raises ValueError for a cluster, or a workflow, of another name than
        settings and documents have."""
        if wrong := [name for name in self.machines if not NAME.fullmatch(name)]:
            raise ValueError(f"{wrong[0]!r} is no name of a cluster.")
        if wrong := [name for name in self.slos if not WORKFLOW.fullmatch(name)]:
            raise ValueError(f"{wrong[0]!r} is no name of a workflow.")
        if not self.machines:
            raise ValueError("There is no cluster to ask about.")
        clusters = ", ".join(
            f"('{name}', {cpu}, {memory}, {gpu})" for name, (cpu, memory, gpu) in self._sorted()
        )
        # No engine takes VALUES without a row.
        slos = ", ".join(f"('{name}', {millis})" for name, millis in [("", 0), *sorted(self.slos.items())])
        return [
            _view(
                "asked",
                f"SELECT {_numbers('began', 'ended', 'moment')} FROM (VALUES ({self.began}, {self.ended}, "
                f"{self.ended if self.at is None else self.at})) AS given (began, ended, moment)",
            ),
            _view(
                "clusters",
                f"SELECT cluster, {_numbers('cpu', 'memory', 'gpu')} FROM (VALUES {clusters})"
                " AS given (cluster, cpu, memory, gpu)",
            ),
            _view(
                "slos",
                f"SELECT workflow, {_numbers('millis')} FROM (VALUES {slos}) AS given (workflow, millis) "
                "WHERE workflow <> ''",
            ),
        ]

    def as_json(self) -> str:
        """As a file, from which another program asks the same."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "QueryScope":
        """What a file says. Raises ValueError where it says something else."""
        try:
            values = json.loads(text)
            return cls(
                began=int(values["began"]),
                ended=int(values["ended"]),
                machines={
                    str(name): (int(cpu), int(memory), int(gpu))
                    for name, (cpu, memory, gpu) in values["machines"].items()
                },
                slos={str(name): int(millis) for name, millis in values["slos"].items()},
                at=None if values["at"] is None else int(values["at"]),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"This is not what to ask about: {type(error).__name__} at {error}.") from None

    def _sorted(self) -> list[tuple[str, tuple[int, int, int]]]:
        return sorted(self.machines.items())


_CLUSTER = Column("cluster", "string", "its name in the settings")
_QUEUE = Column("queue", "string", "path of the queue")

AMOUNTS = Question(
    "amounts",
    (PROFILES,),
    (
        _CLUSTER,
        _QUEUE,
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
    (INTERVALS,),
)

NEEDS = Question(
    "needs",
    (APPLICATIONS, JOBS),
    (
        _CLUSTER,
        _QUEUE,
        Column("workflow", "string", "its name"),
        Column("runs", "bigint", "of it that are counted"),
        Column(
            "machine_millis", "bigint", "thousandths of a machine times milliseconds that 90% of runs keep to"
        ),
    ),
    (SUBMITTED_RUNS, SUBMITTED_USAGE, ENDED_JOBS, ATTEMPTS),
)

DAYS = Question(
    "days",
    (PROFILES, GAPS),
    (
        _CLUSTER,
        Column("days", "bigint", "of the window of which there are records"),
        Column("gap_millis", "bigint", "milliseconds of the window of which it is known that nothing is"),
    ),
)

DEMANDS = Question(
    "demands",
    (PROFILES,),
    (
        _CLUSTER,
        _QUEUE,
        Column(
            "workflow",
            "string",
            "its name; empty for runs of none; NULL for all runs of a queue of several",
            required=False,
        ),
        Column("hour", "bigint", "of the day, in UTC"),
        Column("share", "bigint", "percentage of the hours' time that is covered: 50, 75, 90, 95, 99 or 100"),
        Column("cpu", "bigint", "the smallest amount that covers it: thousandths of a core"),
        Column("memory", "bigint", "the same: MiB"),
        Column("applications", "bigint", "the most that ran at a time"),
    ),
    (INTERVALS,),
)

_HAD = (
    Column("cpu_millis", "bigint", "thousandths of a core times milliseconds that it had"),
    Column("memory_millis", "bigint", "MiB times milliseconds that it had"),
    Column("gpu_millis", "bigint", "GPUs times milliseconds that it had"),
)

HOURS = Question(
    "hours",
    (PROFILES,),
    (_CLUSTER, _QUEUE, Column("hour", "bigint", "when it began: milliseconds since 1970, in UTC"), *_HAD),
    (IN_USE,),
)

MACHINES = Question(
    "machines",
    (PROFILES,),
    (
        _CLUSTER,
        _QUEUE,
        Column("workflow", "string", "its name; empty for runs of none"),
        Column("instance_type", "string", "of EC2; empty where nobody said"),
        *_HAD,
    ),
    (IN_USE,),
)

RUNS = Question(
    "runs",
    (APPLICATIONS, JOBS),
    (
        _CLUSTER,
        _QUEUE,
        Column("workflow", "string", "its name; empty for runs of none"),
        Column("runs", "bigint", "that were submitted"),
        Column("completed", "bigint", "of them that ended and did not fail"),
        Column("failed", "bigint", "that failed"),
        Column("stopped", "bigint", "that somebody stopped"),
        Column("unfinished", "bigint", "that have no end"),
        Column("untimed", "bigint", "that completed at no time that is known"),
        Column("in_time", "bigint", "that completed within the hours of their SLO"),
        Column("late", "bigint", "that completed after them, or have no end and no time left"),
        Column(
            "held",
            "bigint",
            "milliseconds that 90% of jobs waited in Archer at the most, for their first application",
            required=False,
        ),
        Column(
            "waiting",
            "bigint",
            "milliseconds that 90% of them waited in their queue at the most",
            required=False,
        ),
        Column("running", "bigint", "milliseconds that 90% of them ran at the most", required=False),
        Column("took", "bigint", "milliseconds from submission to end of 90% of them", required=False),
    ),
    (SUBMITTED_RUNS, ENDED_JOBS, ATTEMPTS),
)

SUBMISSIONS = Question(
    "submissions",
    (APPLICATIONS, PROFILES),
    (
        _CLUSTER,
        _QUEUE,
        Column("workflow", "string", "its name; empty for runs of none"),
        Column("submitted", "bigint", "when it was submitted: milliseconds since 1970, in UTC"),
        Column("outcome", "string", "completed, failed or stopped; empty where it has no end"),
        Column("pods", "bigint", "that it had on average while it ran", required=False),
        Column("cpu", "bigint", "of a pod: thousandths of a core", required=False),
        Column("memory", "bigint", "of a pod: MiB", required=False),
        Column("lasted", "bigint", "milliseconds from its start to its end", required=False),
    ),
    (SUBMITTED_RUNS, SUBMITTED_USAGE, IN_USE),
)

KINDS = Question(
    "kinds",
    (APPLICATIONS,),
    (
        _CLUSTER,
        _QUEUE,
        Column("kind", "string", "used, preempted or placeholder"),
        Column("cpu_seconds", "bigint", "thousandths of a core times seconds"),
        Column("memory_seconds", "bigint", "MiB times seconds"),
        Column("gpu_seconds", "bigint", "GPUs times seconds"),
    ),
    (SUBMITTED_USAGE,),
)

UNKNOWN = Question(
    "unknown",
    (GAPS,),
    (
        _CLUSTER,
        Column("began", "bigint", "when it began, within the window: milliseconds since 1970, in UTC"),
        Column("ended", "bigint", "when it ended, within the window"),
        Column("says", "string", "why nothing is known of the time"),
    ),
)

QUESTIONS = {
    question.name: question
    for question in (AMOUNTS, DEMANDS, NEEDS, DAYS, HOURS, MACHINES, RUNS, SUBMISSIONS, KINDS, UNKNOWN)
}


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


def shared_views(questions: Iterable[Question]) -> list[str]:
    """Statements that give either engine the views of questions, each once, after those that they read."""
    views = dict.fromkeys(
        view for question in questions for read in question.views for view in _in_order(read)
    )
    return [_view(view.name, view.sql) for view in views]


def _in_order(view: View) -> Iterator[View]:
    """A view, after those that it reads."""
    for read in view.views:
        yield from _in_order(read)
    yield view


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
