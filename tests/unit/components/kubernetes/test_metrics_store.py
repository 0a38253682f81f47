import pytest
import yaml

from moka.collectors.labels import PROMOTED
from moka.components.kubernetes.metrics_store import MetricsStore, MetricsStoreArgs


@pytest.fixture
def store(deploy, catalog):
    def program():
        args = MetricsStoreArgs(
            catalog=catalog, namespace="monitoring", storage_class="gp3", days=7, disk_gib=40, memory_gib=4
        )
        MetricsStore("spark-a-metrics-store", args)

    return deploy(program)


@pytest.fixture
def pod(store):
    [stateful_set] = store.inputs("kubernetes:apps/v1:StatefulSet")
    return stateful_set["spec"]["template"]["spec"]


def test_it_keeps_metrics_for_as_long_as_is_said_and_never_fills_its_disk(pod):
    arguments = pod["containers"][0]["args"]

    assert "--storage.tsdb.retention.time=7d" in arguments
    assert "--storage.tsdb.retention.size=34GB" in arguments


def test_it_takes_what_collectors_send_with_their_labels(store, pod):
    [files] = store.inputs("kubernetes:core/v1:ConfigMap")
    config = yaml.safe_load(files["data"]["prometheus.yml"])

    assert "--web.enable-otlp-receiver" in pod["containers"][0]["args"]
    assert config["otlp"]["promote_resource_attributes"] == list(PROMOTED)


def test_it_has_time_to_read_its_log_again(pod):
    probe = pod["containers"][0]["startupProbe"]

    assert probe["periodSeconds"] * probe["failureThreshold"] >= 600


def test_only_what_is_beside_it_reaches_it(store):
    [policy] = store.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")

    [rule] = policy["spec"]["ingress"]
    assert rule["from"] == [{"podSelector": {}}]
    assert policy["spec"]["policyTypes"] == ["Ingress"]


def test_it_asks_nothing_of_kubernetes_and_writes_to_its_volume_only(pod):
    [container] = pod["containers"]

    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["securityContext"]["runAsNonRoot"] is True
