"""The records of what was used: applications, amounts in use over time (profiles), gaps in the record, and
jobs that had the applications.

A column that is added, removed or read otherwise is another version, which is a part of each file's key
(moka/usage/places.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from moka.usage.columns import Column, Table

VERSION = 1
"""Of the columns."""

HOUR = 3_600_000
"""In the milliseconds of records."""

DAY = 24 * HOUR

Kind = Literal["used", "preempted", "placeholder"]
"""What an allocation was when it ended: used by the application, taken from it, or held for a gang."""

OUTCOMES = ("", "completed", "succeeded", "stopped", "failed")
"""How applications end, each said by somebody who knows more than those that say the ones before it: YuniKorn
says `completed` of each whose pods are gone. Whether a job did its work, Archer says (`Job`)."""

JOB_STATES = ("lost", "cancelled", "failed", "succeeded")
"""How jobs end, as Archer has it; of two that are said of one, the later one here counts."""


@dataclass(frozen=True, kw_only=True, order=True)
class Usage:
    """What an application had on machines of one type, over time.

    kind: what became of it. instance_type: of EC2, empty where the recorder did not know; YuniKorn's UNKNOWN
    in its summary, of the same pods once more.
    cpu: thousandths of a core times seconds. memory: bytes times seconds. gpu: GPUs times seconds.
    """

    kind: Kind
    instance_type: str
    cpu: int = 0
    memory: int = 0
    gpu: int = 0


@dataclass(frozen=True, kw_only=True)
class Application:
    """An application that ran.

    cluster: name in the settings. application: YuniKorn's id. submitted: by which an id that comes back is
    another application. All times are milliseconds since 1970, in UTC.
    user_name, workflow, queue, namespace: empty where nobody said.
    tier: 0 where the queue has none.
    waiting, running: milliseconds; None where clocks contradict each other or nobody knows.
    sources: who said something of it: `active`, `completed`, `events`, `summary`.
    """

    cluster: str
    application: str
    submitted: int
    started: int | None = None
    finished: int | None = None
    user_name: str = ""
    workflow: str = ""
    queue: str = ""
    organization: str = ""
    project: str = ""
    tier: int = 0
    namespace: str = ""
    usage: tuple[Usage, ...] = ()
    outcome: str = ""
    sources: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from all others."""
        return self.cluster, self.application, self.submitted

    @property
    def waiting(self) -> int | None:
        """Milliseconds from submission to start."""
        return _between(self.submitted, self.started)

    @property
    def running(self) -> int | None:
        """Milliseconds from start to end."""
        return _between(self.started, self.finished)

    def row(self) -> dict[str, Any]:
        """As a row of its table."""
        values = {**vars(self), "waiting": self.waiting, "running": self.running}
        values["usage"] = [dict(vars(usage)) for usage in self.usage]
        values["sources"] = ",".join(self.sources)
        return {column.name: values[column.name] for column in APPLICATIONS.columns}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """That of a row of its table."""
        values = {column.name: row[column.name] for column in APPLICATIONS.columns}
        # They follow from others.
        del values["waiting"], values["running"]
        values["usage"] = tuple(Usage(**usage) for usage in row["usage"])
        values["sources"] = tuple(row["sources"].split(",")) if row["sources"] else ()
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A time with one amount in use by a workflow in a queue on machines of one type, within a full hour.

    instance_type: of EC2; empty where nobody said.
    began, ended: milliseconds since 1970, in UTC.
    cpu: thousandths of a core. memory: MiB. gpu: GPUs.
    applications: each counts on one type of machine, that of its first pod. allocations: that there were.
    """

    cluster: str
    queue: str
    workflow: str
    instance_type: str = ""
    began: int
    ended: int
    cpu: int
    memory: int
    gpu: int
    applications: int
    allocations: int

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What tells it from all others."""
        return self.cluster, self.queue, self.workflow, self.instance_type, self.began

    def row(self) -> dict[str, Any]:
        """As a row of its table."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A time of which nothing is known of a cluster.

    began, ended: milliseconds since 1970, in UTC.
    says: why, as a sentence.
    """

    cluster: str
    began: int
    ended: int
    says: str

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from all others."""
        return self.cluster, self.began

    def row(self) -> dict[str, Any]:
        """As a row of its table."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """An attempt of a job, which had an application.

    number: from 1. application: YuniKorn's id.
    submitted: when its application was made. started, ended: None where nobody saw it. Milliseconds since
    1970.
    state, reason: as of a job.
    """

    number: int
    cluster: str
    application: str
    submitted: int
    started: int | None = None
    ended: int | None = None
    state: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job that has ended, as Archer knows it: one run of its workflow, however many attempts it had.

    cluster: of its last attempt, or to which it was to go. job: Archer's id. All times are milliseconds since
    1970, in UTC. user_name: who submitted it. state: one of JOB_STATES. reason: why, in Archer's word.
    """

    cluster: str
    job: str
    accepted: int
    ended: int
    name: str = ""
    user_name: str = ""
    workflow: str = ""
    queue: str = ""
    organization: str = ""
    project: str = ""
    tier: int = 0
    state: str
    reason: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def key(self) -> tuple[str]:
        """What tells it from all others."""
        return (self.job,)

    @property
    def submitted(self) -> int | None:
        """When its first application was made; None where it had none."""
        return min((attempt.submitted for attempt in self.attempts), default=None)

    def row(self) -> dict[str, Any]:
        """As a row of its table."""
        values = {**vars(self), "submitted": self.submitted}
        values["attempts"] = [dict(vars(attempt)) for attempt in self.attempts]
        return {column.name: values[column.name] for column in JOBS.columns}


