"""The node groups of a cluster, as its settings have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import pulumi
import pulumi_eks as eks

from components.aws.node_group import NodeGroup, NodeGroupArgs, ScheduledMinimum
from components.aws.node_group_guard import NodeGroupGuard
from stacks.settings.cluster import NodeGroup as NodeGroupSettings
from stacks.settings.node_group_plan import PlannedGroup, planned

NODE_GROUP = "moka.dev/node-group"
"""Label: the group's name in the settings, the same in all zones and generations."""

GENERATION = "moka.dev/generation"
"""Label: the number of the generation."""


@dataclass(frozen=True, kw_only=True)
class NodeGroupsInputs:
    """Where the node groups of a cluster stand.

    eks_cluster: the cluster.
    version: Kubernetes version.
    node_role_arn: IAM role of the nodes.
    kubeconfig: JSON; known before the node groups are.
    zones: of the foundation.
    subnets: zone -> subnet of its nodes.
    groups: by name, as the settings have them.
    protect: refuse to delete a group that is not retiring.
    tags: of the machines, as AWS gives them none of the provider's default tags.
    """

    eks_cluster: eks.Cluster
    version: str
    node_role_arn: pulumi.Input[str]
    kubeconfig: pulumi.Input[str]
    zones: Sequence[str]
    subnets: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    groups: Mapping[str, NodeGroupSettings]
    protect: bool
    tags: dict[str, str] = field(default_factory=dict)


def deploy(name: str, inputs: NodeGroupsInputs, opts: pulumi.ResourceOptions) -> list[NodeGroup]:
    """Make the node groups of a cluster: each zone and each generation of each.

    name: the cluster's in the settings, part of every resource's identity.
    opts: with the AWS provider of its account and region.
    """
    guard = NodeGroupGuard(name, inputs.kubeconfig)
    made = []
    for group_name, group in inputs.groups.items():
        present: list[NodeGroup] = []
        for plan in planned(group_name, group, inputs.zones):
            # Nothing is taken from the old generation before the new one is there.
            after = pulumi.ResourceOptions(depends_on=list(present) if plan.retiring else None)
            one = NodeGroup(
                f"{name}-{plan.name}",
                _arguments(inputs, group_name, group, plan, guard),
                pulumi.ResourceOptions.merge(opts, after),
            )
            made.append(one)
            if not plan.retiring:
                present.append(one)
    return made


def _arguments(
    inputs: NodeGroupsInputs,
    name: str,
    group: NodeGroupSettings,
    plan: PlannedGroup,
    guard: NodeGroupGuard,
) -> NodeGroupArgs:
    subnets = pulumi.Output.from_input(inputs.subnets)
    return NodeGroupArgs(
        eks_cluster=inputs.eks_cluster,
        group_name=plan.name,
        node_role_arn=inputs.node_role_arn,
        version=inputs.version,
        ami_release=plan.ami_release,
        role=group.role,
        architecture=group.architecture,
        instance_types=plan.instance_types,
        subnets={zone: subnets.apply(itemgetter(zone)) for zone in plan.zones},
        min_size=plan.minimum,
        max_size=plan.maximum,
        initial_size=plan.initial,
        schedule={
            key: ScheduledMinimum(cron=group.schedule[key].cron, minimum=minimum)
            for key, minimum in plan.schedule.items()
        },
        time_zone=group.time_zone,
        spot=group.spot,
        capacity_reservation_id=plan.capacity_reservation,
        disk_gib=group.disk.gib,
        disk_iops=group.disk.iops,
        disk_mibps=group.disk.mibps,
        max_pods=group.max_pods,
        labels={NODE_GROUP: name, GENERATION: str(plan.generation), **group.labels},
        retiring=plan.retiring,
        guard=guard,
        protect=inputs.protect,
        tags=inputs.tags,
    )
