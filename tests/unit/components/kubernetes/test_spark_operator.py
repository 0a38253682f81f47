import os
import re
import subprocess
from collections import Counter
from xml.etree import ElementTree

import pytest

from moka.catalog import read
from moka.components.kubernetes.spark_operator import (
    CORE_SITE,
    SUBMIT_SCRIPT,
    SUBMIT_SECONDS,
    SparkOperator,
    SparkOperatorArgs,
    release_name,
)
from moka.jobs.conf import IVY_FOLDER
from moka.sizes.spark_operator import JVM_FLAGS, JVM_MIB, operator_size
from tests.support.chart_rendering import manifests

CLUSTER_SCOPED = {"ClusterRole", "ClusterRoleBinding", "PriorityClass", "MutatingWebhookConfiguration"}
HOOK = "helm.sh/hook"


@pytest.fixture
def release(deploy, catalog):
    """A release as the engine was asked for it."""

    def deploy_operator(**changes):
        args = {
            "catalog": catalog,
            "namespace": "spark-operator",
            "job_namespaces": ["spark-jobs", "spark-adhoc"],
        }
        program = deploy(lambda: SparkOperator("spark-a-operator", SparkOperatorArgs(**{**args, **changes})))
        [inputs] = program.inputs("kubernetes:helm.sh/v3:Release")
        return inputs

    return deploy_operator


@pytest.fixture
def values(release):
    return release()["values"]


@pytest.fixture
def several(release):
    """Objects of three releases with disjoint namespaces, by release; the first owns the CRDs."""
    return {
        name: manifests(
            release(release=release_name(name), job_namespaces=[f"jobs-{name}"], owns_crds=name == "adhoc")
        )
        for name in ("adhoc", "batch", "spark-operator")
    }


