"""Tables of Archer's database.

Those of jobs are partitioned by id, so by the month of their submission (moka/submission/job_id.py); what is
active is apart from them, in a narrow table whose rows come and go.
"""

from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP, UUID
from sqlalchemy.sql.schema import SchemaItem

from moka.submission.states import DesiredState, State

METADATA = MetaData()

TIME = TIMESTAMP(timezone=True)
NOW = text("now()")

ALLOCATION = "allocation"
"""Schema of what decides which queue gets how much, and which workflow runs where."""

PARTITIONED = ("jobs", "attempts", "events")
"""Tables with a partition for each month."""

BUSY_ROWS = {
    "fillfactor": "70",
    "autovacuum_vacuum_scale_factor": "0.01",
    "autovacuum_vacuum_cost_delay": "0",
}
"""Of a table whose rows change all the time: room for new versions beside the old, which are soon removed."""


def _one_of(column: str, values: Sequence[str]) -> CheckConstraint:
    literals = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({literals})", name=f"{column}_known")


def _by_month(name: str, column: str, *items: SchemaItem) -> Table:
    return Table(name, METADATA, *items, postgresql_partition_by=f"RANGE ({column})")


JOBS = _by_month(
    "jobs",
    "id",
    Column("id", UUID, primary_key=True),
    Column("principal", String(256), nullable=False),
    Column("groups", ARRAY(Text), nullable=False, server_default="{}", comment="of the principal"),
    Column("name", String(56), nullable=False),
    Column("queue", String(127), nullable=False, comment="organization.project"),
    Column("tier", SmallInteger, nullable=False),
    Column("workflow", String(200)),
    Column("architecture", String(8), nullable=False),
    Column("document", JSONB, nullable=False, comment="the job as it was sent, whole"),
    # How it ended: empty while it is active.
    Column("state", String(16)),
    Column("reason", String(32)),
    Column("message", Text),
    Column("cluster", String(63)),
    Column("attempts", SmallInteger),
    Column("started", TIME),
    Column("ended", TIME),
    Column("deleted", TIME),
    Index("jobs_of_principal", "principal", "id"),
    Index("jobs_of_queue", "queue", "id"),
    Index("jobs_of_name", "name", "id"),
    Index("jobs_of_workflow", "workflow", "id", postgresql_where=text("workflow IS NOT NULL")),
)

ATTEMPTS = _by_month(
    "attempts",
    "job",
    Column("job", UUID, nullable=False),
    Column("number", SmallInteger, nullable=False),
    Column("cluster", String(63), nullable=False),
    Column("namespace", String(63), nullable=False),
    Column("application", String(63), nullable=False),
    Column("submitted", TIME, nullable=False, server_default=NOW),
    Column("started", TIME),
    Column("ended", TIME),
    Column("state", String(16)),
    Column("reason", String(32)),
    Column("message", Text),
    Column("spark_id", String(128)),
    PrimaryKeyConstraint("job", "number"),
)

