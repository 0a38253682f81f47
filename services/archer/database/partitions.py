"""Partitions of a month."""

from collections.abc import Iterator

from moka.submission.job_id import lowest_id
from moka.submission.month import Month
from services.archer.database.pool import Connection
from services.archer.database.tables import PARTITIONED

AHEAD = 3
"""Months for which there are partitions before they begin."""


def partition_name(table: str, month: Month) -> str:
    """Name of the partition of a table."""
    return f"{table}_{month.year:04}_{month.month:02}"


def statements(first: Month, ahead: int = AHEAD) -> Iterator[str]:
    """SQL that makes the partitions of a month and of so many after it, where they are missing."""
    month = first
    for _ in range(ahead + 1):
        for table in PARTITIONED:
            yield (
                f"CREATE TABLE IF NOT EXISTS {partition_name(table, month)} PARTITION OF {table} "
                f"FOR VALUES FROM ('{lowest_id(month.start)}') TO ('{lowest_id(month.next.start)}')"
            )
        month = month.next


MONTHS = """
SELECT DISTINCT right(relname, 7) AS month FROM pg_inherits JOIN pg_class ON oid = inhrelid
WHERE inhparent = 'jobs'::regclass
"""


async def months(connection: Connection) -> list[Month]:
    """Months of which the database has partitions."""
    rows = await connection.fetch(MONTHS)
    return sorted(Month(*map(int, row["month"].split("_"))) for row in rows)
