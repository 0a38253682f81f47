"""The network of a service that nobody but collectors of metrics reaches."""

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import service_labels, service_metadata
from moka.names import MONITORING_NAMESPACE

Egress = k8s.networking.v1.NetworkPolicyEgressRuleArgs


def scraped_only(
    name: str,
    service: str,
    namespace: pulumi.Input[str],
    port: int,
    egress: Sequence[Egress],
    opts: pulumi.ResourceOptions,
) -> None:
    """Make its NetworkPolicies, `name` for the way in and `name`-egress for the way out.

    port: of its metrics. egress: where it connects to.
    """
    pods = k8s.meta.v1.LabelSelectorArgs(match_labels=service_labels(service))
    k8s.networking.v1.NetworkPolicy(
        name,
        metadata=service_metadata(service, namespace),
        spec=k8s.networking.v1.NetworkPolicySpecArgs(
            pod_selector=pods,
            policy_types=["Ingress"],
            ingress=[
                k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                    from_=[peer(MONITORING_NAMESPACE)],
                    ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol="TCP")],
                )
            ],
        ),
        opts=opts,
    )
    k8s.networking.v1.NetworkPolicy(
        f"{name}-egress",
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=f"{service}-egress", namespace=namespace, labels=service_labels(service)
        ),
        spec=k8s.networking.v1.NetworkPolicySpecArgs(
            pod_selector=pods, policy_types=["Egress"], egress=list(egress)
        ),
        opts=opts,
    )
