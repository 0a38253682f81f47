"""The Fargate profile of a cluster.

Source: nodejs/eks/cluster/cluster.ts of github.com/pulumi/pulumi-eks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from localcloud.plugins.eks.service_role import ServiceRole
from localcloud.plugins.eks.worker_subnets import worker_subnets

EVERYWHERE = [{"namespace": "default"}, {"namespace": "kube-system"}]
"""Selectors of a profile without its own."""

RESERVED = "eks"
"""No name of a profile begins with it."""


def fargate_profile(
    name: str,
    argument: bool | Mapping[str, Any],
    cluster: aws.eks.Cluster,
    network: tuple[pulumi.Input[str], pulumi.Input[Sequence[str]]],
    partition: pulumi.Output[str],
    tags: Any,
    parent: pulumi.Resource,
    depends_on: Sequence[pulumi.Resource],
) -> aws.eks.FargateProfile:
    """Make it; argument: `fargate` of the cluster; network: its VPC and its subnets."""
    options = argument if isinstance(argument, Mapping) else {}
    role_arn = options.get("podExecutionRoleArn")
    if not role_arn:
        role = ServiceRole(
            f"{name}-podExecutionRole",
            service="eks-fargate-pods.amazonaws.com",
            description=None,
            actions=["sts:AssumeRole"],
            policies=["AmazonEKSFargatePodExecutionRolePolicy"],
            partition=partition,
            tags=tags,
            opts=pulumi.ResourceOptions(parent=parent),
        )
        attachments = [attachment.id for attachment in role.attachments]
        role_arn = pulumi.Output.all(role.role.arn, *attachments).apply(lambda all: all[0])
    vpc_id, subnet_ids = network
    selectors: Any = options.get("selectors") or EVERYWHERE
    return aws.eks.FargateProfile(
        logical_name(name),
        cluster_name=cluster.name,
        pod_execution_role_arn=role_arn,
        selectors=selectors,
        subnet_ids=worker_subnets(options.get("subnetIds") or subnet_ids, vpc_id, parent),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=depends_on),
    )


def logical_name(cluster: str) -> str:
    """Logical name of a cluster's profile, from which its name is made."""
    if cluster.lower().startswith(f"{RESERVED}-") or cluster == RESERVED:
        return f"{cluster.replace('-', '_', 1)}fargateProfile"
    return f"{cluster}-fargateProfile"
