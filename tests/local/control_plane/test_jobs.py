"""Rendered jobs before the real API server, with the operator's CRDs, and before real Spark."""

import itertools
import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from commands.job import applications
from localcloud import tools
from localcloud.control_plane.stand_ins.spark_operator import definitions
from localcloud.errors import Refusal
from moka.components.kubernetes.priority_classes import CLASSES
from moka.jobs.application import spark_application
from moka.jobs.job_file import read
from moka.jobs.job_target import Celeborn, EventLogUploader, JobTarget
from moka.jobs.pod_size import size
from moka.jobs.reserved import FIELDS, WITH_CELEBORN
from moka.jobs.reserved import PLATFORM as PLATFORM_KEYS
from moka.machines.machine_capacity import NodeGroupShape, largest_gpu_machines, largest_machines
from tests.support.jobs import make_job
from tests.support.priority_classes import apply_priority_classes

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples" / "jobs").glob("*.yaml"))
KIND = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/{}/sparkapplications"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRD = "sparkapplications.sparkoperator.k8s.io"
NOTHING_IS_KEPT = "?dryRun=All&fieldValidation=Strict"

TARGET = JobTarget(
    cluster="spark-a",
    environment="test",
    region="us-east-1",
    queues={f"root.{p}.tier{n}": {} for p in ("analytics.reports", "science.models") for n in (1, 2, 3)},
    namespaces=["spark-jobs"],
    priority_classes={n: f"moka-tier-{n}" for n in (1, 2, 3)},
    machines=largest_machines(
        NodeGroupShape(role=role, architecture=architecture, instance_types=[name])
        for role in ("driver", "executor")
        for architecture, name in (("arm64", "r7g.8xlarge"), ("amd64", "r7i.8xlarge"))
    ),
    gpu_machines=largest_gpu_machines(
        [NodeGroupShape(role="executor", architecture="arm64", instance_types=["g5g.8xlarge"])]
    ),
    staging={"spark-jobs": "s3a://staging/spark-jobs/"},
    images={"4.1": "docker.io/apache/spark:4.1.2"},
    ui_domain="spark-a.example",
    history_url="http://history.example",
    host_paths={"spark-jobs": ["/mnt/models"]},
    celeborn=Celeborn(endpoints="m-0:9097,m-1:9097,m-2:9097", version="0.7.0", rack_aware=True),
    finalizer="moka.dev/driver",
    packages=["org.postgresql:postgresql:42.7.4"],
    repositories=["https://repo.example"],
    event_log_uploader=EventLogUploader(
        image="acme/uploader:1", bucket="logs", region="us-east-1", seconds=10
    ),
)
EVERYTHING = {
    "arguments": ["--day", "2026-11-20", "a,b={c}"],
    "image_pull_secrets": ["registry"],
    "dependencies": {
        "jars": ["s3a://code/a.jar"],
        "files": ["https://example/b.txt"],
        "py_files": ["s3a://code/c.zip"],
        "archives": ["s3a://code/d.tgz#d"],
        "packages": ["org.postgresql:postgresql:42.7.4"],
        "exclude_packages": ["org.slf4j:slf4j-api"],
        "repositories": ["https://repo.example"],
    },
    "env": {"MODE": "full"},
    "secrets": {"PASSWORD": {"name": "warehouse", "key": "password"}},
    "user": "anna",
    "groups": ["science"],
    "uid": 1001,
    "scratch_gib": 100,
    "restart": {"policy": "on-failure", "retries": 2},
    "labels": {"team": "reports", "acme.example/cost-center": "data"},
    "annotations": {"acme.example/ticket": "any text at all"},
    "driver": {"cores": 2, "core_request": "1500m", "memory": "4g", "overhead": "1g"},
}
EXECUTORS = (
    {"cores": 4, "memory": "8g", "off_heap": "2g", "instances": 3},
    {"core_request": "500m", "dynamic": {"minimum": 1, "maximum": 50, "initial": 2}},
)


def every_kind_of_job():
    kinds = itertools.product(
        ("scala", "python", "r"),
        ("4.1", "3.5"),
        ("arm64", "any"),
        (1, 3),
        (True, False),
        EXECUTORS,
        ({}, EVERYTHING),
    )
    for language, version, architecture, tier, celeborn, executor, more in kinds:
        script = {"python": "s3a://code/main.py", "r": "s3a://code/main.R"}.get(language)
        yield make_job(
            **more,
            **({"main_file": script, "main_class": None} if script else {}),
            language=language,
            spark_version=version,
            image="acme/spark:1",
            architecture=architecture,
            tier=tier,
            celeborn=celeborn,
            executor=executor,
        )


