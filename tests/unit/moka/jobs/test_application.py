import json

import pytest

from components.kubernetes import placement
from moka.jobs.application import spark_application
from moka.jobs.job import DynamicAllocation, Executor, HostMount, Restart
from moka.jobs.job_target import Celeborn
from moka.jobs.versions import RELEASES
from moka.names import SPARK_ACCOUNT

ROLES = ["driver", "executor"]


@pytest.fixture
def spec(target, job):
    """The spec of an application: what is different in the job, and in the target -> it."""

    def make(of_target=None, **of_job):
        return spark_application(job(**of_job), target(**(of_target or {})))["spec"]

    return make


def template(made, role):
    return made[role]["template"]["spec"]


def test_a_job_is_an_application_of_its_name_with_the_addresses_that_its_owner_looks_for(target, job):
    made = spark_application(job(labels={"team": "reports"}), target())

    assert (made["apiVersion"], made["kind"]) == ("sparkoperator.k8s.io/v1beta2", "SparkApplication")
    assert made["metadata"] == {
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
        },
    }


def test_yunikorn_places_its_pods_in_the_leaf_queue_of_its_tier(spec):
    made = spec(tier=2)

    assert made["batchScheduler"] == "yunikorn"
    assert made["batchSchedulerOptions"] == {"queue": "root.analytics.reports.tier2"}
    for role in ROLES:
        assert template(made, role)["schedulerName"] == "yunikorn"
        assert template(made, role)["priorityClassName"] == "moka-tier-2"


@pytest.mark.parametrize("architecture", ["arm64", "amd64"])
@pytest.mark.parametrize("role", ROLES)
def test_pods_and_their_placeholders_go_to_nodes_of_their_role_and_architecture(spec, role, architecture):
    made = spec(architecture=architecture)

    wanted = {**placement.node_selector(role), "kubernetes.io/arch": architecture}
    assert template(made, role)["nodeSelector"] == made[role]["nodeSelector"] == wanted
    (let_in,) = placement.tolerations(role)
    (tolerated,) = template(made, role)["tolerations"]
    assert made[role]["tolerations"] == [tolerated]
    assert tolerated == {key: getattr(let_in, key) for key in ("key", "operator", "value", "effect")}


def test_a_job_of_any_architecture_asks_for_none(spec):
    made = spec(architecture="any")

    assert made["driver"]["nodeSelector"] == {"moka.dev/role": "driver"}


@pytest.mark.parametrize("role", ROLES)
def test_a_placeholder_is_as_large_as_its_pod(spec, role):
    made = spec(architecture="any", scratch_gib=50)

    # The operator counts the application's own fields, and no resource of a template.
    assert not any("resources" in container for container in template(made, role)["containers"])
    assert "initContainers" not in template(made, role)
    assert {"cores", "memory", "memoryOverhead"} <= made[role].keys()


@pytest.mark.parametrize(
    ("language", "heap", "overhead"),
    [("scala", "1g", "384m"), ("java", "10Gi", "1024m"), ("python", "10g", "4096m"), ("r", "512m", "384m")],
)
def test_memory_beside_the_heap_is_spark_s_share_in_numbers(spec, language, heap, overhead):
    main = {"python": "local:///main.py", "r": "local:///main.R"}.get(language)
    changes = {"main_file": main, "main_class": None} if main else {}

    made = spec(language=language, executor=Executor(memory=heap), **changes)

    assert made["executor"]["memoryOverhead"] == overhead


def test_a_driver_keeps_its_pod_until_its_end_was_seen_and_an_executor_does_not(spec):
    made = spec()

    assert made["driver"]["template"]["metadata"] == {"finalizers": ["moka.dev/driver"]}
    assert made["executor"]["template"]["metadata"] == {}


def test_without_a_remover_no_driver_is_held(spec):
    assert spec({"finalizer": None})["driver"]["template"]["metadata"] == {}


@pytest.mark.parametrize("role", ROLES)
def test_its_pods_keep_to_the_restricted_level(spec, role):
    made = spec(uid=1001)
    (container,) = template(made, role)["containers"]

    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert template(made, role)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 1001,
        "runAsGroup": 1001,
        "fsGroup": 1001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert made[role]["serviceAccount"] == SPARK_ACCOUNT


@pytest.mark.parametrize("role", ROLES)
def test_spark_spills_to_a_volume_that_it_takes_by_its_name(spec, role):
    made = spec(scratch_gib=200)

    (volume,) = template(made, role)["volumes"]
    (mount,) = template(made, role)["containers"][0]["volumeMounts"]
    assert volume["name"] == mount["name"]
    assert volume["name"].startswith("spark-local-dir-")
    assert volume["emptyDir"] == {"sizeLimit": "200Gi"}


