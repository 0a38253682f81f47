"""The uploader as a process of its own, against moto's S3 and an agent that demands the token."""

import json

import boto3
import pytest

from localcloud.loopback import free_port
from moka import event_logs
from tests.support.event_log_writer import LOG, EventLogWriter
from tests.support.moto_server import moto_server
from tests.support.pod_identity_agent import pod_identity_agent
from tests.support.uploader_process import uploader_process, wait_for

BUCKET = "event-logs"


@pytest.fixture(scope="module")
def endpoint():
    with moto_server() as url:
        yield url


@pytest.fixture
def bucket(endpoint):
    s3 = boto3.resource(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    bucket = s3.create_bucket(Bucket=BUCKET)
    bucket.Versioning().enable()
    yield bucket
    bucket.object_versions.delete()
    bucket.delete()


@pytest.fixture
def agent(tmp_path):
    with pod_identity_agent(tmp_path / "token") as agent:
        yield agent


@pytest.fixture
def sidecar(tmp_path, agent, endpoint):
    folder = tmp_path / "event-logs"
    folder.mkdir()
    arguments = {
        "folder": folder,
        "bucket": BUCKET,
        "region": "us-east-1",
        "cluster": "spark-a",
        "namespace": "team",
        "application": "daily",
        "seconds": 0.1,
    }
    with uploader_process(
        [f"--{name}={value}" for name, value in arguments.items()],
        agent,
        endpoint,
        free_port(),
        tmp_path / "log",
    ) as process:
        yield process


@pytest.fixture
def writer(tmp_path, sidecar):
    writer = EventLogWriter(tmp_path / "event-logs")
    writer.start()
    writer.roll()
    return writer


def keys(bucket):
    return {item.key for item in bucket.objects.all()}


def contents(bucket, prefix=""):
    return {item.key: item.get()["Body"].read() for item in bucket.objects.filter(Prefix=prefix)}


def test_a_log_is_in_s3_while_it_grows_and_joined_once_it_is_complete(bucket, sidecar, writer, agent):
    writer.write(b"one")
    wait_for(lambda: contents(bucket, event_logs.ARCHIVE) == writer.objects())
    assert json.loads(contents(bucket)[event_logs.open_key(LOG)])["namespace"] == "team"
    writer.roll()
    writer.write(b"two")
    wait_for(lambda: contents(bucket, event_logs.ARCHIVE) == writer.objects())
    writer.stop()

    assert sidecar.end() == 0

    assert contents(bucket) == {**writer.objects(), event_logs.hot_key(LOG): b"onetwo"}
    assert set(agent.tokens) == {"token-of-the-pod"}


def test_what_a_killed_driver_wrote_last_is_uploaded_when_it_is_told_to_end(bucket, sidecar, writer):
    wait_for(lambda: sidecar.get("/healthz") == "ok\n")
    writer.write(b"one")

    assert sidecar.end() == 0

    assert contents(bucket, event_logs.ARCHIVE) == writer.objects()
    assert event_logs.open_key(LOG) in contents(bucket)


def test_without_permission_nothing_is_uploaded_and_it_says_so(bucket, sidecar, agent, writer):
    agent.token_file.chmod(0o600)
    agent.answer = lambda token: (403, "Unauthorized Exception! EKS does not have permissions")
    writer.write(b"one")
    wait_for(lambda: sidecar.metric("credentials_failures_total") >= 1)

    assert contents(bucket) == {}
    assert sidecar.metric("failures_total") >= 1
    assert "answered 403" in sidecar.log.read_text()


def test_after_it_was_killed_another_one_goes_on(bucket, sidecar, writer, agent, endpoint, tmp_path):
    writer.write(b"one")
    wait_for(lambda: contents(bucket, event_logs.ARCHIVE) == writer.objects())
    sidecar.kill()
    writer.roll()
    writer.write(b"two")
    writer.stop()

    with uploader_process(
        sidecar.process.args[4:-2], agent, endpoint, free_port(), tmp_path / "log"
    ) as another:
        wait_for(lambda: event_logs.hot_key(LOG) in keys(bucket))
        assert another.end() == 0

    assert contents(bucket) == {**writer.objects(), event_logs.hot_key(LOG): b"onetwo"}


def test_large_files_are_never_in_memory_as_a_whole(bucket, sidecar, writer):
    writer.write(b"one")
    wait_for(lambda: contents(bucket, event_logs.ARCHIVE) == writer.objects())
    before = sidecar.rss_kib()
    for _ in range(8):
        writer.write(bytes(8 * 1024 * 1024))
    writer.stop()
    wait_for(lambda: event_logs.hot_key(LOG) in keys(bucket))

    assert sidecar.rss_kib() - before < 8 * 1024
