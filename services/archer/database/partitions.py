"""Partitions of a month."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from moka.submission.job_id import lowest_id
from services.archer.database.tables import PARTITIONED

AHEAD = 3
"""Months for which there are partitions before they begin."""


@dataclass(frozen=True, order=True)
class Month:
    """A month, in UTC."""

    year: int
    month: int

    @classmethod
    def of(cls, at: datetime) -> "Month":
        """The month of a moment."""
        at = at.astimezone(UTC)
        return cls(at.year, at.month)

    @property
    def next(self) -> "Month":
        """The one after it."""
        return Month(self.year + self.month // 12, self.month % 12 + 1)

    @property
    def start(self) -> datetime:
        """When it begins."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)


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