def test_a_folder_of_the_node_is_mounted_where_the_platform_lets_it(spec):
    wanted = HostMount(path="/mnt/models/llm", mount="/models")

    made = spec({"host_paths": {"spark-jobs": ["/mnt/models"]}}, host_mounts=[wanted.model_dump()])

    for role in ROLES:
        assert template(made, role)["volumes"][-1]["hostPath"] == {
            "path": "/mnt/models/llm",
            "type": "Directory",
        }
        mount = template(made, role)["containers"][0]["volumeMounts"][-1]
        assert (mount["mountPath"], mount["readOnly"]) == ("/models", True)


def test_executors_have_as_long_to_hand_their_blocks_on_as_their_node_has_to_go(spec):
    made = spec()

    grace = template(made, "executor")["terminationGracePeriodSeconds"]
    assert made["sparkConf"]["spark.decommission.enabled"] == "true"
    assert made["sparkConf"]["spark.storage.decommission.shuffleBlocks.enabled"] == "true"
    # Spark 4 puts its own over the template's.
    assert made["sparkConf"]["spark.kubernetes.executor.terminationGracePeriodSeconds"] == f"{grace}s"
    assert 60 <= grace <= 120


def test_a_user_is_known_to_the_scheduler(spec):
    made = spec(user="anna", groups=["science", "all"])

    for role in ROLES:
        told = json.loads(made[role]["annotations"]["yunikorn.apache.org/user.info"])
        assert told == {"user": "anna", "groups": ["science", "all"]}
    assert "yunikorn.apache.org/user.info" not in spec()["driver"]["annotations"]


def test_environment_reaches_drivers_and_executors_and_secrets_only_by_reference(spec):
    made = spec(env={"MODE": "full"}, secrets={"PASSWORD": {"name": "warehouse", "key": "password"}})

    for role in ROLES:
        assert made[role]["envVars"] == {"MODE": "full"}
        assert made[role]["envSecretKeyRefs"] == {"PASSWORD": {"name": "warehouse", "key": "password"}}


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        # Spark takes the last slash off: of a bucket's root nothing would be left.
        ("s3a://acme-event-logs/", "s3a://acme-event-logs//"),
        ("s3a://acme-event-logs", "s3a://acme-event-logs//"),
        ("s3a://acme-event-logs/spark/", "s3a://acme-event-logs/spark/"),
    ],
)
def test_event_logs_go_where_the_history_server_reads(spec, folder, told):
    conf = spec({"event_logs": folder})["sparkConf"]

    assert conf["spark.eventLog.enabled"] == conf["spark.eventLog.rolling.enabled"] == "true"
    assert conf["spark.eventLog.dir"] == told


