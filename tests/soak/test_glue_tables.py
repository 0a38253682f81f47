"""What jobs are told of AWS Glue, with real Spark SQL, Iceberg's own client, and moto as Glue and S3."""

import boto3
import pytest

from moka.jobs import conf
from moka.jobs.job_target import Metastore
from tests.support.maven_jar import maven_jar
from tests.support.moto_server import moto_server
from tests.support.spark_sql import spark_sql

ICEBERG = {
    "iceberg-spark-runtime-4.1_2.13": "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
    "iceberg-aws-bundle": "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
}
"""What an image of jobs has for it: jars of Iceberg 1.12, with the SHA-256 of each."""

ACCOUNT = "123456789012"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@pytest.fixture
def aws():
    """The address of an AWS with a bucket `lake`."""
    with moto_server() as address:
        client("s3", address).create_bucket(Bucket="lake")
        yield address


def client(service, address):
    return boto3.client(
        service,
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def test_a_job_finds_the_tables_that_another_made(tmp_path, aws):
    own = conf.tables(
        Metastore(warehouse="s3a://lake/warehouse/", glue_account=ACCOUNT, glue_region="us-east-1")
    )
    here = {
        "spark.sql.catalog.glue.glue.endpoint": aws,
        "spark.sql.catalog.glue.s3.endpoint": aws,
        "spark.sql.catalog.glue.s3.path-style-access": "true",
    }
    jars = [maven_jar(f"org.apache.iceberg:{name}:1.12.0", sha256) for name, sha256 in ICEBERG.items()]
    make = "create table sales.orders using iceberg as select id, id * 2 as price from range(5)"

    def run(folder, *statements):
        return spark_sql(tmp_path / folder, own | here, statements, jars=jars, variables=CREDENTIALS)

    run("first", "create database sales", make)
    rows = run("second", "show tables in sales", "select sum(price) from sales.orders")

    assert rows == ["orders", "20"]
    [table] = client("glue", aws).get_tables(DatabaseName="sales")["TableList"]
    assert table["Parameters"]["table_type"] == "ICEBERG"
    assert table["StorageDescriptor"]["Location"].startswith("s3a://lake/warehouse/sales.db/orders")
