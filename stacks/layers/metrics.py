"""Layer metrics: what the cluster's objects, nodes, programs and jobs say of themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from moka.collectors.sending import CloudWatch, Destination, OwnStore, RemoteWrite, query_url, region_of
from moka.components.aws.managed_grafana import ManagedGrafana, ManagedGrafanaArgs, query_statement
from moka.components.aws.managed_rules import ManagedRules, ManagedRulesArgs
from moka.components.aws.policy import Statement
from moka.components.kubernetes.dashboards import Dashboards, DashboardsArgs
from moka.components.kubernetes.grafana import Grafana, GrafanaArgs, QueriedStore
from moka.components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from moka.components.kubernetes.metrics_store import MetricsStore, MetricsStoreArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from moka.components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka.machines.pod_addresses import PREFIX_ADDRESSES
from moka.names import (
    GATEWAY_ACCOUNT,
    GRAFANA,
    GRAFANA_IDENTITY,
    METRICS_IDENTITY,
    MONITORING_NAMESPACE,
    MONITORING_NODES_NAMESPACE,
)
from moka.observability.files import dashboard_files, rule_files
from moka.observability.limits import limits_yaml, store_series
from moka.pod_subnets import prefixes
from moka.sizes import collectors
from moka.subnet_plan import subnet_plans, usable_addresses
from stacks.settings.environment import Environment
from stacks.settings.metrics import ManagedGrafana as ManagedGrafanaSettings
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
    own_grafana: whether there is a Grafana on the cluster. managed_grafana: the environment's, which is made
    with its home cluster; None on others.
    workspace_rules: files of rules for the workspace that metrics go to, made with the home cluster; none on
    others. alerts_topic: ARN of the SNS topic for their alerts.
    """

    destination: Destination
    store: Store
    shards: int
    gateways: int
    kube_state_metrics_shards: int
    job_namespaces: list[str]
    origin: dict[str, str]
    limits: dict[str, int | None]
    own_grafana: bool = False
    managed_grafana: ManagedGrafanaSettings | None = None
    workspace_rules: Mapping[str, str] = field(default_factory=dict)
    alerts_topic: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What programs that have metrics of their own need, and people who look at them.

    namespace: of the collectors, known once metrics are read on every node.
    endpoint: of the collector that takes metrics (OTLP over gRPC), known once it does.
    store_url: of the cluster's own store, within the cluster; None where metrics go elsewhere.
    grafana_url: of Amazon Managed Grafana, with the home cluster; None where there is none.
    """

    namespace: pulumi.Input[str]
    endpoint: pulumi.Input[str]
    store_url: pulumi.Input[str] | None
    grafana_url: pulumi.Input[str] | None = None


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    metrics = site.settings.metrics
    nodes = sum(group.maximum for group in site.settings.clusters[site.name].node_groups.values())
    home = site.name == site.settings.home
    return Inputs(
        destination=metrics.target,
        store=metrics.store,
        shards=metrics.shards or collectors.scrapers(nodes),
        gateways=metrics.gateways or collectors.gateways(nodes),
        kube_state_metrics_shards=metrics.kube_state_metrics_shards,
        job_namespaces=list(site.settings.job_namespaces),
        origin=origin(site.settings, site.name),
        limits=limits(site.settings, site.name),
        own_grafana=metrics.own_grafana,
        managed_grafana=metrics.managed_grafana if home else None,
        workspace_rules=managed_rule_files(site.settings) if home else {},
        alerts_topic=metrics.alerts_topic,
    )


def origin(settings: Environment, cluster: str) -> dict[str, str]:
    """Labels of every series of a cluster."""
    region = settings.foundations[settings.clusters[cluster].foundation].region
    return {"environment": settings.environment, "cluster": cluster, "region": region}


def limits(settings: Environment, cluster: str) -> dict[str, int | None]:
    """Numbers of a cluster that rules compare with, by the name of their series."""
    metrics = settings.metrics
    own_store = isinstance(metrics.target, OwnStore)
    at_home, plans = cluster == settings.home, settings.services.allocator
    return {
        "moka_cluster": 1,
        "moka_archer": 1 if settings.archer and at_home else None,
        "moka_plans_by_itself": 1 if plans and settings.allocation.by_itself and at_home else None,
        "moka_pod_addresses": pod_addresses(settings, cluster),
        "moka_store_series": store_series(metrics.store.memory_gib) if own_store else None,
    }


def managed_rule_files(settings: Environment) -> dict[str, str]:
    """Files of rules for the workspace, by the names of their namespaces; none where others put them."""
    if settings.metrics.workspace is None or not settings.metrics.workspace_rules:
        return {}
    of_clusters = [(limits(settings, name), origin(settings, name)) for name in sorted(settings.clusters)]
    files = rule_files() | {"moka-limits.rules.yaml": limits_yaml(of_clusters)}
    return {name.removesuffix(".rules.yaml"): text for name, text in files.items()}


def pod_addresses(settings: Environment, cluster: str) -> int | None:
    """Addresses for the pods of a cluster: its share of the foundation's; None in a VPC that is not ours."""
    foundation = settings.clusters[cluster].foundation
    network = settings.foundations[foundation].network
    if network is None:
        return None
    plans = subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    addresses = sum(
        prefixes(plan.pods) * PREFIX_ADDRESSES if plan.pods else usable_addresses(plan.private)
        for plan in plans
    )
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
                    **rule_files(),
                    "limits.rules.yaml": limits_yaml([(inputs.limits, inputs.origin)]),
                },
                origin=inputs.origin,
            ),
            site.opts,
        )
        if isinstance(inputs.destination, OwnStore)
        else None
    )
    if (
        isinstance(inputs.destination, RemoteWrite)
        and inputs.destination.workspace
        and inputs.workspace_rules
    ):
        ManagedRules(
            f"{site.name}-rules",
            ManagedRulesArgs(
                workspace_arn=inputs.destination.workspace,
                files=inputs.workspace_rules,
                alerts_topic=inputs.alerts_topic,
            ),
            site.opts,
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
        grafana_url=_dashboards(site, inputs, namespace.name, store.url if store else None),
    )


