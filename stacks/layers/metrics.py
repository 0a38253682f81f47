"""Layer metrics: what the cluster's objects, nodes and programs say of themselves."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from moka.names import MONITORING_NAMESPACE
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Nothing differs between clusters."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What programs that have metrics of their own need.

    namespace: of the collectors, known once metrics are read on every node.
    endpoint: of the collector that takes metrics (OTLP over gRPC), known once it does.
    """

    namespace: pulumi.Input[str]
    endpoint: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    return Inputs()


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make kube-state-metrics and the OpenTelemetry collectors."""
    namespace = Namespace(
        f"{site.name}-monitoring",
        NamespaceArgs(name=MONITORING_NAMESPACE, pod_security="privileged"),
        site.opts,
    )
    KubeStateMetrics(
        f"{site.name}-kube-state-metrics",
        KubeStateMetricsArgs(catalog=site.catalog, namespace=namespace.name),
        site.opts,
    )
    collectors = OpenTelemetry(
        f"{site.name}-opentelemetry",
        OpenTelemetryArgs(catalog=site.catalog, namespace=namespace.name, cluster=site.eks_name),
        site.opts,
    )
    return Outputs(namespace=collectors.namespace, endpoint=collectors.endpoint)
