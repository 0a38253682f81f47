"""Availability zones: they exist, and EKS works in them."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.finding import Finding, ok, problem, series, warning

# "Amazon EKS VPC and subnet requirements" in the EKS User Guide: no subnets of a cluster here.
WITHOUT_EKS = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


def zones(place: Place) -> Iterator[Finding]:
    """The zones of the settings are the region's, are in service, and EKS works in them."""
    region_zones = {
        zone["ZoneName"]: zone
        for zone in place.ask("ec2", "describe_availability_zones")["AvailabilityZones"]
        if zone.get("ZoneType", "availability-zone") == "availability-zone"
    }
    usable = sorted(name for name, zone in region_zones.items() if zone["ZoneId"] not in WITHOUT_EKS)
    available = []
    for name in place.foundation.zones:
        zone = region_zones.get(name)
        if zone is None:
            yield problem(
                place.name,
                f"{place.region} has no zone {name} for this account.",
                f"Choose others: {series(usable)}.",
            )
        elif zone["ZoneId"] in WITHOUT_EKS:
            yield problem(
                place.name,
                f"Zone {name} is {zone['ZoneId']} in this account, where EKS does not work.",
                f"Choose others: {series(usable)}.",
            )
        elif zone["State"] != "available":
            yield warning(place.name, f"Zone {name} is {zone['State']}.", "Wait, or choose another zone.")
        else:
            available.append(name)
    if available:
        yield ok(place.name, f"There are zones {series(available)}.")
