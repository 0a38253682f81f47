"""Layer cluster: an EKS control plane, its node groups and the add-ons that every cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter

import pulumi

from moka.addon_versions import NODE_ADDONS
from moka.components.aws.access_entry import ClusterAccess
from moka.components.aws.addon_configuration import cluster_addons
from moka.components.aws.addons import Addons, AddonsArgs
from moka.components.aws.cluster import Cluster, ClusterArgs, Support
from moka.components.aws.entry_role import EntryRole, EntryRoleArgs
from moka.components.aws.node_group import NodeGroup, NodeGroupArgs, ScheduledBounds
from moka.components.aws.node_group_guard import NodeGroupGuard
from moka.components.aws.node_role import first_pulls
from moka.control_plane_logs import LogClass, LogType
from moka.control_plane_tiers import Tier
from moka.machines.instance_types import METAL_VCPUS, instance_type
from moka.machines.node_roles import ROLES, Role
from moka.names import ARCHER, ARCHER_GROUP, GENERATION_LABEL, NODE_GROUP_LABEL, archer_role_name
from stacks.layers import foundation
from stacks.settings import node_scripts
from stacks.settings.cluster import NodeGroup as NodeGroupSettings
from stacks.settings.node_group_plan import NodeGroupPlan, node_group_plans
from stacks.site import Site


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    version: Kubernetes version.
    deployer: ARN of the IAM principal that deploys, an administrator.
    profile: of the AWS configuration, with which the account is entered; None for the credentials at hand.
    access: who else may enter, each with a name.
    previewer: ARN of the role with which CI previews; None without CI.
    service_cidr: addresses of Services; None where EKS chooses them.
    public_cidrs: networks from which the API server may be reached over the internet; none for not at all.
    api_cidrs, api_groups: networks and security groups from which its private endpoint may be reached.
    support: of the Kubernetes version, when its standard support ends.
    zonal_shift: let AWS move traffic away from a zone in trouble.
    tier: of the control plane.
    log_types, log_days, log_class: which logs of the control plane there are, the days that they are kept,
        and in which class of log group.
    node_groups: as the settings have them.
    startup_taints: role of nodes -> taints that they begin with.
    foundation: what it stands on.
    archer: ARN of the roles of Archer's workers, a pattern, who enter it by a role of its own; None for
        no Archer.
    """

    version: str
    deployer: str
    profile: str | None
    access: Mapping[str, ClusterAccess]
    previewer: str | None
    service_cidr: str | None
    public_cidrs: tuple[str, ...]
    api_cidrs: tuple[str, ...]
    api_groups: tuple[str, ...]
    support: Support
    zonal_shift: bool
    tier: Tier
    log_types: tuple[LogType, ...]
    log_days: int
    log_class: LogClass
    node_groups: Mapping[str, NodeGroupSettings]
    startup_taints: Mapping[Role, tuple[str, ...]]
    foundation: foundation.Outputs
    archer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What the layers on a cluster build on.

    name, arn: of the EKS cluster.
    security_group_id: that EKS makes, of control plane, nodes and pods.
    kubeconfig: JSON, without a secret; known only once nodes and add-ons are there.
    """

    name: pulumi.Input[str]
    arn: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    kubeconfig: pulumi.Input[str]


def inputs(site: Site) -> Inputs:
    """What the layer needs for a cluster."""
    settings = site.settings
    cluster = settings.clusters[site.name]
    return Inputs(
        version=cluster.version,
        deployer=site.foundation.deployer,
        profile=settings.profile(site.foundation),
        access={
            name: ClusterAccess(
                principal_arn=access.principal,
                level=access.policy,
                namespaces=tuple(access.namespaces),
                groups=access.groups(settings.job_namespaces),
            )
            for name, access in cluster.access.items()
        },
        previewer=settings.previewer(site.foundation),
        service_cidr=None if cluster.service_cidr is None else str(cluster.service_cidr),
        public_cidrs=tuple(str(cidr) for cidr in cluster.public_access),
        api_cidrs=tuple(map(str, settings.api_networks(site.name))),
        api_groups=tuple(site.foundation.api_access.security_groups),
        support=cluster.support,
        zonal_shift=cluster.zonal_shift,
        tier=cluster.control_plane_tier,
        log_types=tuple(cluster.control_plane_logs.types),
        log_days=cluster.control_plane_logs.days or settings.retention.control_plane_logs,
        log_class=cluster.control_plane_logs.log_class,
        node_groups=cluster.node_groups,
        startup_taints={role: tuple(cluster.startup_taints(role)) for role in ROLES},
        foundation=site.outputs("foundation", foundation.Outputs),
        archer=settings.archer_workers if settings.archer else None,
    )


def deploy(site: Site, inputs: Inputs) -> Outputs:
    """Make a cluster with its node groups and add-ons."""
    base = inputs.foundation
    subnets = pulumi.Output.from_input(base.private_subnets).apply(
        lambda zones: [str(zones[zone]) for zone in sorted(zones)]
    )
    nodes, vcpus = full_size(inputs.node_groups)
    addons = cluster_addons(
        inputs.version,
        region=site.region,
        pod_subnets=base.pod_subnets,
        nodes=nodes,
        vcpus=vcpus,
    )
    cluster = Cluster(
        site.name,
        ClusterArgs(
            name=site.settings.eks_name(site.name),
            region=site.region,
            version=inputs.version,
            vpc_id=base.vpc_id,
            subnet_ids=subnets,
            key_arn=base.key_arn,
            deployer_arn=inputs.deployer,
            vpc_cni=addons["vpc-cni"],
            kube_proxy=addons["kube-proxy"],
            pod_identity_agent=addons["eks-pod-identity-agent"],
            service_cidr=inputs.service_cidr,
            profile=inputs.profile,
            access=inputs.access,
            previewer_arn=inputs.previewer,
            public_cidrs=inputs.public_cidrs,
            api_cidrs=inputs.api_cidrs,
            api_groups=inputs.api_groups,
            support=inputs.support,
            zonal_shift=inputs.zonal_shift,
            tier=inputs.tier,
            log_types=inputs.log_types,
            log_days=inputs.log_days,
            log_class=inputs.log_class,
            node_statements=first_pulls(site.catalog.mirror) if site.catalog.mirror else (),
            path=site.settings.role_path,
            permissions_boundary_arn=site.permissions_boundary_arn,
            retain=site.settings.retain,
        ),
        site.opts,
    )
    entries = []
    if inputs.archer:
        role = EntryRole(
            # By its tag a role is found that no state knows: that of the service has the shorter name.
            f"{site.name}-{ARCHER}-entry",
            EntryRoleArgs(
                name=archer_role_name(site.settings.prefix, site.name),
                trusted=inputs.archer,
                cluster_name=cluster.name,
                cluster_arn=cluster.arn,
                region=site.region,
                groups=(ARCHER_GROUP,),
                path=site.settings.role_path,
                permissions_boundary_arn=site.permissions_boundary_arn,
            ),
            site.opts,
        )
        # Archer takes its finalizer off what is deleted on the cluster.
        entries.append(role.arn)
    groups = node_groups(site, inputs, cluster)
    pod_add_ons = Addons(
        site.name,
        AddonsArgs(
            cluster_name=cluster.name,
            region=site.region,
            addons={name: addon for name, addon in addons.items() if name not in NODE_ADDONS},
            path=site.settings.role_path,
            permissions_boundary_arn=site.permissions_boundary_arn,
        ),
        # CoreDNS and the EBS driver are Deployments: healthy only where there are nodes.
        site.after(*groups),
    )
    ready = pulumi.Output.all(
        cluster.kubeconfig, pod_add_ons.names, *entries, *[group.arn for group in groups]
    )
    return Outputs(
        name=cluster.name,
        arn=cluster.arn,
        security_group_id=cluster.security_group_id,
        kubeconfig=ready.apply(lambda values: str(values[0])),
    )


def node_groups(site: Site, inputs: Inputs, cluster: Cluster) -> list[NodeGroup]:
    """Make the node groups of a cluster: one for each zone and each generation of each group."""
    guard = NodeGroupGuard(site.name, cluster.kubeconfig)
    groups = []
    for name, settings in inputs.node_groups.items():
        present: list[NodeGroup] = []
        for plan in node_group_plans(name, settings, site.foundation.zones):
            group = NodeGroup(
                # Carries the generation, a group of its own (decision 0006), and the zone of a zonal one.
                f"{site.name}-{plan.name}",
                _node_group(site, inputs, cluster, guard, name, settings, plan),
                # The guard asks the API server before a group goes. Nothing is taken from the old generation
                # before the new one is up.
                site.after(cluster.deployer, *(present if plan.retiring else ())),
            )
            groups.append(group)
            if not plan.retiring:
                present.append(group)
    return groups


def _node_group(
    site: Site,
    inputs: Inputs,
    cluster: Cluster,
    guard: NodeGroupGuard,
    name: str,
    settings: NodeGroupSettings,
    plan: NodeGroupPlan,
) -> NodeGroupArgs:
    subnets = pulumi.Output.from_input(inputs.foundation.private_subnets)
    return NodeGroupArgs(
        eks_cluster=cluster.eks_cluster,
        group_name=plan.name,
        node_role_arn=cluster.node_role_arn,
        version=inputs.version,
        ami_release=plan.ami_release,
        ami=plan.ami,
        scripts=tuple(map(node_scripts.text, settings.user_data)),
        startup_taints=inputs.startup_taints[settings.role],
        job_namespace=settings.job_namespace,
        role=settings.role,
        architecture=settings.architecture,
        instance_types=plan.instance_types,
        subnets={zone: subnets.apply(itemgetter(zone)) for zone in plan.zones},
        min_size=plan.minimum,
        max_size=plan.maximum,
        initial_size=plan.initial,
        schedule={
            key: ScheduledBounds(
                cron=settings.schedule[key].cron, minimum=minimum, maximum=plan.schedule_maximum.get(key)
            )
            for key, minimum in plan.schedule.items()
        },
        time_zone=settings.time_zone,
        spot=settings.spot,
        capacity_reservation_id=plan.capacity_reservation,
        disk_gib=settings.disk.gib,
        disk_iops=settings.disk.iops,
        disk_mibps=settings.disk.mibps,
        max_pods=settings.max_pods,
        labels={NODE_GROUP_LABEL: name, GENERATION_LABEL: str(plan.generation), **settings.labels},
        retiring=plan.retiring,
        guard=guard,
        protect=site.settings.retain,
        tags=site.settings.resource_tags,
    )


def full_size(groups: Mapping[str, NodeGroupSettings]) -> tuple[int, int]:
    """Nodes, and their vCPUs, of a cluster that has all the nodes that its groups may have."""
    nodes = sum(group.maximum for group in groups.values())
    vcpus = sum(
        group.maximum * max(instance_type(name).vcpus or METAL_VCPUS for name in group.instance_types)
        for group in groups.values()
    )
    return nodes, vcpus
