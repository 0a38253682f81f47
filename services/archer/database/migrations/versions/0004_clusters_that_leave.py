"""Clusters that leave the environment."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Expand the schema, so that the version before goes on with it."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column(
        "clusters",
        sa.Column(
            "named",
            sa.TIMESTAMP(timezone=True),
            nullable=False,
            server_default=sa.text("now()"),
            comment="when a worker last had it in its environment",
        ),
    )
    op.add_column(
        "clusters",
        sa.Column(
            "gone", sa.TIMESTAMP(timezone=True), comment="since when it has left; empty where it has not"
        ),
    )