EVENTS = _by_month(
    "events",
    "job",
    Column("job", UUID, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", TIME, nullable=False, server_default=NOW),
    Column("state", String(16), nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("reason", String(32), nullable=False),
    Column("message", Text, nullable=False, server_default=""),
    PrimaryKeyConstraint("job", "number"),
)

ACTIVE = Table(
    "active",
    METADATA,
    Column("id", UUID, primary_key=True),
    Column("state", String(16), nullable=False),
    Column("wanted", String(16), nullable=False, server_default=DesiredState.RUN),
    Column("stop_reason", String(32), comment="why it is wanted no more"),
    Column("stop_message", Text),
    Column("event", Integer, nullable=False, server_default="1", comment="number of its last event"),
    Column("since", TIME, nullable=False, server_default=NOW),
    Column("ready", TIME, nullable=False, server_default=NOW, comment="from when on its attempt may begin"),
    Column("queue", String(127), nullable=False),
    Column("tier", SmallInteger, nullable=False),
    Column("cluster", String(63)),
    Column("namespace", String(63)),
    Column("movable", Boolean, nullable=False, server_default="false"),
    Column("attempt", SmallInteger, nullable=False, server_default="0"),
    Column("due", TIME, comment="of a job that is accepted: not before"),
    Column("claim", Integer, nullable=False, server_default="0", comment="fences a worker that comes late"),
    Column("claimed_until", TIME),
    Column(
        "tried",
        Boolean,
        nullable=False,
        server_default="false",
        comment="this attempt may have an application on its cluster",
    ),
    Column(
        "acknowledged",
        Boolean,
        nullable=False,
        server_default="false",
        comment="the operator has looked at its application",
    ),
    Column("unique_key", String(330), comment="queue and key"),
    Column("after", UUID, comment="the job that it replaces"),
    Column("infrastructure_failures", SmallInteger, nullable=False, server_default="0"),
    Column("user_code_failures", SmallInteger, nullable=False, server_default="0"),
    _one_of("state", [str(state) for state in State]),
    _one_of("wanted", [str(desired_state) for desired_state in DesiredState]),
    Index("active_accepted", "due", "id", postgresql_where=text("state = 'accepted'")),
    Index(
        "active_queued",
        "cluster",
        "namespace",
        "queue",
        "tier",
        "id",
        postgresql_where=text("state = 'queued' AND wanted = 'run'"),
    ),
    Index("active_submitting", "claimed_until", postgresql_where=text("state = 'submitting'")),
    Index(
        "active_on_cluster",
        "cluster",
        "namespace",
        "state",
        postgresql_where=text("state IN ('submitting', 'submitted', 'running')"),
    ),
    Index(
        "active_unacknowledged",
        "cluster",
        "namespace",
        postgresql_where=text("state IN ('submitting', 'submitted') AND NOT acknowledged"),
    ),
    Index("active_unwanted", "cluster", "id", postgresql_where=text("wanted <> 'run' AND tried")),
    # Of two, the second waits for the first without the key.
    Index("active_unique", "unique_key", unique=True, postgresql_where=text("after IS NULL")),
    Index("active_after", "after", postgresql_where=text("after IS NOT NULL")),
    postgresql_with=BUSY_ROWS,
)

UNRECORDED = Table(
    "unrecorded",
    METADATA,
    Column("job", UUID, primary_key=True),
    postgresql_with=BUSY_ROWS,
)
"""Jobs that have ended and are not in the history of what was used; a trigger of `jobs` puts them here
(migration 0003), the keeper takes them out."""

REQUESTS = Table(
    "requests",
    METADATA,
    Column("principal", String(256), nullable=False),
    Column("key", String(255), nullable=False),
    Column("hash", LargeBinary, nullable=False, comment="SHA-256 of what was asked"),
    Column("job", UUID, nullable=False),
    Column("at", TIME, nullable=False, server_default=NOW),
    PrimaryKeyConstraint("principal", "key"),
    Index("requests_by_time", "at"),
)

CLUSTERS = Table(
    "clusters",
    METADATA,
    Column("name", String(63), primary_key=True),
    Column("target", JSONB, comment="its job target, as it published it"),
    Column("told", TIME),
    Column("cordoned", Text, comment="why; empty where it takes jobs"),
    Column("cordoned_by", String(256)),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("open_until", Double, nullable=False, server_default="0", comment="seconds since 1970"),
    Column(
        "named",
        TIME,
        nullable=False,
        server_default=NOW,
        comment="when a worker last had it in its environment",
    ),
    Column("gone", TIME, comment="since when it has left; empty where it has not"),
)

PACES = Table(
    "paces",
    METADATA,
    Column("cluster", String(63), nullable=False),
    Column("name", String(127), nullable=False, comment="an operator, or one of its namespaces"),
    Column("tokens", Double, nullable=False),
    Column("at", Double, nullable=False, comment="seconds since 1970"),
    Column("clocks", JSONB, nullable=False, server_default="{}", comment="of an operator's queues"),
    # Of an operator, for those who ask why a job waits.
    Column("namespaces", ARRAY(Text), nullable=False, server_default="{}"),
    Column("rate", Double, comment="applications a second"),
    Column("size", Double, comment="applications at once"),
    Column("unacknowledged", Integer, comment="that it may have before it"),
    PrimaryKeyConstraint("cluster", "name"),
    postgresql_with=BUSY_ROWS,
)

WATCHES = Table(
    "watches",
    METADATA,
    Column("cluster", String(63), nullable=False),
    Column("namespace", String(63), nullable=False),
    Column("worker", String(128)),
    Column("until", TIME),
    Column("claim", Integer, nullable=False, server_default="0"),
    Column("looked", TIME, comment="when it was last looked why its jobs wait"),
    PrimaryKeyConstraint("cluster", "namespace"),
)

WAITS = Table(
    "waits",
    METADATA,
    Column("job", UUID, primary_key=True),
    Column("attempt", SmallInteger, nullable=False),
    Column("cluster", String(63), nullable=False),
    Column("namespace", String(63), nullable=False),
    Column("word", String(32), nullable=False, comment="for programs"),
    Column("message", Text, nullable=False, comment="for people"),
    Column("since", TIME, nullable=False, server_default=NOW),
    Index("waits_of_namespace", "cluster", "namespace"),
)

ROUTES = Table(
    "routes",
    METADATA,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("workflow", String(200), nullable=False),
    Column("cluster", String(63)),
    Column("namespace", String(63)),
    Column("queue", String(127)),
    Column("architecture", String(8)),
    Column("since", TIME, nullable=False),
    Column("why", Text, nullable=False),
    Column("by", String(256), nullable=False),
    Column("written", TIME, nullable=False, server_default=NOW),
    Column("ended", TIME),
    Column("ended_by", String(256)),
    Column("plan", String(63), comment="that set it; empty where somebody did"),
    Index("routes_in_force", "workflow", unique=True, postgresql_where=text("ended IS NULL")),
)

WORKFLOWS = Table(
    "workflows",
    METADATA,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("workflow", String(200), nullable=False),
    Column("tier", SmallInteger, nullable=False),
    Column("slo_hours", Double),
    Column("owner", String(256), nullable=False),
    Column("project", String(127), nullable=False, comment="organization.project"),
    Column("cluster", String(63), nullable=False, comment="its home"),
    Column("proposed", Boolean, nullable=False, server_default="false", comment="nobody has said so yet"),
    Column("measured", JSONB, comment="of one that is proposed"),
    Column("since", TIME, nullable=False, server_default=NOW),
    Column("why", Text, nullable=False),
    Column("by", String(256), nullable=False),
    Column("ended", TIME),
    Column("ended_by", String(256)),
    Index("workflows_in_force", "workflow", unique=True, postgresql_where=text("ended IS NULL")),
    schema=ALLOCATION,
)

PLANS = Table(
    "plans",
    METADATA,
    Column("id", String(63), primary_key=True),
    Column("document", JSONB, nullable=False, comment="the plan as it was sent, whole"),
    Column("made", TIME, nullable=False),
    Column("made_by", String(256), nullable=False),
    Column("state", String(16), nullable=False, server_default="proposed"),
    Column("proposed", TIME, nullable=False, server_default=NOW),
    Column("proposed_by", String(256), nullable=False),
    Column("refused_by", String(256)),
    Column("why", Text, comment="it was refused"),
    _one_of("state", ("proposed", "applied", "superseded", "refused")),
    Index("plans_by_time", "proposed"),
    schema=ALLOCATION,
)

REVISIONS = Table(
    "revisions",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # Each has one after it: of two that are made at once, the second finds that it is not the next.
    Column("after", BigInteger, ForeignKey(f"{ALLOCATION}.revisions.number"), unique=True),
    Column("plan", String(63), ForeignKey(f"{ALLOCATION}.plans.id"), comment="empty: the settings hold"),
    Column("kind", String(16), nullable=False),
    Column("request", UUID, comment="by which one knows its own again"),
    Column("at", TIME, nullable=False, server_default=NOW),
    Column("by", String(256), nullable=False),
    Column("why", Text, nullable=False),
    _one_of("kind", ("settings", "apply", "rollback", "withdrawal")),
    schema=ALLOCATION,
)
"""What was in force, one after the other; the last one is."""

AMOUNTS = Table(
    "amounts",
    METADATA,
    Column("cluster", String(63), nullable=False),
    Column("queue", String(127), nullable=False, comment="path"),
    Column("revision", BigInteger, ForeignKey(f"{ALLOCATION}.revisions.number"), nullable=False),
    Column("hours", JSONB, nullable=False, comment="of the day, in UTC: one for all, or 24"),
    Column("ended", BigInteger, ForeignKey(f"{ALLOCATION}.revisions.number")),
    PrimaryKeyConstraint("cluster", "queue", "revision"),
    Index("amounts_in_force", "cluster", "queue", unique=True, postgresql_where=text("ended IS NULL")),
    schema=ALLOCATION,
)

CLUSTER_QUEUES = Table(
    "cluster_queues",
    METADATA,
    Column("cluster", String(63), primary_key=True),
    Column("settings", JSONB, nullable=False, comment="files of ConfigMap queue-calendar"),
    Column("digest", String(80), nullable=False, comment="of its queues"),
    Column("told", TIME, nullable=False, server_default=NOW),
    Column("revision", BigInteger, nullable=False, server_default="0", comment="that it has"),
    Column("brought", TIME),
    schema=ALLOCATION,
)
