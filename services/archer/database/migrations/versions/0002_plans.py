"""Workflows, plans and what is in force of them, in a schema of their own."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

SCHEMA = "allocation"


def upgrade() -> None:
    """Expand the schema, so that the version before goes on with it."""
    op.execute(f"CREATE SCHEMA {SCHEMA}")
    op.create_table(
        "workflows",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("workflow", sa.String(length=200), nullable=False),
        sa.Column("tier", sa.SmallInteger(), nullable=False),
        sa.Column("slo_hours", sa.Double(), nullable=True),
        sa.Column("owner", sa.String(length=256), nullable=False),
        sa.Column("project", sa.String(length=127), nullable=False, comment="organization.project"),
        sa.Column("cluster", sa.String(length=63), nullable=False, comment="its home"),
        sa.Column(
            "proposed", sa.Boolean(), server_default="false", nullable=False, comment="nobody has said so yet"
        ),
        sa.Column(
            "measured",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="of one that is proposed",
        ),
        sa.Column(
            "since", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=256), nullable=False),
        sa.Column("ended", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.Column("ended_by", sa.String(length=256), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        schema=SCHEMA,
    )
    op.create_index(
        "workflows_in_force",
        "workflows",
        ["workflow"],
        unique=True,
        schema=SCHEMA,
        postgresql_where=sa.text("ended IS NULL"),
    )
    op.create_table(
        "plans",
        sa.Column("id", sa.String(length=63), nullable=False),
        sa.Column(
            "document",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="the plan as it was sent, whole",
        ),
        sa.Column("made", postgresql.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("made_by", sa.String(length=256), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="proposed", nullable=False),
        sa.Column(
            "proposed", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("proposed_by", sa.String(length=256), nullable=False),
        sa.Column("refused_by", sa.String(length=256), nullable=True),
        sa.Column("why", sa.Text(), nullable=True, comment="it was refused"),
        sa.CheckConstraint("state IN ('proposed', 'applied', 'superseded', 'refused')", name="state_known"),
        sa.PrimaryKeyConstraint("id"),
        schema=SCHEMA,
    )
    op.create_index("plans_by_time", "plans", ["proposed"], unique=False, schema=SCHEMA)
    op.create_table(
        "revisions",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("after", sa.BigInteger(), nullable=True),
        sa.Column("plan", sa.String(length=63), nullable=True, comment="empty: the settings hold"),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("request", sa.UUID(), nullable=True, comment="by which one knows its own again"),
        sa.Column("at", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("by", sa.String(length=256), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('settings', 'apply', 'rollback', 'withdrawal')", name="kind_known"),
        sa.ForeignKeyConstraint(["after"], [f"{SCHEMA}.revisions.number"]),
        sa.ForeignKeyConstraint(["plan"], [f"{SCHEMA}.plans.id"]),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("after"),
        schema=SCHEMA,
    )
    op.execute(
        f"INSERT INTO {SCHEMA}.revisions (number, kind, by, why) "
        "VALUES (0, 'settings', 'archer', 'before there was a plan')"
    )
    op.create_table(
        "amounts",
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column("queue", sa.String(length=127), nullable=False, comment="path"),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column(
            "hours",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="of the day, in UTC: one for all, or 24",
        ),
        sa.Column("ended", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["revision"], [f"{SCHEMA}.revisions.number"]),
        sa.ForeignKeyConstraint(["ended"], [f"{SCHEMA}.revisions.number"]),
        sa.PrimaryKeyConstraint("cluster", "queue", "revision"),
        schema=SCHEMA,
    )
    op.create_index(
        "amounts_in_force",
        "amounts",
        ["cluster", "queue"],
        unique=True,
        schema=SCHEMA,
        postgresql_where=sa.text("ended IS NULL"),
    )
    op.create_table(
        "cluster_queues",
        sa.Column("cluster", sa.String(length=63), nullable=False),
        sa.Column(
            "settings",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="files of ConfigMap queue-calendar",
        ),
        sa.Column("digest", sa.String(length=80), nullable=False, comment="of its queues"),
        sa.Column(
            "told", postgresql.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False, comment="that it has"),
        sa.Column("brought", postgresql.TIMESTAMP(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("cluster"),
        schema=SCHEMA,
    )
    op.add_column(
        "routes",
        sa.Column(
            "plan", sa.String(length=63), nullable=True, comment="that set it; empty where somebody did"
        ),
    )
