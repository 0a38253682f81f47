from stacks import settings
from stacks.job_target import job_target
from stacks.settings.environment import Use


def test_jobs_may_read_their_staging_folder_and_the_buckets_that_the_settings_name():
    local = settings.load("local")
    local = local.model_copy(update={"uses": {"code": Use(bucket="acme-code")}})

    target = job_target(local, "spark-a", "logs", "staging", None)

    assert target.staging == {"spark-jobs": "s3a://staging/spark-jobs/"}
    assert target.data == ["s3a://acme-code/"]
