import dataclasses
import json

import pytest

from moka.components.kubernetes import placement
from moka.jobs.application import spark_application
from moka.jobs.conf import gpus
from moka.jobs.job import DynamicAllocation, Executor, HostMount, Restart
from moka.jobs.job_target import Celeborn, Metastore, OwnNodes
from moka.jobs.versions import RELEASES
from moka.machines.machine_capacity import NodeGroupShape, largest_gpu_machines
from moka.mistakes import InvalidDocument
from moka.names import SPARK_ACCOUNT
from tests.support.jobs import make_job_target

ROLES = ["driver", "executor"]


@pytest.fixture
def make_spec(target, job):
    """The spec of an application: what is different in the job, and in the target -> it."""

    def make(of_target=None, **of_job):
        return spark_application(job(**of_job), target(**(of_target or {})))["spec"]

    return make


def template(spec, role):
    return spec[role]["template"]["spec"]


def test_a_job_is_an_application_of_its_name_with_the_addresses_that_its_owner_looks_for(target, job):
    spec = spark_application(job(labels={"team": "reports"}), target())

    assert (spec["apiVersion"], spec["kind"]) == ("sparkoperator.k8s.io/v1beta2", "SparkApplication")
    assert spec["metadata"] == {
        "name": "pi",
        "namespace": "spark-jobs",
        "labels": {
            "team": "reports",
            "moka.dev/organization": "analytics",
            "moka.dev/project": "reports",
            "moka.dev/tier": "1",
        },
        "annotations": {
            "moka.dev/ui-url": "http://pi.spark-jobs.spark-a.example",
            "moka.dev/history-url": "http://history.example",
            "moka.dev/shuffle": "executors",
        },
    }


@pytest.mark.parametrize(
    ("workflow", "label"),
    [
        ("daily.sales_2", "daily.sales_2"),
        ("a" * 63, "a" * 63),
        ("a" * 64, None),
        ("daily-", None),
        (None, None),
    ],
)
def test_its_workflow_is_a_label_where_it_can_be_one(target, job, workflow, label):
    labels = spark_application(job(workflow=workflow), target())["metadata"]["labels"]

    assert labels.get("moka.dev/workflow") == label


def test_yunikorn_places_its_pods_in_the_leaf_queue_of_its_tier(make_spec):
    spec = make_spec(tier=2)

    assert spec["batchScheduler"] == "yunikorn"
    assert spec["batchSchedulerOptions"] == {"queue": "root.analytics.reports.tier2"}
    for role in ROLES:
        assert template(spec, role)["schedulerName"] == "yunikorn"
        assert template(spec, role)["priorityClassName"] == "moka-tier-2"


@pytest.mark.parametrize("architecture", ["arm64", "amd64"])
@pytest.mark.parametrize("role", ROLES)
def test_pods_and_placeholders_go_to_nodes_of_their_role_and_architecture(make_spec, role, architecture):
    spec = make_spec(architecture=architecture)

    expected = {**placement.node_selector(role), "kubernetes.io/arch": architecture}
    assert template(spec, role)["nodeSelector"] == spec[role]["nodeSelector"] == expected
    (expected_toleration,) = placement.tolerations(role)
    (toleration,) = template(spec, role)["tolerations"]
    assert spec[role]["tolerations"] == [toleration]
    keys = ("key", "operator", "value", "effect")
    assert toleration == {key: getattr(expected_toleration, key) for key in keys}


def test_a_job_of_any_architecture_asks_for_none(make_spec):
    spec = make_spec(architecture="any")

    assert spec["driver"]["nodeSelector"] == {"moka.dev/role": "driver"}


@pytest.mark.parametrize("role", ROLES)
def test_a_placeholder_is_as_large_as_its_pod(make_spec, role):
    spec = make_spec(architecture="any", scratch_gib=50)

    # The operator counts the application's own fields, and no resource of a template.
    assert not any("resources" in container for container in template(spec, role)["containers"])
    assert {"cores", "memory", "memoryOverhead"} <= spec[role].keys()


