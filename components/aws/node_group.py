"""A group of equal nodes with one role, on one architecture."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.aws.instance_types import Architecture
from components.aws.node_roles import LABEL, Role

AMI: Mapping[Architecture, str] = {"arm64": "AL2023_ARM_64_STANDARD", "amd64": "AL2023_x86_64_STANDARD"}


@dataclass(frozen=True, kw_only=True)
class NodeGroupArgs:
    """What differs between node groups.

    eks_cluster: cluster that the nodes join.
    node_role_arn: IAM role of the nodes.
    version: Kubernetes version, that of the cluster or one before; a change drains node by node.
    role: what runs here. All but `system` are tainted: only pods that tolerate `moka.dev/role` come.
    architecture: of the machine image; the instance types must be of it.
    instance_types: EC2 types, the first preferred; a change replaces the group.
    subnet_ids: where nodes are placed: one subnet for one zone.
    min_size, max_size: bounds of the autoscaler, in nodes.
    initial_size: nodes at the start; the autoscaler decides afterwards.
    spot: spare capacity, cheaper, taken back at two minutes' notice.
    disk_gib, disk_iops, disk_mibps: root disk (gp3): size in GiB, operations and MiB a second.
    disk_key_arn: KMS key of the root disk; by default the account's own for EBS.
    labels: labels besides those of EKS and `moka.dev/role`.
    """

    eks_cluster: eks.Cluster
    node_role_arn: pulumi.Input[str]
    version: str
    role: Role
    architecture: Architecture
    instance_types: tuple[str, ...]
    subnet_ids: pulumi.Input[list[str]]
    min_size: int
    max_size: int
    initial_size: int
    spot: bool = False
    disk_gib: int = 100
    disk_iops: int = 3000
    disk_mibps: int = 125
    disk_key_arn: pulumi.Input[str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)


class NodeGroup(pulumi.ComponentResource):
    """Pulumi type `moka:aws:NodeGroup`.

    Makes: ec2.LaunchTemplate, eks.ManagedNodeGroup of pulumi_eks.
    Outputs: `name` (as EKS knows it) and `arn`, known only once the first nodes have joined.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: NodeGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:NodeGroup", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        tags = args.tags | {"Name": name}

        template = aws.ec2.LaunchTemplate(
            name,
            block_device_mappings=[
                {
                    "device_name": "/dev/xvda",
                    "ebs": {
                        "volume_type": "gp3",
                        "volume_size": args.disk_gib,
                        "iops": args.disk_iops,
                        "throughput": args.disk_mibps,
                        "encrypted": "true",
                        "kms_key_id": args.disk_key_arn,
                        "delete_on_termination": "true",
                    },
                }
            ],
            # One hop: a pod is one too far away to ask for the node's own permissions.
            metadata_options={
                "http_endpoint": "enabled",
                "http_tokens": "required",
                "http_put_response_hop_limit": 1,
            },
            tag_specifications=[
                {"resource_type": resource, "tags": tags}
                for resource in ("instance", "volume", "network-interface")
            ],
            update_default_version=True,
            tags=args.tags,
            opts=child,
        )
        group = eks.ManagedNodeGroup(
            name,
            cluster=args.eks_cluster,
            node_role_arn=args.node_role_arn,
            version=args.version,
            ami_type=AMI[args.architecture],
            instance_types=list(args.instance_types),
            capacity_type="SPOT" if args.spot else "ON_DEMAND",
            subnet_ids=args.subnet_ids,
            scaling_config={
                "min_size": args.min_size,
                "max_size": args.max_size,
                "desired_size": args.initial_size,
            },
            ignore_scaling_changes=True,
            labels={LABEL: args.role, **args.labels},
            taints=taints(args.role),
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            tags=args.tags,
            opts=child,
        ).node_group

        self.name = group.apply(lambda made: made.node_group_name)
        self.arn = group.apply(lambda made: made.arn)
        self.register_outputs({"name": self.name, "arn": self.arn})


def taints(role: Role) -> list[aws.eks.NodeGroupTaintArgs]:
    """Taints that keep every other pod away from nodes with this role."""
    if role == "system":
        return []
    return [aws.eks.NodeGroupTaintArgs(key=LABEL, value=role, effect="NO_SCHEDULE")]