@pytest.mark.parametrize("version", ["4.1", "3.5"])
def test_s3_is_asked_as_the_pod_s_identity_and_as_nobody_else(spec, version):
    conf = spec(spark_version=version, image="some:image")["sparkConf"]

    # One class, so that it does not go on to ask the node for its role.
    assert conf["spark.hadoop.fs.s3a.aws.credentials.provider"] == RELEASES[version].credentials
    assert conf["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1"


def test_output_is_committed_without_renames(spec):
    conf = spec()["sparkConf"]

    assert conf["spark.hadoop.fs.s3a.committer.name"] == "magic"
    assert conf["spark.sql.sources.commitProtocolClass"].endswith(".PathOutputCommitProtocol")
    assert conf["spark.sql.parquet.output.committer.class"].endswith(".BindingParquetOutputCommitter")


def test_executors_that_come_and_go_are_kept_while_they_hold_shuffle_data(spec):
    made = spec(
        executor=Executor(dynamic=DynamicAllocation(minimum=1, maximum=9, initial=2, idle_seconds=30))
    )

    assert made["dynamicAllocation"] == {
        "enabled": True,
        "minExecutors": 1,
        "maxExecutors": 9,
        "initialExecutors": 2,
        "shuffleTrackingEnabled": True,
    }
    assert "instances" not in made["executor"]
    assert made["sparkConf"]["spark.dynamicAllocation.executorIdleTimeout"] == "30s"


def test_with_celeborn_executors_may_go_as_soon_as_they_are_idle(spec):
    made = spec(celeborn=True, executor=Executor(dynamic=DynamicAllocation(maximum=9)))
    conf = made["sparkConf"]

    assert made["dynamicAllocation"]["shuffleTrackingEnabled"] is False
    assert conf["spark.dynamicAllocation.shuffleTracking.enabled"] == "false"
    assert conf["spark.shuffle.sort.io.plugin.class"].endswith(".CelebornShuffleDataIO")
    # What fell back to an executor's disk would go with it.
    assert conf["spark.celeborn.client.spark.shuffle.fallback.policy"] == "NEVER"


@pytest.mark.parametrize("replicate", [True, False])
def test_celeborn_is_asked_as_it_is_on_this_cluster(spec, replicate):
    there = Celeborn(endpoints="m-0:9097,m-1:9097", version="0.7.0", replicate=replicate)

    conf = spec({"celeborn": there}, celeborn=True)["sparkConf"]

    assert conf["spark.shuffle.manager"] == "org.apache.spark.shuffle.celeborn.SparkShuffleManager"
    assert conf["spark.celeborn.master.endpoints"] == "m-0:9097,m-1:9097"
    assert conf["spark.celeborn.client.push.replicate.enabled"] == str(replicate).lower()
    assert conf["spark.sql.adaptive.localShuffleReader.enabled"] == "false"
    assert conf["spark.shuffle.service.enabled"] == "false"
    assert conf["spark.celeborn.identity.user-specific.tenant"] == "analytics"


def test_a_job_that_does_not_ask_for_celeborn_does_not_hear_of_it(spec):
    assert not [key for key, value in spec()["sparkConf"].items() if "celeborn" in f"{key}{value}".lower()]


def test_metrics_of_executors_and_of_the_driver_are_scraped_from_the_driver(spec):
    made = spec()

    pod, service = made["driver"]["annotations"], made["driver"]["serviceAnnotations"]
    assert pod["prometheus.io/scrape"] == service["prometheus.io/scrape"] == "true"
    assert pod["prometheus.io/port"] == service["prometheus.io/port"] == made["sparkConf"]["spark.ui.port"]
    assert pod["prometheus.io/path"].rstrip("/") == "/metrics/executors/prometheus"
    path = made["sparkConf"]["spark.metrics.conf.*.sink.prometheusServlet.path"]
    assert service["prometheus.io/path"].rstrip("/") == path
    assert "prometheus.io/scrape" not in made["executor"]["annotations"]


@pytest.mark.parametrize(
    ("restart", "kind", "retries"),
    [
        (Restart(), "OnFailure", 0),
        (Restart(policy="on-failure", retries=4), "OnFailure", 4),
        (Restart(policy="always"), "Always", 0),
    ],
)
def test_a_job_is_repeated_as_it_says_and_its_submission_always(spec, restart, kind, retries):
    policy = spec(restart=restart.model_dump())["restartPolicy"]

    assert (policy["type"], policy["onFailureRetries"]) == (kind, retries)
    assert policy["onSubmissionFailureRetries"] > 0


def test_a_job_sets_what_is_not_the_platform_s_and_may_write_numbers(spec):
    conf = spec(
        conf={
            "spark.sql.shuffle.partitions": 400,
            "spark.sql.adaptive.enabled": False,
            "spark.hadoop.fs.s3a.committer.name": "directory",
        }
    )["sparkConf"]

    assert conf["spark.sql.shuffle.partitions"] == "400"
    assert conf["spark.sql.adaptive.enabled"] == "false"
    assert conf["spark.hadoop.fs.s3a.committer.name"] == "directory"


def test_the_rest_of_what_a_job_says_is_in_its_application(spec):
    made = spec(
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

    assert made["type"] == "Python"
    assert made["mainApplicationFile"] == "s3a://code/main.py"
    assert "mainClass" not in made
    assert made["arguments"] == ["--day", "2026-11-20"]
    assert (made["image"], made["imagePullSecrets"]) == ("acme/spark:4", ["registry"])
    assert made["sparkConf"]["spark.pyspark.python"] == "/opt/python/bin/python3.12"
    assert made["deps"] == {
        "pyFiles": ["s3a://code/lib.zip"],
        "packages": ["org.postgresql:postgresql:42.7.4"],
    }
    driver = made["driver"]
    assert (driver["cores"], driver["coreRequest"]) == (2, "1500m")
    assert (driver["memory"], driver["memoryOverhead"]) == ("3072m", "1024m")
    assert made["sparkConf"]["spark.memory.offHeap.size"] == "2048m"
    assert made["executor"]["instances"] == 3
    assert made["timeToLiveSeconds"] == 600


def test_a_job_that_names_no_image_gets_the_platform_s(spec):
    assert spec()["image"] == "docker.io/apache/spark:4.1.2"


def test_equal_jobs_become_equal_applications_and_the_caller_may_change_one(target, job):
    one, other = spark_application(job(), target()), spark_application(job(), target())
    assert one == other

    one["spec"]["driver"]["annotations"]["mine"] = "1"
    one["spec"]["sparkConf"]["spark.x"] = "1"

    assert spark_application(job(), target()) == other
