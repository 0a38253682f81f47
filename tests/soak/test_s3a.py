"""Folders that jobs use, and what they write over, with real Spark and S3A; S3 and IAM are the laptop's."""

import json
from collections.abc import Callable, Iterator

import pytest
import yaml

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.policy import allowing
from moka.jobs.conf import COMMITTERS
from tests.support import documented, job_image, recorder
from tests.support.aws_clients import aws_clients
from tests.support.spark_sql import spark_sql

BUCKET, FOLDER = "acme-lake", "s3a://acme-lake/orders"
NOBODY = json.dumps({"Version": "2012-10-17", "Statement": []})
LOCAL = {
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.aws.credentials.provider": (
        "software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider"
    ),
    "spark.sql.catalogImplementation": "in-memory",
}
TWO_DAYS = (
    f"create table orders (id bigint, day string) using parquet partitioned by (day) location '{FOLDER}'",
    "insert into orders values (1, 'monday'), (2, 'tuesday')",
)
MONDAY_ANEW = ("insert overwrite table orders partition (day) values (7, 'monday')",)

Job = Callable[..., list[str]]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A cloud whose AWS runs."""
    engine = Engine(Cloud(tmp_path_factory.mktemp("cloud")))
    commands.start(engine)
    yield engine.cloud
    commands.stop(engine)


@pytest.fixture
def job(cloud, tmp_path) -> Iterator[Job]:
    """Run SQL as a job that may write the folder `orders/` of the bucket -> what it prints."""
    aws = aws_clients(cloud)
    aws("s3").create_bucket(Bucket=BUCKET)
    aws("iam").create_role(RoleName="jobs", AssumeRolePolicyDocument=NOBODY)

    def run(*statements: str, openable: bool = True, conf: dict[str, str] | None = None) -> list[str]:
        documents: list[str] = []
        recorder.deploy(
            lambda: allowing(
                bucket_statements(
                    "Lake", "write", f"arn:aws:s3:::{BUCKET}", None, under=["orders/"], openable=openable
                )
            ).apply(documents.append)
        )
        aws("iam").put_role_policy(RoleName="jobs", PolicyName="own", PolicyDocument=documents[0])
        keys = aws("sts").assume_role(RoleArn="arn:aws:iam::123456789012:role/jobs", RoleSessionName="job")
        variables = {
            "AWS_ACCESS_KEY_ID": keys["Credentials"]["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": keys["Credentials"]["SecretAccessKey"],
            "AWS_SESSION_TOKEN": keys["Credentials"]["SessionToken"],
        }
        endpoint = {"spark.hadoop.fs.s3a.endpoint": AwsServer(cloud).url}
        return spark_sql(
            tmp_path / str(len(list(tmp_path.iterdir()))),
            {**COMMITTERS, **LOCAL, **endpoint, **(conf or {})},
            statements,
            jars=job_image.jars(),
            variables=variables,
        )

    yield run
    objects = aws("s3").list_objects_v2(Bucket=BUCKET).get("Contents", [])
    for entry in objects:
        aws("s3").delete_object(Bucket=BUCKET, Key=entry["Key"])
    aws("s3").delete_bucket(Bucket=BUCKET)
    aws("iam").delete_role_policy(RoleName="jobs", PolicyName="own")
    aws("iam").delete_role(RoleName="jobs")


def test_a_job_writes_and_reads_the_folder_itself_that_its_namespace_may_use(job):
    write = f"insert overwrite directory '{FOLDER}/' using parquet select id from range(5)"
    read = f"select count(*) from parquet.`{FOLDER}/`"

    # Without the right to ask for the key `orders`, S3 says 403, and S3A takes only 404 for an answer.
    with pytest.raises(AssertionError, match="AccessDenied"):
        job(write, openable=False)
    assert job(write, read) == ["5"]


def test_partitions_are_written_over_one_by_one_as_the_page_says_and_not_by_the_committer_of_jobs(job):
    conf = yaml.safe_load(documented.commands("docs/jobs.md", "## Partitions that are written over", 0))
    [mode, *_] = conf["conf"].items()

    with pytest.raises(
        AssertionError, match="PathOutputCommitter does not support dynamicPartitionOverwrite"
    ):
        job(*TWO_DAYS, *MONDAY_ANEW, conf=dict([mode]))
    rows = job(*TWO_DAYS, *MONDAY_ANEW, "select * from orders order by id", conf=conf["conf"])

    # The first run has left its own rows of Tuesday.
    assert sorted(set(rows)) == ["2\ttuesday", "7\tmonday"]
