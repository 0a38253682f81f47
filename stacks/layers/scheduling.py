"""Layer scheduling: YuniKorn, its queues, the priorities of jobs, and the machines that jobs wait for."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes import cluster_autoscaler
from components.kubernetes.cluster_autoscaler import ClusterAutoscaler, ClusterAutoscalerArgs
from components.kubernetes.job_namespace import SERVICE_ACCOUNT
from components.kubernetes.job_pods import JobPods, JobPodsArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.priority_classes import CLASSES, PriorityClasses, PriorityClassesArgs
from components.kubernetes.yunikorn import CONTROLLERS, YuniKorn, YuniKornArgs, service_account
from moka import namespaces
from moka.queues import QueueTree
from stacks.on_cluster import OnCluster

AUTOSCALER = "cluster-autoscaler"


@dataclass(frozen=True, kw_only=True)
class SchedulingInputs:
    """What differs between clusters.

    queues: of this cluster.
    job_namespaces: the namespaces whose pods YuniKorn schedules.
    version: Kubernetes version of the cluster.
    nodes: that the cluster may have at most.
    autoscaled: some node group may change its size.
    """

    queues: QueueTree
    job_namespaces: Sequence[str]
    version: str
    nodes: int
    autoscaled: bool


@dataclass(frozen=True, kw_only=True)
class SchedulingOutputs:
    """What other layers build on.

    namespace, url: of YuniKorn and its REST API, known once it schedules.
    priority_classes: names, known once pods may name them.
    """

    namespace: pulumi.Input[str]
    url: pulumi.Input[str]
    priority_classes: pulumi.Input[Sequence[str]]


def deploy(where: OnCluster, inputs: SchedulingInputs) -> SchedulingOutputs:
    """Make the priority classes, YuniKorn with its queues and what holds jobs to it, and Cluster Autoscaler
    where it has a choice.
    """
    if inputs.autoscaled:
        _autoscaling(where, inputs.version)
    priorities = PriorityClasses(where.name, PriorityClassesArgs(classes=CLASSES), where.opts)
    JobPods(
        f"{where.name}-job-pods",
        JobPodsArgs(namespaces=inputs.job_namespaces, trusted=[CONTROLLERS, *trusted(inputs.job_namespaces)]),
        where.opts,
    )
    namespace = Namespace(f"{where.name}-yunikorn", NamespaceArgs(name="yunikorn"), where.opts)
    yunikorn = YuniKorn(
        f"{where.name}-yunikorn",
        YuniKornArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            queues=inputs.queues,
            job_namespaces=inputs.job_namespaces,
            trusted=trusted(inputs.job_namespaces),
            nodes=inputs.nodes,
        ),
        where.opts,
    )
    return SchedulingOutputs(
        namespace=yunikorn.namespace, url=yunikorn.url, priority_classes=priorities.names
    )


def trusted(job_namespaces: Sequence[str]) -> list[str]:
    """Who may say for which user a pod is, as regular expressions: operators and drivers, which make pods."""
    return [
        service_account(namespaces.SPARK_OPERATOR),
        *(service_account(namespace, SERVICE_ACCOUNT) for namespace in job_namespaces),
    ]


def _autoscaling(where: OnCluster, version: str) -> None:
    namespace = Namespace(f"{where.name}-autoscaler", NamespaceArgs(name=AUTOSCALER), where.opts)
    identity = where.allow(
        "autoscaler",
        AUTOSCALER,
        cluster_autoscaler.SERVICE_ACCOUNT,
        cluster_autoscaler.permissions(where.eks_name, where.region),
    )
    ClusterAutoscaler(
        f"{where.name}-autoscaler",
        ClusterAutoscalerArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            cluster=where.eks_name,
            version=version,
            region=where.region,
        ),
        # Pods that start before their identity is there run without it.
        where.after(identity),
    )
