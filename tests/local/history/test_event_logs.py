"""Event logs of real Spark, uploaded by the sidecar to moto's S3, and read by the real History Server."""

import re
import shutil
import time
import uuid
from contextlib import contextmanager
from functools import partial

import boto3
import pytest
from moto.server import ThreadedMotoServer

from components.kubernetes.history_server import STORE_FOLDER, spark_defaults
from localcloud.processes import free_port
from moka import event_logs
from moka.jobs import conf
from moka.jobs.application import spark_application
from moka.jobs.job_target import EventLogUploader
from moka.names import EVENT_LOG_FOLDER
from tests.support.jobs import make_job, make_job_target
from tests.support.pod_identity_agent import pod_identity_agent
from tests.support.s3a_jars import s3a_jars
from tests.support.spark_processes import compiled_job, history_server, running_job
from tests.support.uploader_process import uploader_process, wait_for

BUCKET, REGION = "event-logs", "us-east-1"
SECONDS = 5
BOUND = SECONDS + 5
"""Seconds after which what Spark has written is in S3, as docs/operations/event-logs.md says."""

HELD_BACK_TASKS = 60
"""Ends of tasks that Spark may keep to itself since its last flush, as docs/operations/event-logs.md says."""

TARGET = make_job_target(
    event_log_uploader=EventLogUploader(image="uploader:1", bucket=BUCKET, region=REGION, seconds=SECONDS)
)
NOT_HERE = re.compile(
    r"spark\.kubernetes\.|spark\.(driver|blockManager|driver\.blockManager|ui)\.port"
    # The job reads and writes nothing but its log: S3A is not among Spark's own jars.
    r"|spark\.hadoop\.|spark\.sql\.(sources\.commitProtocolClass|parquet\.output\.committer)"
)


class Moto:
    """moto's S3, which can be away for a while and keeps what it has."""

    def __init__(self):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"

    def start(self):
        self._server = ThreadedMotoServer("127.0.0.1", port=self.port)
        self._server.start()

    def stop(self):
        self._server.stop()


@pytest.fixture(scope="module")
def moto():
    moto = Moto()
    moto.start()
    yield moto
    moto.stop()


@pytest.fixture(scope="module")
def endpoint(moto):
    return moto.endpoint


@pytest.fixture(scope="module")
def bucket(endpoint):
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    s3 = boto3.resource("s3", endpoint_url=endpoint, region_name=REGION, **keys)
    bucket = s3.create_bucket(Bucket=BUCKET)
    bucket.Versioning().enable()
    # Hadoop takes a bucket's prefix for a folder once something is there.
    bucket.put_object(Key=event_logs.ARCHIVE)
    return bucket


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    with pod_identity_agent(tmp_path_factory.mktemp("identity") / "token") as agent:
        yield agent


@pytest.fixture(scope="module")
def jar(tmp_path_factory):
    return compiled_job(tmp_path_factory.mktemp("job"))


@pytest.fixture(scope="module")
def serving(tmp_path_factory, bucket, endpoint, agent):
    """A server of the logs under a prefix, with the configuration of the component."""
    return partial(_serving, tmp_path_factory, endpoint, agent)


@contextmanager
def _serving(tmp_path_factory, endpoint, agent, prefix):
    folder = tmp_path_factory.mktemp("history")
    text = spark_defaults(f"s3a://{BUCKET}/{prefix}", REGION, memory_gib=1, disk_gib=1)
    here = {
        "spark.history.store.path": str(folder / "store"),
        "spark.history.fs.update.interval": "1s",
        "spark.history.store.hybridStore.maxMemoryUsage": "128m",
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
    }
    assert STORE_FOLDER in text
    defaults = {**dict(line.split(" ", 1) for line in text.splitlines()), **here}
    with history_server(folder, defaults, s3a_jars(), agent.environment) as server:
        yield server


@pytest.fixture(scope="module")
def server(serving):
    with serving(event_logs.ARCHIVE) as server:
        yield server


