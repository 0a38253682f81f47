"""Layer metrics: what the cluster's objects, nodes, programs and jobs say of themselves."""

from dataclasses import dataclass

import pulumi

from components.aws.policy import Statement
from components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from components.kubernetes.metrics_store import MetricsStore, MetricsStoreArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka.collectors.sending import CloudWatch, Destination, OwnStore, RemoteWrite
from moka.names import (
    GATEWAY_ACCOUNT,
    METRICS_IDENTITY,
    MONITORING_NAMESPACE,
    MONITORING_NODES_NAMESPACE,
)
from moka.observability.alerts import ALERTS
from moka.observability.limits import limits_yaml, store_series
from moka.observability.rule import as_yaml
from moka.sizes import collectors
from moka.subnet_plan import subnet_plans, usable_addresses
from stacks.settings.environment import Environment
from stacks.settings.metrics import Store
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    nodes: the most that the cluster may have.
    destination: where metrics go. store: of the cluster's own, if that is it.
    shards, gateways: of the collectors. kube_state_metrics_shards: of kube-state-metrics.
    job_namespaces: where drivers are.
    origin: labels of every series. limits: numbers that rules compare with, by the name of their series.
    """

    destination: Destination
    store: Store
    shards: int
    gateways: int
    kube_state_metrics_shards: int
    job_namespaces: list[str]
    origin: dict[str, str]
    limits: dict[str, int | None]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What programs that have metrics of their own need, and people who look at them.

    namespace: of the collectors, known once metrics are read on every node.
    endpoint: of the collector that takes metrics (OTLP over gRPC), known once it does.
    store_url: of the cluster's own store, within the cluster; None where metrics go elsewhere.
    """

    namespace: pulumi.Input[str]
    endpoint: pulumi.Input[str]
    store_url: pulumi.Input[str] | None


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    metrics = site.settings.metrics
    nodes = sum(group.maximum for group in site.settings.clusters[site.name].node_groups.values())
    return Inputs(
        destination=metrics.target,
        store=metrics.store,
        shards=metrics.shards or collectors.scrapers(nodes),
        gateways=metrics.gateways or collectors.gateways(nodes),
        kube_state_metrics_shards=metrics.kube_state_metrics_shards,
        job_namespaces=list(site.settings.job_namespaces),
        origin={"environment": site.settings.environment, "cluster": site.name, "region": site.region},
        limits={
            "moka_pod_addresses": pod_addresses(site.settings, site.name),
            "moka_store_series": store_series(metrics.store.memory_gib),
        },
    )


def pod_addresses(settings: Environment, cluster: str) -> int | None:
    """Addresses for the pods of a cluster: its share of the foundation's; None in a VPC that is not ours."""
    foundation = settings.clusters[cluster].foundation
    network = settings.foundations[foundation].network
    if network is None:
        return None
    plans = subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    addresses = sum(usable_addresses(plan.pods or plan.private) for plan in plans)
    return addresses // len(settings.clusters_of(foundation))


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make kube-state-metrics, the OpenTelemetry collectors, and the store where there is no other."""
    namespace = Namespace(
        f"{site.name}-monitoring",
        NamespaceArgs(name=MONITORING_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    nodes_namespace = Namespace(
        f"{site.name}-monitoring-nodes",
        NamespaceArgs(name=MONITORING_NODES_NAMESPACE, pod_security="privileged"),
        site.opts,
    )
    storage = StorageClass(f"{site.name}-monitoring", StorageClassArgs(name="monitoring"), site.opts)
    KubeStateMetrics(
        f"{site.name}-kube-state-metrics",
        KubeStateMetricsArgs(
            catalog=site.catalog, namespace=namespace.name, shards=inputs.kube_state_metrics_shards
        ),
        site.opts,
    )
    store = (
        MetricsStore(
            f"{site.name}-metrics-store",
            MetricsStoreArgs(
                catalog=site.catalog,
                namespace=namespace.name,
                storage_class=storage.name,
                days=inputs.store.days,
                disk_gib=inputs.store.disk_gib,
                memory_gib=inputs.store.memory_gib,
                rules={
                    "moka.rules.yaml": as_yaml(ALERTS),
                    "limits.rules.yaml": limits_yaml(inputs.limits, inputs.origin),
                },
                origin=inputs.origin,
            ),
            site.opts,
        )
        if isinstance(inputs.destination, OwnStore)
        else None
    )
    statements = permissions(inputs.destination)
    identity = (
        [site.allow(METRICS_IDENTITY, MONITORING_NAMESPACE, GATEWAY_ACCOUNT, statements)]
        if statements
        else []
    )
    collecting = OpenTelemetry(
        f"{site.name}-opentelemetry",
        OpenTelemetryArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            nodes_namespace=nodes_namespace.name,
            origin=inputs.origin,
            job_namespaces=inputs.job_namespaces,
            storage_class=storage.name,
            shards=inputs.shards,
            gateways=inputs.gateways,
            destination=inputs.destination,
        ),
        # Pods that start before their identity is there run without it.
        site.after(*identity),
    )
    return Outputs(
        namespace=collecting.namespace,
        endpoint=collecting.endpoint,
        store_url=store.url if store else None,
    )


def permissions(destination: Destination) -> list[Statement]:
    """What the gateway may do in AWS: write there, and nothing else."""
    match destination:
        case RemoteWrite(workspace=str(arn)):
            return [Statement(sid="Metrics", actions=("aps:RemoteWrite",), resources=[arn])]
        case CloudWatch():
            # It takes no resource: service authorization reference, Amazon CloudWatch, PutMetricData.
            return [Statement(sid="Metrics", actions=("cloudwatch:PutMetricData",), resources=["*"])]
        case _:
            return []