_TIME = "milliseconds since 1970, in UTC"
_CLUSTER = Column("cluster", "string", "its name in the settings")
_BEGAN = Column("began", "bigint", f"when it began: {_TIME}")
_ENDED = Column("ended", "bigint", f"when it ended: {_TIME}")

APPLICATIONS = Table(
    "applications",
    (
        _CLUSTER,
        Column("application", "string", "YuniKorn's id of it"),
        Column("submitted", "bigint", f"when it was submitted: {_TIME}"),
        Column("started", "bigint", f"when it began to run: {_TIME}", required=False),
        Column("finished", "bigint", f"when its last pod was gone: {_TIME}", required=False),
        Column("user_name", "string", "in whose name it ran; empty where nobody said"),
        Column("workflow", "string", "of which it is a part; empty where it is of none"),
        Column("queue", "string", "path of its queue"),
        Column("organization", "string", "of its queue; empty where the queue is none of ours"),
        Column("project", "string", "of its queue"),
        Column("tier", "bigint", "of its queue; 0 where it has none"),
        Column("namespace", "string", "in which it ran; empty where nobody said"),
        Column("waiting", "bigint", "milliseconds from submission to start", required=False),
        Column("running", "bigint", "milliseconds from start to end", required=False),
        Column(
            "usage",
            (
                Column("kind", "string", "used, preempted or placeholder"),
                Column(
                    "instance_type",
                    "string",
                    "of EC2, or empty; UNKNOWN in YuniKorn's summary, of the same pods once more",
                ),
                Column("cpu", "bigint", "thousandths of a core times seconds"),
                Column("memory", "bigint", "bytes times seconds"),
                Column("gpu", "bigint", "GPUs times seconds"),
            ),
            "what it had, by what became of it and by type of machine",
        ),
        Column("outcome", "string", "how it ended; empty where it has not"),
        Column("sources", "string", "who said so, with commas between"),
    ),
    key=("cluster", "application", "submitted"),
)

PROFILES = Table(
    "profiles",
    (
        _CLUSTER,
        Column("queue", "string", "path of the queue; empty where nobody said"),
        Column("workflow", "string", "empty for applications of none"),
        Column("instance_type", "string", "of EC2; empty where nobody said"),
        _BEGAN,
        _ENDED,
        Column("cpu", "bigint", "in use: thousandths of a core"),
        Column("memory", "bigint", "in use: MiB"),
        Column("gpu", "bigint", "in use: GPUs"),
        Column(
            "applications", "bigint", "that had pods, each counted on the type of machine of its first one"
        ),
        Column("allocations", "bigint", "pods that had a machine, placeholders included"),
    ),
    key=("cluster", "queue", "workflow", "instance_type", "began"),
)

GAPS = Table(
    "gaps",
    (_CLUSTER, _BEGAN, _ENDED, Column("says", "string", "why nothing is known of the time")),
    key=("cluster", "began"),
)

JOBS = Table(
    "jobs",
    (
        Column(
            "cluster", "string", "of its last attempt, or to which it was to go: its name in the settings"
        ),
        Column("job", "string", "Archer's id of it"),
        Column("accepted", "bigint", f"when Archer took it: {_TIME}"),
        Column("submitted", "bigint", f"when its first application was made: {_TIME}", required=False),
        Column("ended", "bigint", f"when it ended, with its last attempt: {_TIME}"),
        Column("name", "string", "that its owner gave it"),
        Column("user_name", "string", "who submitted it"),
        Column("workflow", "string", "of which it is a part; empty where it is of none"),
        Column("queue", "string", "path of its queue"),
        Column("organization", "string", "of its queue"),
        Column("project", "string", "of its queue"),
        Column("tier", "bigint", "of its queue"),
        Column("state", "string", f"how it ended: {', '.join(JOB_STATES)}"),
        Column("reason", "string", "why, in Archer's word"),
        Column(
            "attempts",
            (
                Column("number", "bigint", "from 1"),
                Column("cluster", "string", "its name in the settings"),
                Column("application", "string", "YuniKorn's id of it"),
                Column("submitted", "bigint", f"when its application was made: {_TIME}"),
                Column("started", "bigint", f"when its driver ran: {_TIME}", required=False),
                Column("ended", "bigint", f"when it ended: {_TIME}", required=False),
                Column("state", "string", "how it ended, as a job does"),
                Column("reason", "string", "why"),
            ),
            "those that had an application",
        ),
    ),
    key=("job",),
)

TABLES = {table.name: table for table in (APPLICATIONS, PROFILES, GAPS, JOBS)}

RECORDED = (APPLICATIONS, PROFILES, GAPS)
"""Tables that the recorder of each cluster writes; jobs are Archer's."""


def _between(earlier: int | None, later: int | None) -> int | None:
    if earlier is None or later is None or later < earlier:
        return None
    return later - earlier
