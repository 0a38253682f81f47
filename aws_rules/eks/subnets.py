"""Subnets and security groups of a cluster's control plane."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule, Violation

CLUSTER_SUBNETS = Rule(
    name="cluster-subnets",
    authority="EKS",
    decides="whether a control plane may be in its subnets (zones, VPC, addresses) with its security groups",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
)
RULES = (CLUSTER_SUBNETS,)

LEAST_ZONES, LEAST_ADDRESSES = 2, 6
"""Source: of the rule, "Subnet requirements for clusters"."""

UNSUPPORTED_ZONES = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
"""Ids of zones in which EKS makes no control planes: the same page."""

Described = Mapping[str, Any]
"""As EC2 describes it."""


def absent(cluster: str, subnets: Sequence[str], groups: Sequence[str]) -> Iterator[Violation]:
    """What EKS refuses of ids that EC2 does not have."""
    for kind, ids in (("subnet ID", subnets), ("security group", groups)):
        for id_ in ids:
            # EC2's words, which EKS hands on.
            remedy = "correct the id; a network of one's own has to be in the laptop's AWS before"
            yield _violation(cluster, f"The {kind} '{id_}' does not exist", remedy)


def cluster_subnets(
    cluster: str, name: str, subnets: Sequence[Described], groups: Sequence[Described]
) -> Iterator[Violation]:
    """What EKS refuses of the subnets of a new cluster, and of its further security groups.

    cluster: as an engineer names it. name: EKS's.
    """
    # Words: awsdocs/amazon-eks-user-guide#795.
    if len({subnet["AvailabilityZone"] for subnet in subnets}) < LEAST_ZONES:
        yield _violation(
            cluster,
            "Subnets specified must be in at least two different AZs",
            "name subnets of two zones or more",
        )
    vpcs = sorted({subnet["VpcId"] for subnet in subnets})
    if len(vpcs) > 1:
        message = f"Subnets specified must be in the same VPC, and are in {', '.join(vpcs)}"
        yield _violation(cluster, message, "name subnets of one VPC")
    strangers = [group["GroupId"] for group in groups if group["VpcId"] not in vpcs]
    if strangers and len(vpcs) == 1:
        message = f"Security groups [{', '.join(strangers)}] are not in the VPC of the subnets, {vpcs[0]}"
        yield _violation(cluster, message, "name security groups of that VPC")
    for subnet in subnets:
        if subnet.get("AvailabilityZoneId") in UNSUPPORTED_ZONES:
            # Words: eksctl-io/eksctl#118.
            zone = subnet["AvailabilityZone"]
            message = (
                f"Cannot create cluster '{name}' because {zone}, the targeted availability zone, does not "
                "currently have sufficient capacity to support the cluster"
            )
            remedy = f"name a subnet of another zone than {zone}"
            yield _violation(cluster, message, remedy, "UnsupportedAvailabilityZoneException")
        free = subnet.get("AvailableIpAddressCount")
        if free is not None and int(free) < LEAST_ADDRESSES:
            message = (
                f"Subnet {subnet['SubnetId']} has {free} free IP addresses; the subnets must each have at "
                "least six IP addresses for use by Amazon EKS"
            )
            yield _violation(cluster, message, "name a larger subnet")


def other_subnets(cluster: str, zones: Collection[str], subnets: Sequence[Described]) -> Iterator[Violation]:
    """What EKS refuses of other subnets of a cluster that was made in these zones.

    Source: aws/containers-roadmap#2330; words: as programs quote EKS. Nodes may be in any subnet of the VPC
    (the rule's page).
    """
    new = {subnet["AvailabilityZone"] for subnet in subnets}
    if new != set(zones):
        message = (
            f"Provided subnets belong to the AZs '{','.join(sorted(new))}'. But they should belong to the "
            f"exact set of AZs '{','.join(sorted(zones))}' in which subnets were provided during cluster "
            "creation."
        )
        yield _violation(
            cluster, message, "leave the cluster's subnets as they are; its nodes may be in others"
        )


def _violation(cluster: str, message: str, remedy: str, code: str = "InvalidParameterException") -> Violation:
    return Violation(rule=CLUSTER_SUBNETS, resource=cluster, code=code, message=message, remedy=remedy)
