"""Celeborn's own client, the newest on Maven Central, in real Spark 3.5, with the configuration of a job.

No master and no worker is at hand, so what is seen of a shuffle is that Celeborn is not there. No client of
Spark 4 could be had, so in Spark 4.1 is seen what a driver without one does.
"""

import subprocess
import uuid

import pytest

from localcloud.loopback import free_port
from moka.jobs import conf
from moka.jobs.job_target import Celeborn
from tests.support.event_log_drivers import NOT_HERE
from tests.support.jobs import make_job, make_job_target
from tests.support.maven_jar import maven_jar
from tests.support.spark_processes import compiled, compiled_job, running_job
from tests.support.spark_releases import spark_home

CLIENT = "org.apache.celeborn:celeborn-client-spark-3-shaded_2.12:0.5.4"
SHA256 = "e933010306a36b15e407f6a67c36c2bef809b83fdd6590ca3c9f8922abe818c7"
FIXED = {"instances": 2}
DYNAMIC = {"dynamic": {"minimum": 1, "maximum": 4}}

SINCE_0_6 = {"identity.user-specific.tenant", "identity.user-specific.userName"}
"""What this client has under former names, and the platform's version under these."""


@pytest.fixture(scope="module")
def client():
    return maven_jar(CLIENT, SHA256)


@pytest.fixture(scope="module")
def home():
    return spark_home("3.5.5")


def configuration(executor, endpoints, spark="3.5", version="0.5.4"):
    celeborn = Celeborn(endpoints=endpoints, version=version, rack_aware=True)
    job = make_job(celeborn=True, spark_version=spark, executor=executor)
    return conf.configuration(job, make_job_target(celeborn=celeborn))


def runnable(configured):
    """Of a job's configuration, what a process here can do."""
    own = {
        key: value
        for key, value in configured.items()
        # Executors that come and go need more than one process.
        if not NOT_HERE.match(key) and not key.startswith(("spark.eventLog.", "spark.dynamicAllocation."))
    }
    return {**own, "spark.ui.port": "0"}


def test_the_client_reads_what_jobs_tell_it(tmp_path, client, home):
    classpath = [home / "jars" / "*", client]
    jar = compiled("CelebornConfiguration", tmp_path, classpath)
    printed = configuration(DYNAMIC, "m-0:9097,m-1:9097")

    options = [f"-D{key}={value}" for key, value in printed.items() if key.startswith("spark.celeborn.")]
    path = ":".join(map(str, [*classpath, jar]))
    done = subprocess.run(
        ["java", *options, "-cp", path, "CelebornConfiguration"], check=True, capture_output=True, text=True
    )

    read = dict(line.split("\t") for line in done.stdout.splitlines())
    assert {key for key, value in read.items() if value == "?"} == {*SINCE_0_6, "data.io.retryWait"}
    assert {key: value for key, value in read.items() if value != "?"} == {
        "master.endpoints": "ArrayBuffer(m-0:9097, m-1:9097)",
        "client.push.replicate.enabled": "true",
        "client.reserveSlots.rackaware.enabled": "true",
        "client.spark.shuffle.writer": "SORT",
        "client.shuffle.manager.port": "7080",
        "client.spark.shuffle.fallback.policy": "NEVER",
        "client.fetch.maxRetriesForEachReplica": "5",
        "retry wait": "15000",
    }


@pytest.mark.parametrize(
    ("executor", "succeeds", "reason"),
    [
        (FIXED, True, "Fallback to vanilla Spark SortShuffleManager for shuffle: 0"),
        (DYNAMIC, False, "Fallback to spark built-in shuffle implementation is prohibited"),
    ],
    ids=["fixed", "dynamic"],
)
def test_without_celeborn_a_job_shuffles_on_its_executors_unless_these_come_and_go(
    executor, succeeds, reason, tmp_path, client, home
):
    own = runnable(configuration(executor, f"127.0.0.1:{free_port()}"))
    here = {"spark.driver.extraClassPath": str(client)}
    jar, log = compiled_job(tmp_path), f"spark-{uuid.uuid4().hex}"

    with running_job(home, jar, tmp_path, log, {**own, **here}, ["none"]) as job:
        status = job.wait()

    assert (status == 0) is succeeds, job.log.read_text()[-3000:]
    assert reason in job.log.read_text()


def test_a_driver_of_spark_4_1_whose_image_lacks_the_client_ends(tmp_path):
    own = runnable(configuration(FIXED, f"127.0.0.1:{free_port()}", spark="4.1", version="0.7.0"))
    jar, log = compiled_job(tmp_path), f"spark-{uuid.uuid4().hex}"

    with running_job(spark_home(), jar, tmp_path, log, own, ["none"]) as job:
        status = job.wait()

    assert status != 0
    lacks = f"ClassNotFoundException: {conf.CELEBORN['spark.shuffle.manager']}"
    assert lacks in job.log.read_text()
