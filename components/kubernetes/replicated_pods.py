"""A Deployment of pods that are each as good as another."""

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rollouts import with_time_for
from moka.names import ZONE_LABEL

LEAVING_SECONDS = 10
"""How long a pod goes on answering once it is to end: until nobody is sent to it any more."""

GRACE_SECONDS = 60


def replicated_pods(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    annotations: Mapping[str, pulumi.Input[str]],
    pod: k8s.core.v1.PodSpecArgs,
    opts: pulumi.ResourceOptions,
    *,
    replicas: int,
) -> k8s.apps.v1.Deployment:
    """A Deployment whose pods are spread over zones and go one by one, and its PodDisruptionBudget.

    metadata: of both; the pods have its labels. annotations: of the pods. pod: one that takes its leave.
    """
    selector = k8s.meta.v1.LabelSelectorArgs(match_labels=metadata.labels)
    deployment = k8s.apps.v1.Deployment(
        name,
        metadata=metadata,
        spec=k8s.apps.v1.DeploymentSpecArgs(
            replicas=replicas,
            strategy=k8s.apps.v1.DeploymentStrategyArgs(
                type="RollingUpdate",
                rolling_update=k8s.apps.v1.RollingUpdateDeploymentArgs(max_unavailable=0, max_surge=1),
            ),
            selector=selector,
            template=k8s.core.v1.PodTemplateSpecArgs(
                metadata=k8s.meta.v1.ObjectMetaArgs(labels=metadata.labels, annotations=annotations),
                spec=pod,
            ),
        ),
        # Nothing waits for the end of those that go.
        opts=with_time_for(opts, replicas, grace_seconds=0),
    )
    k8s.policy.v1.PodDisruptionBudget(
        name,
        metadata=metadata,
        spec=k8s.policy.v1.PodDisruptionBudgetSpecArgs(
            max_unavailable=1, selector=selector, unhealthy_pod_eviction_policy="AlwaysAllow"
        ),
        opts=opts,
    )
    return deployment


def over_zones(labels: Mapping[str, str]) -> list[k8s.core.v1.TopologySpreadConstraintArgs]:
    """The pods with these labels are spread over zones and nodes, as far as there are any."""
    return [
        k8s.core.v1.TopologySpreadConstraintArgs(
            max_skew=1,
            topology_key=key,
            when_unsatisfiable="ScheduleAnyway",
            label_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
        )
        for key in (ZONE_LABEL, "kubernetes.io/hostname")
    ]


def leave_taking() -> k8s.core.v1.LifecycleArgs:
    """Of a container that others reach: it answers for a while after it was to end."""
    return k8s.core.v1.LifecycleArgs(
        pre_stop=k8s.core.v1.LifecycleHandlerArgs(sleep=k8s.core.v1.SleepActionArgs(seconds=LEAVING_SECONDS))
    )