@pytest.mark.parametrize(
    ("language", "heap", "overhead"),
    [("scala", "1g", "384m"), ("java", "10Gi", "1024m"), ("python", "10g", "4096m"), ("r", "512m", "384m")],
)
def test_memory_beside_the_heap_is_spark_s_share_in_numbers(make_spec, language, heap, overhead):
    main = {"python": "local:///main.py", "r": "local:///main.R"}.get(language)
    changes = {"main_file": main, "main_class": None} if main else {}

    spec = make_spec(language=language, executor=Executor(memory=heap), **changes)

    assert spec["executor"]["memoryOverhead"] == overhead


def test_a_driver_keeps_its_pod_until_its_end_was_seen_and_an_executor_does_not(make_spec):
    spec = make_spec()

    assert spec["driver"]["template"]["metadata"] == {"finalizers": ["moka.dev/driver"]}
    assert spec["executor"]["template"]["metadata"] == {}


def test_without_a_remover_no_driver_is_held(make_spec):
    assert make_spec({"finalizer": None})["driver"]["template"]["metadata"] == {}


@pytest.mark.parametrize("role", ROLES)
def test_its_pods_keep_to_the_restricted_level(make_spec, role):
    spec = make_spec(uid=1001)
    (container,) = template(spec, role)["containers"]

    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert template(spec, role)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 1001,
        "runAsGroup": 1001,
        "fsGroup": 1001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert spec[role]["serviceAccount"] == SPARK_ACCOUNT


@pytest.mark.parametrize("role", ROLES)
def test_spark_spills_to_a_volume_that_it_takes_by_its_name(make_spec, role):
    spec = make_spec(scratch_gib=200)

    volume, mount = (
        template(spec, role)["volumes"][0],
        template(spec, role)["containers"][0]["volumeMounts"][0],
    )
    assert volume["name"] == mount["name"]
    assert volume["name"].startswith("spark-local-dir-")
    assert volume["emptyDir"] == {"sizeLimit": "200Gi"}


def test_a_folder_of_the_node_is_mounted_where_the_platform_lets_it(make_spec):
    host_mount = HostMount(path="/mnt/models/llm", mount="/models")

    spec = make_spec({"host_paths": {"spark-jobs": ["/mnt/models"]}}, host_mounts=[host_mount.model_dump()])

    for role in ROLES:
        assert template(spec, role)["volumes"][1]["hostPath"] == {
            "path": "/mnt/models/llm",
            "type": "Directory",
        }
        mount = template(spec, role)["containers"][0]["volumeMounts"][1]
        assert (mount["mountPath"], mount["readOnly"]) == ("/models", True)
        assert "mountPropagation" not in mount


@pytest.mark.parametrize("role", ROLES)
def test_pods_see_what_their_node_mounts_later_where_the_job_asks_for_it(make_spec, role):
    host_mount = {"path": "/mnt/fuse", "mount": "/data", "propagation": "HostToContainer"}

    spec = make_spec({"host_paths": {"spark-jobs": ["/mnt/fuse"]}}, host_mounts=[host_mount])

    mount = template(spec, role)["containers"][0]["volumeMounts"][1]
    assert mount == {
        "name": "host-1",
        "mountPath": "/data",
        "readOnly": True,
        "mountPropagation": "HostToContainer",
    }


def test_executors_have_as_long_to_hand_their_blocks_on_as_their_node_has_to_go(make_spec):
    spec = make_spec()

    grace = template(spec, "executor")["terminationGracePeriodSeconds"]
    assert spec["sparkConf"]["spark.decommission.enabled"] == "true"
    assert spec["sparkConf"]["spark.storage.decommission.shuffleBlocks.enabled"] == "true"
    # Spark 4 puts its own over the template's.
    assert spec["sparkConf"]["spark.kubernetes.executor.terminationGracePeriodSeconds"] == f"{grace}s"
    assert 60 <= grace <= 120


def test_executors_that_fail_now_and_then_do_not_end_a_job_of_days(make_spec):
    assert make_spec()["sparkConf"]["spark.executor.failuresValidityInterval"] == "1h"


def test_executors_of_a_large_job_are_all_there_while_their_placeholders_wait(make_spec):
    batch = "spark.kubernetes.allocation.batch.size"

    def conf(instances):
        queues = {"root.analytics.reports.tier1": {}}
        return make_spec({"queues": queues}, executor={"instances": instances})["sparkConf"]

    assert batch not in conf(500)
    # A batch a second: far from the 15 minutes.
    assert int(conf(3000)[batch]) >= 50


