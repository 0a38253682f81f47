"""What a workflow, and a whole queue, needs in each hour of the day for its tier's share of the time.

As with the curve of a queue (curve.py), but by hour: of the days on which it ran in that hour, the smallest
amount at or below which it was for that share of the hours' time, and of each resource by itself. Time in
such an hour in which it used nothing counts: the workflows of a queue run beside each other. What they need
together is less than the sum where they do not run at the same time (coincidence.py).

moka/usage/questions/demands.sql does the same for millions of intervals.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from moka.allocation.curve import HUNDRED
from moka.allocation.fleet import HOURS
from moka.quantities import MIB
from moka.queues.resources import Resources
from moka.usage.records import DAY, HOUR, Interval


@dataclass(frozen=True, kw_only=True)
class Hourly:
    """What a workflow needs, by hour of the day. demand: what covers its share. applications: the most at a
    time."""

    demand: tuple[Resources, ...]
    applications: tuple[int, ...]


def hourly(intervals: Iterable[Interval], percents: Mapping[str, int]) -> dict[str, Hourly]:
    """What workflows need.

    intervals: each within a full hour. percents: by workflow, the share of the time; others are left out.
    """
    changes: dict[str, dict[int, list[tuple[int, int, int, int]]]] = defaultdict(lambda: defaultdict(list))
    for interval in intervals:
        if interval.workflow in percents:
            hour = changes[interval.workflow][interval.began // HOUR]
            hour.append((interval.began, interval.cpu, interval.memory, interval.applications))
            hour.append((interval.ended, -interval.cpu, -interval.memory, -interval.applications))
    return {workflow: _hourly(hours, percents[workflow]) for workflow, hours in sorted(changes.items())}


def hourly_together(intervals: Iterable[Interval], percent: int) -> Hourly:
    """What all runs of a queue need together. intervals: of the queue, each within a full hour."""
    as_one = (replace(interval, workflow="") for interval in intervals)
    return hourly(as_one, {"": percent}).get("", _hourly({}, percent))


def _hourly(hours: Mapping[int, list[tuple[int, int, int, int]]], percent: int) -> Hourly:
    lasted: list[tuple[dict[int, int], dict[int, int]]] = [({}, {}) for _ in range(HOURS)]
    most = [0] * HOURS
    for number, edges in hours.items():
        hour = number % (DAY // HOUR)
        for length, cpu, memory, applications in _levels(number * HOUR, sorted(edges)):
            for amounts, amount in zip(lasted[hour], (cpu, memory), strict=True):
                amounts[amount] = amounts.get(amount, 0) + length
            most[hour] = max(most[hour], applications)
    return Hourly(
        demand=tuple(
            Resources(cpu=_percentile(cpu, percent), memory=_percentile(memory, percent) * MIB)
            for cpu, memory in lasted
        ),
        applications=tuple(most),
    )


def _levels(began: int, edges: Iterable[tuple[int, int, int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Times of an hour with one amount in use: how long, cores, memory, applications."""
    at, cpu, memory, applications = began, 0, 0, 0
    for time, more_cpu, more_memory, more_applications in edges:
        if time > at:
            yield time - at, cpu, memory, applications
            at = time
        cpu, memory = cpu + more_cpu, memory + more_memory
        applications += more_applications
    if at < began + HOUR:
        yield began + HOUR - at, cpu, memory, applications


def _percentile(lasted: Mapping[int, int], percent: int) -> int:
    """The smallest amount at or below which it was for a share of the time."""
    whole, covered = sum(lasted.values()), 0
    for amount in sorted(lasted):
        covered += lasted[amount]
        if covered * HUNDRED >= whole * percent:
            return amount
    return 0
