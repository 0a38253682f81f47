"""Capacity reservations: what a node group launches, and what a targeted reservation has to spare.

A reservation has the shape that EC2's DescribeCapacityReservations shows it in.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule, Unknown, Verdict, Violation

RESERVATION = Rule(
    name="capacity-reservation",
    authority="EKS",
    decides="whether the reservation that a node group targets has instances for what the group launches: "
    "the desired ones, and in an update those that come before the old ones go",
    source="https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
    further=(
        "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
        # Spot machines and reservations: "this combination is not supported by AWS".
        "https://github.com/kubernetes-sigs/cluster-api-provider-aws/pull/5633",
    ),
)

RULES = (RESERVATION,)

LAUNCH_FAILED = "AsgInstanceLaunchFailures"
"""EKS's code of a launch that Auto Scaling failed at."""

EXCEEDED = (
    "Could not launch On-Demand Instances. ReservationCapacityExceeded - The targeted Capacity Reservation "
    "does not have enough available instance capacity to fulfill your request. Launching EC2 instance failed"
)

MAX_UNAVAILABLE = 100
"""Nodes that EKS replaces at the same time, at most (managed-node-update-behavior.html, setup phase)."""


def max_unavailable(update: Mapping[str, Any], count: int) -> int:
    """Machines that EKS replaces at the same time: a number, or a percentage of them, rounded up."""
    percentage = update.get("maxUnavailablePercentage")
    number = int(-(-count * percentage // 100) if percentage else update.get("maxUnavailable", 1))
    return max(1, min(number, MAX_UNAVAILABLE))


def surge(update: Mapping[str, Any], count: int, zones: int) -> int:
    """Machines that an update launches before old ones go: none where it is told to launch the fewest."""
    if not count or update.get("updateStrategy") == "MINIMAL":
        return 0
    return max(2 * zones, max_unavailable(update, count))


def reservation(
    group: str,
    id: str,
    reservations: Sequence[Mapping[str, Any]],
    instance_types: Sequence[str],
    zones: Sequence[str],
    launched: int,
    others: int = 0,
    *,
    updating: bool = False,
    spot: bool = False,
) -> Iterator[Verdict]:
    """What is refused of a group whose machines all use one reservation.

    reservations: all that the account has, as far as known. launched: machines of the group at the most.
    others: of other groups in this reservation. updating: some of them only for the time of an update.
    spot: the group has spot machines.
    """
    if spot:
        yield Violation(
            rule=RESERVATION,
            resource=group,
            code=LAUNCH_FAILED,
            message=f"Could not launch Spot Instances. Capacity Reservation {id} is for On-Demand Instances "
            "only. Launching EC2 instance failed",
            remedy="set capacityType to ON_DEMAND, or take the reservation out of the launch template",
        )
        return
    capacity = next(
        (candidate for candidate in reservations if candidate["CapacityReservationId"] == id), None
    )
    if capacity is None:
        yield Unknown(rule=RESERVATION, resource=group, lacks=f"capacity reservation {id}")
        return
    type, zone = capacity["InstanceType"], capacity["AvailabilityZone"]
    if list(instance_types) != [type] or list(zones) != [zone]:
        yield Violation(
            rule=RESERVATION,
            resource=group,
            code=LAUNCH_FAILED,
            message="Could not launch On-Demand Instances. InvalidParameterValue - The attributes of the "
            f"instances do not match those of the Capacity Reservation {id}. Launching EC2 instance failed",
            remedy=f"have only {type} in {zone}, as the reservation",
        )
        return
    total = int(capacity["TotalInstanceCount"])
    if launched + others > total:
        remark = f", of which other groups have {others}" if others else ""
        yield Violation(
            rule=RESERVATION,
            resource=group,
            code=LAUNCH_FAILED,
            message=EXCEEDED,
            remedy=f"set updateConfig.updateStrategy to MINIMAL: {id} has {total} instances{remark}, and "
            f"this update needs {launched} at once"
            if updating
            else f"reserve more: {id} has {total} instances{remark}, and the group needs {launched}",
        )
