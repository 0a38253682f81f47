"""A made-up history of a fleet, the same for a seed: for benchmarks, tests and demonstrations.

Most workflows run a few times a day with many machines, some every few minutes with few; nights are busier
than days; a few workflows have most of the work; those of a project have one home, and some clusters are the
home of more than they can bear, while the fleet as a whole has room.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from moka.allocation.cluster import Cluster
from moka.allocation.fleet import HOURS, Fleet, FleetCluster, FleetQueue, FleetWorkflow
from moka.allocation.hourly import Hourly, hourly
from moka.allocation.replay.runs import Run
from moka.allocation.rules import THRESHOLDS, TIERS
from moka.names import queue_path
from moka.quantities import MIB
from moka.queues.resources import Resources
from moka.queues.tiers import TierNumber
from moka.usage.records import DAY, HOUR

BEGAN = 1_761_955_200_000
"""2025-11-01, at midnight in UTC."""

MACHINE = Resources.of(cpu="16", memory="128Gi")
POD = 4000
"""Thousandths of a core of each pod."""

BUSY = 0.8
"""Of the fleet's machines, in use in its fullest hour by what covers the tiers' shares of time."""

FAVOURED = 8
"""How much more often one in five clusters is a home than another."""

ZONES = ("a", "b", "c")
MINUTE = 60_000


@dataclass(frozen=True, kw_only=True)
class Habit:
    """How a workflow runs.

    daily: runs a day. at: hour of the day around which they come; None for those that come all day.
    spread: hours by which they come earlier or later, as a standard deviation.
    pods, cpu, memory: of a run, and of each pod thousandths of a core, and MiB.
    lasts: milliseconds of an ordinary run.
    """

    name: str
    queue: str
    tier: TierNumber
    home: str
    slo_hours: float
    daily: int
    at: float | None
    spread: float = 0.7
    pods: int
    cpu: int = POD
    memory: int
    lasts: int
    zones: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()

    def runs(self, midnight: int, chance: Random, times: int = 1) -> Iterator[Run]:
        """Its runs that are submitted on a day, which begins at midnight.

        times: as many as on other days.
        """
        for _ in range(self.daily * times):
            hour = chance.uniform(0, HOURS) if self.at is None else chance.gauss(self.at, self.spread) % HOURS
            yield Run(
                workflow=self.name,
                queue=self.queue,
                submitted=midnight + int(hour * HOUR),
                pods=max(1, int(self.pods * chance.uniform(0.7, 1.3))),
                cpu=self.cpu,
                memory=self.memory,
                lasts=int(self.lasts * math.exp(chance.gauss(0, 0.15))),
            )


@dataclass(frozen=True, kw_only=True)
class ExampleHistory:
    """A history of workflows in queues on clusters. jobs: runs a day, about."""

    workflows: int = 2_000
    queues: int = 500
    clusters: int = 10
    jobs: int = 200_000
    seed: int = 17

    @cached_property
    def habits(self) -> tuple[Habit, ...]:
        """How each workflow runs."""
        chance = Random(self.seed)
        names = [f"batch-{number}" for number in range(self.clusters)]
        weights = [FAVOURED if number % 5 == 3 else 1 for number in range(self.clusters)]
        paths = {tier: [q for q in self._paths() if q.endswith(f"tier{tier}")] for tier in TIERS}
        homes = {path: chance.choices(names, weights)[0] for path in self._paths()}
        average = self.jobs / self.workflows
        largest = max(4, 240 * self.workflows // self.clusters // 200)
        habits = []
        for number in range(self.workflows):
            tier = chance.choices([tier for tier in TIERS if paths[tier]], [0.2, 0.3, 0.5][: len(paths)])[0]
            queue = paths[tier][int(len(paths[tier]) * chance.random() ** 1.5)]
            often = chance.random() < 0.25
            daily = (
                max(1, round(average * 3.6 * chance.paretovariate(2) / 2)) if often else chance.randint(1, 12)
            )
            pods = 1 + int((1 if often else 5) * chance.paretovariate(1.3)) if chance.random() < 0.98 else 120
            lasts = int(MINUTE * math.exp(chance.gauss(1.2 if often else 2.8, 0.6)))
            # Of one workflow no more runs at a time than a part of a cluster has.
            beside = daily * lasts / DAY if often else daily / 3
            home = homes[queue] if chance.random() < 0.85 else chance.choices(names, weights)[0]
            habits.append(
                Habit(
                    name=f"workflow-{number}",
                    queue=queue,
                    tier=tier,
                    home=home,
                    slo_hours=max(0.1, round(lasts * chance.uniform(1.5, 5) / HOUR, 2)),
                    daily=daily,
                    at=None if often else chance.choice([2, 3, 3, 4, 5, 8, 13, 20]) + chance.random(),
                    pods=max(1, min(pods, int(largest / (1 + beside)))),
                    memory=chance.choice([16, 24, 32, 40, 56]) * 1024,
                    lasts=lasts,
                    zones=(chance.choice(ZONES),) if chance.random() < 0.05 else (),
                    architectures=chance.choice([(), (), (), ("arm64",), ("amd64",)]),
                )
            )
        return tuple(habits)

    def runs(self, day: int, times: int = 1) -> Iterator[Run]:
        """The runs that are submitted on a day, 0 the first, by workflow.

        times: as many as on other days, as at the end of a month.
        """
        for habit in self.habits:
            chance = Random(f"{self.seed} {day} {habit.name}")
            yield from habit.runs(BEGAN + day * DAY, chance, times)

    def demand(self, days: int = 3) -> dict[str, Hourly]:
        """What workflows need by hour, of some days."""
        percents = {habit.name: THRESHOLDS[habit.tier].most for habit in self.habits}
        return hourly(
            (interval for day in range(days) for run in self.runs(day) for interval in run.intervals("")),
            percents,
        )

    def fleet(self, days: int = 3, moves: float = 0.25) -> Fleet:
        """The fleet as it is after some days. moves: part of the workflows that may move."""
        demand = self.demand(days)
        instances = self._instances(demand)
        clusters = tuple(
            FleetCluster(
                cluster=Cluster(name=f"batch-{number}", instance=MACHINE, instances=instances),
                zones=ZONES if number % 4 else ZONES[:2],
                architectures=("arm64", "amd64") if number % 5 else ("arm64",),
            )
            for number in range(self.clusters)
        )
        workflows = [
            FleetWorkflow(
                name=habit.name,
                queue=habit.queue,
                home=habit.home,
                demand=demand[habit.name].demand,
                applications=demand[habit.name].applications,
                slo_hours=habit.slo_hours,
                zones=habit.zones,
                architectures=habit.architectures,
            )
            for habit in self.habits
        ]
        by_name = {cluster.name: cluster for cluster in clusters}
        workflows = [
            workflow
            if workflow.may_run(by_name[workflow.home])
            else replace(workflow, zones=(), architectures=())
            for workflow in workflows
        ]
        return Fleet(
            clusters=clusters,
            queues=tuple(self._queue(path, workflows) for path in self._paths()),
            workflows=tuple(workflows),
            max_moves=int(self.workflows * moves),
        )

    def _paths(self) -> list[str]:
        return [
            queue_path(f"org-{number % 17}.project-{number // 3}", number % 3 + 1)
            for number in range(self.queues)
        ]

    def _queue(self, path: str, workflows: list[FleetWorkflow]) -> FleetQueue:
        """Queues of tier 1 have a floor where they are at home."""
        homes = [workflow.home for workflow in workflows if workflow.queue == path]
        floor = Resources(cpu=2 * POD, memory=8192 * MIB)
        return FleetQueue(path=path, floors={homes[0]: floor} if path.endswith("tier1") and homes else {})

    def _instances(self, demand: dict[str, Hourly]) -> int:
        most = max(
            max(
                sum(hours.demand[hour].get(name) or 0 for hours in demand.values()) / (MACHINE.get(name) or 1)
                for name in ("cpu", "memory")
            )
            for hour in range(HOURS)
        )
        return max(1, math.ceil(most / BUSY / self.clusters))
