"""Instance types: offered in the zones in which node groups want them."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, listed, ok, problem, warning
from doctor.machines import Machines, machines


def offered(place: Place) -> Iterator[Finding]:
    """Every zone of a node group has one of its instance types at least."""
    groups = [each for each in machines(place) if not each.retiring]
    there = {
        (offer["InstanceType"], offer["Location"])
        for offer in place.every(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[
                {"Name": "instance-type", "Values": sorted({name for each in groups for name in each.types})},
                {"Name": "location", "Values": sorted({zone for each in groups for zone in each.zones})},
            ],
        )
    }
    for cluster in place.clusters:
        wanting = [each for each in groups if each.cluster == cluster]
        found = [finding for each in wanting for finding in _of_group(place, each, there)]
        yield from found
        if not found:
            types = {name for each in wanting for name in each.types}
            zones = sorted({zone for each in wanting for zone in each.zones})
            yield ok(f"{place.name}/{cluster}", f"{_types(len(types))} offered in {listed(zones)}.")


def _of_group(place: Place, each: Machines, there: set[tuple[str, str]]) -> Iterator[Finding]:
    where = f"{place.name}/{each.cluster}"
    for zone in each.zones:
        missing = [name for name in each.types if (name, zone) not in there]
        if len(missing) == len(each.types):
            elsewhere = sorted({at for name, at in there if name in each.types and at in each.zones})
            yield problem(
                where,
                f"Node group {each.name}: {zone} offers no {listed(missing)}, so no machine starts there.",
                f"Add an instance type that it offers, or set the group's zones to {listed(elsewhere)}."
                if elsewhere
                else "Take other instance types, or other zones.",
            )
        elif missing:
            yield warning(
                where,
                f"Node group {each.name}: {zone} does not offer {listed(missing)}.",
                "The others have to do there.",
            )


def _types(number: int) -> str:
    return "The one instance type is" if number == 1 else f"All {number} instance types are"
