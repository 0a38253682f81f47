"""A fleet as arrays of whole numbers, in thousandths of machines of each cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import COUNTED, HOURS, Fleet
from moka.allocation.fleet_loads import ceiling_of, floors_by_tier, machines
from moka.allocation.rules import TIERS
from moka.queues.resources import Resources

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Bounded:
    """A queue on a cluster that has a floor there, or a ceiling that its workflows could reach.

    workflows: that may run there. floor, ceiling: by resource.
    """

    cluster: int
    tier: int
    workflows: tuple[int, ...]
    floor: tuple[int, ...]
    ceiling: tuple[int, ...]


class Problem:
    """What solvers need of a fleet. Workflows, clusters, hours and resources are known by their positions.

    demand: [workflow, cluster, hour, resource]; nothing where it may not run.
    machines: [cluster, hour], whole ones.
    allowed: [workflow, cluster]. home, tier: [workflow]; a home is -1 where it may not stay there.
    floors: [cluster, tier - 1, resource], of all queues.
    resting: [cluster, tier - 1, resource], floors of queues of which no workflow may run there.
    """

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.clusters = {cluster.name: index for index, cluster in enumerate(fleet.clusters)}
        self.allowed = np.array(
            [[workflow.may_run(cluster) for cluster in fleet.clusters] for workflow in fleet.workflows],
            dtype=bool,
        ).reshape(len(fleet.workflows), len(fleet.clusters))
        self.home: Numbers = np.array(
            [self.clusters[workflow.home] for workflow in fleet.workflows], dtype=np.int64
        )
        self.tier: Numbers = np.array([workflow.tier for workflow in fleet.workflows], dtype=np.int64)
        self.machines: Numbers = np.array(
            [[cluster.instances(hour) for hour in range(HOURS)] for cluster in fleet.clusters], dtype=np.int64
        )
        self.demand = self._demand()
        self.floors: Numbers = np.array(
            [[floors_by_tier(fleet, cluster)[tier] for tier in TIERS] for cluster in fleet.clusters],
            dtype=np.int64,
        )
        self.resting: Numbers = np.zeros_like(self.floors)
        self.bounded = tuple(self._bounded_queues())
        self.within = {
            (workflow, queue.cluster): number
            for number, queue in enumerate(self.bounded)
            for workflow in queue.workflows
        }

    def _demand(self) -> Numbers:
        workflows = self.fleet.workflows
        at_home = _amounts([workflow.demand for workflow in workflows])
        elsewhere = _amounts([workflow.elsewhere or workflow.demand for workflow in workflows])
        sizes = np.array(
            [
                [cluster.cluster.instance.get(name) or 0 for name in COUNTED]
                for cluster in self.fleet.clusters
            ],
            dtype=np.int64,
        )
        result: Numbers = -(-elsewhere[:, None] * THOUSANDTHS // sizes[None, :, None])
        result[np.arange(len(workflows)), self.home] = -(-at_home * THOUSANDTHS // sizes[self.home, None])
        result *= self.allowed[:, :, None, None]
        return result

    def _bounded_queues(self) -> list[Bounded]:
        members: dict[str, list[int]] = {}
        for index, workflow in enumerate(self.fleet.workflows):
            members.setdefault(workflow.queue, []).append(index)
        result = []
        for queue in self.fleet.queues:
            for position, cluster in enumerate(self.fleet.clusters):
                floor = machines(queue.floors.get(cluster.name, Resources()), cluster)
                ceiling = ceiling_of(queue.ceilings, cluster)
                workflows = [index for index in members.get(queue.path, ()) if self.allowed[index, position]]
                if not workflows:
                    self.resting[position, queue.tier - 1] += floor
                    continue
                most = self.demand[workflows, position].sum(axis=0).max(axis=0)
                reachable = ceiling is not None and any(most > ceiling)
                if any(floor) or reachable:
                    result.append(
                        Bounded(
                            position,
                            queue.tier,
                            tuple(workflows),
                            floor,
                            tuple(ceiling)
                            if ceiling is not None and reachable
                            else tuple(map(int, most + floor)),
                        )
                    )
        return result

    @cached_property
    def homes(self) -> Numbers:
        """Where workflows are today; where one may not stay, the first cluster that it may run on."""
        stays = self.allowed[np.arange(len(self.home)), self.home]
        return np.where(stays, self.home, self.allowed.argmax(axis=1))

    def names(self, placements: Numbers) -> Mapping[str, str]:
        """Placements by the names of workflows and clusters."""
        return {
            workflow.name: self.fleet.clusters[index].name
            for workflow, index in zip(self.fleet.workflows, placements, strict=True)
        }

    def loads(self, placements: Numbers) -> Numbers:
        """[cluster, hour]: what workflows placed so ask together, in thousandths of the cluster; without
        floors."""
        sums = np.zeros((len(self.machines), HOURS, len(COUNTED)), dtype=np.int64)
        np.add.at(sums, placements, self.demand[np.arange(len(placements)), placements])
        parts: Numbers = sums.max(axis=2) // self.machines
        return parts


def _amounts(demands: Sequence[Sequence[Resources]]) -> Numbers:
    """[workflow, hour, resource]."""
    numbers = [[[hour.get(name) or 0 for name in COUNTED] for hour in hours] for hours in demands]
    return np.array(numbers, dtype=np.int64).reshape(len(demands), HOURS, len(COUNTED))
