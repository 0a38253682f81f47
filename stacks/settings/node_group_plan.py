"""What a node group of the settings is in EKS: one group, or one a zone, and as many again a generation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    # The checks of the settings use this module.
    from stacks.settings.cluster import Generation, NodeGroup

Machines = Union["NodeGroup", "Generation"]
"""What says of which machines a generation is: the group itself of the present one."""


@dataclass(frozen=True, kw_only=True)
class PlannedGroup:
    """One managed node group to be.

    name: in EKS, and with the cluster's before it the logical name: both are identities.
    generation: number of it; the first has no number in its name.
    retiring: another generation takes over.
    zones: where its nodes are.
    instance_types, ami_release: of this generation.
    minimum, maximum, initial: its share of the group's nodes.
    schedule: name of a change -> its minimum's share; times are the group's.
    capacity_reservation: id, where it has one.
    """

    name: str
    generation: int
    retiring: bool
    zones: tuple[str, ...]
    instance_types: tuple[str, ...]
    ami_release: str | None
    minimum: int
    maximum: int
    initial: int
    schedule: Mapping[str, int]
    capacity_reservation: str | None


def planned(name: str, group: "NodeGroup", zones: Sequence[str]) -> list[PlannedGroup]:
    """The managed node groups that one of the settings is: the present generation first, each zone by zone.

    zones: of the foundation; the group's own choice comes before.
    """
    chosen = tuple(group.zones or zones)
    places = [(zone,) for zone in chosen] if group.per_zone else [chosen]
    generations: list[tuple[int, Machines]] = [
        (group.generation, group),
        *sorted(group.retiring.items(), reverse=True),
    ]
    return [
        _planned(name, group, place, (part, len(places)), number, generation)
        for number, generation in generations
        for part, place in enumerate(places)
    ]


def count(groups: Mapping[str, "NodeGroup"], zones: Sequence[str]) -> int:
    """Managed node groups that the groups of a cluster are in all."""
    return sum(len(planned(name, group, zones)) for name, group in groups.items())


def share(total: int, part: int, parts: int) -> int:
    """A part's share of a number of nodes; what is left over goes to the first parts, one each."""
    return total // parts + (part < total % parts)


def _planned(
    name: str,
    group: "NodeGroup",
    zones: tuple[str, ...],
    part: tuple[int, int],
    number: int,
    machines: "Machines",
) -> PlannedGroup:
    retiring = number != group.generation
    return PlannedGroup(
        # The first generation keeps the group's own name: it was there before there was a second one.
        name="-".join([name, *(zones if group.per_zone else ()), *([f"g{number}"] if number > 1 else ())]),
        generation=number,
        retiring=retiring,
        zones=zones,
        instance_types=tuple(machines.instance_types),
        ami_release=machines.ami_release,
        minimum=0 if retiring else share(group.minimum, *part),
        maximum=share(group.maximum, *part),
        initial=0 if retiring else share(group.initial, *part),
        schedule={}
        if retiring
        else {key: share(each.minimum, *part) for key, each in group.schedule.items()},
        capacity_reservation=group.capacity_reservations.get(zones[0]) if len(zones) == 1 else None,
    )
