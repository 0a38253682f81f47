"""Jobs that have ended and are not in the history of what was used."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

FUNCTION = """
CREATE FUNCTION job_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unrecorded (job) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$
"""

# Not a part of the statement by which jobs end: while workers are replaced, those of the version before end some.
TRIGGER = """
CREATE TRIGGER job_ended AFTER UPDATE OF ended ON jobs
FOR EACH ROW WHEN (OLD.ended IS NULL AND NEW.ended IS NOT NULL) EXECUTE FUNCTION job_ended()
"""


def upgrade() -> None:
    """Expand the schema, so that the version before goes on with it."""
    # Others that write jobs wait behind this one, which waits for those that do now.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "unrecorded",
        sa.Column("job", sa.UUID(), nullable=False),
        sa.PrimaryKeyConstraint("job"),
        postgresql_with={
            "fillfactor": "70",
            "autovacuum_vacuum_scale_factor": "0.01",
            "autovacuum_vacuum_cost_delay": "0",
        },
    )
    op.execute(FUNCTION)
    op.execute(TRIGGER)
