import re

import pytest

from moka.components.kubernetes.history_configuration import spark_defaults
from moka.components.kubernetes.history_server import HistoryServer, HistoryServerArgs
from moka.event_logs import archive_key, hot_key
from moka.jobs.pods import template
from moka.quantities import mebibytes
from moka.sizes.history import HistorySize

SIZE = HistorySize(cpu="4", heap_gib=12, store_gib=100)


def deploy_server(deploy, **changes):
    usual = {
        "image": "registry.example/history-server:4.3.0",
        "namespace": "spark-history",
        "bucket": "moka-event-logs",
        "region": "us-east-1",
        "storage_class": "spark-history",
        "size": SIZE,
    }
    return deploy(lambda: HistoryServer("spark-a-history", HistoryServerArgs(**{**usual, **changes})))


@pytest.fixture
def stack(deploy):
    return deploy_server(deploy)


def stateful_set(stack):
    [workload] = stack.inputs("kubernetes:apps/v1:StatefulSet")
    return workload["spec"]


def pod(stack):
    return stateful_set(stack)["template"]["spec"]


def settings(bucket="moka-event-logs", size=SIZE, interval_seconds=300):
    text = spark_defaults(
        bucket=bucket,
        region="us-east-1",
        store_folder="/var/lib/history",
        size=size,
        interval_seconds=interval_seconds,
    )
    return dict(line.split(" ", 1) for line in text.splitlines())


def test_it_reads_both_forms_of_a_log_from_where_they_are_written():
    hot, archive = settings()["spark.history.fs.logDirectory"].split(",")

    assert f"s3a://moka-event-logs/{hot_key('spark-1')}".startswith(hot)
    assert f"s3a://moka-event-logs/{archive_key('spark-1', 'events_1_spark-1.zstd')}".startswith(archive)


@pytest.mark.parametrize("bucket", ["moka-event-logs", "acme.event.logs"])
def test_the_archive_is_never_listed_and_what_has_ended_lately_is(bucket):
    text = settings(bucket)["spark.history.fs.update.scanDisabledPathPatterns"]

    for folder in (f"s3a://{bucket}/archive", f"s3a://{bucket}/archive/"):
        assert re.fullmatch(text, folder)
    for other in (f"s3a://{bucket}/hot", f"s3a://{bucket}/", "s3a://acme-event-logs/archived"):
        assert not re.fullmatch(text, other)


def test_nothing_in_its_file_is_read_as_another_character():
    assert not [value for value in settings("a.b").values() if "\\" in value]


def test_the_seconds_between_scans_are_those_of_the_settings():
    assert settings(interval_seconds=60)["spark.history.fs.update.interval"] == "60s"


def test_it_never_falls_back_to_the_permissions_of_its_node():
    provider = settings()["spark.hadoop.fs.s3a.aws.credentials.provider"]

    assert provider.endswith(".ContainerCredentialsProvider")


def test_it_deletes_and_rewrites_no_logs():
    read = settings()

    assert read["spark.history.fs.cleaner.enabled"] == "false"
    assert "spark.history.fs.eventLog.rolling.maxFilesToRetain" not in read


@pytest.mark.parametrize("heap_gib", [4, 12, 24, 100])
def test_what_it_reads_fits_into_its_heap_and_all_of_it_into_its_pod(deploy, heap_gib):
    size = HistorySize(cpu="2", heap_gib=heap_gib, store_gib=50)
    [container] = pod(deploy_server(deploy, size=size))["containers"]

    limit = mebibytes(container["resources"]["limits"]["memory"])
    assert {"name": "SPARK_DAEMON_MEMORY", "value": f"{heap_gib}g"} in container["env"]
    assert limit >= (heap_gib + 2) * 1024
    assert container["resources"]["requests"]["memory"] == container["resources"]["limits"]["memory"]
    assert settings(size=size)["spark.history.store.hybridStore.maxMemoryUsage"] == f"{heap_gib // 2}g"


