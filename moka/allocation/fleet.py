"""All clusters at once: which workflow runs where, and what queues are guaranteed hour by hour.

The problem (`Fleet`) and its answer (`FleetPlan`). Hours are those of the day in UTC, 0 to 23. Amounts that
are compared across clusters are thousandths of machines of a cluster, by the resource of which they take
most.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from moka.allocation.cluster import THOUSANDTHS, Cluster
from moka.allocation.rules import TIERS
from moka.queues.resources import Resources, total
from moka.queues.tiers import TierNumber
from moka.usage.queue_names import queue_names

HOURS = 24
"""Of a day, each of which has its own amounts."""

CRITICAL = 900
"""Thousandths of a cluster that tiers 1 and 2 are guaranteed together at most, in every hour."""

COUNTED = ("cpu", "memory")
"""Resources that are shared out. GPUs are not: their queues stay as they are."""


class InvalidFleet(ValueError):
    """A fleet that contradicts itself; the message has every mistake, a line each."""


@dataclass(frozen=True, kw_only=True)
class FleetCluster:
    """A cluster, and what may run there.

    cluster: its machines. zones, architectures: of its machines.
    machines: that it has in each hour; by default all of them in each.
    """

    cluster: Cluster
    zones: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    machines: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """In the settings."""
        return self.cluster.name

    def instances(self, hour: int) -> int:
        """Machines that it has in an hour."""
        return self.machines[hour] if self.machines else self.cluster.instances

    def capacity(self, hour: int) -> Resources:
        """What its machines have in an hour."""
        number = self.instances(hour)
        return Resources(**{name: amount * number for name, amount in self.cluster.instance.amounts()})


@dataclass(frozen=True, kw_only=True)
class FleetQueue:
    """A leaf queue, which every cluster has.

    path: root.<organization>.<project>.tier<n>.
    floors, ceilings: by cluster, what its guarantee is never below or above; the settings own them.
    """

    path: str
    floors: Mapping[str, Resources] = field(default_factory=dict)
    ceilings: Mapping[str, Resources] = field(default_factory=dict)

    @property
    def tier(self) -> TierNumber:
        """1 to 3, 1 the most critical."""
        return _tier(self.path)


@dataclass(frozen=True, kw_only=True)
class FleetWorkflow:
    """What is known of a workflow.

    queue: in which it runs, on whichever cluster.
    home: cluster on which it runs today.
    demand: by hour, its part of what its queue needs at its home: as much as it needs by itself, times the
    coincidence factor of its queue (coincidence.py).
    elsewhere: by hour, what it asks of another cluster; by default the same.
    applications: by hour, the most that run at a time, which may be so on another cluster.
    coincident: by hour, thousandths of an application: its part of the most of its queue that run at a time
    at its home; by default all of its own.
    slo_hours: from a run's submission; None where it has no SLO.
    zones, architectures: it may run on a cluster that has one of them; empty for any.
    pinned: it stays where it is.
    """

    name: str
    queue: str
    home: str
    demand: tuple[Resources, ...]
    applications: tuple[int, ...]
    elsewhere: tuple[Resources, ...] = ()
    coincident: tuple[int, ...] = ()
    slo_hours: float | None = None
    zones: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    pinned: bool = False

    @property
    def tier(self) -> TierNumber:
        """Of its queue."""
        return _tier(self.queue)

    def demand_on(self, cluster: str) -> tuple[Resources, ...]:
        """What it asks of a cluster by hour."""
        return self.demand if cluster == self.home or not self.elsewhere else self.elsewhere

    def applications_on(self, cluster: str) -> tuple[int, ...]:
        """Thousandths of applications that it adds to those of its queue on a cluster, by hour."""
        if cluster == self.home and self.coincident:
            return self.coincident
        return tuple(number * THOUSANDTHS for number in self.applications)

    def may_run(self, cluster: FleetCluster) -> bool:
        """Whether a cluster can have it."""
        if self.pinned:
            return cluster.name == self.home
        return all(
            not needs or not set(needs).isdisjoint(offers)
            for needs, offers in (
                (self.zones, cluster.zones),
                (self.architectures, cluster.architectures),
            )
        )


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """What is to be allocated.

    max_moves: workflows that may go to another cluster than their home.
    headroom: percentage by which more applications may run than ever did at a time.
    Raises InvalidFleet.
    """

    clusters: tuple[FleetCluster, ...]
    queues: tuple[FleetQueue, ...]
    workflows: tuple[FleetWorkflow, ...]
    max_moves: int
    headroom: int = 25

    def __post_init__(self) -> None:
        if mistakes := [*self._mistakes()]:
            raise InvalidFleet("\n".join(mistakes))

    def choices(self, workflow: FleetWorkflow) -> tuple[str, ...]:
        """The clusters on which a workflow may run."""
        return tuple(cluster.name for cluster in self.clusters if workflow.may_run(cluster))

    def homes(self) -> dict[str, str]:
        """The cluster of each workflow today."""
        return {workflow.name: workflow.home for workflow in self.workflows}

    def _mistakes(self) -> Iterator[str]:
        if not self.clusters:
            yield "The fleet has no cluster: give it at least one."
        if self.max_moves < 0:
            yield f"max_moves is {self.max_moves}: it is at least 0."
        if self.headroom < 0:
            yield f"headroom is {self.headroom}: it is at least 0."
        for kind, names in (
            ("cluster", [cluster.name for cluster in self.clusters]),
            ("queue", [queue.path for queue in self.queues]),
            ("workflow", [workflow.name for workflow in self.workflows]),
        ):
            for name in sorted({name for name in names if names.count(name) > 1} if _twice(names) else ()):
                yield f"There are two of the {kind} {name}: keep one."
        for cluster in self.clusters:
            yield from _cluster_mistakes(cluster)
        clusters = {cluster.name: cluster for cluster in self.clusters}
        for queue in self.queues:
            yield from _queue_mistakes(queue, clusters)
        yield from self._floors_that_do_not_fit()
        paths = {queue.path for queue in self.queues}
        for workflow in self.workflows:
            yield from _workflow_mistakes(workflow, clusters, paths)
            if not self.choices(workflow):
                yield (
                    f"{workflow.name} can run on no cluster: none has its zones and architectures"
                    f"{', and it is pinned to its home' if workflow.pinned else ''}."
                )
        leaving = sum(workflow.home not in self.choices(workflow) for workflow in self.workflows)
        if leaving > self.max_moves >= 0:
            yield (
                f"{leaving} workflows may not stay on their homes, but no more than {self.max_moves} may "
                "move: raise max_moves."
            )

    def _floors_that_do_not_fit(self) -> Iterator[str]:
        for cluster in self.clusters:
            if _cluster_mistakes(cluster):
                continue  # told already
            least = min(range(HOURS), key=cluster.instances)
            critical = [queue for queue in self.queues if _known_tier(queue.path) in (1, 2)]
            for queues, part, of in ((critical, CRITICAL, " of tiers 1 and 2"), (self.queues, 1000, "")):
                floors = total(queue.floors.get(cluster.name, Resources()) for queue in queues)
                for resource, amount in floors.amounts():
                    has = (cluster.capacity(least).get(resource) or 0) * part // 1000
                    if resource in COUNTED and amount > has:
                        yield (
                            f"The floors{of} on {cluster.name} add up to {amount} of {resource}, but there "
                            f"are {has} at {least:02}:00: lower them."
                        )


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """What a queue has in an hour.

    guaranteed: nothing of what is not stated. maximum: None where its parent's holds.
    """

    guaranteed: Resources
    maximum: Resources | None
    max_applications: int


@dataclass(frozen=True, kw_only=True)
class QueueHours:
    """What a queue has on a cluster, by hour of the day."""

    cluster: str
    queue: str
    hours: tuple[Amounts, ...]

    @property
    def tier(self) -> TierNumber:
        """Of the queue."""
        return _tier(self.queue)


ObjectiveName = Literal["slack of tier 1", "slack of tier 2", "slack of tier 3", "peak", "balance", "moves"]

OBJECTIVES: Mapping[ObjectiveName, str] = {
    "slack of tier 1": "thousandths of machines that workflows lack, summed over hours",
    "slack of tier 2": "thousandths of machines that workflows lack, summed over hours",
    "slack of tier 3": "thousandths of machines that workflows lack, summed over hours",
    "peak": "thousandths of a cluster: the fullest cluster in its fullest hour",
    "balance": "thousandths of a cluster's day: the cluster that is fullest over the day",
    "moves": "workflows that go to another cluster",
}
"""What is made small, the first one first, and its unit."""


@dataclass(frozen=True, kw_only=True)
class Objective:
    """What was reached of an objective.

    value: of the plan. bound: what no plan is below that is as good in the objectives before it.
    before: with every workflow at home.
    """

    name: ObjectiveName
    value: int
    bound: int
    before: int

    @property
    def gap(self) -> float:
        """By which part of the bound the value is above it."""
        if self.value <= self.bound:
            return 0.0
        return (self.value - self.bound) / self.bound if self.bound else float("inf")


@dataclass(frozen=True, kw_only=True)
class ServedShare:
    """What a workflow can expect. served: the least share of its demand, in thousandths, that is there for it
    in an hour; 1000 is all of it."""

    workflow: str
    tier: TierNumber
    served: int


@dataclass(frozen=True, kw_only=True)
class NodeWorth:
    """What a machine more on a cluster, in every hour, would take off an objective.

    gain: in the objective's unit, by the relaxation in which workflows can be divided.
    """

    cluster: str
    objective: ObjectiveName
    gain: float


Method = Literal["cp-sat", "percentile"]


@dataclass(frozen=True, kw_only=True)
class FleetPlan:
    """An answer.

    placements: the cluster of each workflow.
    binding: limits without which it would be better, a sentence each.
    says: what else is to be known, a sentence each.
    repeatable: whether the same fleet and seed give the same plan; not where a clock ended the search.
    """

    method: Method
    placements: Mapping[str, str]
    queues: tuple[QueueHours, ...]
    objectives: tuple[Objective, ...]
    expected: tuple[ServedShare, ...]
    binding: tuple[str, ...]
    nodes: tuple[NodeWorth, ...]
    says: tuple[str, ...]
    repeatable: bool

    @property
    def gap(self) -> float:
        """The largest of its objectives' but for the moves, of which a whole one is more than a hundredth."""
        return max((objective.gap for objective in self.objectives if objective.name != "moves"), default=0.0)