def container(release_objects):
    [deployment] = [item for item in release_objects if item["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    return container


def flags(release_objects):
    pairs = [arg.removeprefix("--").split("=", 1) for arg in container(release_objects)["args"] if "=" in arg]
    return dict(pairs)


def test_it_runs_the_applications_of_job_namespaces_and_no_others(values):
    assert values["spark"]["jobNamespaces"] == ["spark-jobs", "spark-adhoc"]


def test_jobs_run_with_the_account_and_permissions_of_their_namespace(values):
    assert values["spark"]["serviceAccount"] == {"create": False, "name": "spark"}
    assert values["spark"]["rbac"] == {"create": False}


def test_jobs_are_scheduled_by_yunikorn_unless_they_say_otherwise(values):
    assert values["controller"]["batchScheduler"] == {"enable": True, "default": "yunikorn"}


def test_its_webhook_is_off(values):
    assert values["webhook"] == {"enable": False}


def test_no_object_is_made_for_the_ui_of_an_application(values):
    assert values["controller"]["uiService"] == {"enable": False}
    assert "uiIngress" not in values["controller"]


def test_crds_are_upgraded_with_the_operator(values):
    assert values["hook"]["upgradeCrd"] is True


@pytest.mark.parametrize("rate", [5, 120])
def test_the_controller_is_as_large_as_the_applications_a_minute_need(release, rate):
    controller = release(applications_per_minute=rate)["values"]["controller"]
    size = operator_size(rate)

    assert controller["workers"] == size.workers
    assert controller["resources"]["requests"] == {
        "cpu": f"{size.millicores}m",
        "memory": f"{size.memory_mib}Mi",
    }
    # A burst may have what its node has left of CPU; memory that is not there kills a submission.
    assert controller["resources"]["limits"] == {"memory": f"{size.memory_mib}Mi"}


def test_a_submission_has_a_heap_that_its_share_of_the_memory_holds(release):
    environment = {
        variable["name"]: variable["value"] for variable in release()["values"]["controller"]["env"]
    }

    [heap_mib] = re.findall(r"-Xmx(\d+)m", environment["SPARK_SUBMIT_OPTS"])
    assert environment["SPARK_SUBMIT_OPTS"] == JVM_FLAGS
    assert int(heap_mib) < JVM_MIB


def test_spark_submit_hands_urls_of_s3_on_without_s3a_or_an_identity(release):
    controller = release(release="spark-operator-batch")["values"]["controller"]
    variables = {variable["name"]: variable["value"] for variable in controller["env"]}
    mounted = {mount["mountPath"]: mount["name"] for mount in controller["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in controller["volumes"]}

    volume = volumes[mounted[variables["SPARK_DIST_CLASSPATH"]]]
    assert volume["configMap"] == {
        "name": "spark-operator-batch-hadoop",
        "items": [{"key": "core-site.xml", "path": "core-site.xml"}],
    }
    # Spark would put what these name into the driver's pod as well.
    assert not {"HADOOP_CONF_DIR", "SPARK_CONF_DIR"} & variables.keys()
    [setting] = ElementTree.fromstring(CORE_SITE)
    assert [part.text for part in setting] == ["fs.s3a.impl", "org.apache.hadoop.fs.http.HttpsFileSystem"]


def test_spark_submit_can_write_what_it_fetches_though_the_disk_is_read_only(values):
    mounts = {mount["mountPath"]: mount for mount in values["controller"]["volumeMounts"]}
    sizes = {
        volume["name"]: volume["emptyDir"]["sizeLimit"]
        for volume in values["controller"]["volumes"]
        if "emptyDir" in volume
    }

    writable = {path: sizes[mount["name"]] for path, mount in mounts.items() if not mount.get("readOnly")}
    assert writable == {"/tmp": "1Gi", IVY_FOLDER: "10Gi"}


def test_every_release_is_named_as_an_operator():
    assert release_name("spark-operator") == "spark-operator"
    assert release_name("batch") == "spark-operator-batch"


def test_an_environment_changes_the_values_of_all_releases_by_those_of_the_chart(release):
    changed = read(overrides={"spark-operator": {"controller": {"logLevel": "debug"}}})

    releases = [release(catalog=changed, release=name) for name in ("spark-operator", "spark-operator-batch")]

    assert [inputs["values"]["controller"]["logLevel"] for inputs in releases] == ["debug", "debug"]


def test_releases_of_one_cluster_have_no_object_in_common(several):
    objects = Counter(
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        for release_objects in several.values()
        for item in release_objects
    )

    assert [name for name, times in objects.items() if times > 1] == []
    assert CLUSTER_SCOPED & {kind for kind, _, _ in objects}


def test_releases_of_one_cluster_have_leases_of_their_own(several):
    leases = {
        name: flags(release_objects)["leader-election-lock-name"] for name, release_objects in several.items()
    }

    assert leases == {
        "adhoc": "spark-operator-adhoc-controller-lock",
        "batch": "spark-operator-batch-controller-lock",
        "spark-operator": "spark-operator-controller-lock",
    }


def test_crds_are_upgraded_by_one_release_alone_and_before_its_controller(several):
    hooks = {
        name: [item for item in objects if HOOK in item["metadata"].get("annotations", {})]
        for name, objects in several.items()
    }

    assert [name for name, release_hooks in hooks.items() if release_hooks] == ["adhoc"]
    assert {hook["metadata"]["annotations"][HOOK] for hook in hooks["adhoc"]} == {"pre-install,pre-upgrade"}


def test_a_controller_may_read_and_make_nothing_outside_its_namespaces(several):
    for name, objects in several.items():
        for item in objects:
            if item["kind"] == "Role":
                assert item["metadata"]["namespace"] in ("spark-operator", f"jobs-{name}")
            if item["kind"] == "ClusterRole":
                assert {resource for rule in item["rules"] for resource in rule["resources"]} == {
                    "customresourcedefinitions"
                }
        secrets = [
            rule for item in objects for rule in item.get("rules", []) if "secrets" in rule["resources"]
        ]
        assert secrets == []


def test_its_pods_are_found_by_whoever_reads_metrics(several):
    [deployment] = [item for item in several["batch"] if item["kind"] == "Deployment"]
    annotations = deployment["spec"]["template"]["metadata"]["annotations"]

    assert annotations["prometheus.io/scrape"] == "true"
    assert {"containerPort": int(annotations["prometheus.io/port"]), "name": "metrics"} in container(
        several["batch"]
    )["ports"]
    longest = flags(several["batch"])["metrics-job-start-latency-buckets"].split(",")[-1]
    assert float(longest) >= 3600


def test_one_of_two_replicas_may_go_at_a_time(several):
    by_kind = {item["kind"]: item for item in several["batch"]}

    assert by_kind["Deployment"]["spec"]["replicas"] == 2
    assert by_kind["PodDisruptionBudget"]["spec"]["minAvailable"] == 1
    assert flags(several["batch"])["leader-election"] == "true"
    assert re.fullmatch(r"\d+s", flags(several["batch"])["driver-pod-creation-grace-period"])


def test_a_driver_may_be_seen_late_even_after_the_slowest_submission(values):
    grace = values["controller"]["driverPodCreationGracePeriod"]

    assert int(grace.removesuffix("s")) >= SUBMIT_SECONDS + 30


@pytest.fixture
def submit(tmp_path):
    """Run what stands for spark-submit, with a Spark whose own does this, and with a limit of seconds."""

    def run(program, seconds=SUBMIT_SECONDS):
        spark = tmp_path / "spark" / "bin" / "spark-submit"
        spark.parent.mkdir(parents=True, exist_ok=True)
        spark.write_text(f"#!/bin/bash\n{program}\n")
        spark.chmod(0o755)
        script = tmp_path / "spark-submit"
        script.write_text(SUBMIT_SCRIPT.replace(f" {SUBMIT_SECONDS} ", f" {seconds} ", 1))
        script.chmod(0o555)
        return subprocess.run(
            [script, "--name", "a b", "--conf=x=1"],
            env={**os.environ, "SUBMIT_SPARK": str(tmp_path / "spark"), "SPARK_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def test_spark_submit_is_run_as_the_operator_asks_for_it(submit, tmp_path):
    done = submit('printf "%s|" "$SPARK_HOME" "$@"; echo wrong >&2; exit 3')

    assert done.stdout == f"{tmp_path / 'spark'}|--name|a b|--conf=x=1|"
    assert (done.returncode, done.stderr) == (3, "wrong\n")


def test_a_spark_submit_that_hangs_is_ended_with_a_reason(submit):
    """The operator would wait for it for ever, with one of its workers."""
    done = submit("sleep 300", seconds=1)

    assert done.returncode == 124
    assert done.stderr == f"spark-submit took more than {SUBMIT_SECONDS} s\n"


def test_a_spark_submit_that_is_killed_for_want_of_memory_says_so(submit):
    done = submit("kill -KILL $$")

    assert done.returncode == 137
    assert "spark-submit was killed, for want of memory" in done.stderr


def test_the_controller_finds_what_stands_for_spark_submit(values):
    controller = values["controller"]
    env = {variable["name"]: variable["value"] for variable in controller["env"]}
    mounts = {mount["name"]: mount["mountPath"] for mount in controller["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in controller["volumes"]}

    [item] = volumes["submit"]["configMap"]["items"]
    assert f"{mounts['submit']}/{item['path']}" == f"{env['SPARK_HOME']}/bin/spark-submit"
    assert int(volumes["submit"]["configMap"]["defaultMode"]) & 0o111 == 0o111
