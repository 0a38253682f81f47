"""What the scrapers read: a row a job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.collectors.metric_names import (
    CELEBORN_MEMBERS,
    COLLECTOR,
    DRIVER,
    EXECUTORS,
    FLUENT_BIT_PODS,
    KUBE_STATE_METRICS_OWN,
    UPLOADER,
    YUNIKORN_QUEUES,
    YUNIKORN_SCHEDULER,
)
from moka.collectors.relabeling import (
    IP,
    NAME,
    PHASE,
    PORT_NAME,
    Rule,
    annotated,
    annotation,
    any_of,
    drop,
    keep,
    label,
    of_shard,
    pod_label,
)
from moka.collectors.source import Source
from moka.names import (
    DRIVER_SELECTOR,
    LABEL_PREFIX,
    LOGGING_NAMESPACE,
    MONITORING_NAMESPACE,
    MONITORING_NODES_NAMESPACE,
    PLATFORM_NAMESPACES,
    YUNIKORN_NAMESPACE,
)

APPLICATION = "sparkoperator.k8s.io/app-name"
"""Label of drivers and executors that has the name of their SparkApplication; the operator's."""

EXECUTOR_CONTAINER = "spark-kubernetes-executor"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A scrape job.

    discovery: `kubernetes_sd_configs`. targets: which of those, and their labels. series: which of theirs.
    seconds: between scrapes, and for one at most. limit: samples of a target; more are refused, all of them.
    honor_labels: a target's own labels are those of its series: it speaks of others.
    """

    name: str
    discovery: Mapping[str, Any]
    targets: Sequence[Rule]
    limit: int
    series: Sequence[Rule] = ()
    path: str = "/metrics"
    seconds: int = 30
    honor_labels: bool = False

    def config(self, shards: int) -> dict[str, Any]:
        """As the receiver takes it."""
        return {
            "job_name": self.name,
            "scrape_interval": f"{self.seconds}s",
            "scrape_timeout": f"{self.seconds - 5}s",
            "metrics_path": self.path,
            "honor_labels": self.honor_labels,
            "sample_limit": self.limit,
            "label_limit": 40,
            "label_value_length_limit": 200,
            "body_size_limit": "200MB",
            "kubernetes_sd_configs": [dict(self.discovery)],
            "relabel_configs": [*self.targets, *of_shard(shards)],
            "metric_relabel_configs": list(self.series),
        }


def only(*sources: Source) -> Rule:
    """Of a page, the metrics of these."""
    return keep(any_of(metric for source in sources for metric in source.metrics), NAME)


def only_among(pattern: str, *sources: Source) -> list[Rule]:
    """Of metrics with such names, those of these; all others stay."""
    names = any_of(metric for source in sources for metric in source.metrics)
    return [
        label("__tmp_asked", NAME, regex=pattern, to="no"),
        label("__tmp_asked", NAME, regex=names, to="yes"),
        drop("no", "__tmp_asked"),
        {"regex": "__tmp_asked", "action": "labeldrop"},
    ]


def scrape_configs(shards: int, job_namespaces: Sequence[str]) -> list[dict[str, Any]]:
    """Every job, of a cluster with these job namespaces and so many scrapers."""
    return [job.config(shards) for job in jobs(job_namespaces)]


def jobs(job_namespaces: Sequence[str]) -> list[Job]:
    """The rows."""
    drivers = _pods(job_namespaces, selector=DRIVER_SELECTOR)
    return [
        Job(
            name="platform",
            discovery=_pods(PLATFORM_NAMESPACES),
            targets=[
                *RUNNING,
                drop("kube-state-metrics", pod_label("app.kubernetes.io/name")),
                drop("yunikorn", pod_label("app")),
                *annotated("pod", IP),
                *OF_PLATFORM,
            ],
            series=[
                drop("(go|promhttp|rest_client|certwatcher)_.*", NAME),
                # Of what every node or worker has, and of what Celeborn has of each user and application.
                *only_among("(fluentbit|metrics)_.*", FLUENT_BIT_PODS, CELEBORN_MEMBERS),
                # A Celeborn's name for itself; the target's is `instance`.
                {"regex": "exported_instance", "action": "labeldrop"},
            ],
            limit=20_000,
        ),
        Job(
            name="fluent-bit-losses",
            # A second page, of what Fluent Bit counts in its own log.
            discovery=_pods([LOGGING_NAMESPACE]),
            targets=[*RUNNING, keep("losses", PORT_NAME), *OF_PLATFORM],
            series=[only(FLUENT_BIT_PODS)],
            limit=200,
        ),
        Job(
            name="kube-state-metrics",
            discovery=_pods([MONITORING_NAMESPACE], selector="app.kubernetes.io/name=kube-state-metrics"),
            targets=[*RUNNING, keep("http", PORT_NAME)],
            series=_objects(job_namespaces),
            honor_labels=True,
            seconds=60,
            limit=900_000,
        ),
        Job(
            name="yunikorn",
            discovery=_pods([YUNIKORN_NAMESPACE], selector="app=yunikorn,component=yunikorn-scheduler"),
            # Its two containers have a port each.
            targets=[*RUNNING, *annotated("pod", IP), *OF_PLATFORM],
            series=[only(YUNIKORN_QUEUES, YUNIKORN_SCHEDULER)],
            seconds=15,
            limit=50_000,
        ),
        Job(
            name="drivers",
            discovery=drivers,
            targets=[*RUNNING, keep("spark-ui", PORT_NAME), *OF_APPLICATION],
            # Without the slash it answers with a redirect.
            path="/metrics/prometheus/",
            series=[only(DRIVER), {"regex": "type", "action": "labeldrop"}],
            limit=2_000,
        ),
        Job(
            name="executors",
            discovery=drivers,
            targets=[*RUNNING, keep("spark-ui", PORT_NAME), *OF_APPLICATION],
            path="/metrics/executors/prometheus",
            series=[only(EXECUTORS)],
            limit=40_000,
        ),
        Job(
            name="event-logs",
            discovery=drivers,
            targets=[*RUNNING, keep("event-logs", PORT_NAME), *OF_APPLICATION],
            series=[only(UPLOADER)],
            limit=200,
        ),
        Job(
            name="services",
            discovery={"role": "endpointslice"},
            targets=[
                drop(any_of(job_namespaces), "__meta_kubernetes_namespace"),
                # Or it is read twice.
                drop("true", annotation("pod", "prometheus.io/scrape")),
                *annotated("service", "__address__"),
                label("job", "__meta_kubernetes_service_name"),
                label("namespace", "__meta_kubernetes_namespace"),
                label("pod", "__meta_kubernetes_pod_name"),
            ],
            limit=20_000,
        ),
        Job(
            name="collectors",
            discovery=_pods([MONITORING_NAMESPACE, MONITORING_NODES_NAMESPACE]),
            targets=[*RUNNING, keep("metrics", PORT_NAME), *OF_PLATFORM],
            series=[only(COLLECTOR, KUBE_STATE_METRICS_OWN)],
            limit=2_000,
        ),
    ]


RUNNING = (drop("Pending|Succeeded|Failed|Unknown", PHASE),)

OF_PLATFORM = (
    label("job", pod_label("app")),
    label("job", pod_label("app.kubernetes.io/name")),
    label("job", pod_label("app.kubernetes.io/instance"), regex="(opentelemetry-.+)"),
    label("namespace", "__meta_kubernetes_namespace"),
    label("pod", "__meta_kubernetes_pod_name"),
    label("node", "__meta_kubernetes_pod_node_name"),
)

OF_APPLICATION = (
    label("namespace", "__meta_kubernetes_namespace"),
    label("application", pod_label(APPLICATION)),
    label("tier", pod_label(f"{LABEL_PREFIX}tier")),
    label(
        "queue",
        *(pod_label(LABEL_PREFIX + part) for part in ("organization", "project", "tier")),
        regex="(.+);(.+);(.+)",
        to="root.$1.$2.tier$3",
    ),
)


def _pods(namespaces: Sequence[str] | frozenset[str], selector: str | None = None) -> dict[str, Any]:
    discovery: dict[str, Any] = {"role": "pod", "namespaces": {"names": sorted(namespaces)}}
    return discovery | ({"selectors": [{"role": "pod", "label": selector}]} if selector else {})


def _objects(job_namespaces: Sequence[str]) -> list[Rule]:
    """Of the pods of jobs only where they are, what keeps them waiting, and what ended a driver."""
    of_jobs = f"({any_of(job_namespaces)})"
    return [
        drop(f"kube_pod_container_status_(restarts_total|waiting_reason);{of_jobs}", NAME, "namespace"),
        drop(
            f"kube_pod_container_status_last_terminated_reason;{of_jobs};{EXECUTOR_CONTAINER}",
            NAME,
            "namespace",
            "container",
        ),
        {"regex": "uid|host_ip|pod_ip|created_by_.*|priority_class|customresource_.*", "action": "labeldrop"},
    ]
