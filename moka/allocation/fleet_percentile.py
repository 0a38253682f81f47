"""The percentile algorithm's answer for a fleet: every workflow at home, the same amounts in each hour."""

from collections.abc import Iterator, Mapping

from moka.allocation.fleet import HOURS, Amounts, Fleet, FleetPlan, FleetQueue, Objective, QueueHours
from moka.allocation.fleet_amounts import served_shares, share_out
from moka.allocation.percentile import Allocation, Share
from moka.queues.resources import RESOURCES, Resources


def at_home(
    fleet: Fleet,
    allocations: Mapping[str, Allocation],
    objectives: tuple[Objective, ...] = (),
    says: tuple[str, ...] = (),
) -> FleetPlan:
    """A plan that moves nothing but what may not stay.

    allocations: by cluster; one that has none gets amounts by the hour, for what its workflows ask.
    """
    placements = {
        workflow.name: workflow.home if workflow.home in choices else choices[0]
        for workflow, choices in ((workflow, fleet.choices(workflow)) for workflow in fleet.workflows)
    }
    queues = tuple(
        queue for queue in share_out(fleet, placements) if queue.cluster not in allocations
    ) + tuple(_constant(fleet, allocations))
    return FleetPlan(
        method="percentile",
        placements=placements,
        queues=queues,
        objectives=objectives,
        expected=served_shares(fleet, placements, queues),
        binding=(),
        nodes=(),
        says=(*says, *(remark for allocation in allocations.values() for remark in allocation.says)),
        repeatable=True,
    )


def _constant(fleet: Fleet, allocations: Mapping[str, Allocation]) -> Iterator[QueueHours]:
    queues = {queue.path: queue for queue in fleet.queues}
    for name, allocation in allocations.items():
        for share in allocation.shares:
            queue = queues.get(share.queue, FleetQueue(path=share.queue))
            amounts = Amounts(
                guaranteed=_guarantee(share, queue, name),
                maximum=queue.ceilings.get(name),
                max_applications=share.max_applications,
            )
            yield QueueHours(cluster=name, queue=share.queue, hours=(amounts,) * HOURS)


def _guarantee(share: Share, queue: FleetQueue, cluster: str) -> Resources:
    """What a queue is guaranteed, within its floor and ceiling."""
    floor, ceiling = queue.floors.get(cluster, Resources()), queue.ceilings.get(cluster, Resources())
    result = {}
    for name in RESOURCES:
        amount = max(share.guaranteed.get(name) or 0, floor.get(name) or 0)
        most = ceiling.get(name)
        result[name] = (amount if most is None else min(amount, most)) or None
    return Resources(**result)
