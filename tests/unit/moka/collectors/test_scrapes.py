"""Which targets the scrapers read, judged as Prometheus does: rule by rule, expressions anchored."""

import hashlib
import re

import pytest

from moka.collectors.scrapes import scrape_configs
from moka.names import PLATFORM_NAMESPACES

NAMESPACES = ("jobs-a", "jobs-b")


def relabel(labels, rules, shard=0):
    """What rules make of labels; None for what they drop."""
    labels = dict(labels)
    for rule in rules:
        value = ";".join(labels.get(source, "") for source in rule.get("source_labels", []))
        regex = str(rule.get("regex", "(.*)")).replace("${env:SHARD}", str(shard))
        match = re.fullmatch(regex, value)
        match rule.get("action", "replace"):
            case "keep" if not match:
                return None
            case "drop" if match:
                return None
            case "labeldrop":
                labels = {name: text for name, text in labels.items() if not re.fullmatch(regex, name)}
            case "hashmod":
                digest = hashlib.md5(value.encode(), usedforsecurity=False).digest()
                labels[rule["target_label"]] = str(int.from_bytes(digest[8:], "big") % rule["modulus"])
            case "replace" if match:
                labels[rule["target_label"]] = match.expand(re.sub(r"\$\$(\d)", r"\\\1", rule["replacement"]))
    return labels


def jobs(shards=1):
    return {job["job_name"]: job for job in scrape_configs(shards, NAMESPACES)}


def pod(namespace, labels=None, port=None, annotations=None, phase="Running", address="10.0.0.7"):
    """A pod's meta labels."""
    meta = {
        "__meta_kubernetes_namespace": namespace,
        "__meta_kubernetes_pod_name": "a-pod",
        "__meta_kubernetes_pod_node_name": "a-node",
        "__meta_kubernetes_pod_ip": address,
        "__meta_kubernetes_pod_phase": phase,
        "__meta_kubernetes_pod_container_port_name": port or "",
        "__address__": f"{address}:1",
        "__metrics_path__": "/metrics",
    }
    for kind, values in (("label", labels), ("annotation", annotations)):
        for key, value in (values or {}).items():
            meta[f"__meta_kubernetes_pod_{kind}_{re.sub('[^a-zA-Z0-9]', '_', key)}"] = value
    return meta


ASKS = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": "9098",
    "prometheus.io/path": "/metrics/prometheus",
}
DRIVER = {
    "sparkoperator.k8s.io/app-name": "etl",
    "spark-role": "driver",
    "moka.dev/organization": "acme",
    "moka.dev/project": "reports",
    "moka.dev/tier": "1",
}


def found_by(target):
    """Names of the jobs of pods that read a target."""
    names = set()
    for name, job in jobs().items():
        [discovery] = job["kubernetes_sd_configs"]
        if target["__meta_kubernetes_namespace"] not in discovery.get("namespaces", {}).get("names", []):
            continue
        selectors = discovery.get("selectors", [])
        wanted = [part for selector in selectors for part in selector["label"].split(",")]
        plain = {re.sub("[^a-zA-Z0-9]", "_", part.split("=")[0]): part.split("=")[1] for part in wanted}
        if any(target.get(f"__meta_kubernetes_pod_label_{key}") != value for key, value in plain.items()):
            continue
        if relabel(target, job["relabel_configs"]):
            names.add(name)
    return names


TARGETS = {
    "celeborn": (pod("celeborn", {"app.kubernetes.io/name": "celeborn"}, annotations=ASKS), {"platform"}),
    "kube-state-metrics": (
        pod("monitoring", {"app.kubernetes.io/name": "kube-state-metrics"}, port="http"),
        {"kube-state-metrics"},
    ),
    "kube-state-metrics of itself": (
        pod("monitoring", {"app.kubernetes.io/name": "kube-state-metrics"}, port="metrics"),
        {"collectors"},
    ),
    "a gateway": (pod("monitoring", {"app.kubernetes.io/name": "x"}, port="metrics"), {"collectors"}),
    "an agent": (pod("monitoring-nodes", {"app.kubernetes.io/name": "x"}, port="metrics"), {"collectors"}),
    "fluent bit": (pod("logging", {"app.kubernetes.io/name": "fluent-bit"}, "http", ASKS), {"platform"}),
    "fluent bit's losses": (
        pod("logging", {"app.kubernetes.io/name": "fluent-bit"}, port="losses"),
        {"fluent-bit-losses"},
    ),
    "yunikorn": (
        pod("yunikorn", {"app": "yunikorn", "component": "yunikorn-scheduler"}, "http1", ASKS),
        {"yunikorn"},
    ),
    "yunikorn's webhooks": (
        pod("yunikorn", {"app": "yunikorn", "component": "yunikorn-admission-controller"}, "https"),
        set(),
    ),
    "a driver": (pod("jobs-a", DRIVER, port="spark-ui"), {"drivers", "executors"}),
    "a driver's uploader": (pod("jobs-a", DRIVER, port="event-logs"), {"event-logs"}),
    "a finished driver": (pod("jobs-a", DRIVER, port="spark-ui", phase="Succeeded"), set()),
    "an executor": (pod("jobs-a", DRIVER | {"spark-role": "executor"}, port="spark-ui"), set()),
    "a pod that does not ask": (pod("logging", {"app.kubernetes.io/name": "fluent-bit"}), set()),
}


