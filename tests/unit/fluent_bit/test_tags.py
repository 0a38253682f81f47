"""Where a line ends up, by the file that it is read from and by its pod's labels."""

from datetime import UTC, datetime

import pytest

from moka.log_keys import log_object
from tests.support.fluent_bit_tags import (
    MAX_KEY_BYTES,
    key_of,
    kubernetes_of,
    outputs_of,
    reader,
    rewritten,
    tag_of,
)

BEGUN = datetime(2026, 11, 22, 10, 15, 0, tzinfo=UTC)
UUID = "aB3dE6gH"
UID = "8f5e1f6a-0a1b-4c2d-9e3f-0123456789ab"
DRIVER = {"spark-app-selector": "spark-0a1b2c", "spark-role": "driver"}
EXECUTOR = {"spark-app-selector": "spark-0a1b2c", "spark-role": "executor"}
NAMED = "20261122T101500-aB3dE6gH.jsonl.gz"


@pytest.fixture(scope="module")
def place(configuration):
    """A file on a node, and the labels of its pod -> output and key of its lines, one for each reading."""
    pipeline = configuration["pipeline"]

    def place(path, labels=None):
        places = []
        for section in reader(pipeline["inputs"], path):
            tag = tag_of(section, path)
            steps = {one["name"]: one for one in section.get("processors", {}).get("logs", ())}
            if "kubernetes" in steps:
                [parser] = configuration["parsers"]
                kubernetes = kubernetes_of(steps["kubernetes"], parser, tag, labels or {})
                tag = rewritten(steps["rewrite_tag"]["rule"], tag, kubernetes)
            [output] = outputs_of(pipeline["outputs"], tag)
            places.append((output["alias"], key_of(output, tag, BEGUN, UUID)))
        return places

    return place


def file(namespace, pod, container, name="0.log"):
    return f"/var/log/pods/{namespace}_{pod}_{UID}/{container}/{name}"


@pytest.mark.parametrize(
    ("container", "name"), [("spark-kubernetes-driver", "0.log"), ("event-logs", "3.log.20261122-101500")]
)
def test_logs_of_a_driver_are_found_by_cluster_namespace_and_application(place, container, name):
    [(output, key)] = place(file("spark-jobs", "report-driver", container, name), DRIVER)

    assert output == "drivers"
    prefix = "acme-prod-batch-a/spark-jobs/spark-0a1b2c/driver/report-driver"
    assert key == f"{prefix}/{container}/{NAMED}"


def test_logs_of_an_executor_are_beside_those_of_its_driver(place):
    [(output, key)] = place(file("spark-adhoc", "report-exec-1", "executor"), EXECUTOR)

    assert output == "executors"
    assert key == f"acme-prod-batch-a/spark-adhoc/spark-0a1b2c/executor/report-exec-1/executor/{NAMED}"


@pytest.mark.parametrize(
    "labels", [{}, {"spark-role": "driver"}, {"spark-app-selector": "../other", "spark-role": "driver"}]
)
def test_a_pod_that_is_of_no_application_is_kept_apart_and_still_by_its_namespace(place, labels):
    [(output, key)] = place(file("spark-jobs", "by-hand", "shell"), labels)

    assert output == "unknown"
    assert key == f"acme-prod-batch-a/spark-jobs/none/unknown/by-hand/shell/{NAMED}"


@pytest.mark.parametrize("labels", [DRIVER, EXECUTOR, {}])
def test_moka_logs_reads_the_keys_that_fluent_bit_writes(place, labels):
    [(_, key)] = place(file("spark-jobs", "report-1", "main"), labels)

    one = log_object(key)
    assert one.key == key
    assert (one.cluster, one.namespace, one.pod) == ("acme-prod-batch-a", "spark-jobs", "report-1")
    assert (one.container, one.begun) == ("main", BEGUN)
    assert one.role == labels.get("spark-role", "unknown")


@pytest.mark.parametrize("pod", ["coredns-1", "etcd-ip-10-0-1-2.ec2.internal"])
def test_other_pods_are_apart_from_jobs(place, pod):
    assert place(file("kube-system", pod, "main")) == [
        ("system", f"acme-prod-batch-a/pods/kube-system/{pod}/main/{NAMED}")
    ]


def test_the_log_of_yunikorn_is_read_once_more_for_its_summaries(place):
    path = file("yunikorn", "yunikorn-scheduler-1", "yunikorn-scheduler-k8s")

    assert place(path) == [
        ("system", f"acme-prod-batch-a/pods/yunikorn/yunikorn-scheduler-1/yunikorn-scheduler-k8s/{NAMED}"),
        ("summaries", "acme-prod-batch-a/yunikorn/2026/11/22/101500-aB3dE6gH.jsonl.gz"),
    ]


def test_records_of_hosts_go_by_node_and_unit(configuration):
    journals = [one for one in configuration["pipeline"]["inputs"] if one["name"] == "systemd"]
    outputs = configuration["pipeline"]["outputs"]

    keys = []
    for journal in journals:
        [output] = outputs_of(outputs, journal["tag"])
        keys.append(key_of(output, journal["tag"], BEGUN, UUID))
    host = "acme-prod-batch-a/hosts/ip-10-0-1-2.ec2.internal"
    assert keys == [f"{host}/{unit}/{NAMED}" for unit in ("kubelet", "containerd", "kernel")]


def test_what_fluent_bit_says_of_itself_is_counted_and_not_uploaded(configuration):
    pipeline = configuration["pipeline"]
    counters = [one for one in pipeline["filters"] if one["match"] == "losses"]

    assert outputs_of(pipeline["outputs"], "losses") == []
    assert len({counter["metric_name"] for counter in counters}) == len(pipeline["filters"]) > 0
    for tag in {counter["tag"] for counter in counters}:
        assert [one["name"] for one in outputs_of(pipeline["outputs"], tag)] == ["prometheus_exporter"]


def test_the_longest_names_fit_into_a_key(place):
    pod, name = "p" * 253, "c" * 63
    labels = {"spark-app-selector": "spark-" + "0a" * 16, "spark-role": "executor"}

    [(_, key)] = place(f"/var/log/pods/spark-jobs_{pod}_{UID}/{name}/0.log", labels)
    assert len(key.encode()) + 100 - len("acme-prod-batch-a") + 63 - len("spark-jobs") <= MAX_KEY_BYTES
