"""What jobs are told of a metastore, with real Spark SQL and Hive's own server."""

import pytest

from moka.jobs import conf
from moka.jobs.job_target import Metastore
from tests.support.hive_metastore import hive_metastore
from tests.support.jobs import make_job, make_job_target
from tests.support.spark_sql import spark_sql


@pytest.fixture
def configuration(tmp_path):
    """The configuration of tables of a job, whose data are in a folder here in place of one on S3."""
    with hive_metastore(tmp_path) as address:
        metastore = Metastore(warehouse="s3a://lake/warehouse/", thrift=[address])
        job, target = make_job(), make_job_target(metastores={"spark-jobs": metastore})
        own = conf.tables(target.metastores[job.namespace])
        assert own.items() <= conf.configuration(job, target).items()
        yield own | {"spark.sql.warehouse.dir": f"file:{tmp_path}/warehouse"}


def test_a_job_finds_the_tables_that_another_made(tmp_path, configuration):
    make = "create table sales.orders using parquet as select id, id * 2 as price from range(5)"

    spark_sql(tmp_path / "first", configuration, ["create database sales", make])
    rows = spark_sql(
        tmp_path / "second", configuration, ["show tables in sales", "select sum(price) from sales.orders"]
    )

    assert [row.split("\t")[-1] for row in rows] == ["orders", "20"]