def test_the_store_leaves_a_fifth_of_its_volume(stack):
    [claim] = stateful_set(stack)["volumeClaimTemplates"]
    [mount] = [
        m for m in pod(stack)["containers"][0]["volumeMounts"] if m["name"] == claim["metadata"]["name"]
    ]

    assert claim["spec"]["resources"]["requests"] == {"storage": "100Gi"}
    assert claim["spec"]["storageClassName"] == "spark-history"
    assert settings()["spark.history.store.maxDiskUsage"] == "80g"
    assert settings()["spark.history.store.path"] == mount["mountPath"]


def test_logs_are_read_by_four_threads_a_core_and_no_fewer_than_sixteen():
    threads = [
        settings(size=HistorySize(cpu=cpu, heap_gib=4, store_gib=10))["spark.history.fs.numReplayThreads"]
        for cpu in ("500m", "4", "8")
    ]

    assert threads == ["16", "16", "32"]


def test_a_pod_starts_without_fetching_anything(stack):
    assert not pod(stack).get("initContainers")
    [container] = pod(stack)["containers"]
    assert container["image"] == "registry.example/history-server:4.3.0"
    assert "command" not in container and "args" not in container


def test_a_pod_has_no_more_rights_than_it_needs(stack):
    spec = pod(stack)
    [container] = spec["containers"]

    assert spec["securityContext"]["runAsUser"] == spec["securityContext"]["fsGroup"] == 185
    assert spec["securityContext"]["runAsNonRoot"]
    assert spec["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_its_pods_run_with_the_account_that_gets_the_permissions(stack):
    [account] = stack.inputs("kubernetes:core/v1:ServiceAccount")

    assert pod(stack)["serviceAccountName"] == account["metadata"]["name"] == "history-server"


def test_probes_do_not_walk_the_list(stack):
    [container] = pod(stack)["containers"]

    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] == "/api/v1/version"


def test_another_zone_has_the_second_replica_and_a_lost_node_s_pod_moves_soon(deploy):
    spec = pod(deploy_server(deploy, replicas=2))

    [spread] = spec["topologySpreadConstraints"]
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    waits = {t["key"]: t["tolerationSeconds"] for t in spec["tolerations"] if "tolerationSeconds" in t}
    assert waits == {"node.kubernetes.io/not-ready": 30, "node.kubernetes.io/unreachable": 30}


def test_only_the_gate_may_connect(stack):
    [policy] = stack.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    [rule] = policy["spec"]["ingress"]
    [peer] = rule["from"]

    assert (
        policy["spec"]["podSelector"]["matchLabels"] == stateful_set(stack)["template"]["metadata"]["labels"]
    )
    assert peer == {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "history-gate"}}}
    assert rule["ports"] == [{"port": 18080, "protocol": "TCP"}]


def test_each_pod_has_a_name_of_its_own_and_one_may_be_evicted_at_a_time(stack):
    [service] = stack.inputs("kubernetes:core/v1:Service")
    [budget] = stack.inputs("kubernetes:policy/v1:PodDisruptionBudget")

    assert service["spec"]["clusterIP"] == "None"
    assert service["metadata"]["name"] == stateful_set(stack)["serviceName"]
    assert budget["spec"]["maxUnavailable"] == 1


def test_a_change_of_its_configuration_replaces_the_pods(deploy):
    checksums = {
        str(stateful_set(deploy_server(deploy, interval_seconds=s))["template"]["metadata"]["annotations"])
        for s in (60, 300)
    }

    assert len(checksums) == 2


def test_executors_logs_are_linked_by_attributes_that_their_pods_have(job, target):
    pattern = settings()["spark.history.custom.executor.log.url"]
    needed = set(re.findall(r"{{(\w+)}}", pattern))
    [container] = template(job(), target(), "executor")["spec"]["containers"]
    ours = {variable["name"].removeprefix("SPARK_EXECUTOR_ATTRIBUTE_") for variable in container["env"]}

    # Spark's own on Kubernetes.
    assert needed <= ours | {"APP_ID", "EXECUTOR_ID"}
