"""A Deployment of a single pod."""

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as k8s


def single_pod(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    annotations: Mapping[str, pulumi.Input[str]],
    pod: k8s.core.v1.PodSpecArgs,
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.Deployment:
    """A Deployment whose update ends its one pod before it starts the next.

    metadata: of the Deployment; the pod has its labels. annotations: of the pod.
    """
    return k8s.apps.v1.Deployment(
        name,
        metadata=metadata,
        spec=k8s.apps.v1.DeploymentSpecArgs(
            replicas=1,
            strategy=k8s.apps.v1.DeploymentStrategyArgs(type="Recreate"),
            selector=k8s.meta.v1.LabelSelectorArgs(match_labels=metadata.labels),
            template=k8s.core.v1.PodTemplateSpecArgs(
                metadata=k8s.meta.v1.ObjectMetaArgs(labels=metadata.labels, annotations=annotations),
                spec=pod,
            ),
        ),
        opts=opts,
    )
