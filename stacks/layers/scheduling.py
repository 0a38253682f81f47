"""Layer scheduling: YuniKorn, its queues, priorities and machines of jobs, the record of what they used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from moka.allocation.cluster_settings import ClusterSettings
from moka.components.kubernetes import cluster_autoscaler, usage_recorder
from moka.components.kubernetes.archer_access import ArcherQueuesRole, ArcherQueuesRoleArgs
from moka.components.kubernetes.bootstrap import (
    Bootstrap,
    BootstrapArgs,
    BootstrapDaemonSet,
    BootstrapFolder,
)
from moka.components.kubernetes.cluster_autoscaler import ClusterAutoscaler, ClusterAutoscalerArgs
from moka.components.kubernetes.job_pods import JobPods, JobPodsArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs
from moka.components.kubernetes.priority_classes import CLASSES, PriorityClasses, PriorityClassesArgs
from moka.components.kubernetes.queue_keeper import (
    QueueKeeper,
    QueueKeeperArgs,
    QueueKeeperRole,
    QueueKeeperRoleArgs,
)
from moka.components.kubernetes.usage_recorder import (
    UsageRecorder,
    UsageRecorderArgs,
    UsageRecorderRole,
    UsageRecorderRoleArgs,
)
from moka.components.kubernetes.yunikorn import CONTROLLERS, YuniKorn, YuniKornArgs, service_account_pattern
from moka.control_plane_tiers import Tier
from moka.machines.instance_types import instance_type
from moka.machines.profiles import PROFILES
from moka.names import (
    ARCHER,
    AUTOSCALER_ACCOUNT,
    AUTOSCALER_IDENTITY,
    AUTOSCALER_NAMESPACE,
    BOOTSTRAP_NAMESPACE,
    NVIDIA_NAMESPACE,
    QUEUE_KEEPER_NAMESPACE,
    SPARK_ACCOUNT,
    SPARK_OPERATOR_NAMESPACE,
    USAGE_RECORDER,
    USAGE_RECORDER_IDENTITY,
    USAGE_RECORDER_NAMESPACE,
    YUNIKORN_NAMESPACE,
)
from moka.queues import QueueTree
from stacks.layer_table import HOME
from stacks.layers import foundation
from stacks.settings.bootstrap import BootstrapDaemonSet as BootstrapSettings
from stacks.settings.services import Service as ServiceSettings
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class UsageRecord:
    """How what was used is recorded.

    image: of the service that does. bucket, bucket_arn, region: where, at home. key_arn: that encrypts it.
    """

    image: str
    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    region: str
    key_arn: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    queues: of this cluster, with all its nodes.
    queue_settings: as the settings have them, with what they are shares of, and when.
    queue_keeper: the service that keeps them to that; None for none.
    usage_record: how what was used is recorded; None where it is not.
    job_namespaces: the namespaces whose pods YuniKorn schedules.
    version: Kubernetes version of the cluster.
    nodes: that the cluster may have at most.
    tier: of its control plane.
    autoscaled: some node group may change its size.
    idle_minutes: that a node of such a group is empty before it goes.
    gpus: some node group has GPUs.
    bootstrap: DaemonSets that nodes wait for, as the settings have them.
    own_nodes: job namespaces with nodes of their own.
    archer: whether Archer submits here.
    """

    queues: QueueTree
    queue_settings: ClusterSettings
    queue_keeper: ServiceSettings | None
    usage_record: UsageRecord | None
    job_namespaces: Sequence[str]
    version: str
    nodes: int
    tier: Tier
    autoscaled: bool
    idle_minutes: int
    gpus: bool
    bootstrap: Mapping[str, BootstrapSettings] = field(default_factory=dict)
    own_nodes: Sequence[str] = ()
    archer: bool = False


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What other layers build on.

    namespace, url: of YuniKorn and its REST API, known once it schedules.
    priority_classes: names, known once pods may name them.
    """

    namespace: pulumi.Input[str]
    url: pulumi.Input[str]
    priority_classes: pulumi.Input[Sequence[str]]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    cluster = site.settings.clusters[site.name]
    groups = cluster.node_groups.values()
    return Inputs(
        queues=site.settings.queue_tree(site.name),
        queue_settings=site.settings.cluster_settings(site.name),
        queue_keeper=site.settings.services.queue_keeper,
        usage_record=_usage_record(site),
        job_namespaces=list(site.settings.job_namespaces),
        version=cluster.version,
        nodes=sum(group.maximum for group in groups),
        tier=cluster.control_plane_tier,
        autoscaled=any(group.minimum < group.maximum for group in groups),
        idle_minutes=PROFILES[cluster.profile].idle_minutes,
        gpus=any(instance_type(name).gpu for group in groups for name in group.instance_types),
        bootstrap=cluster.bootstrap,
        own_nodes=cluster.own_nodes,
        archer=site.settings.archer is not None,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the priority classes, YuniKorn with its queues, what keeps these, what holds jobs to it and what
    records their use; Cluster Autoscaler where it has a choice, NVIDIA's device plugin where there are GPUs,
    and what nodes wait for.
    """
    if inputs.autoscaled:
        _autoscaling(site, inputs.version, inputs.idle_minutes)
    if inputs.gpus:
        _gpus(site)
    if inputs.bootstrap:
        _bootstrap(site, inputs.bootstrap)
    priorities = PriorityClasses(site.name, PriorityClassesArgs(classes=CLASSES), site.opts)
    JobPods(
        f"{site.name}-job-pods",
        JobPodsArgs(
            namespaces=inputs.job_namespaces,
            trusted=[CONTROLLERS, *trusted(inputs.job_namespaces)],
            own_nodes=inputs.own_nodes,
        ),
        site.opts,
    )
    namespace = Namespace(
        f"{site.name}-yunikorn", NamespaceArgs(name=YUNIKORN_NAMESPACE, pod_security="restricted"), site.opts
    )
    if inputs.archer:
        ArcherQueuesRole(
            f"{site.name}-{ARCHER}-queues", ArcherQueuesRoleArgs(namespace=namespace.name), site.opts
        )
    yunikorn = YuniKorn(
        f"{site.name}-yunikorn",
        YuniKornArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            queues=inputs.queues,
            job_namespaces=inputs.job_namespaces,
            trusted=trusted(inputs.job_namespaces),
            nodes=inputs.nodes,
            tier=inputs.tier,
        ),
        site.opts,
    )
    if inputs.queue_keeper is not None:
        _queue_keeper(site, inputs, inputs.queue_keeper, namespace)
    if inputs.usage_record is not None:
        _usage_recorder(site, inputs.usage_record, yunikorn)
    return Outputs(namespace=yunikorn.namespace, url=yunikorn.url, priority_classes=priorities.names)


