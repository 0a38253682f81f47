"""Layer metrics: what the cluster's objects, nodes and programs say of themselves."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from moka import namespaces
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class MetricsOutputs:
    """What programs that have metrics of their own need.

    namespace: of the collectors, known once metrics are read on every node.
    endpoint: of the collector that takes metrics (OTLP over gRPC), known once it does.
    """

    namespace: pulumi.Input[str]
    endpoint: pulumi.Input[str]


def deploy(where: OnCluster) -> MetricsOutputs:
    """Make kube-state-metrics and the OpenTelemetry collectors."""
    namespace = Namespace(
        f"{where.name}-monitoring",
        NamespaceArgs(name=namespaces.MONITORING, pod_security="privileged"),
        where.opts,
    )
    KubeStateMetrics(
        f"{where.name}-kube-state-metrics",
        KubeStateMetricsArgs(catalog=where.catalog, namespace=namespace.name),
        where.opts,
    )
    collectors = OpenTelemetry(
        f"{where.name}-opentelemetry",
        OpenTelemetryArgs(catalog=where.catalog, namespace=namespace.name, cluster=where.eks_name),
        where.opts,
    )
    return MetricsOutputs(namespace=collectors.namespace, endpoint=collectors.endpoint)
