"""Instance types: offered in the zones in which node groups want them."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, listed, ok, problem, warning
from doctor.machines import Machines, machines


def offered(place: Place) -> Iterator[Finding]:
    """Every zone of a node group has one of its instance types at least."""
    groups = [group for group in machines(place) if not group.retiring]
    offered = {
        (offer["InstanceType"], offer["Location"])
        for offer in place.every(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[
                {
                    "Name": "instance-type",
                    "Values": sorted({name for group in groups for name in group.types}),
                },
                {"Name": "location", "Values": sorted({zone for group in groups for zone in group.zones})},
            ],
        )
    }
    for cluster in place.clusters:
        cluster_groups = [group for group in groups if group.cluster == cluster]
        findings = [finding for group in cluster_groups for finding in _missing_types(place, group, offered)]
        yield from findings
        if not findings:
            types = {name for group in cluster_groups for name in group.types}
            zones = sorted({zone for group in cluster_groups for zone in group.zones})
            yield ok(f"{place.name}/{cluster}", f"{_types(len(types))} offered in {listed(zones)}.")


def _missing_types(place: Place, group: Machines, offered: set[tuple[str, str]]) -> Iterator[Finding]:
    where = f"{place.name}/{group.cluster}"
    for zone in group.zones:
        missing = [name for name in group.types if (name, zone) not in offered]
        if len(missing) == len(group.types):
            elsewhere = sorted({at for name, at in offered if name in group.types and at in group.zones})
            yield problem(
                where,
                f"Node group {group.name}: {zone} offers no {listed(missing)}, so no machine starts there.",
                f"Add an instance type that it offers, or set the group's zones to {listed(elsewhere)}."
                if elsewhere
                else "Take other instance types, or other zones.",
            )
        elif missing:
            yield warning(
                where,
                f"Node group {group.name}: {zone} does not offer {listed(missing)}.",
                "The others have to do there.",
            )


def _types(number: int) -> str:
    return "The one instance type is" if number == 1 else f"All {number} instance types are"