@pytest.fixture(scope="module")
def strict(api, until):
    """An API server that knows SparkApplications, priorities, and a namespace of level `restricted`."""
    api.apply_all(definitions())
    until(api, DEFINITIONS, lambda thing: thing["metadata"]["name"] == CRD and established(thing))
    apply_priority_classes(api)
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    api.apply_all(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "spark-jobs", "labels": labels}}]
    )
    accounts = "/api/v1/namespaces/spark-jobs/serviceaccounts"
    until(api, accounts, lambda thing: thing["metadata"]["name"] == "default")
    return api


def established(definition):
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any((c["type"], c["status"]) == ("Established", "True") for c in conditions)


def pod_of(application, role):
    """A pod as Spark makes it of a role's template, as far as the API server looks."""
    template = application["spec"][role]["template"]
    (container,) = template["spec"]["containers"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{application['metadata']['name']}-{role}", **template["metadata"]},
        "spec": {**template["spec"], "containers": [{**container, "image": application["spec"]["image"]}]},
    }


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_api_server_takes_every_example_as_it_is(strict, file):
    drafts = read(file.read_text(), file.name)

    for application in applications(drafts, TARGET):
        stored = strict.create(KIND.format("spark-jobs") + NOTHING_IS_KEPT, application)

        # What its owner wrote and no schema knows would be gone without a word.
        assert stored["spec"] == application["spec"]


def test_the_api_server_takes_every_kind_of_job_and_loses_nothing_of_it(strict):
    path = KIND.format("spark-jobs") + NOTHING_IS_KEPT
    manifests = [spark_application(job, TARGET) for job in every_kind_of_job()]

    assert len(manifests) == 192
    assert [manifest["spec"] for manifest in manifests] == [
        strict.create(path, manifest)["spec"] for manifest in manifests
    ]


@pytest.mark.parametrize("role", ["driver", "executor"])
@pytest.mark.parametrize("more", [{}, EVERYTHING], ids=["least", "everything"])
def test_pods_of_a_template_are_let_into_a_restricted_namespace(strict, role, more):
    manifest = pod_of(spark_application(make_job(**more), TARGET), role)

    pod = strict.create("/api/v1/namespaces/spark-jobs/pods" + NOTHING_IS_KEPT, manifest)

    assert pod["spec"]["priority"] == CLASSES["moka-tier-1"].value
    assert pod["metadata"].get("finalizers") == (["moka.dev/driver"] if role == "driver" else None)


@pytest.mark.parametrize("propagation", ["None", "HostToContainer"])
def test_a_pod_may_mount_what_the_platform_lets_it(strict, propagation):
    mounts = [{"path": "/mnt/models", "mount": "/models", "propagation": propagation}]
    manifest = pod_of(spark_application(make_job(host_mounts=mounts), TARGET), "executor")

    pod = strict.create("/api/v1/namespaces/default/pods" + NOTHING_IS_KEPT, manifest)

    assert pod["spec"]["volumes"][1]["hostPath"]["path"] == "/mnt/models"
    mount = pod["spec"]["containers"][0]["volumeMounts"][1]
    assert mount.get("mountPropagation", "None") == propagation


def test_no_pod_of_a_job_may_mount_on_its_node(strict):
    """Why a job cannot say `Bidirectional`: its containers are not privileged."""
    mounts = [{"path": "/mnt/models", "mount": "/models"}]
    manifest = pod_of(spark_application(make_job(host_mounts=mounts), TARGET), "executor")
    manifest["spec"]["containers"][0]["volumeMounts"][1]["mountPropagation"] = "Bidirectional"

    with pytest.raises(Refusal, match="available only to privileged containers"):
        strict.create("/api/v1/namespaces/default/pods" + NOTHING_IS_KEPT, manifest)


# Real Spark, in place of an image: what a driver does with the configuration and the executors' template.

