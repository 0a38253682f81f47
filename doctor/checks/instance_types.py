"""Instance types: offered in the zones in which node groups want them."""

from collections.abc import Iterable, Iterator
from itertools import chain

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning
from doctor.machines import MachineGroup, machine_groups


def offerings(place: Place) -> Iterator[Finding]:
    """Every zone of a node group has one of its instance types at least."""
    groups = [group for group in machine_groups(place) if not group.retiring]
    offers = {
        (offering["InstanceType"], offering["Location"])
        for offering in place.items(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[
                {"Name": "instance-type", "Values": _union(group.types for group in groups)},
                {"Name": "location", "Values": _union(group.zones for group in groups)},
            ],
        )
    }
    for cluster in place.clusters:
        cluster_groups = [group for group in groups if group.cluster == cluster]
        findings = [finding for group in cluster_groups for finding in _group_findings(place, group, offers)]
        yield from findings
        if not findings:
            types = _union(group.types for group in cluster_groups)
            zones = _union(group.zones for group in cluster_groups)
            subject = (
                "The one instance type is" if len(types) == 1 else f"All {len(types)} instance types are"
            )
            yield ok(f"{place.name}/{cluster}", f"{subject} offered in {series(zones)}.")


def _group_findings(place: Place, group: MachineGroup, offers: set[tuple[str, str]]) -> Iterator[Finding]:
    where = f"{place.name}/{group.cluster}"
    for zone in group.zones:
        missing = [type_ for type_ in group.types if (type_, zone) not in offers]
        if len(missing) == len(group.types):
            alternatives = sorted({at for type_, at in offers if type_ in group.types and at in group.zones})
            yield problem(
                where,
                f"Node group {group.name}: {zone} offers no {series(missing)}, so no machine starts there.",
                f"Add an instance type that it offers, or set the group's zones to {series(alternatives)}."
                if alternatives
                else "Take other instance types, or other zones.",
            )
        elif missing:
            yield warning(
                where,
                f"Node group {group.name}: {zone} does not offer {series(missing)}.",
                "Only the others can start there.",
            )


def _union(names: Iterable[Iterable[str]]) -> list[str]:
    return sorted(set(chain.from_iterable(names)))
