"""Capacity reservations: there, and of the machines that they are for."""

from collections.abc import Iterator

from doctor.account import Place, Unanswered
from doctor.finding import Finding, listed, ok, problem, warning
from doctor.machines import Machines, machines


def reservations(place: Place) -> Iterator[Finding]:
    """Every reservation that a node group names is active, in its zone, of its type, and large enough."""
    for group in machines(place):
        if group.retiring:
            continue
        for zone, reservation in group.settings.capacity_reservations.items():
            yield _reservation(place, group, zone, reservation)


def _reservation(place: Place, group: Machines, zone: str, id_: str) -> Finding:
    where = f"{place.name}/{group.cluster}"
    which = f"Node group {group.name}: capacity reservation {id_}"
    try:
        answer = place.ask("ec2", "describe_capacity_reservations", CapacityReservationIds=[id_])
    except Unanswered as error:
        if not error.code.startswith("InvalidCapacityReservationId"):
            raise
        return problem(
            where, f"{which} is not in {place.account}, {place.region}.", "Correct its id, or leave it out."
        )
    [reservation] = answer["CapacityReservations"]
    type_, total = reservation["InstanceType"], reservation["TotalInstanceCount"]
    if reservation["State"] != "active":
        return problem(where, f"{which} is {reservation['State']}.", "Make a new one, or leave it out.")
    if reservation["AvailabilityZone"] != zone:
        return problem(
            where, f"{which} is in {reservation['AvailabilityZone']}, not in {zone}.", "Correct the zone."
        )
    if type_ not in group.types:
        return problem(
            where, f"{which} is for {type_}, and the group has {listed(group.types)}.", f"Add {type_} to it."
        )
    if total < group.a_zone:
        return warning(
            where,
            f"{which} has {total:,} machines, and the group may have {group.a_zone:,} in {zone}.",
            "What goes beyond it is on-demand, if there is any: raise it, or lower the maximum.",
        )
    return ok(where, f"{which} has {total:,} {type_} in {zone}.")
