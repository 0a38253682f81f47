"""What a node group of the settings is in EKS: one group, or one a zone, and as many again a generation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from moka.queues.calendar import last_time
from stacks.settings.cluster import Generation, NodeGroup


@dataclass(frozen=True, kw_only=True)
class NodeGroupPlan:
    """One managed node group to be.

    name: in EKS, and with the cluster's before it the logical name: both are identities.
    generation: number of it; the first has no number in its name.
    retiring: another generation takes over.
    zones: where its nodes are.
    instance_types, ami_release, ami: of this generation.
    minimum, maximum, initial: its share of the group's nodes.
    schedule: name of a change -> its minimum's share; times are the group's.
    schedule_maximum: name of a change -> its maximum's share, of those that have one.
    capacity_reservation: id, where it has one.
    """

    name: str
    generation: int
    retiring: bool
    zones: tuple[str, ...]
    instance_types: tuple[str, ...]
    ami_release: str | None
    ami: str | None
    minimum: int
    maximum: int
    initial: int
    schedule: Mapping[str, int]
    schedule_maximum: Mapping[str, int]
    capacity_reservation: str | None

    @property
    def zone_known(self) -> bool:
        """Whether it is known in which zones its nodes are, as of a group in one zone or of a fixed size.

        In which of several zones a machine comes up Auto Scaling decides, and the autoscaler cannot.
        """
        return len(self.zones) == 1 or (self.minimum == self.maximum and not self.schedule)


def node_group_plans(name: str, group: NodeGroup, foundation_zones: Sequence[str]) -> list[NodeGroupPlan]:
    """The managed node groups of one group of the settings: the present generation first, each zone by zone.

    name: the group's in the settings.
    foundation_zones: zones of the cluster's foundation; the group's own choice comes before.
    """
    zones = group.effective_zones(foundation_zones)
    generations: list[tuple[int, NodeGroup | Generation]] = [
        (group.generation, group),
        *sorted(group.retiring.items(), reverse=True),
    ]
    plans = []
    for number, generation in generations:
        zonal = group.zonal if generation.per_zone is None else generation.per_zone
        zone_sets = [(zone,) for zone in zones] if zonal else [zones]
        plans += [
            _plan(name, group, number, generation, zone_set, part, len(zone_sets), zonal=zonal)
            for part, zone_set in enumerate(zone_sets)
        ]
    return plans


def bounds_at(group: NodeGroup, plan: NodeGroupPlan, moment: datetime) -> tuple[int, int]:
    """Minimum and maximum of a managed node group at a moment, as the last changes of its schedule left them.

    plan: of the group. A change without a maximum leaves that of the one before.
    """
    times = {
        name: time
        for name in plan.schedule
        if (time := last_time(group.schedule[name].cron, group.time_zone, moment)) is not None
    }
    minimum, maximum = plan.minimum, plan.maximum
    for name in sorted(times, key=times.__getitem__):
        minimum = plan.schedule[name]
        maximum = plan.schedule_maximum.get(name, maximum)
    return minimum, maximum


def share(total: int, part: int, parts: int) -> int:
    """A part's share of a number of nodes; what is left over goes to the first parts, one each."""
    return total // parts + (part < total % parts)


def _plan(
    name: str,
    group: NodeGroup,
    number: int,
    generation: NodeGroup | Generation,
    zones: tuple[str, ...],
    part: int,
    parts: int,
    *,
    zonal: bool,
) -> NodeGroupPlan:
    retiring = number != group.generation
    return NodeGroupPlan(
        # The first generation keeps the group's own name: it was there before there was a second one.
        name="-".join([name, *(zones if zonal else ()), *([f"g{number}"] if number > 1 else ())]),
        generation=number,
        retiring=retiring,
        zones=zones,
        instance_types=tuple(generation.instance_types),
        ami_release=generation.ami_release,
        ami=generation.ami,
        minimum=0 if retiring else share(group.minimum, part, parts),
        maximum=share(group.maximum, part, parts),
        initial=0 if retiring else share(group.initial, part, parts),
        schedule={}
        if retiring
        else {key: share(change.minimum, part, parts) for key, change in group.schedule.items()},
        schedule_maximum={}
        if retiring
        else {
            key: share(change.maximum, part, parts)
            for key, change in group.schedule.items()
            if change.maximum is not None
        },
        capacity_reservation=group.capacity_reservations.get(zones[0]) if len(zones) == 1 else None,
    )
