"""What queues get where workflows are placed: guarantees by hour, within capacity, floors and ceilings.

Where a cluster has less than its queues ask, the lowest tier gives way first, all its queues by the same part
of what they ask above their floors, as with the percentile algorithm.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import (
    COUNTED,
    HOURS,
    Amounts,
    Fleet,
    FleetCluster,
    FleetQueue,
    QueueHours,
    ServedShare,
)
from moka.allocation.fleet_loads import NOTHING, Vector, amounts_of_queues, counted, room
from moka.allocation.rules import TIERS
from moka.queues.resources import Resources

HUNDRED = 100


def share_out(fleet: Fleet, placements: Mapping[str, str]) -> tuple[QueueHours, ...]:
    """What each queue gets on each cluster where it has a workflow or a floor."""
    demands = amounts_of_queues(fleet, placements)
    applications = _applications(fleet, placements)
    result = []
    for cluster in fleet.clusters:
        members = [
            queue
            for queue in fleet.queues
            if (cluster.name, queue.path) in demands or cluster.name in queue.floors
        ]
        hours = [
            _hour(cluster, members, {q.path: _at(demands, cluster, q, hour) for q in members}, hour)
            for hour in range(HOURS)
        ]
        for queue in members:
            ceiling = queue.ceilings.get(cluster.name)
            numbers = applications.get((cluster.name, queue.path), [0] * HOURS)
            result.append(
                QueueHours(
                    cluster=cluster.name,
                    queue=queue.path,
                    hours=tuple(
                        Amounts(
                            guaranteed=_positive_amounts(amounts[queue.path]),
                            maximum=ceiling,
                            max_applications=_with_headroom(number, fleet.headroom),
                        )
                        for amounts, number in zip(hours, numbers, strict=True)
                    ),
                )
            )
    return tuple(result)


def served_shares(
    fleet: Fleet, placements: Mapping[str, str], queues: tuple[QueueHours, ...]
) -> tuple[ServedShare, ...]:
    """What workflows can expect of what their queues get."""
    demands = amounts_of_queues(fleet, placements)
    served: dict[tuple[str, str], list[int]] = {}
    for queue in queues:
        demand = demands.get((queue.cluster, queue.queue))
        served[queue.cluster, queue.queue] = [
            _served_share(amounts.guaranteed, demand[hour]) if demand else THOUSANDTHS
            for hour, amounts in enumerate(queue.hours)
        ]
    return tuple(
        ServedShare(
            workflow=workflow.name,
            tier=workflow.tier,
            served=min(
                (
                    served[placements[workflow.name], workflow.queue][hour]
                    for hour, amount in enumerate(workflow.demand_on(placements[workflow.name]))
                    if any(number for _, number in amount.amounts())
                ),
                default=THOUSANDTHS,
            ),
        )
        for workflow in fleet.workflows
    )


def _served_share(guaranteed: Resources, demand: Resources) -> int:
    return min(
        (
            min((guaranteed.get(name) or 0) * THOUSANDTHS // amount, THOUSANDTHS)
            for name, amount in demand.amounts()
            if amount
        ),
        default=THOUSANDTHS,
    )


def _at(
    demands: Mapping[tuple[str, str], list[Resources]], cluster: FleetCluster, queue: FleetQueue, hour: int
) -> Resources:
    hours = demands.get((cluster.name, queue.path))
    return hours[hour] if hours else counted(Resources())


def _hour(
    cluster: FleetCluster, queues: list[FleetQueue], demands: Mapping[str, Resources], hour: int
) -> dict[str, Resources]:
    """What queues get in an hour."""
    floors = {queue.path: _vector(queue.floors.get(cluster.name, Resources())) for queue in queues}
    claims = {
        queue.path: _claims(
            _vector(demands[queue.path]), floors[queue.path], queue.ceilings.get(cluster.name)
        )
        for queue in queues
    }
    by_tier = {tier: [queue.path for queue in queues if queue.tier == tier] for tier in TIERS}
    least = {tier: _sums(floors[path] for path in paths) for tier, paths in by_tier.items()}
    limits = room(least, _vector(cluster.capacity(hour)))
    amounts_by_queue: dict[str, Resources] = {}
    above = NOTHING
    for tier, paths in by_tier.items():
        part = Fraction(1)
        for claim, floor, amount_above, limit in zip(
            _sums(claims[path] for path in paths), least[tier], above, limits[tier], strict=True
        ):
            asks, free = claim - floor, limit - amount_above - floor
            if asks > free:
                part = min(part, Fraction(max(free, 0), asks))
        for path in paths:
            amounts = [
                floor + int((asks - floor) * part)
                for asks, floor in zip(claims[path], floors[path], strict=True)
            ]
            amounts_by_queue[path] = Resources(**dict(zip(COUNTED, amounts, strict=True)))
            above = _sums([above, amounts])
    return amounts_by_queue


def _claims(demand: Vector, floor: Vector, ceiling: Resources | None) -> Vector:
    raised = map(max, demand, floor)
    if ceiling is None:
        return tuple(raised)
    most = (ceiling.get(name) for name in COUNTED)
    return tuple(
        amount if limit is None else min(amount, limit) for amount, limit in zip(raised, most, strict=True)
    )


def _vector(amount: Resources) -> Vector:
    return tuple(amount.get(name) or 0 for name in COUNTED)


def _sums(vectors: Iterable[Sequence[int]]) -> Vector:
    return tuple(map(sum, zip(NOTHING, *vectors, strict=True)))


def _positive_amounts(amount: Resources) -> Resources:
    """Without what there is nothing of."""
    return Resources(**{name: number for name, number in amount.amounts() if number})


def _applications(fleet: Fleet, placements: Mapping[str, str]) -> dict[tuple[str, str], list[int]]:
    """Thousandths of applications that run at a time in queues by hour: no less than the most of a workflow
    there, or it would wait for itself where others have left."""
    sums: dict[tuple[str, str], list[int]] = {}
    most: dict[tuple[str, str], list[int]] = {}
    for workflow in fleet.workflows:
        cluster = placements[workflow.name]
        added = sums.setdefault((cluster, workflow.queue), [0] * HOURS)
        largest = most.setdefault((cluster, workflow.queue), [0] * HOURS)
        for hour, number in enumerate(workflow.applications_on(cluster)):
            added[hour] += number
            largest[hour] = max(largest[hour], workflow.applications[hour] * THOUSANDTHS)
    return {place: [*map(max, hours, most[place])] for place, hours in sums.items()}


def _with_headroom(number: int, headroom: int) -> int:
    """Whole applications. number: thousandths."""
    return max(-(-number * (HUNDRED + headroom) // (HUNDRED * THOUSANDTHS)), 1)
