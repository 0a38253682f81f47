"""The security groups of a cluster that does not use the one that EKS makes."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_aws as aws

Tags = pulumi.Input[dict[str, str]] | None

ANYWHERE: dict[str, Any] = {"from_port": 0, "to_port": 0, "protocol": "-1", "cidr_blocks": ["0.0.0.0/0"]}


def merge_tags(own: dict[str, str], *more: Tags) -> pulumi.Output[dict[str, str]]:
    """Tags of all arguments; later ones have precedence."""
    return pulumi.Output.all(*more).apply(
        lambda values: own | {key: value for tags in values if tags for key, value in tags.items()}
    )


def cluster_group(
    name: str, vpc_id: pulumi.Input[str], tags: Tags, group_tags: Tags, opts: pulumi.ResourceOptions
) -> aws.ec2.SecurityGroup:
    """Group of the control plane, with egress to anywhere."""
    group = aws.ec2.SecurityGroup(
        f"{name}-eksClusterSecurityGroup",
        vpc_id=vpc_id,
        revoke_rules_on_delete=True,
        tags=merge_tags({"Name": f"{name}-eksClusterSecurityGroup"}, group_tags, tags),
        opts=opts,
    )
    aws.ec2.SecurityGroupRule(
        f"{name}-eksClusterInternetEgressRule",
        description="Allow internet access.",
        type="egress",
        security_group_id=group.id,
        opts=opts,
        **ANYWHERE,
    )
    return group


def node_group(
    name: str,
    vpc_id: pulumi.Input[str],
    cluster_name: pulumi.Output[str],
    cluster_group_id: pulumi.Input[str],
    tags: Tags,
    group_tags: Tags,
    opts: pulumi.ResourceOptions,
) -> tuple[aws.ec2.SecurityGroup, aws.ec2.SecurityGroupRule]:
    """Group of the nodes, and the rule that lets their pods reach the control plane."""
    owner_tag = cluster_name.apply(lambda cluster: {f"kubernetes.io/cluster/{cluster}": "owned"})
    group = aws.ec2.SecurityGroup(
        f"{name}-nodeSecurityGroup",
        vpc_id=vpc_id,
        revoke_rules_on_delete=True,
        tags=merge_tags({"Name": f"{name}-nodeSecurityGroup"}, owner_tag, group_tags, tags),
        opts=opts,
    )

    def rule(suffix: str, description: str, type: str, group_id: pulumi.Input[str], **more: Any) -> Any:
        return aws.ec2.SecurityGroupRule(
            f"{name}-{suffix}",
            description=description,
            type=type,
            security_group_id=group_id,
            opts=opts,
            **more,
        )

    rule(
        "eksNodeIngressRule",
        "Allow nodes to communicate with each other",
        "ingress",
        group.id,
        from_port=0,
        to_port=0,
        protocol="-1",
        self=True,
    )
    rule(
        "eksNodeClusterIngressRule",
        "Allow worker Kubelets and pods to receive communication from the cluster control plane",
        "ingress",
        group.id,
        from_port=1025,
        to_port=65535,
        protocol="tcp",
        source_security_group_id=cluster_group_id,
    )
    rule(
        "eksExtApiServerClusterIngressRule",
        "Allow pods running extension API servers on port 443 to receive communication from "
        "cluster control plane",
        "ingress",
        group.id,
        from_port=443,
        to_port=443,
        protocol="tcp",
        source_security_group_id=cluster_group_id,
    )
    rule("eksNodeInternetEgressRule", "Allow internet access.", "egress", group.id, **ANYWHERE)
    to_control_plane = rule(
        "eksClusterIngressRule",
        "Allow pods to communicate with the cluster API Server",
        "ingress",
        cluster_group_id,
        from_port=443,
        to_port=443,
        protocol="tcp",
        source_security_group_id=group.id,
    )
    return group, to_control_plane
