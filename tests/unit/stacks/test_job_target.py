from moka.jobs.job_target import CelebornDefault, EventLogUploader
from stacks import settings
from stacks.job_target import job_target
from stacks.settings.environment import Use
from stacks.settings.spark import CelebornDefault as Settings


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


def test_no_job_shuffles_on_celeborn_unasked_until_the_settings_say_which_images_have_its_client():
    local = settings.load("local")
    spark = local.spark.model_copy(update={"celeborn": Settings(clients=["4.1"], cores=100)})
    with_client = local.model_copy(update={"spark": spark})

    assert job_target(local, "spark-a", "logs", "staging", None).celeborn_default is None
    assert job_target(with_client, "spark-a", "logs", "staging", None).celeborn_default == CelebornDefault(
        clients=["4.1"], cores=100
    )
