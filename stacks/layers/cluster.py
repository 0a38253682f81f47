"""Layer cluster: an EKS control plane, its node groups and the add-ons that every cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.aws.access_entry import ClusterAccess
from components.aws.addon_configuration import cluster_addons
from components.aws.addons import Addons, AddonsArgs
from components.aws.cluster import Cluster, ClusterArgs, Support
from components.aws.node_role import first_pulls
from moka.addon_versions import NODE_ADDONS
from moka.machines.instance_types import instance_type
from stacks import node_groups
from stacks.layers.foundation import FoundationOutputs
from stacks.node_groups import NodeGroupsInputs
from stacks.settings.cluster import NodeGroup as NodeGroupSettings

METAL_VCPUS = 192
"""vCPUs of a machine whose name does not tell: as many as `metal` sizes of today have, or more."""


@dataclass(frozen=True, kw_only=True)
class ClusterInputs:
    """What differs between clusters.

    cluster_name: name in EKS, unique in its account and region.
    region: AWS region.
    version: Kubernetes version.
    deployer: ARN of the IAM principal that deploys, an administrator.
    assume: the deployer is a role that is taken with the credentials at hand.
    access: who else may enter, each with a name.
    public_cidrs: networks from which the API server may be reached over the internet; none for not at all.
    support: of the Kubernetes version, when its standard support ends.
    zonal_shift: let AWS move traffic away from a zone in trouble.
    log_days: days that control-plane logs are kept.
    zones: of the foundation.
    node_groups: as the settings have them.
    mirror: private registry, host and path, that images are pulled through, if any.
    path, permissions_boundary_arn: of every role that is made.
    retain: refuse to delete or replace the cluster, and keep it when the stack lets go of it.
    tags: of the machines, which a provider gives none.
    foundation: what it stands on.
    """

    cluster_name: str
    region: str
    version: str
    deployer: str
    assume: bool
    access: Mapping[str, ClusterAccess]
    public_cidrs: tuple[str, ...]
    support: Support
    zonal_shift: bool
    log_days: int
    zones: tuple[str, ...]
    node_groups: Mapping[str, NodeGroupSettings]
    mirror: str | None
    path: str
    permissions_boundary_arn: str | None
    retain: bool
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
    nodes, vcpus = full_size(inputs.node_groups)
    addons = cluster_addons(
        inputs.version,
        region=inputs.region,
        pod_subnets=foundation.pod_subnets,
        nodes=nodes,
        vcpus=vcpus,
    )
    cluster = Cluster(
        name,
        ClusterArgs(
            name=inputs.cluster_name,
            region=inputs.region,
            version=inputs.version,
            vpc_id=foundation.vpc_id,
            subnet_ids=subnets,
            key_arn=foundation.key_arn,
            deployer_arn=inputs.deployer,
            vpc_cni=addons["vpc-cni"],
            kube_proxy=addons["kube-proxy"],
            pod_identity_agent=addons["eks-pod-identity-agent"],
            assume=inputs.assume,
            access=inputs.access,
            public_cidrs=inputs.public_cidrs,
            support=inputs.support,
            zonal_shift=inputs.zonal_shift,
            log_days=inputs.log_days,
            node_statements=first_pulls(inputs.mirror) if inputs.mirror else (),
            path=inputs.path,
            permissions_boundary_arn=inputs.permissions_boundary_arn,
            retain=inputs.retain,
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
            protect=inputs.retain,
            tags=inputs.tags,
        ),
        opts,
    )
    of_pods = Addons(
        name,
        AddonsArgs(
            cluster_name=cluster.name,
            region=inputs.region,
            addons={key: addon for key, addon in addons.items() if key not in NODE_ADDONS},
            path=inputs.path,
            permissions_boundary_arn=inputs.permissions_boundary_arn,
        ),
        # CoreDNS and the EBS driver are Deployments: healthy only where there are nodes.
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=groups)),
    )
    ready = pulumi.Output.all(cluster.kubeconfig, of_pods.names, *[group.arn for group in groups])
    return ClusterOutputs(
        name=cluster.name, arn=cluster.arn, kubeconfig=ready.apply(lambda known: str(known[0]))
    )


def full_size(node_groups: Mapping[str, NodeGroupSettings]) -> tuple[int, int]:
    """Nodes, and their vCPUs, of a cluster that has all the nodes that its groups may have."""
    nodes = sum(group.maximum for group in node_groups.values())
    vcpus = sum(
        group.maximum * max(instance_type(name).vcpus or METAL_VCPUS for name in group.instance_types)
        for group in node_groups.values()
    )
    return nodes, vcpus