BUILDER = """
package org.apache.spark.deploy.k8s.asked

import io.fabric8.kubernetes.api.model.PodBuilder
import io.fabric8.kubernetes.client.KubernetesClientBuilder
import io.fabric8.kubernetes.client.utils.Serialization
import org.apache.spark.{SecurityManager, SparkConf}
import org.apache.spark.deploy.k8s.KubernetesConf
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBuilder

object Executor {
  def pod(conf: SparkConf): String = {
    ResourceProfile.clearDefaultProfile()
    val profile = ResourceProfile.getOrCreateDefaultProfile(conf)
    val wanted = KubernetesConf.createExecutorConf(conf, "1", "spark-0", None)
    val client = new KubernetesClientBuilder().build()
    val made = new KubernetesExecutorBuilder()
      .buildFromFeatures(wanted, new SecurityManager(conf), client, profile).pod
    val pod = new PodBuilder(made.pod).editSpec().addToContainers(made.container).endSpec().build()
    Serialization.asJson(pod)
  }
}
"""
STEPS = """
:paste -raw {folder}/Builder.scala
import java.nio.file.{{Files, Path}}
import scala.io.Source
import scala.jdk.CollectionConverters._
val said = new java.util.Properties()
said.load(new java.io.FileReader("{folder}/executor.properties"))
val conf = new org.apache.spark.SparkConf(false)
said.asScala.foreach {{ case (key, value) => conf.set(key, value) }}
Files.writeString(Path.of("{folder}/executor.json"), org.apache.spark.deploy.k8s.asked.Executor.pod(conf))
spark.range(1000).groupBy("id").count().write.parquet("{folder}/written")
def scraped(path: String) = Source.fromURL(sc.uiWebUrl.get + "/metrics/" + path + "/").mkString
Files.writeString(Path.of("{folder}/driver.metrics"), scraped("prometheus"))
Files.writeString(Path.of("{folder}/executors.metrics"), scraped("executors/prometheus"))
System.exit(0)
"""
NOT_HERE = re.compile(
    # S3A and its committers are in jars that Spark does not bring; the ports may be taken.
    r"spark\.hadoop\.|spark\.sql\.sources\.commitProtocolClass|spark\.sql\.parquet\.output\.committer"
    # No GPU is here, and no script that finds some.
    r"|spark\.(executor|task)\.resource\."
    r"|spark\.(driver|blockManager|driver\.blockManager|ui)\.port|spark\.eventLog\.dir"
)
SIZED = {"cores": 2, "memory": "3g", "off_heap": "1g", "core_request": "1500m", "instances": 2, "gpus": 1}


