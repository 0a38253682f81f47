"""Months, in UTC: history is kept by the month in which a job was submitted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, order=True)
class Month:
    """A month, in UTC."""

    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"

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

    @property
    def days(self) -> Iterator[datetime]:
        """When each of its days begins."""
        day = self.start
        while day < self.next.start:
            yield day
            day += timedelta(days=1)


def due(months: Iterable[Month], days: int, now: datetime) -> list[Month]:
    """Of these months, the first one first, those whose last day is more than so many days ago."""
    return sorted(month for month in months if month.next.start + timedelta(days=days) <= now)
