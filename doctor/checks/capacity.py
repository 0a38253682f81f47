"""Capacity reservations: there, and of the machines that they are for."""

from collections.abc import Iterator

from doctor.account import Place, Unanswered
from doctor.finding import Finding, listed, ok, problem, warning
from doctor.machines import Machines, machines


def reservations(place: Place) -> Iterator[Finding]:
    """Every reservation that a node group names is active, in its zone, of its type, and large enough."""
    for each in machines(place):
        if each.retiring:
            continue
        for zone, reservation in each.group.capacity_reservations.items():
            yield _reservation(place, each, zone, reservation)


def _reservation(place: Place, each: Machines, zone: str, id_: str) -> Finding:
    where = f"{place.name}/{each.cluster}"
    which = f"Node group {each.name}: capacity reservation {id_}"
    try:
        answer = place.ask("ec2", "describe_capacity_reservations", CapacityReservationIds=[id_])
    except Unanswered as no:
        if not no.code.startswith("InvalidCapacityReservationId"):
            raise
        return problem(
            where, f"{which} is not in {place.account}, {place.region}.", "Correct its id, or leave it out."
        )
    [found] = answer["CapacityReservations"]
    type_, total = found["InstanceType"], found["TotalInstanceCount"]
    if found["State"] != "active":
        return problem(where, f"{which} is {found['State']}.", "Make a new one, or leave it out.")
    if found["AvailabilityZone"] != zone:
        return problem(
            where, f"{which} is in {found['AvailabilityZone']}, not in {zone}.", "Correct the zone."
        )
    if type_ not in each.types:
        return problem(
            where, f"{which} is for {type_}, and the group has {listed(each.types)}.", f"Add {type_} to it."
        )
    if total < each.a_zone:
        return warning(
            where,
            f"{which} has {total:,} machines, and the group may have {each.a_zone:,} in {zone}.",
            "What goes beyond it is on-demand, if there is any: raise it, or lower the maximum.",
        )
    return ok(where, f"{which} has {total:,} {type_} in {zone}.")