@pytest.mark.parametrize(("target", "names"), TARGETS.values(), ids=TARGETS)
def test_each_target_is_read_by_the_jobs_that_are_for_it(target, names):
    assert found_by(target) == names


def test_each_target_is_of_one_shard_whatever_finds_it():
    rules = jobs(shards=3)["platform"]["relabel_configs"]
    targets = [
        pod(
            "logging", {"app.kubernetes.io/name": "a"}, annotations=ASKS, address=f"10.0.{n // 250}.{n % 250}"
        )
        for n in range(3000)
    ]
    shards = [[n for n in range(3) if relabel(target, rules, shard=n)] for target in targets]

    assert {len(numbers) for numbers in shards} == {1}
    assert min(sum(numbers == [n] for numbers in shards) for n in range(3)) > 900, "and they share evenly"


def test_what_is_one_target_of_a_job_is_of_one_shard_in_every_job():
    for name, job in jobs(shards=3).items():
        last = job["relabel_configs"][-2:]
        assert last == jobs(shards=3)["platform"]["relabel_configs"][-2:], name


def test_a_pod_is_read_where_its_annotations_say():
    read = relabel(TARGETS["celeborn"][0], jobs()["platform"]["relabel_configs"])

    assert (read["__address__"], read["__metrics_path__"]) == ("10.0.0.7:9098", "/metrics/prometheus")
    assert (read["job"], read["namespace"], read["pod"]) == ("celeborn", "celeborn", "a-pod")


def test_an_application_is_known_by_its_name_queue_and_tier():
    read = relabel(TARGETS["a driver"][0], jobs()["drivers"]["relabel_configs"])

    assert {key: value for key, value in read.items() if not key.startswith("__")} == {
        "namespace": "jobs-a",
        "application": "etl",
        "tier": "1",
        "queue": "root.acme.reports.tier1",
    }


def test_objects_keep_their_own_names_beside_those_of_who_counts_them():
    job = jobs()["kube-state-metrics"]
    read = relabel(TARGETS["kube-state-metrics"][0], job["relabel_configs"])

    assert job["honor_labels"]
    assert not {"namespace", "pod", "node"} & set(read)


def test_of_the_pods_of_jobs_only_what_is_asked_of_them_is_kept():
    rules = jobs()["kube-state-metrics"]["metric_relabel_configs"]

    def kept(name, namespace, container="x"):
        return relabel({"__name__": name, "namespace": namespace, "container": container}, rules) is not None

    ended = "kube_pod_container_status_last_terminated_reason"
    assert kept("kube_pod_info", "jobs-a")
    assert kept("kube_pod_container_status_restarts_total", "celeborn")
    assert not kept("kube_pod_container_status_restarts_total", "jobs-b")
    assert kept(ended, "jobs-a", "spark-kubernetes-driver")
    assert not kept(ended, "jobs-a", "spark-kubernetes-executor")


@pytest.mark.parametrize(
    ("job", "series", "kept"),
    [
        ("drivers", "metrics_spark_driver_DAGScheduler_stage_failedStages_Value", True),
        ("drivers", "metrics_spark_driver_LiveListenerBus_queue_eventLog_numDroppedEvents_Count", True),
        ("drivers", "metrics_spark_driver_CodeGenerator_compilationTime_Mean", False),
        ("executors", "metrics_executor_activeTasks", True),
        ("executors", "metrics_executor_OnHeapStorageMemory_bytes", False),
        ("yunikorn", "yunikorn_queue_resource", True),
        ("yunikorn", "yunikorn_root_acme_queue_app", False),
        ("yunikorn", "yunikorn_runtime_go_goroutines", False),
        ("platform", "metrics_LostWorkerCount_Value", True),
        ("platform", "metrics_diskBytesWritten_Value", False),
        ("platform", "fluentbit_output_proc_bytes_total", True),
        ("platform", "fluentbit_output_latency_seconds_bucket", False),
        ("platform", "moka_driver_finalizer_held", True),
        ("platform", "go_gc_duration_seconds", False),
        ("fluent-bit-losses", "log_metric_counter_logs_evicted", True),
        ("event-logs", "moka_event_log_uploader_behind_seconds", True),
        ("collectors", "otelcol_exporter_send_failed_metric_points_total", True),
        ("collectors", "otelcol_exporter_send_failed_metric_points", True),
        ("collectors", "otelcol_processor_batch_timeout_trigger_send", False),
    ],
)
def test_of_each_program_those_series_are_kept_that_somebody_asks_for(job, series, kept):
    assert (relabel({"__name__": series}, jobs()[job]["metric_relabel_configs"]) is not None) == kept


def test_every_namespace_of_the_platform_is_read():
    [discovery] = jobs()["platform"]["kubernetes_sd_configs"]

    assert set(discovery["namespaces"]["names"]) == PLATFORM_NAMESPACES


def test_every_target_is_bounded():
    for job in jobs().values():
        assert job["sample_limit"] and job["label_limit"] and job["body_size_limit"], job["job_name"]
