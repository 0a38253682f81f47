"""Pods of another namespace, as network policies name them."""

from collections.abc import Mapping

import pulumi_kubernetes as k8s


def peer(
    namespace: str, labels: Mapping[str, str] | None = None, *, labelled: str | None = None
) -> k8s.networking.v1.NetworkPolicyPeerArgs:
    """Pods of a namespace: all, those with labels, or those that have a label whatever its value."""
    pods = None
    if labels:
        pods = k8s.meta.v1.LabelSelectorArgs(match_labels=labels)
    if labelled:
        exists = k8s.meta.v1.LabelSelectorRequirementArgs(key=labelled, operator="Exists")
        pods = k8s.meta.v1.LabelSelectorArgs(match_expressions=[exists])
    return k8s.networking.v1.NetworkPolicyPeerArgs(
        # Kubernetes labels each namespace with its name.
        namespace_selector=k8s.meta.v1.LabelSelectorArgs(
            match_labels={"kubernetes.io/metadata.name": namespace}
        ),
        pod_selector=pods,
    )