def _tier(path: str) -> TierNumber:
    if (tier := _known_tier(path)) is not None:
        return tier
    raise ValueError(f"{path} is no queue of a tier, as root.acme.etl.tier1 is.")


def _known_tier(path: str) -> TierNumber | None:
    return next((tier for tier in TIERS if queue_names(path).tier == tier), None)


def _twice(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _cluster_mistakes(cluster: FleetCluster) -> list[str]:
    if cluster.machines and len(cluster.machines) != HOURS:
        return [
            f"{cluster.name} has machines of {len(cluster.machines)} hours: give them of {HOURS}, or of none."
        ]
    return [
        f"{cluster.name} has a capacity of {number} machines at {hour:02}:00: give it at least one."
        for hour, number in enumerate(cluster.machines)
        if number < 1
    ]


def _queue_mistakes(queue: FleetQueue, clusters: Mapping[str, FleetCluster]) -> Iterator[str]:
    if _known_tier(queue.path) is None:
        yield f"{queue.path} is no queue of a tier, as root.acme.etl.tier1 is."
    for name in sorted({*queue.floors, *queue.ceilings} - clusters.keys()):
        yield f"{queue.path} has bounds on {name}, which is no cluster of the fleet."
    for name, floor in queue.floors.items():
        for resource, amount in floor.amounts():
            ceiling = queue.ceilings.get(name, Resources()).get(resource)
            if ceiling is not None and ceiling < amount:
                yield (
                    f"{queue.path} has a floor of {amount} of {resource} on {name} and a ceiling of "
                    f"{ceiling}: a floor is not above its ceiling."
                )


def _workflow_mistakes(
    workflow: FleetWorkflow, clusters: Mapping[str, FleetCluster], paths: set[str]
) -> Iterator[str]:
    if workflow.queue not in paths:
        yield f"{workflow.name} runs in {workflow.queue}, which is no queue of the fleet."
    if workflow.home not in clusters:
        yield f"{workflow.name} has its home on {workflow.home}, which is no cluster of the fleet."
    if workflow.slo_hours is not None and not workflow.slo_hours > 0:
        yield f"{workflow.name} has an SLO of {workflow.slo_hours:g} hours: it is more than zero."
    fields = (("demand", workflow.demand), ("applications", workflow.applications))
    optional_fields = (
        ("demand elsewhere", workflow.elsewhere),
        ("coincident applications", workflow.coincident),
    )
    for label, hours in (*fields, *(pair for pair in optional_fields if pair[1])):
        if len(hours) != HOURS:
            yield f"{workflow.name} has {label} of {len(hours)} hours: give it of {HOURS}."
    demands = (*workflow.demand, *workflow.elsewhere)
    if any(amount < 0 for hour in demands for _, amount in hour.amounts()):
        yield f"{workflow.name} has a demand below zero."
    if any(number < 0 for number in (*workflow.applications, *workflow.coincident)):
        yield f"{workflow.name} has a number of applications below zero."
