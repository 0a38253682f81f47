"""How much a queue needs for which share of the time that it is in use.

The time of a window is cut into units with one amount in use; those with nothing in use are left out; the
others are sorted by amount, which is counted in machines by the dominant resource. What covers a share of the
time is the smallest amount at or below which the queue was for that share; and of each resource, the most
that it had in use in the units that are covered.

moka/usage/questions/amounts.sql does the same for millions of intervals.
"""

import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from moka.allocation.cluster import Cluster
from moka.usage.records import Interval

HUNDRED = 100


class Step(NamedTuple):
    """An amount, and the share of the time in use that it covers.

    percent: rounded down. machines: thousandths. cpu: thousandths of a core. memory: MiB. gpu: GPUs.
    """

    percent: int
    machines: int
    cpu: int
    memory: int
    gpu: int


@dataclass(frozen=True, kw_only=True)
class Curve:
    """What a queue had in use on a cluster in a window of time.

    steps: the smallest amount of each percentage that is reached, rising; the last one covers everything.
    busy: milliseconds in which anything was in use.
    machines, cpu, memory, gpu: in use times milliseconds, each counted as a Step's.
    applications: the most that ran at a time.
    """

    cluster: str
    queue: str
    steps: tuple[Step, ...]
    busy: int
    machines: int
    cpu: int
    memory: int
    gpu: int
    applications: int

    def covering(self, percent: int) -> Step:
        """The smallest amount that covers a percentage of the time in use."""
        return self.steps[bisect_left(self.steps, percent, key=lambda step: step.percent)]


def curves(intervals: Iterable[Interval], clusters: Iterable[Cluster], began: int, ended: int) -> list[Curve]:
    """The curve of each queue that had something in use in a window, in milliseconds since 1970."""
    by_name = {cluster.name: cluster for cluster in clusters}
    changes: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0] * 4))
    for interval in intervals:
        first, last = max(interval.began, began), min(interval.ended, ended)
        if first < last and interval.cluster in by_name:
            for at, sign in ((first, 1), (last, -1)):
                change = changes[interval.cluster, interval.queue][at]
                for index, amount in enumerate(
                    (interval.cpu, interval.memory, interval.gpu, interval.applications)
                ):
                    change[index] += sign * amount
    candidates = (
        _curve(by_name[cluster], queue, changes_of_one)
        for (cluster, queue), changes_of_one in sorted(changes.items())
    )
    return [curve for curve in candidates if curve is not None]


def _curve(cluster: Cluster, queue: str, changes: Mapping[int, list[int]]) -> Curve | None:
    sizes: dict[int, list[int]] = {}
    totals = [0] * 4
    level, applications = [0] * 4, 0
    times = sorted(changes)
    for at, until in itertools.pairwise(times):
        level = [amount + change for amount, change in zip(level, changes[at], strict=True)]
        cpu, memory, gpu, _ = level
        if machines := cluster.machines(cpu, memory, gpu):
            lasted = until - at
            size = sizes.setdefault(machines, [0] * 4)
            size[0] += lasted
            size[1:] = (max(pair) for pair in zip(size[1:], (cpu, memory, gpu), strict=True))
            totals = [
                total + amount * lasted
                for total, amount in zip(totals, (machines, cpu, memory, gpu), strict=True)
            ]
            applications = max(applications, level[3])
    busy = sum(size[0] for size in sizes.values())
    if not busy:
        return None
    steps: list[Step] = []
    covered, most = 0, [0] * 3
    for machines, (lasted, *amounts) in sorted(sizes.items()):
        covered += lasted
        most = [max(pair) for pair in zip(most, amounts, strict=True)]
        percent = covered * HUNDRED // busy
        if not steps or percent > steps[-1].percent:
            steps.append(Step(percent, machines, *most))
    return Curve(
        cluster=cluster.name,
        queue=queue,
        steps=tuple(steps),
        busy=busy,
        machines=totals[0],
        cpu=totals[1],
        memory=totals[2],
        gpu=totals[3],
        applications=applications,
    )
