"""What a queue needed in an hour, in parts of the workflows that ran in it.

A workflow by itself needs what covers its share of the time, and no less than its SLO. The queue needs what
covers the same share of its time, and no less than the largest of what their SLOs need, as with the
percentile algorithm (percentile.py): the sum of what SLOs need would be for all of them at one moment again.

Runs that are so short that they do not count for each workflow by itself count together. Then the queue's
need is divided by the most that each had.

Where a queue had as many applications as it may, others waited, and the most together says nothing of how
many it needs. There each workflow counts with its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from moka.allocation.answers import Row
from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.coincidence import coincident
from moka.allocation.curve import HUNDRED
from moka.quantities import MIB
from moka.queues.resources import Resources

UNITS = {"cpu": 1, "memory": MIB}
"""Of what is shared out: a row's in Resources'."""


Place = tuple[str, str, str | None, int]
"""Cluster, queue, workflow and hour of the day."""


class Part(NamedTuple):
    """Of a workflow. applications: thousandths of one."""

    demand: Resources
    applications: int


Parts = dict[tuple[int, str], Part]
"""By hour of the day and workflow."""

Bounds = Mapping[tuple[str, str], Sequence[int | None]]
"""By cluster and queue, how many applications may run at a time in each hour of the day; None for any number.
"""


class QueueParts:
    """Parts of all queues.

    rows: answers to `demands`. needs: of SLOs, by workflow. bounds: of queues; those left out have none.
    """

    def __init__(
        self, rows: Iterable[Row], needs: Mapping[str, Resources], bounds: Bounds | None = None
    ) -> None:
        self._needs = needs
        self._bounds = bounds or {}
        self.full: set[tuple[str, str]] = set()
        """Clusters and queues that had as many applications as they may in some hour."""
        self._rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
        # The most of each workflow.
        self._largest: dict[Place, Row] = {}
        for row in rows:
            self._rows[row["cluster"], row["queue"]].append(row)
            if row["workflow"] is None and self._full(row):
                self.full.add((row["cluster"], row["queue"]))
            if row["share"] == HUNDRED:
                self._largest[_place(row)] = row
        # By cluster, queue and share of the time, of which few are asked for.
        self._cache: dict[tuple[str, str, int], Parts] = {}

    def of(self, row: Row) -> Part:
        """The part of the workflow of a row."""
        cluster, queue, share = key = row["cluster"], row["queue"], row["share"]
        if key not in self._cache:
            self._cache[key] = self._divided(
                candidate for candidate in self._rows[cluster, queue] if candidate["share"] == share
            )
        return self._cache[key][row["hour"], row["workflow"]]

    def _divided(self, rows: Iterable[Row]) -> Parts:
        rows_by_hour: dict[int, list[Row]] = defaultdict(list)
        together: dict[int, Row] = {}
        for row in rows:
            if row["workflow"] is None:
                together[row["hour"]] = row
            else:
                rows_by_hour[row["hour"]].append(row)
        return {
            (hour, row["workflow"]): part
            for hour, hour_rows in rows_by_hour.items()
            for row, part in zip(hour_rows, self._parts(hour_rows, together.get(hour)), strict=True)
        }

    def _parts(self, hour_rows: Sequence[Row], together: Row | None) -> Iterator[Part]:
        """together: None of a queue of one workflow."""
        needs = [self._needs.get(row["workflow"]) or Resources() for row in hour_rows]
        amounts = []
        for name, unit in UNITS.items():
            least = [need.get(name) or 0 for need in needs]
            by_itself = [max(row[name] * unit, need) for row, need in zip(hour_rows, least, strict=True)]
            whole = sum(by_itself) if together is None else max(together[name] * unit, *least)
            if sum(by_itself) < whole:
                largest = [self._largest.get(_place(row), row)[name] * unit for row in hour_rows]
                by_itself = [*map(max, largest, least)]
            amounts.append(coincident(whole, by_itself))
        running = [row["applications"] * THOUSANDTHS for row in hour_rows]
        if together is not None and not self._full(together):
            running = coincident(together["applications"] * THOUSANDTHS, running)
        for cpu, memory, applications in zip(*amounts, running, strict=True):
            yield Part(Resources(cpu=cpu, memory=memory), applications)

    def _full(self, together: Row) -> bool:
        hours = self._bounds.get((together["cluster"], together["queue"]))
        bound = hours[together["hour"]] if hours else None
        return bound is not None and together["applications"] >= bound


def _place(row: Row) -> Place:
    return row["cluster"], row["queue"], row["workflow"], row["hour"]


def most(first: Resources, second: Resources) -> Resources:
    """The larger amount of each resource that is shared out."""
    return Resources(**{name: max(first.get(name) or 0, second.get(name) or 0) for name in UNITS})
