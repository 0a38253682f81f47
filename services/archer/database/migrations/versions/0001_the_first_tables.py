"""The first tables."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Expand the schema, so that the version before goes on with it."""
    op.create_table(
        "active",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("wanted", sa.String(length=16), server_default="run", nullable=False),
        sa.Column("stop_reason", sa.String(length=32), nullable=True, comment="why it is wanted no more"),
        sa.Column("stop_message", sa.Text(), nullable=True),
        sa.Column(
            "event", sa.Integer(), server_default="1", nullable=False, comment="number of its last event"
        ),
        sa.Column(
            "since", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column(
            "ready",
            postgresql.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="from when on its attempt may begin",
        ),
        sa.Column("queue", sa.String(length=127), nullable=False),
        sa.Column("tier", sa.SmallInteger(), nullable=False),
        sa.Column("cluster", sa.String(length=63), nullable=True),
        sa.Column("namespace", sa.String(length=63), nullable=True),
        sa.Column("movable", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column(
            "due",
            postgresql.TIMESTAMP(timezone=True),
            nullable=True,
            comment="of a job that is accepted: not before",
        ),
        sa.Column(
            "claim",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="fences a worker that comes late",
        ),
        sa.Column("claimed_until", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column(
            "tried",
            sa.Boolean(),
            server_default="false",
            nullable=False,
            comment="this attempt may have an application on its cluster",
        ),
        sa.Column(
            "acknowledged",
            sa.Boolean(),
            server_default="false",
            nullable=False,
            comment="the operator has looked at its application",
        ),
        sa.Column("unique_key", sa.String(length=330), nullable=True, comment="queue and key"),
        sa.Column("after", sa.UUID(), nullable=True, comment="the job that it replaces"),
        sa.Column("infrastructure_failures", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("user_code_failures", sa.SmallInteger(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "state IN ('accepted', 'queued', 'submitting', 'submitted', 'running', 'succeeded', 'failed', 'cancelled', 'lost')",
            name="state_known",
        ),
        sa.CheckConstraint("wanted IN ('run', 'stop', 'delete')", name="wanted_known"),
        sa.PrimaryKeyConstraint("id"),
        postgresql_with={
            "fillfactor": "70",
            "autovacuum_vacuum_scale_factor": "0.01",
            "autovacuum_vacuum_cost_delay": "0",
        },
    )
    op.create_index(
        "active_accepted",
        "active",
        ["due", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'accepted'"),
    )
    op.create_index(
        "active_after", "active", ["after"], unique=False, postgresql_where=sa.text("after IS NOT NULL")
    )
    op.create_index(
        "active_on_cluster",
        "active",
        ["cluster", "namespace", "state"],
        unique=False,
        postgresql_where=sa.text("state IN ('submitting', 'submitted', 'running')"),
    )
    op.create_index(
        "active_queued",
        "active",
        ["cluster", "namespace", "queue", "tier", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'queued' AND wanted = 'run'"),
    )
    op.create_index(
        "active_submitting",
        "active",
        ["claimed_until"],
        unique=False,
        postgresql_where=sa.text("state = 'submitting'"),
    )
    op.create_index(
        "active_unacknowledged",
        "active",
        ["cluster", "namespace"],
        unique=False,
        postgresql_where=sa.text("state IN ('submitting', 'submitted') AND NOT acknowledged"),
    )
    op.create_index(
        "active_unique", "active", ["unique_key"], unique=True, postgresql_where=sa.text("after IS NULL")
    )
    op.create_index(
        "active_unwanted",
        "active",
        ["cluster", "id"],
        unique=False,
        postgresql_where=sa.text("wanted <> 'run' AND tried"),
    )
    op.create_table(
        "attempts",
        sa.Column("job", sa.UUID(), nullable=False),
        sa.Column("number", sa.SmallInteger(), nullable=False),
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column("namespace", sa.String(length=63), nullable=False),
        sa.Column("application", sa.String(length=63), nullable=False),
        sa.Column(
            "submitted", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("started", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("ended", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.String(length=32), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("spark_id", sa.String(length=128), nullable=True),
        sa.PrimaryKeyConstraint("job", "number"),
        postgresql_partition_by="RANGE (job)",
    )
    op.create_table(
        "clusters",
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column(
            "target",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="its job target, as it published it",
        ),
        sa.Column("told", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("cordoned", sa.Text(), nullable=True, comment="why; empty where it takes jobs"),
        sa.Column("cordoned_by", sa.String(length=256), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "open_until", sa.Double(), server_default="0", nullable=False, comment="seconds since 1970"
        ),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "events",
        sa.Column("job", sa.UUID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("job", "number"),
        postgresql_partition_by="RANGE (job)",
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("principal", sa.String(length=256), nullable=False),
        sa.Column(
            "groups",
            postgresql.ARRAY(sa.Text()),
            server_default="{}",
            nullable=False,
            comment="of the principal",
        ),
        sa.Column("name", sa.String(length=56), nullable=False),
        sa.Column("queue", sa.String(length=127), nullable=False, comment="organization.project"),
        sa.Column("tier", sa.SmallInteger(), nullable=False),
        sa.Column("workflow", sa.String(length=200), nullable=True),
        sa.Column("architecture", sa.String(length=8), nullable=False),
        sa.Column(
            "document",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="the job as it was sent, whole",
        ),
        sa.Column("state", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.String(length=32), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("cluster", sa.String(length=63), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), nullable=True),
        sa.Column("started", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("ended", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("deleted", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        postgresql_partition_by="RANGE (id)",
    )
    op.create_index("jobs_of_name", "jobs", ["name", "id"], unique=False)
    op.create_index("jobs_of_principal", "jobs", ["principal", "id"], unique=False)
    op.create_index("jobs_of_queue", "jobs", ["queue", "id"], unique=False)
    op.create_index(
        "jobs_of_workflow",
        "jobs",
        ["workflow", "id"],
        unique=False,
        postgresql_where=sa.text("workflow IS NOT NULL"),
    )
    op.create_table(
        "paces",
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column(
            "name", sa.String(length=127), nullable=False, comment="an operator, or one of its namespaces"
        ),
        sa.Column("tokens", sa.Double(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False, comment="seconds since 1970"),
        sa.Column(
            "clocks",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default="{}",
            nullable=False,
            comment="of an operator's queues",
        ),
        sa.Column("namespaces", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("rate", sa.Double(), nullable=True, comment="applications a second"),
        sa.Column("size", sa.Double(), nullable=True, comment="applications at once"),
        sa.Column("unacknowledged", sa.Integer(), nullable=True, comment="that it may have before it"),
        sa.PrimaryKeyConstraint("cluster", "name"),
        postgresql_with={
            "fillfactor": "70",
            "autovacuum_vacuum_scale_factor": "0.01",
            "autovacuum_vacuum_cost_delay": "0",
        },
    )
    op.create_table(
        "requests",
        sa.Column("principal", sa.String(length=256), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False, comment="SHA-256 of what was asked"),
        sa.Column("job", sa.UUID(), nullable=False),
        sa.Column("at", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("principal", "key"),
    )
    op.create_index("requests_by_time", "requests", ["at"], unique=False)
    op.create_table(
        "routes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("workflow", sa.String(length=200), nullable=False),
        sa.Column("cluster", sa.String(length=63), nullable=True),
        sa.Column("namespace", sa.String(length=63), nullable=True),
        sa.Column("queue", sa.String(length=127), nullable=True),
        sa.Column("architecture", sa.String(length=8), nullable=True),
        sa.Column("since", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=256), nullable=False),
        sa.Column(
            "written", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("ended", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("ended_by", sa.String(length=256), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "routes_in_force", "routes", ["workflow"], unique=True, postgresql_where=sa.text("ended IS NULL")
    )
    op.create_table(
        "watches",
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column("namespace", sa.String(length=63), nullable=False),
        sa.Column("worker", sa.String(length=128), nullable=True),
        sa.Column("until", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("claim", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "looked",
            postgresql.TIMESTAMP(timezone=True),
            nullable=True,
            comment="when it was last looked why its jobs wait",
        ),
        sa.PrimaryKeyConstraint("cluster", "namespace"),
    )
    op.create_table(
        "waits",
        sa.Column("job", sa.UUID(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column("namespace", sa.String(length=63), nullable=False),
        sa.Column("word", sa.String(length=32), nullable=False, comment="for programs"),
        sa.Column("message", sa.Text(), nullable=False, comment="for people"),
        sa.Column(
            "since", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("job"),
    )
    op.create_index("waits_of_namespace", "waits", ["cluster", "namespace"], unique=False)
