"""Capacity reservations: they exist, and are of the machines that they are for."""

import math
from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning
from doctor.machines import MachineGroup, machine_groups


def reservations(place: Place) -> Iterator[Finding]:
    """Every reservation that a node group names is active, in its zone, of its type, and large enough."""
    for group in machine_groups(place):
        if group.retiring:
            continue
        for zone, reservation in group.settings.capacity_reservations.items():
            yield _reservation(place, group, zone, reservation)


def _reservation(place: Place, group: MachineGroup, zone: str, id_: str) -> Finding:
    where = f"{place.name}/{group.cluster}"
    reservation = f"Node group {group.name}: capacity reservation {id_}"
    answer = place.find(
        "ec2",
        "describe_capacity_reservations",
        "InvalidCapacityReservationId",
        CapacityReservationIds=[id_],
    )
    if answer is None:
        return problem(
            where,
            f"{reservation} is not in {place.account}, {place.region}.",
            "Correct its id, or leave it out.",
        )
    [capacity] = answer["CapacityReservations"]
    type_, total = capacity["InstanceType"], capacity["TotalInstanceCount"]
    if capacity["State"] != "active":
        return problem(where, f"{reservation} is {capacity['State']}.", "Make a new one, or leave it out.")
    if capacity["AvailabilityZone"] != zone:
        return problem(
            where, f"{reservation} is in {capacity['AvailabilityZone']}, not in {zone}.", "Correct the zone."
        )
    if type_ not in group.types:
        return problem(
            where,
            f"{reservation} is for {type_}, and the group has {series(group.types)}.",
            f"Make it {type_}, the only type of the group.",
        )
    if total < group.per_zone:
        least = math.ceil(group.settings.minimum / len(group.zones))
        # Where a launch template names a reservation, EC2 starts nothing outside of it.
        return (problem if total < least else warning)(
            where,
            f"{reservation} has {total:,} machines, and the group may have {group.per_zone:,} in {zone}.",
            "Machines beyond it do not start: raise it, or lower the maximum.",
        )
    if group.settings.retiring and total < 2 * group.per_zone:
        # Both generations are launched in it, and the new one comes before the old one goes.
        return warning(
            where,
            f"{reservation} has {total:,} machines for two generations, each of which may have "
            f"{group.per_zone:,} in {zone}.",
            "What the earlier one has the present one does not get until it goes: raise it for that time, or "
            "wait.",
        )
    return ok(where, f"{reservation} has {total:,} {type_} in {zone}.")