@pytest.fixture(scope="module")
def spark_answers(tmp_path_factory):
    """A job's configuration and template, given to a Spark shell; the folder with what became of them."""
    folder = tmp_path_factory.mktemp("spark")
    (folder / "events").mkdir()
    application = spark_application(make_job(executor=SIZED, scratch_gib=10), TARGET)
    spec, executor = application["spec"], application["spec"]["executor"]
    # What the operator makes of the application's own fields: submission.go of its 2.5.
    submitted = {
        **spec["sparkConf"],
        "spark.app.name": application["metadata"]["name"],
        "spark.driver.host": "pi-driver-svc",
        "spark.kubernetes.driver.pod.name": "pi-driver",
        "spark.kubernetes.container.image": spec["image"],
        "spark.executor.cores": str(executor["cores"]),
        "spark.kubernetes.executor.request.cores": executor["coreRequest"],
        "spark.executor.memory": executor["memory"],
        "spark.executor.memoryOverhead": executor["memoryOverhead"],
        "spark.kubernetes.executor.podTemplateFile": str(folder / "template.json"),
        "spark.kubernetes.executor.podTemplateContainerName": "spark-kubernetes-executor",
    }
    (folder / "template.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "Pod", **executor["template"]})
    )
    (folder / "executor.properties").write_text(properties(submitted))
    own = {key: value for key, value in spec["sparkConf"].items() if not NOT_HERE.match(key)}
    here = {
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.sql.shuffle.partitions": "2",
    }
    (folder / "own.properties").write_text(properties({**own, **here}))
    (folder / "Builder.scala").write_text(BUILDER)
    (folder / "steps.scala").write_text(STEPS.format(folder=folder))
    home = tools.path("spark")
    done = subprocess.run(
        [
            home / "bin" / "spark-shell",
            *("--master", "local[1]", "--name", "pi"),
            # Short as it is, most of it would be compiled for speed in vain.
            *("--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
            *("--properties-file", folder / "own.properties"),
            *("-I", folder / "steps.scala"),
        ],
        env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (folder / "executors.metrics").exists(), done.stdout + done.stderr
    return folder


def properties(conf):
    return "".join(f"{key}={value}\n" for key, value in conf.items())


def test_spark_knows_every_key_that_jobs_get_and_that_they_may_not_set():
    classes = itertools.chain.from_iterable(
        tools.path("spark").glob(f"jars/{name}*.jar")
        for name in ("spark-core", "spark-kubernetes", "spark-sql_", "spark-catalyst", "spark-common-utils_")
    )
    names = set()
    for jar in classes:
        with zipfile.ZipFile(jar) as opened:
            for name in opened.namelist():
                if name.endswith(".class"):
                    names |= set(re.findall(rb"spark\.[A-Za-z0-9.]+", opened.read(name)))

    # What is S3A's, Celeborn's, or of Spark 3.5 alone.
    open_ended = re.compile(
        r"spark\.(hadoop|celeborn|metrics\.conf|(executor|task)\.resource)\.|spark\.kubernetes\.pyspark\.pythonVersion"
    )
    jobs = [
        *every_kind_of_job(),
        make_job(language="python", main_file="local:///a.py", main_class=None, python="/p"),
    ]
    conf = {key for job in jobs for key in spark_application(job, TARGET)["spec"]["sparkConf"]}
    listed = {key.removesuffix("*") for table in (FIELDS, PLATFORM_KEYS, WITH_CELEBORN) for key in table}
    assert len(conf) > 50
    assert {key for key in conf | listed if not open_ended.match(key) and not _is_known(key, names)} == set()


def _is_known(key, names):
    prefix = key.encode()
    return (
        prefix in names
        or prefix.rstrip(b".") in names
        or (prefix.endswith(b".") and any(name.startswith(prefix) for name in names))
    )


def test_an_executor_of_real_spark_is_as_large_as_its_placeholder_and_where_it_is(spark_answers):
    pod = json.loads((spark_answers / "executor.json").read_text())["spec"]
    executor = spark_application(make_job(executor=SIZED, scratch_gib=10), TARGET)["spec"]["executor"]
    (container,) = pod["containers"]

    counted = size(make_job(executor=SIZED), "executor")
    assert container["resources"]["requests"] == {"cpu": "1500m", "memory": f"{counted.memory_mib}Mi"}
    assert (pod["nodeSelector"], pod["tolerations"]) == (executor["nodeSelector"], executor["tolerations"])
    assert (pod["schedulerName"], pod["priorityClassName"]) == ("yunikorn", "moka-tier-1")


def test_an_executor_of_real_spark_asks_for_the_gpus_of_its_job(spark_answers):
    pod = json.loads((spark_answers / "executor.json").read_text())["spec"]
    (container,) = pod["containers"]

    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"


def test_an_executor_of_real_spark_hands_its_blocks_on_before_it_goes(spark_answers):
    pod = json.loads((spark_answers / "executor.json").read_text())["spec"]

    assert pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"] == ["/opt/decom.sh"]
    assert pod["terminationGracePeriodSeconds"] == 120


def test_an_executor_of_real_spark_keeps_what_its_template_says(spark_answers):
    pod = json.loads((spark_answers / "executor.json").read_text())["spec"]
    (container,) = pod["containers"]
    env = {entry["name"]: entry.get("value") for entry in container["env"]}

    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert pod["securityContext"]["runAsUser"] == 185
    assert pod["enableServiceLinks"] is False
    assert pod["dnsConfig"] == {"options": [{"name": "ndots", "value": "3"}]}
    # On the volume of the template, and no other.
    assert env["SPARK_LOCAL_DIRS"] == "/var/data/spark-local"
    assert [entry["emptyDir"] for entry in pod["volumes"] if "emptyDir" in entry] == [{"sizeLimit": "10Gi"}]


def test_real_spark_rolls_and_compresses_its_event_log(spark_answers):
    (log,) = (spark_answers / "events").iterdir()

    assert log.name.startswith("eventlog_v2_")
    assert any(file.name.endswith(".zstd") for file in log.iterdir())


def test_metrics_of_real_spark_are_where_they_are_scraped(spark_answers):
    driver, executors = ((spark_answers / f"{of}.metrics").read_text() for of in ("driver", "executors"))

    # Under a name that all jobs have in common.
    assert "metrics_spark_driver_jvm_heap_used" in driver
    assert re.search(
        r'metrics_executor_totalTasks_total\{application_id="[^"]+", application_name="pi"', executors
    )