def trusted(job_namespaces: Sequence[str]) -> list[str]:
    """Who may say for which user a pod is, as regular expressions: operators and drivers, which make pods."""
    return [
        service_account_pattern(SPARK_OPERATOR_NAMESPACE),
        *(service_account_pattern(namespace, SPARK_ACCOUNT) for namespace in job_namespaces),
    ]


def _queue_keeper(
    site: ClusterSite, inputs: Inputs, service: ServiceSettings, scheduler_namespace: Namespace
) -> None:
    name = f"{site.name}-queue-keeper"
    namespace = Namespace(
        name, NamespaceArgs(name=QUEUE_KEEPER_NAMESPACE, pod_security="restricted"), site.opts
    )
    role = QueueKeeperRole(
        name,
        QueueKeeperRoleArgs(scheduler_namespace=scheduler_namespace.name, namespace=namespace.name),
        site.opts,
    )
    QueueKeeper(
        name,
        QueueKeeperArgs(
            image=service.image,
            namespace=role.namespace,
            files=inputs.queue_settings.as_data(),
            archer=inputs.archer,
        ),
        site.opts,
    )


def _usage_record(site: ClusterSite) -> UsageRecord | None:
    service = site.settings.services.usage_recorder
    if service is None:
        return None
    home = site.outputs(HOME, foundation.Outputs)
    return UsageRecord(
        image=service.image,
        bucket=foundation.at_home(home.resource_usage_bucket),
        bucket_arn=foundation.at_home(home.resource_usage_bucket_arn),
        region=site.settings.foundations[site.settings.home_foundation].region,
        key_arn=home.key_arn,
    )


