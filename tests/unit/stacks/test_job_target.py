import json

import pytest

from moka.jobs.job_target import CelebornDefault, EventLogUploader, JobTarget
from stacks import settings
from stacks.job_target import executor_zones, job_target
from stacks.settings.spark import CelebornDefault as Settings
from stacks.settings.spark import JobNamespace
from stacks.settings.uses import Use

LOCAL = settings.load("local")
KEY = "arn:aws:kms:eu-west-1:444455556666:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
SHARED = {"staging_bucket": "staging", "code_bucket": "code"}


@pytest.fixture
def target():
    """What jobs know of the laptop's cluster, with buckets and namespaces in place of its own."""

    def of(uses=None, namespaces=None, data=None, celeborn=None, **changes):
        local = settings.load("local")
        spaces = namespaces or local.job_namespaces
        changed = local.model_copy(update={"uses": uses or {}, "job_namespaces": spaces, **changes})
        return job_target(changed, "spark-a", "logs", data or dict.fromkeys(spaces, SHARED), celeborn)

    return of


def test_jobs_have_a_folder_for_their_code_and_one_to_stage_in_of_their_namespace(target):
    own = {"staging_bucket": "staging-secret", "code_bucket": "code-secret"}

    spaces = {"spark-jobs": JobNamespace(), "secret": JobNamespace(own_key=True)}
    jobs = target(namespaces=spaces, data={"spark-jobs": SHARED, "secret": own})

    assert jobs.staging == {
        "spark-jobs": "s3a://staging/spark-jobs/",
        "secret": "s3a://staging-secret/secret/",
    }
    assert jobs.code == {"spark-jobs": "s3a://code/spark-jobs/", "secret": "s3a://code-secret/secret/"}


def test_jobs_may_read_the_buckets_and_folders_that_their_namespace_names(target):
    uses = {
        "lake": Use(bucket="acme-lake", prefixes=["orders/", "users/"]),
        "models": Use(bucket="acme-models"),
    }
    spaces = {
        "spark-jobs": JobNamespace(uses={"lake": "read"}),
        "science": JobNamespace(uses={"models": "write"}),
        "trial": JobNamespace(),
    }

    assert target(uses, spaces).readable == {
        "spark-jobs": ["s3a://acme-lake/orders/", "s3a://acme-lake/users/"],
        "science": ["s3a://acme-models/"],
        "trial": [],
    }


def test_a_bucket_is_where_the_settings_say_or_its_key_is_or_else_the_cluster(target):
    uses = {
        "said": Use(bucket="a", region="eu-north-1"),
        "of-key": Use(bucket="b", key=KEY),
        "near": Use(bucket="c"),
    }

    assert target(uses).bucket_regions == {"a": "eu-north-1", "b": "eu-west-1", "c": "us-east-1"}


def test_event_logs_go_by_the_uploader_to_the_bucket_at_home_as_often_as_the_settings_say(target):
    image = settings.load("local").services.event_log_uploader.image

    assert target().event_log_uploader == EventLogUploader(
        image=image, bucket="logs", region="us-east-1", seconds=10
    )


def zones_of(**changes):
    """(zone, cores of all nodes) that executors of arm64 may be put in, once the groups are changed."""
    local = settings.load("local")
    groups = {
        name: group.model_copy(update=changes) if group.role == "executor" else group
        for name, group in local.clusters["spark-a"].node_groups.items()
    }
    found = executor_zones(groups, local.zones_of("spark-a"))
    return {one.zone: one.millicores for one in found if one.architecture == "arm64"}


