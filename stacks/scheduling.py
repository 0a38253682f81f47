"""Layer scheduling: YuniKorn, its queues, and the priorities of jobs."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.priority_classes import CLASSES, PriorityClasses, PriorityClassesArgs
from components.kubernetes.queues import Queue
from components.kubernetes.yunikorn import YuniKorn, YuniKornArgs
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class SchedulingInputs:
    """What differs between clusters.

    queues: the leaves of the queue tree.
    job_namespaces: the namespaces whose pods YuniKorn schedules.
    """

    queues: Sequence[Queue]
    job_namespaces: Sequence[str]


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
    """Make the priority classes, and YuniKorn with its queues."""
    priorities = PriorityClasses(where.name, PriorityClassesArgs(classes=CLASSES), where.opts)
    namespace = Namespace(f"{where.name}-yunikorn", NamespaceArgs(name="yunikorn"), where.opts)
    yunikorn = YuniKorn(
        f"{where.name}-yunikorn",
        YuniKornArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            queues=inputs.queues,
            job_namespaces=inputs.job_namespaces,
        ),
        where.opts,
    )
    return SchedulingOutputs(
        namespace=yunikorn.namespace, url=yunikorn.url, priority_classes=priorities.names
    )
