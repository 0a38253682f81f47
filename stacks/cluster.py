"""Layer cluster: an EKS control plane, its node groups and the add-ons that every cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.aws.addons import Addon, Addons, AddonsArgs
from components.aws.cluster import Cluster, ClusterArgs
from stacks import node_groups
from stacks.foundation import FoundationOutputs
from stacks.node_groups import NodeGroupsInputs
from stacks.settings.cluster import NodeGroup as NodeGroupSettings

# The cluster component brings these itself: without them no node becomes ready.
OF_EVERY_NODE = ("vpc-cni", "kube-proxy")


@dataclass(frozen=True, kw_only=True)
class ClusterInputs:
    """What differs between clusters.

    cluster_name: name in EKS, unique in its account and region.
    version: Kubernetes version.
    deployer: ARN of the IAM principal that deploys, the administrator.
    zones: of the foundation.
    node_groups: as the settings have them.
    addons: EKS add-ons by name, those of every node among them.
    deletion_protection: refuse to delete the cluster.
    tags: of the machines, which a provider gives none.
    foundation: what it stands on.
    """

    cluster_name: str
    version: str
    deployer: str
    zones: tuple[str, ...]
    node_groups: Mapping[str, NodeGroupSettings]
    addons: Mapping[str, Addon]
    deletion_protection: bool
    tags: dict[str, str]
    foundation: FoundationOutputs


@dataclass(frozen=True, kw_only=True)
class ClusterOutputs:
    """What the layers on a cluster build on.

    name, arn: of the EKS cluster.
    kubeconfig: JSON, without a secret; known only once nodes and add-ons are there.
    """

    name: pulumi.Input[str]
    arn: pulumi.Input[str]
    kubeconfig: pulumi.Input[str]


def deploy(name: str, inputs: ClusterInputs, opts: pulumi.ResourceOptions) -> ClusterOutputs:
    """Make a cluster with its node groups and add-ons.

    name: the cluster's in the settings, part of every resource's identity.
    opts: with the AWS provider of its account and region.
    """
    foundation = inputs.foundation
    subnets = pulumi.Output.from_input(foundation.private_subnets).apply(
        lambda zones: [str(zones[zone]) for zone in sorted(zones)]
    )
    cluster = Cluster(
        name,
        ClusterArgs(
            name=inputs.cluster_name,
            version=inputs.version,
            vpc_id=foundation.vpc_id,
            subnet_ids=subnets,
            secrets_key_arn=foundation.key_arn,
            deployer_arn=inputs.deployer,
            vpc_cni=inputs.addons["vpc-cni"],
            kube_proxy=inputs.addons["kube-proxy"],
            deletion_protection=inputs.deletion_protection,
        ),
        opts,
    )
    groups = node_groups.deploy(
        name,
        NodeGroupsInputs(
            eks_cluster=cluster.eks_cluster,
            version=inputs.version,
            node_role_arn=cluster.node_role_arn,
            kubeconfig=cluster.kubeconfig,
            zones=inputs.zones,
            subnets=foundation.private_subnets,
            groups=inputs.node_groups,
            protect=inputs.deletion_protection,
            tags=inputs.tags,
        ),
        opts,
    )
    addons = Addons(
        name,
        AddonsArgs(
            cluster_name=cluster.name,
            addons={key: addon for key, addon in inputs.addons.items() if key not in OF_EVERY_NODE},
        ),
        # CoreDNS and the EBS driver are Deployments: healthy only where there are nodes.
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=groups)),
    )
    ready = pulumi.Output.all(cluster.kubeconfig, addons.names, *[group.arn for group in groups])
    return ClusterOutputs(
        name=cluster.name, arn=cluster.arn, kubeconfig=ready.apply(lambda known: str(known[0]))
    )
