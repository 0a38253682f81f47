"""What a queue needed in an hour, in parts of the workflows that ran in it.

A workflow by itself needs what covers its share of the time, and no less than its SLO. The queue needs what
covers the same share of its time, and no less than the largest SLO of its workflows, as with the percentile
algorithm (percentile.py): the sum of what SLOs need would be for all of them at one moment again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from moka.allocation.answers import Row
from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.coincidence import coincident
from moka.allocation.fleet import COUNTED
from moka.quantities import MIB
from moka.queues.resources import Resources

Place = tuple[str, str, int, int]
"""Cluster, queue, hour of the day, and share of the time."""


class Part(NamedTuple):
    """Of a workflow. applications: thousandths of one."""

    demand: Resources
    applications: int


class QueueParts:
    """Parts of all queues. rows: answers to `demands`. needs: of SLOs, by workflow."""

    def __init__(self, rows: Iterable[Row], needs: Mapping[str, Resources]) -> None:
        self._needs = needs
        self._each: dict[Place, list[Row]] = defaultdict(list)
        self._together: dict[Place, Row] = {}
        for row in rows:
            if row["workflow"] is None:
                self._together[_place(row)] = row
            else:
                self._each[_place(row)].append(row)
        self._known: dict[Place, dict[str, Part]] = {}

    def of(self, row: Row) -> Part:
        """The part of the workflow of a row."""
        place = _place(row)
        if place not in self._known:
            self._known[place] = self._divided(self._each[place], self._together.get(place))
        return self._known[place][row["workflow"]]

    def _divided(self, each: Sequence[Row], together: Row | None) -> dict[str, Part]:
        """together: None of a queue of one workflow."""
        needs = [self._needs.get(row["workflow"], Resources()) for row in each]
        by_itself = [most(_amount(row), need) for row, need in zip(each, needs, strict=True)]
        parts: dict[str, list[int]] = {}
        for name in COUNTED:
            amounts = [amount.get(name) or 0 for amount in by_itself]
            if together is not None:
                least = max(need.get(name) or 0 for need in needs)
                amounts = coincident(max(_amount(together).get(name) or 0, least), amounts)
            parts[name] = amounts
        applications = [row["applications"] * THOUSANDTHS for row in each]
        if together is not None:
            applications = coincident(together["applications"] * THOUSANDTHS, applications)
        return {
            row["workflow"]: Part(Resources(cpu=cpu, memory=memory), number)
            for row, cpu, memory, number in zip(
                each, parts["cpu"], parts["memory"], applications, strict=True
            )
        }


def most(one: Resources, other: Resources) -> Resources:
    """The larger amount of each resource that is shared out."""
    return Resources(**{name: max(one.get(name) or 0, other.get(name) or 0) for name in COUNTED})


def _place(row: Row) -> Place:
    return row["cluster"], row["queue"], row["hour"], row["share"]


def _amount(row: Row) -> Resources:
    return Resources(cpu=row["cpu"], memory=row["memory"] * MIB)
