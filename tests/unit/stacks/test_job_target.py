import pytest

from moka.jobs.job_target import EventLogUploader
from stacks import settings
from stacks.job_target import job_target
from stacks.settings.spark import JobNamespace
from stacks.settings.uses import Use

KEY = "arn:aws:kms:eu-west-1:444455556666:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
SHARED = {"staging_bucket": "staging", "code_bucket": "code"}


@pytest.fixture
def target():
    """What jobs know of the laptop's cluster, with buckets and namespaces in place of its own."""

    def of(uses=None, namespaces=None, data=None):
        local = settings.load("local")
        spaces = namespaces or local.job_namespaces
        changed = local.model_copy(update={"uses": uses or {}, "job_namespaces": spaces})
        return job_target(changed, "spark-a", "logs", data or dict.fromkeys(spaces, SHARED), None)

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