class Driver:
    """A driver's pod: a volume, the job as its container and the uploader as its sidecar."""

    def __init__(self, folder, jar, agent, endpoint):
        self.log = f"spark-{uuid.uuid4().hex}"
        self.volume = folder / "volume"
        self.volume.mkdir()
        rendered = spark_application(make_job(), TARGET)["spec"]["driver"]["template"]["spec"]
        [sidecar] = rendered["initContainers"]
        arguments = [argument.replace(EVENT_LOG_FOLDER, str(self.volume)) for argument in sidecar["args"]]
        configuration = {
            key: value.replace(EVENT_LOG_FOLDER, str(self.volume))
            for key, value in conf.configuration(make_job(), TARGET).items()
            if not NOT_HERE.match(key)
        }
        configuration["spark.ui.port"] = "0"
        self.job = partial(running_job, jar, folder / "job", self.log, configuration)
        self.uploader = partial(
            uploader_process, arguments, agent, endpoint, free_port(), folder / "uploader.log"
        )


@pytest.fixture
def driver(tmp_path, jar, agent, endpoint, bucket):
    return Driver(tmp_path, jar, agent, endpoint)


def keys(bucket):
    return {item.key for item in bucket.objects.all()}


TWO_STAGES = {0: ("COMPLETE", 4), 1: ("COMPLETE", 4)}


def test_a_job_that_ends_is_listed_as_complete_with_all_its_stages(driver, server, bucket, agent):
    with driver.uploader() as uploader, driver.job("none") as job:
        assert job.wait() == 0, job.log.read_text()[-3000:]
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == TWO_STAGES
    assert event_logs.hot_key(driver.log) in keys(bucket)
    assert event_logs.open_key(driver.log) not in keys(bucket)
    assert set(agent.tokens) == {agent.token_file.read_text()}


def test_the_one_object_that_it_becomes_is_a_log_for_the_server_too(driver, serving):
    with driver.uploader() as uploader, driver.job("none") as job:
        assert job.wait() == 0, job.log.read_text()[-3000:]
        assert uploader.end() == 0

    with serving(event_logs.HOT) as server:
        wait_for(lambda: server.listed(driver.log))
        assert server.stages(driver.log) == TWO_STAGES


def test_while_s3_is_away_nothing_is_lost(driver, server, moto):
    with driver.uploader() as uploader, driver.job("none") as job:
        job.wait_for_step("two-stages")
        moto.stop()
        try:
            job.wait()
            wait_for(lambda: uploader.metric("failures_total") > 0)
            assert uploader.metric("behind_seconds") > 0
        finally:
            moto.start()
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == TWO_STAGES


def test_with_a_lost_node_goes_no_more_than_the_bound(driver, server):
    with driver.uploader() as uploader, driver.job("hang") as job:
        job.wait_for_step("last-task")
        written = time.monotonic()
        # So long has the node to live on.
        wait_for(lambda: time.monotonic() - written > BOUND)
        uploader.kill()
        job.kill()
    shutil.rmtree(driver.volume)

    wait_for(lambda: server.stages(driver.log).items() >= TWO_STAGES.items())


def test_of_a_job_that_is_killed_after_its_second_stage_both_stages_are_there_within_the_bound(
    driver, server, bucket
):
    with driver.uploader() as uploader, driver.job("hang") as job:
        job.wait_for_step("last-task")
        job.kill()
        # Without the end of the uploader: it might be lost with its node.
        wait_for(lambda: server.stages(driver.log).items() >= TWO_STAGES.items(), BOUND + 10)
        assert uploader.end() == 0

    assert server.listed(driver.log) is False
    assert event_logs.open_key(driver.log) in keys(bucket)
    assert event_logs.hot_key(driver.log) not in keys(bucket)


def test_of_a_killed_stage_no_more_tasks_are_missing_than_spark_keeps_to_itself(driver, server):
    with driver.uploader() as uploader, driver.job("400") as job:
        job.wait_for_step("last-task")
        job.kill()
        assert uploader.end() == 0

    wait_for(lambda: server.stages(driver.log).items() >= TWO_STAGES.items())
    _, ended = server.stages(driver.log).get(2, ("", 0))
    assert 400 - ended <= HELD_BACK_TASKS
