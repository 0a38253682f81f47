import json

import pytest

from moka.jobs.application import spark_application
from moka.jobs.event_log_uploader import MEMORY_MIB
from moka.jobs.job_target import EventLogUploader
from moka.jobs.pod_size import size
from moka.quantities import mebibytes, millicores
from services.event_log_uploader.__main__ import SECONDS_AT_END, parser

UPLOADER = EventLogUploader(
    image="registry.example/event-log-uploader:1", bucket="logs", region="eu-west-1", seconds=20
)
VERSIONS = pytest.mark.parametrize("version", ["4.1", "3.5"])


@pytest.fixture
def rendered(job, target):
    """The spec of an application: what is different in the job -> it."""

    def render(**of_job):
        changes = job(image="some:image", **of_job)
        return spark_application(changes, target(event_log_uploader=UPLOADER))["spec"]

    return render


def driver(spec):
    return spec["driver"]["template"]["spec"]


def sidecar(spec):
    [container] = driver(spec)["initContainers"]
    return container


@VERSIONS
def test_spark_writes_to_the_folder_that_the_sidecar_uploads(rendered, version):
    spec = rendered(spark_version=version)

    options = parser().parse_args(sidecar(spec)["args"])
    folder = str(options.folder)
    [spark] = driver(spec)["containers"]
    [volume] = [volume for volume in driver(spec)["volumes"] if volume["name"] == "event-logs"]
    assert spec["sparkConf"]["spark.eventLog.dir"] == f"file://{folder}"
    assert {"name": "event-logs", "mountPath": folder} in spark["volumeMounts"]
    assert sidecar(spec)["volumeMounts"] == [{"name": "event-logs", "mountPath": folder}]
    assert mebibytes(volume["emptyDir"]["sizeLimit"]) == options.volume_mib


def test_the_sidecar_knows_whose_log_it_is_and_where_to_put_it(rendered):
    options = parser().parse_args(sidecar(rendered(name="daily"))["args"])

    assert (options.cluster, options.namespace, options.application) == ("spark-a", "spark-jobs", "daily")
    assert (options.bucket, options.region, options.seconds) == ("logs", "eu-west-1", 20)
    assert sidecar(rendered())["image"] == UPLOADER.image


def test_its_port_is_the_one_that_is_scraped_and_asked_for_health(rendered):
    container = sidecar(rendered())

    port = parser().parse_args(container["args"]).listen[1]
    assert container["ports"] == [{"name": "event-logs", "containerPort": port}]
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": port}


def test_it_ends_after_the_driver_and_has_the_time_that_it_takes(rendered):
    spec = rendered()

    assert sidecar(spec)["restartPolicy"] == "Always"
    # The driver itself closes its log in seconds.
    assert driver(spec)["terminationGracePeriodSeconds"] >= SECONDS_AT_END + 30


def test_it_has_no_readiness_without_which_executors_would_not_find_the_driver(rendered):
    assert "readinessProbe" not in sidecar(rendered())


def test_it_may_do_nothing_that_a_restricted_namespace_refuses(rendered):
    assert sidecar(rendered())["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    pod = driver(rendered())["securityContext"]
    assert pod["runAsNonRoot"]
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}


@pytest.mark.parametrize("of_driver", [{}, {"overhead": "1g"}, {"core_request": "500m", "memory": "3g"}])
def test_a_pod_is_as_large_as_its_placeholder_which_the_operator_makes_of_the_application(
    rendered, job, target, of_driver
):
    spec = rendered(driver=of_driver)
    # yunikorn-k8shim 1.8, pkg/common/resource.go: containers, and init containers that restart, are added up.
    requests = sidecar(spec)["resources"]["requests"]
    assert (millicores(requests["cpu"]), mebibytes(requests["memory"])) == (0, 0)

    counted = size(job(driver=of_driver), "driver")

    heap, beside = (int(spec["driver"][field].removesuffix("m")) for field in ("memory", "memoryOverhead"))
    assert counted.memory_mib == heap + beside


@pytest.mark.parametrize(("overhead", "beside"), [(None, 384), ("1g", 1024)])
def test_what_it_takes_is_added_to_what_a_driver_has_beside_its_heap(rendered, overhead, beside):
    spec = rendered(driver={"memory": "1g"} | ({"overhead": overhead} if overhead else {}))

    assert spec["driver"]["memoryOverhead"] == f"{beside + MEMORY_MIB}m"


def test_executors_do_not_hear_of_it(rendered):
    assert "event-log" not in json.dumps(rendered()["executor"])


@VERSIONS
def test_logs_are_rolled_as_small_as_spark_can_and_compressed_so_that_a_cut_off_one_is_read(
    rendered, version
):
    conf = rendered(spark_version=version)["sparkConf"]

    assert conf["spark.eventLog.rolling.enabled"] == "true"
    assert conf["spark.eventLog.rolling.maxFileSize"] == "10m"
    assert conf["spark.eventLog.compression.codec"] == "zstd"
