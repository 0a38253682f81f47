"""Machines that a capacity reservation has no room for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aws_rules.eks import capacity
from aws_rules.rule import Verdict
from localcloud.plugins.aws.subject import Subject
from localcloud.project import capacity_reservations, project_folder


def target(data: Mapping[str, Any]) -> str | None:
    """Id of the reservation that a launch template's machines use, if it names one."""
    specification = data.get("CapacityReservationSpecification") or {}
    id: str | None = (specification.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    return id


def check(subject: Subject, group: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Verdict]:
    """Whether the reservation of a group has instances for all that the group launches now."""
    id = target(data)
    if id is None:
        return
    store = subject.api.service("eks", subject.region).store
    own = (group["clusterName"], group["nodegroupName"])
    had = store.get("machines", *own)
    all_machines = [machines for machines in store.all("machines") if machines.get("reservation") == id]
    other_machines = sum(machines["count"] for machines in all_machines)
    if had and had.get("reservation") == id:
        other_machines -= had["count"]
    subnets = subject.api.call("ec2", "describe_subnets", {"SubnetIds": group["subnets"]}, subject.region)
    zones = sorted({subnet["AvailabilityZone"] for subnet in subnets["Subnets"]})
    desired = group["scalingConfig"]["desiredSize"]
    # Only an update of machines that are there has old and new ones side by side.
    extra = capacity.surge(group.get("updateConfig") or {}, had["count"], len(zones)) if had else 0
    yield from capacity.reservation(
        f"EKS node group {own[1]} of {own[0]}",
        id,
        capacity_reservations(project_folder(Path.cwd())),
        group["instanceTypes"],
        zones,
        desired + extra,
        other_machines,
        updating=extra > 0 and desired <= had["count"],
        spot=group.get("capacityType") == "SPOT",
    )
