"""What placements of workflows ask of clusters, and how good they are, in whole numbers.

A solver may say what it likes: what a plan is worth is what these say of its placements.

What a queue asks of a cluster in an hour is what its workflows there ask together, no less than its floor;
what is above its ceiling it lacks. Where a cluster has less than its queues ask, the lowest tier lacks it
first.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import COUNTED, CRITICAL, HOURS, Fleet, FleetCluster, ObjectiveName
from moka.allocation.rules import TIERS
from moka.queues.resources import Resources, total
from moka.queues.tiers import TierNumber

Vector = tuple[int, ...]
"""Thousandths of machines of a cluster, by resource as in COUNTED."""

NOTHING: Vector = (0,) * len(COUNTED)


def machines(amount: Resources, cluster: FleetCluster, *, up: bool = True) -> Vector:
    """An amount in thousandths of a cluster's machines, each resource by itself. up: rounded up, not down."""
    return tuple(
        _part(amount.get(name) or 0, cluster.cluster.instance.get(name) or 0, up=up) for name in COUNTED
    )


def _part(amount: int, size: int, *, up: bool) -> int:
    return -(-amount * THOUSANDTHS // size) if up else amount * THOUSANDTHS // size


@dataclass(frozen=True)
class QueueDemand:
    """What a queue asks of a cluster in an hour: what it would get, and what its ceiling keeps from it."""

    claim: Vector
    lacks: int


def queue_demand(demand: Vector, floor: Vector, ceiling: Vector | None) -> QueueDemand:
    """What a queue asks whose workflows ask so much."""
    raised = tuple(map(max, demand, floor))
    if ceiling is None:
        return QueueDemand(raised, 0)
    lacks = max(0, *(amount - most for amount, most in zip(demand, ceiling, strict=True)))
    return QueueDemand(tuple(map(min, raised, ceiling)), lacks)


def room(floors: Mapping[TierNumber, Vector], capacity: Vector) -> dict[TierNumber, Vector]:
    """What each tier and those above it may have together, the floors of those below being kept for them.

    floors: of all queues of each tier together. All in one unit.
    """
    critical = tuple(amount * CRITICAL // THOUSANDTHS for amount in capacity)
    first = tuple(
        min(part - second, whole - second - third)
        for part, whole, second, third in zip(critical, capacity, floors[2], floors[3], strict=True)
    )
    second = tuple(
        min(part, whole - third) for part, whole, third in zip(critical, capacity, floors[3], strict=True)
    )
    return {1: first, 2: second, 3: capacity}


def floors_by_tier(fleet: Fleet, cluster: FleetCluster) -> dict[TierNumber, Vector]:
    """The floors of all queues of each tier on a cluster, together."""
    sums: dict[TierNumber, Vector] = dict.fromkeys(TIERS, NOTHING)
    for queue in fleet.queues:
        if floor := queue.floors.get(cluster.name):
            sums[queue.tier] = _sum(sums[queue.tier], machines(floor, cluster))
    return sums


@dataclass(frozen=True, kw_only=True)
class Measures:
    """How good placements are; smaller is better, and earlier counts more."""

    slack: Mapping[TierNumber, int]
    peak: int
    balance: int
    moves: int

    def values(self) -> dict[ObjectiveName, int]:
        """By objective, in their order."""
        return {
            "slack of tier 1": self.slack[1],
            "slack of tier 2": self.slack[2],
            "slack of tier 3": self.slack[3],
            "peak": self.peak,
            "balance": self.balance,
            "moves": self.moves,
        }


def measures(fleet: Fleet, placements: Mapping[str, str]) -> Measures:
    """How good placements are."""
    slack: dict[TierNumber, int] = dict.fromkeys(TIERS, 0)
    peak = balance = 0
    demands = demand_of_queues(fleet, placements)
    for cluster in fleet.clusters:
        floors = floors_by_tier(fleet, cluster)
        limits = {
            number: room(floors, (number * THOUSANDTHS,) * len(COUNTED))
            for number in map(cluster.instances, range(HOURS))
        }
        bounds = [
            (
                queue,
                machines(queue.floors.get(cluster.name, Resources()), cluster),
                _ceiling(queue.ceilings.get(cluster.name), cluster),
                demands.get((cluster.name, queue.path)),
            )
            for queue in fleet.queues
        ]
        day = NOTHING
        for hour in range(HOURS):
            instances = cluster.instances(hour)
            sums: dict[TierNumber, Vector] = dict.fromkeys(TIERS, NOTHING)
            for queue, floor, ceiling, demand in bounds:
                if demand is None and floor == NOTHING:
                    continue
                load = queue_demand(demand[hour] if demand else NOTHING, floor, ceiling)
                sums[queue.tier] = _sum(sums[queue.tier], load.claim)
                slack[queue.tier] += load.lacks
            upto, lacked = NOTHING, 0
            for tier in TIERS:
                upto = _sum(upto, sums[tier])
                most = limits[instances][tier]
                over = max(0, *(amount - limit for amount, limit in zip(upto, most, strict=True)))
                slack[tier] += max(0, over - lacked)
                lacked = max(lacked, over)
            peak = max(peak, *(-(-amount // instances) for amount in upto))
            day = _sum(day, upto)
        whole = sum(cluster.instances(hour) for hour in range(HOURS))
        balance = max(balance, *(-(-amount // whole) for amount in day))
    moves = sum(placements[workflow.name] != workflow.home for workflow in fleet.workflows)
    return Measures(slack=slack, peak=peak, balance=balance, moves=moves)


def demand_of_queues(fleet: Fleet, placements: Mapping[str, str]) -> dict[tuple[str, str], list[Vector]]:
    """What the workflows of each queue on each cluster ask together, by hour."""
    sums: dict[tuple[str, str], list[Vector]] = defaultdict(lambda: [NOTHING] * HOURS)
    clusters = {cluster.name: cluster for cluster in fleet.clusters}
    for workflow in fleet.workflows:
        cluster = clusters[placements[workflow.name]]
        hours = sums[cluster.name, workflow.queue]
        for hour, amount in enumerate(workflow.demand_on(cluster.name)):
            hours[hour] = _sum(hours[hour], machines(amount, cluster))
    return sums


def amounts_of_queues(fleet: Fleet, placements: Mapping[str, str]) -> dict[tuple[str, str], list[Resources]]:
    """The same in cores and memory."""
    parts: dict[tuple[str, str], list[list[Resources]]] = defaultdict(lambda: [[] for _ in range(HOURS)])
    for workflow in fleet.workflows:
        name = placements[workflow.name]
        hours = parts[name, workflow.queue]
        for hour, amount in enumerate(workflow.demand_on(name)):
            hours[hour].append(counted(amount))
    return {key: [total(amounts) for amounts in hours] for key, hours in parts.items()}


def counted(amount: Resources) -> Resources:
    """An amount without what is not shared out."""
    return Resources(**{name: amount.get(name) or 0 for name in COUNTED})


def _ceiling(ceiling: Resources | None, cluster: FleetCluster) -> Vector | None:
    """A resource that it does not state has none, which is more than any cluster has."""
    if ceiling is None:
        return None
    stated = machines(ceiling, cluster, up=False)
    return tuple(
        UNBOUNDED if ceiling.get(name) is None else amount
        for name, amount in zip(COUNTED, stated, strict=True)
    )


UNBOUNDED = 10**12


def ceiling_of(queue_ceilings: Mapping[str, Resources], cluster: FleetCluster) -> Vector | None:
    """A queue's ceiling on a cluster; None where it has none."""
    return _ceiling(queue_ceilings.get(cluster.name), cluster)


def _sum(first: Iterable[int], second: Iterable[int]) -> Vector:
    return tuple(map(int.__add__, first, second))