def _usage_recorder(site: ClusterSite, record: UsageRecord, scheduler: YuniKorn) -> None:
    name = f"{site.name}-{USAGE_RECORDER}"
    namespace = Namespace(
        name, NamespaceArgs(name=USAGE_RECORDER_NAMESPACE, pod_security="restricted"), site.opts
    )
    role = UsageRecorderRole(name, UsageRecorderRoleArgs(namespace=namespace.name), site.opts)
    identity = site.allow(
        USAGE_RECORDER_IDENTITY,
        USAGE_RECORDER_NAMESPACE,
        USAGE_RECORDER,
        usage_recorder.permissions(site.name, record.bucket_arn, record.key_arn),
    )
    UsageRecorder(
        name,
        UsageRecorderArgs(
            image=record.image,
            namespace=role.namespace,
            cluster=site.name,
            eks_cluster=site.eks_name,
            scheduler_url=scheduler.url,
            bucket=record.bucket,
            region=record.region,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )


def _gpus(site: ClusterSite) -> None:
    namespace = Namespace(
        f"{site.name}-gpus", NamespaceArgs(name=NVIDIA_NAMESPACE, pod_security="privileged"), site.opts
    )
    NvidiaDevicePlugin(
        f"{site.name}-gpus",
        NvidiaDevicePluginArgs(image=site.catalog.image("nvidia-device-plugin"), namespace=namespace.name),
        site.opts,
    )


def _bootstrap(site: ClusterSite, daemon_sets: Mapping[str, BootstrapSettings]) -> None:
    name = f"{site.name}-bootstrap"
    namespace = Namespace(name, NamespaceArgs(name=BOOTSTRAP_NAMESPACE, pod_security="privileged"), site.opts)
    Bootstrap(
        name,
        BootstrapArgs(
            daemon_sets={daemon: _daemon_set(settings) for daemon, settings in daemon_sets.items()},
            namespace=namespace.name,
            curl_image=site.catalog.image("curl"),
            pause_image=site.catalog.image("pause"),
        ),
        site.opts,
    )


def _daemon_set(settings: BootstrapSettings) -> BootstrapDaemonSet:
    return BootstrapDaemonSet(
        image=settings.image,
        command=settings.command,
        args=settings.args,
        env=settings.env,
        ready=settings.ready,
        roles=settings.roles,
        privileged=settings.privileged,
        folders=[
            BootstrapFolder(
                path=folder.path,
                mount=folder.mount or folder.path,
                read_only=folder.read_only,
                propagation=folder.propagation,
            )
            for folder in settings.host_folders
        ],
        cpu=settings.cpu,
        memory=settings.memory,
    )


def _autoscaling(site: ClusterSite, version: str, idle_minutes: int) -> None:
    namespace = Namespace(
        f"{site.name}-autoscaler",
        NamespaceArgs(name=AUTOSCALER_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    identity = site.allow(
        AUTOSCALER_IDENTITY,
        AUTOSCALER_NAMESPACE,
        AUTOSCALER_ACCOUNT,
        cluster_autoscaler.permissions(site.eks_name, site.region),
    )
    ClusterAutoscaler(
        f"{site.name}-autoscaler",
        ClusterAutoscalerArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            cluster=site.eks_name,
            version=version,
            region=site.region,
            idle_minutes=idle_minutes,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