def _dashboards(
    site: ClusterSite,
    inputs: Inputs,
    namespace: pulumi.Output[str],
    store_url: pulumi.Output[str] | None,
) -> pulumi.Output[str] | None:
    """Dashboards and what shows them; the URL of the environment's Grafana, if it is made here."""
    # Metrics have other names in CloudWatch.
    if isinstance(inputs.destination, CloudWatch):
        return None
    files = dashboard_files()
    dashboards = Dashboards(
        f"{site.name}-dashboards", DashboardsArgs(namespace=namespace, files=files), site.opts
    )
    workspace = inputs.destination.workspace if isinstance(inputs.destination, RemoteWrite) else None
    if inputs.own_grafana:
        _own_grafana(site, namespace, dashboards.config_map, files, workspace, store_url)
    if inputs.managed_grafana is None or workspace is None:
        return None
    return ManagedGrafana(
        f"{site.name}-grafana",
        ManagedGrafanaArgs(
            workspace_arn=workspace,
            account=site.foundation.account,
            sign_in=inputs.managed_grafana.sign_in,
            prefix_lists=inputs.managed_grafana.prefix_lists,
            vpc_endpoints=inputs.managed_grafana.vpc_endpoints,
            path=site.settings.role_path,
            permissions_boundary_arn=site.permissions_boundary_arn,
        ),
        site.opts,
    ).url


def _own_grafana(
    site: ClusterSite,
    namespace: pulumi.Output[str],
    dashboards: pulumi.Output[str],
    files: Mapping[str, str],
    workspace: str | None,
    store_url: pulumi.Output[str] | None,
) -> Grafana:
    """A Grafana beside the collectors, which may ask a workspace if that is where metrics go."""
    if workspace:
        store = QueriedStore(url=query_url(workspace), region=region_of(workspace))
        identity = [site.allow(GRAFANA_IDENTITY, MONITORING_NAMESPACE, GRAFANA, [query_statement(workspace)])]
    else:
        assert store_url is not None, "settings.metrics refuses a Grafana without a store"
        store, identity = QueriedStore(url=store_url), []
    args = GrafanaArgs(
        catalog=site.catalog, namespace=namespace, dashboards=dashboards, files=files, store=store
    )
    # A pod that starts before its identity is there runs without it.
    return Grafana(f"{site.name}-grafana", args, site.after(*identity))


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
