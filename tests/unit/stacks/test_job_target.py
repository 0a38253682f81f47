from moka.jobs.job_target import EventLogUploader
from stacks import settings
from stacks.job_target import executor_zones, job_target
from stacks.settings.environment import Use


def test_jobs_may_read_their_staging_folder_and_the_buckets_that_the_settings_name():
    local = settings.load("local")
    local = local.model_copy(update={"uses": {"code": Use(bucket="acme-code")}})

    target = job_target(local, "spark-a", "logs", "staging", None)

    assert target.staging == {"spark-jobs": "s3a://staging/spark-jobs/"}
    assert target.data == ["s3a://acme-code/"]


def test_event_logs_go_by_the_uploader_to_the_bucket_at_home_as_often_as_the_settings_say():
    local = settings.load("local")

    target = job_target(local, "spark-a", "logs", "staging", None)

    assert target.event_log_uploader == EventLogUploader(
        image=local.services.event_log_uploader.image, bucket="logs", region="us-east-1", seconds=10
    )


def zones_of(**changes):
    """(zone, cores of all nodes) that executors of arm64 may be put in, once the groups are changed."""
    local = settings.load("local")
    groups = {
        name: group.model_copy(update=changes) if group.role == "executor" else group
        for name, group in local.clusters["spark-a"].node_groups.items()
    }
    clusters = {"spark-a": local.clusters["spark-a"].model_copy(update={"node_groups": groups})}
    found = executor_zones(local.model_copy(update={"clusters": clusters}), "spark-a")
    return {one.zone: one.millicores for one in found if one.architecture == "arm64"}


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


def test_jobs_know_the_zones_of_celeborn_and_what_the_cluster_wants():
    local = settings.load("local")
    celeborn = {"endpoints": "c:9097", "version": "0.7.0", "replicate": True, "rack_aware": True}

    target = job_target(local, "spark-a", "logs", "staging", celeborn)

    assert list(target.celeborn_zones) == ["us-east-1a", "us-east-1b", "us-east-1c"]
    assert target.executor_zone == "one"
    assert not job_target(local, "spark-a", "logs", "staging", None).celeborn_zones