def test_a_user_is_known_to_the_scheduler(make_spec):
    spec = make_spec(user="anna", groups=["science", "all"])

    for role in ROLES:
        info = json.loads(spec[role]["annotations"]["yunikorn.apache.org/user.info"])
        assert info == {"user": "anna", "groups": ["science", "all"]}
    assert "yunikorn.apache.org/user.info" not in make_spec()["driver"]["annotations"]


def test_environment_reaches_drivers_and_executors_and_secrets_only_by_reference(make_spec):
    spec = make_spec(env={"MODE": "full"}, secrets={"PASSWORD": {"name": "warehouse", "key": "password"}})

    for role in ROLES:
        assert spec[role]["envVars"] == {"MODE": "full"}
        assert spec[role]["envSecretKeyRefs"] == {"PASSWORD": {"name": "warehouse", "key": "password"}}


@pytest.mark.parametrize("version", ["4.1", "3.5"])
def test_s3_is_asked_as_the_pod_s_identity_and_as_nobody_else(make_spec, version):
    conf = make_spec(spark_version=version, image="some:image")["sparkConf"]

    # One class, so that it does not go on to ask the node for its role.
    assert conf["spark.hadoop.fs.s3a.aws.credentials.provider"] == RELEASES[version].credentials
    assert conf["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1"


@pytest.mark.parametrize("role", ["driver", "executor"])
def test_pods_and_placeholders_go_to_the_nodes_of_their_namespace(make_spec, role):
    own = OwnNodes(machines=make_job_target().machines)

    pods = make_spec({"own_nodes": {"spark-jobs": own, "science": own}})[role]

    toleration = {
        "key": "moka.dev/job-namespace",
        "operator": "Equal",
        "value": "spark-jobs",
        "effect": "NoSchedule",
    }
    for place in (pods, pods["template"]["spec"]):
        assert place["nodeSelector"]["moka.dev/job-namespace"] == "spark-jobs"
        assert toleration in place["tolerations"]
    shared = make_spec({"own_nodes": {"science": own}})[role]
    assert "moka.dev/job-namespace" not in shared["nodeSelector"]
    assert toleration["key"] not in [one["key"] for one in shared["tolerations"]]


def test_a_job_is_held_against_the_machines_of_its_namespace(make_spec):
    small = [
        dataclasses.replace(machine, millicores=1000, memory_mib=2048)
        for machine in make_job_target().machines
    ]

    with pytest.raises(InvalidDocument, match=r"largest executor node of arm64 has 1(\.0+)? cores?"):
        make_spec({"own_nodes": {"spark-jobs": OwnNodes(machines=small)}}, executor={"cores": 4})


def test_buckets_of_other_regions_are_asked_there(make_spec):
    regions = {"acme-lake": "eu-west-1", "acme-near": "us-east-1"}

    conf = make_spec({"bucket_regions": regions})["sparkConf"]

    assert {key: value for key, value in conf.items() if key.endswith("endpoint.region")} == {
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.bucket.acme-lake.endpoint.region": "eu-west-1",
    }


@pytest.mark.parametrize(
    ("glue_region", "bucket_region", "asked_there"),
    [
        ("us-east-1", "us-east-1", False),
        ("us-east-1", "eu-west-1", True),
        ("eu-west-1", "us-east-1", True),
        ("eu-west-1", "eu-west-1", False),
    ],
)
def test_data_of_iceberg_tables_is_found_in_another_region_than_glues(
    make_spec, glue_region, bucket_region, asked_there
):
    tables = Metastore(warehouse="s3a://acme-lake/", glue_account="123456789012", glue_region=glue_region)

    conf = make_spec({"metastores": {"spark-jobs": tables}, "bucket_regions": {"acme-lake": bucket_region}})[
        "sparkConf"
    ]

    catalog = "spark.sql.catalog.glue"
    assert conf[f"{catalog}.io-impl"].endswith(".S3FileIO")
    assert conf[f"{catalog}.client.region"] == glue_region
    assert (conf.get(f"{catalog}.s3.cross-region-access-enabled") == "true") == asked_there


def test_output_is_committed_without_renames(make_spec):
    conf = make_spec()["sparkConf"]

    assert conf["spark.hadoop.fs.s3a.committer.name"] == "magic"
    assert conf["spark.sql.sources.commitProtocolClass"].endswith(".PathOutputCommitProtocol")
    assert conf["spark.sql.parquet.output.committer.class"].endswith(".BindingParquetOutputCommitter")


def test_executors_that_come_and_go_are_kept_while_they_hold_shuffle_data(make_spec):
    spec = make_spec(
        executor=Executor(dynamic=DynamicAllocation(minimum=1, maximum=9, initial=2, idle_seconds=30))
    )

    assert spec["dynamicAllocation"] == {
        "enabled": True,
        "minExecutors": 1,
        "maxExecutors": 9,
        "initialExecutors": 2,
        "shuffleTrackingEnabled": True,
    }
    assert "instances" not in spec["executor"]
    assert spec["sparkConf"]["spark.dynamicAllocation.executorIdleTimeout"] == "30s"


def test_with_celeborn_executors_may_go_as_soon_as_they_are_idle(make_spec):
    spec = make_spec(celeborn=True, executor=Executor(dynamic=DynamicAllocation(maximum=9)))
    conf = spec["sparkConf"]

    assert spec["dynamicAllocation"]["shuffleTrackingEnabled"] is False
    assert conf["spark.dynamicAllocation.shuffleTracking.enabled"] == "false"
    assert conf["spark.shuffle.sort.io.plugin.class"].endswith(".CelebornShuffleDataIO")
    # What fell back to an executor's disk would go with it.
    assert conf["spark.celeborn.client.spark.shuffle.fallback.policy"] == "NEVER"


@pytest.mark.parametrize("replicate", [True, False])
def test_celeborn_is_asked_as_it_is_on_this_cluster(make_spec, replicate):
    celeborn = Celeborn(endpoints="m-0:9097,m-1:9097", version="0.7.0", replicate=replicate)

    conf = make_spec({"celeborn": celeborn}, celeborn=True)["sparkConf"]

    assert conf["spark.shuffle.manager"] == "org.apache.spark.shuffle.celeborn.SparkShuffleManager"
    assert conf["spark.celeborn.master.endpoints"] == "m-0:9097,m-1:9097"
    assert conf["spark.celeborn.client.push.replicate.enabled"] == str(replicate).lower()
    assert conf["spark.sql.adaptive.localShuffleReader.enabled"] == "false"
    assert conf["spark.shuffle.service.enabled"] == "false"
    assert conf["spark.celeborn.identity.user-specific.tenant"] == "analytics"


def test_a_job_that_does_not_ask_for_celeborn_does_not_hear_of_it(make_spec):
    conf = make_spec()["sparkConf"]

    assert not [key for key, value in conf.items() if "celeborn" in f"{key}{value}".lower()]


def test_a_ui_shows_no_link_that_stops_the_job(make_spec):
    assert make_spec()["sparkConf"]["spark.ui.killEnabled"] == "false"


def test_metrics_of_executors_and_of_the_driver_are_scraped_from_the_driver(make_spec):
    spec = make_spec()

    pod, service = spec["driver"]["annotations"], spec["driver"]["serviceAnnotations"]
    assert pod["prometheus.io/scrape"] == service["prometheus.io/scrape"] == "true"
    assert pod["prometheus.io/port"] == service["prometheus.io/port"] == spec["sparkConf"]["spark.ui.port"]
    assert pod["prometheus.io/path"].rstrip("/") == "/metrics/executors/prometheus"
    path = spec["sparkConf"]["spark.metrics.conf.*.sink.prometheusServlet.path"]
    assert service["prometheus.io/path"].rstrip("/") == path
    assert "prometheus.io/scrape" not in spec["executor"]["annotations"]


@pytest.mark.parametrize(
    ("restart", "kind", "retries"),
    [
        (Restart(), "OnFailure", 0),
        (Restart(policy="on-failure", retries=4), "OnFailure", 4),
        (Restart(policy="always"), "Always", 0),
    ],
)
def test_a_job_is_repeated_as_it_says_and_its_submission_always(make_spec, restart, kind, retries):
    policy = make_spec(restart=restart.model_dump())["restartPolicy"]

    assert (policy["type"], policy["onFailureRetries"]) == (kind, retries)
    assert policy["onSubmissionFailureRetries"] > 0


def test_a_job_sets_what_is_not_the_platform_s_and_may_write_numbers(make_spec):
    conf = make_spec(
        conf={
            "spark.sql.shuffle.partitions": 400,
            "spark.sql.adaptive.enabled": False,
            "spark.hadoop.fs.s3a.committer.name": "directory",
        }
    )["sparkConf"]

    assert conf["spark.sql.shuffle.partitions"] == "400"
    assert conf["spark.sql.adaptive.enabled"] == "false"
    assert conf["spark.hadoop.fs.s3a.committer.name"] == "directory"


def test_the_rest_of_what_a_job_says_is_in_its_application(make_spec):
    spec = make_spec(
        language="python",
        main_file="s3a://code/main.py",
        main_class=None,
        arguments=["--day", "2026-11-20"],
        image="acme/spark:4",
        image_pull_secrets=["registry"],
        python="/opt/python/bin/python3.12",
        dependencies={"py_files": ["s3a://code/lib.zip"], "packages": ["org.postgresql:postgresql:42.7.4"]},
        driver={"cores": 2, "core_request": "1500m", "memory": "3Gi", "overhead": "1g"},
        executor={"off_heap": "2g", "instances": 3},
        ttl_seconds=600,
    )

    assert spec["type"] == "Python"
    assert spec["mainApplicationFile"] == "s3a://code/main.py"
    assert "mainClass" not in spec
    assert spec["arguments"] == ["--day", "2026-11-20"]
    assert (spec["image"], spec["imagePullSecrets"]) == ("acme/spark:4", ["registry"])
    assert spec["sparkConf"]["spark.pyspark.python"] == "/opt/python/bin/python3.12"
    # Neither the operator nor a driver may write to a home.
    assert spec["sparkConf"]["spark.jars.ivy"] == "/tmp/.ivy2"
    assert spec["deps"] == {
        "pyFiles": ["s3a://code/lib.zip"],
        "packages": ["org.postgresql:postgresql:42.7.4"],
    }
    driver = spec["driver"]
    assert (driver["cores"], driver["coreRequest"]) == (2, "1500m")
    assert (driver["memory"], driver["memoryOverhead"]) == ("3072m", "1056m")
    assert spec["sparkConf"]["spark.memory.offHeap.size"] == "2048m"
    assert spec["executor"]["instances"] == 3
    assert spec["timeToLiveSeconds"] == 600


def test_a_job_that_names_no_image_gets_the_platform_s(make_spec):
    assert make_spec()["image"] == "docker.io/apache/spark:4.1.2"


def test_equal_jobs_become_equal_applications_and_the_caller_may_change_one(target, job):
    first, second = spark_application(job(), target()), spark_application(job(), target())
    assert first == second

    first["spec"]["driver"]["annotations"]["mine"] = "1"
    first["spec"]["sparkConf"]["spark.x"] = "1"

    assert spark_application(job(), target()) == second


@pytest.mark.parametrize(
    ("count", "cores", "share"),
    [(1, 1, "1"), (1, 8, "0.125"), (2, 8, "0.25"), (3, 4, "0.5"), (4, 4, "1"), (8, 4, "2")],
)
def test_all_cores_of_an_executor_with_gpus_have_tasks(count, cores, share):
    conf = gpus(count, cores)

    assert conf["spark.executor.resource.gpu.amount"] == str(count)
    assert conf["spark.task.resource.gpu.amount"] == share
    # What Spark computes: tasks at a time, by GPUs.
    assert int(count / float(share)) >= min(count, cores)


def test_only_executors_that_ask_for_gpus_come_onto_nodes_that_have_some(target, job):
    shapes = [NodeGroupShape(role="executor", architecture="amd64", instance_types=["g6.8xlarge"])]
    with_gpus = target(gpu_machines=largest_gpu_machines(shapes))
    spec = spark_application(job(architecture="amd64", executor={"gpus": 1}), with_gpus)["spec"]

    # Both for the pods and for the placeholders.
    for executor in (spec["executor"], spec["executor"]["template"]["spec"]):
        assert executor["nodeSelector"]["nvidia.com/gpu.present"] == "true"
        assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in executor[
            "tolerations"
        ]
    assert spec["sparkConf"]["spark.executor.resource.gpu.vendor"] == "nvidia.com"
    assert "nvidia.com/gpu.present" not in spec["driver"]["nodeSelector"]
    assert len(spec["driver"]["tolerations"]) == 1