def test_jobs_of_a_namespace_with_nodes_of_its_own_know_of_no_others(target):
    cluster = settings.load("local").clusters["spark-a"]
    own = {
        f"payroll-{role}": cluster.node_groups[f"{role}-arm64"].model_copy(
            update={"job_namespace": "payroll", "instance_types": [f"r7g.{size}"], "per_zone": True}
        )
        for role, size in (("driver", "large"), ("executor", "xlarge"))
    }
    groups = {**cluster.node_groups, **own}
    clusters = {"spark-a": cluster.model_copy(update={"node_groups": groups})}

    jobs = target(clusters=clusters)

    assert jobs.machines == target().machines
    theirs = jobs.nodes_of("payroll")
    assert {
        (machine.role, machine.architecture, machine.millicores // 1000) for machine in theirs.machines
    } == {
        ("driver", "arm64", 1),
        ("executor", "arm64", 3),
    }
    assert {executor_zone.zone for executor_zone in theirs.executor_zones} == {
        "us-east-1a",
        "us-east-1b",
        "us-east-1c",
    }
    assert jobs.nodes_of("spark-jobs") == jobs
    exported = JobTarget.from_outputs(json.loads(json.dumps(jobs.as_outputs())))
    assert exported.nodes_of("payroll").as_outputs() == theirs.as_outputs()


def test_no_zone_is_chosen_where_the_autoscaler_cannot():
    assert zones_of() == {}


def test_a_group_in_each_zone_is_shared_out_over_them():
    # 8 nodes, of which two zones have one more.
    a, b, c = (zones_of(per_zone=True)[f"us-east-1{letter}"] for letter in "abc")

    assert a == b
    assert a * 2 == c * 3


def test_a_group_in_one_zone_or_of_one_size_is_where_it_is():
    assert zones_of(zones=["us-east-1b"]).keys() == {"us-east-1b"}
    assert zones_of(minimum=8, maximum=8, schedule={}).keys() == {"us-east-1a", "us-east-1b", "us-east-1c"}


def test_jobs_know_the_zones_of_celeborn_and_what_the_cluster_wants(target):
    celeborn = {"endpoints": "c:9097", "version": "0.7.0", "replicate": True, "rack_aware": True}

    jobs = target(celeborn=celeborn)

    assert list(jobs.celeborn_zones) == ["us-east-1a", "us-east-1b", "us-east-1c"]
    assert jobs.executor_zone == "one"
    assert not target().celeborn_zones


@pytest.mark.parametrize(
    ("space", "own_nodes", "without"),
    [
        ({}, False, False),
        ({"own_key": True}, False, True),
        ({}, True, True),
        ({"celeborn": False}, False, True),
        ({"own_key": True, "celeborn": True}, True, False),
    ],
    ids=["one of many", "a key of its own", "nodes of its own", "told not to", "told to all the same"],
)
def test_jobs_that_share_no_machines_or_no_key_do_not_share_celeborn(target, space, own_nodes, without):
    spaces = {"spark-jobs": JobNamespace(), "payroll": JobNamespace(**space)}
    clusters = {name: cluster.model_copy(deep=True) for name, cluster in LOCAL.clusters.items()}
    if own_nodes:
        groups = clusters["spark-a"].node_groups
        own = {"job_namespace": "payroll"}
        groups |= {
            f"own-{name}": groups[name].model_copy(update=own) for name in ("driver-arm64", "executor-arm64")
        }

    jobs = target(namespaces=spaces, clusters=clusters)

    assert jobs.without_celeborn == (["payroll"] if without else [])


@pytest.mark.parametrize("name", ["test", "staging"])
def test_prod_is_not_the_first_environment_in_which_jobs_shuffle_on_celeborn_by_default(name):
    before, prod = (settings.load(environment).spark for environment in (name, "prod"))

    assert before.images == prod.images
    assert before.celeborn.clients == ["4.1"]
    assert set(prod.celeborn.clients) <= set(before.celeborn.clients)
    assert before.celeborn.cores <= prod.celeborn.cores


def test_no_job_shuffles_on_celeborn_unasked_until_the_settings_say_which_images_have_its_client(target):
    spark = settings.load("local").spark.model_copy(update={"celeborn": Settings(clients=["4.1"], cores=100)})

    assert target().celeborn_default is None
    assert target(spark=spark).celeborn_default == CelebornDefault(clients=["4.1"], cores=100)
