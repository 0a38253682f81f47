"""Subnets of a group's machines, and of their pods with custom networking."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.nodes.addresses import ZONE_LABELS, PodNetwork
from aws_rules.rule import Rule, Unknown, Verdict, Violation

GROUP_SUBNETS = Rule(
    name="node-group-subnets",
    authority="EKS",
    decides="whether subnets of a group are of its cluster's VPC, and public ones give public addresses",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html",
)
POD_SUBNETS = Rule(
    name="pod-subnets",
    authority="EKS",
    decides="whether each zone of a group has a subnet for its pods, in that zone and VPC, where the VPC CNI "
    "has custom networking",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cni-custom-network.html",
)
RULES = (GROUP_SUBNETS, POD_SUBNETS)

Subnet = Mapping[str, Any]
"""As DescribeSubnets shows it."""

# Source: aws/amazon-vpc-cni-k8s#2683 and pkg/ipamd/ipamd.go, nodeInit.
NO_INTERFACES = (
    "Unhealthy nodes in the kubernetes cluster: container runtime network not ready: cni plugin not "
    "initialized: aws-node: {reason}: Failed to attach any ENIs for custom networking"
)


def group_subnets(
    resource: str, group: str, subnets: Sequence[Subnet], vpc: str, public: Sequence[str]
) -> Iterator[Violation]:
    """What EKS refuses of the subnets of a group's machines.

    vpc: of the cluster. public: ids of those whose machines could use an internet gateway only.
    """
    outsiders = [subnet["SubnetId"] for subnet in subnets if subnet["VpcId"] != vpc]
    if outsiders:
        yield Violation(
            rule=GROUP_SUBNETS,
            resource=resource,
            code="InvalidParameterException",
            message=f"Subnets [{', '.join(outsiders)}] are not in the VPC of the cluster, {vpc}",
            remedy="name subnets of that VPC",
        )
    unassigned = [
        subnet["SubnetId"]
        for subnet in subnets
        if subnet["SubnetId"] in public and not subnet.get("MapPublicIpOnLaunch")
    ]
    if unassigned:
        # Source: sassoftware/viya4-iac-aws#271, eksctl-io/eksctl#2834.
        yield Violation(
            rule=GROUP_SUBNETS,
            resource=resource,
            code="Ec2SubnetInvalidConfiguration",
            message=f"One or more Amazon EC2 Subnets of [{', '.join(unassigned)}] for node group {group} "
            "does not automatically assign public IP addresses to instances launched into it. If you want "
            "your instances to be assigned a public IP address, then you need to enable auto-assign public "
            "IP address for the subnet",
            remedy="route the subnets through a NAT gateway, or set mapPublicIpOnLaunch",
        )


def pod_subnets(
    resource: str, zones: Sequence[str], network: PodNetwork, subnets: Mapping[str, Subnet], vpc: str
) -> Iterator[Verdict]:
    """What keeps the VPC CNI from interfaces for pods, with custom networking.

    subnets: by id. vpc: of the cluster.
    """
    if network.pod_subnets is None:
        return
    if network.label not in (None, *ZONE_LABELS):
        yield Unknown(rule=POD_SUBNETS, resource=resource, lacks=f"the label {network.label} of nodes")
        return
    for zone in zones:
        name = network.configuration(zone)
        id_ = network.pod_subnets.get(name)
        if id_ is None:
            reason = f'error while retrieving eniconfig: ENIConfig.crd.k8s.amazonaws.com "{name}" not found'
            remedy = (
                f"add {zone} to eniConfig.subnets of the add-on vpc-cni"
                if name == zone
                else f"set ENI_CONFIG_LABEL_DEF of the add-on vpc-cni to {ZONE_LABELS[0]}"
            )
            yield _violation(resource, reason, remedy)
            continue
        subnet = subnets.get(id_)
        if subnet is None:
            reason = f"InvalidSubnetID.NotFound: The subnet ID '{id_}' does not exist"
            yield _violation(resource, reason, f"correct the subnet of ENIConfig {name}")
        elif subnet["VpcId"] != vpc:
            reason = f"subnet {id_} of ENIConfig {name} is not in the VPC of the node, {vpc}"
            yield _violation(resource, reason, "name a subnet of that VPC")
        elif subnet["AvailabilityZone"] != zone:
            reason = (
                "InvalidParameterCombination: You may not attach a network interface to an instance if they "
                f"are not in the same availability zone: subnet {id_} of ENIConfig {name} is in "
                f"{subnet['AvailabilityZone']}"
            )
            yield _violation(resource, reason, f"give ENIConfig {name} a subnet in {zone}")


def _violation(resource: str, reason: str, remedy: str) -> Violation:
    return Violation(
        rule=POD_SUBNETS,
        resource=resource,
        code="NodeCreationFailure",
        message=NO_INTERFACES.format(reason=reason),
        remedy=remedy,
    )
