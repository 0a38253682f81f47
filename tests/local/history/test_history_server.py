"""The real History Server of the image's release with the component's configuration, and the gate before it.

Credentials come from an agent that demands the token, as in a pod. S3 is moto's.
"""

import re
import signal
from datetime import UTC, datetime, timedelta

import boto3
import pytest
import zstandard
from moto.s3.models import s3_backends

from moka import event_logs
from tests.support.event_logs_in_s3 import (
    STAGE,
    TASKS,
    cut_log,
    log_text,
    put_archive,
    put_hot,
    put_marker,
)
from tests.support.history_servers import REGION, gate_before, server_of
from tests.support.moto_server import moto_server
from tests.support.pod_identity_agent import pod_identity_agent
from tests.support.uploader_process import wait_for

BUCKET = "acme.event-logs"
ENDED, OLD, KILLED, RUNNING, UNKNOWN = (f"spark-{number * 16}" for number in ("0a", "0b", "0c", "0d", "0e"))
LISTED = {ENDED, KILLED}


@pytest.fixture(scope="module")
def endpoint():
    with moto_server() as url:
        yield url


@pytest.fixture(scope="module")
def s3(endpoint):
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client = boto3.client("s3", endpoint_url=endpoint, region_name=REGION, **keys)
    client.create_bucket(Bucket=BUCKET)
    return client


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    with pod_identity_agent(tmp_path_factory.mktemp("identity") / "token") as agent:
        yield agent


def silent_for_an_hour(app_id):
    """Write the objects of a driver an hour earlier, as moto keeps them."""
    for name, key in s3_backends["123456789012"]["aws"].buckets[BUCKET].keys.items():
        if app_id in name:
            key.last_modified -= timedelta(hours=1)


@pytest.fixture(scope="module")
def server(tmp_path_factory, s3, endpoint, agent):
    whole = zstandard.ZstdCompressor().compress(log_text(OLD, "last-month"))
    put_hot(s3, BUCKET, ENDED, "nightly")
    put_archive(s3, BUCKET, OLD, whole, ended=True)
    put_archive(s3, BUCKET, KILLED, cut_log(KILLED, "killed", TASKS - 1), ended=False)
    put_archive(s3, BUCKET, RUNNING, cut_log(RUNNING, "running", 1), ended=False)
    for app_id, name in ((KILLED, "killed"), (RUNNING, "running")):
        put_marker(s3, BUCKET, app_id, name, datetime.now(UTC))
    silent_for_an_hour(KILLED)
    folder = tmp_path_factory.mktemp("history")
    with server_of(folder, BUCKET, endpoint, agent.environment) as server:
        yield server


@pytest.fixture(scope="module")
def gate(tmp_path_factory, server, endpoint, agent):
    with gate_before(server, BUCKET, endpoint, agent.environment, tmp_path_factory.mktemp("gate")) as gate:
        yield gate


def page(gate, path):
    """A page that may be waited for."""
    texts = []

    def shown():
        status, text = gate.get(path)
        texts.append(text)
        return status == 200 and "is being read" not in text

    wait_for(shown)
    return texts[-1]


def test_a_job_that_has_ended_is_listed_with_its_stages(server, gate):
    wait_for(lambda: server.listed(ENDED))

    assert server.stages(ENDED) == {STAGE: ("COMPLETE", TASKS)}
    assert "nightly" in page(gate, f"/history/{ENDED}/jobs/")


def test_its_executors_link_to_the_place_of_their_logs(server):
    wait_for(lambda: server.listed(ENDED))

    links = {one["id"]: one["executorLogs"] for one in server.get(f"applications/{ENDED}/allexecutors")}
    assert set(links["1"].values()) == {f"/logs/spark-a/jobs/{ENDED}/executor/nightly-0a1b-exec-1"}


def test_a_killed_driver_s_log_is_joined_and_listed_with_all_that_it_wrote(server, gate, s3):
    wait_for(lambda: server.listed(KILLED))

    assert server.get(f"applications/{KILLED}/stages/{STAGE}")[0]["numCompleteTasks"] == TASKS - 1
    markers = [item["Key"] for item in s3.list_objects_v2(Bucket=BUCKET, Prefix=event_logs.OPEN)["Contents"]]
    assert markers == [event_logs.open_key(RUNNING)]


def test_an_old_job_opens_by_its_address_after_a_page_that_says_so(server, gate):
    wait_for(lambda: server.ids() >= LISTED)
    # It has time to think, and reads nothing.
    server.send(signal.SIGSTOP)
    try:
        status, waiting = gate.get(f"/history/{OLD}/jobs/")
    finally:
        server.send(signal.SIGCONT)

    assert (status, "is being read" in waiting) == (200, True)
    assert 'http-equiv="refresh"' in waiting
    assert "last-month" in page(gate, f"/history/{OLD}/jobs/")
    assert server.stages(OLD) == {STAGE: ("COMPLETE", TASKS)}


def test_a_job_that_runs_is_led_to_its_live_ui(server, gate):
    status, text = gate.get(f"/history/{RUNNING}/jobs/")

    assert status == 200
    assert 'href="http://running.jobs.spark-a.example/"' in text


def test_an_unknown_job_is_said_to_be_unknown_and_leaves_nothing(server, gate):
    status, text = gate.get(f"/history/{UNKNOWN}/jobs/")

    assert (status, "There is no history of this job" in text) == (404, True)
    assert server.get(f"applications/{UNKNOWN}") is None
    assert UNKNOWN not in server.ids()


def test_the_gate_says_how_old_the_last_scan_is(server, gate):
    began = datetime.now(UTC).timestamp()
    status, text = gate.get("/")

    assert status == 200
    [scanned] = re.findall(r'id="last-updated"[^>]*>\s*(\d+)', text)
    assert abs(int(scanned) / 1000 - began) < 3600
    assert gate.metric("scan_age_seconds") >= 0
    assert "moka_history_gate" not in gate.get("/metrics")[1]


def test_a_server_that_was_killed_has_its_list_again_and_reads_no_log_anew(server, gate):
    wait_for(lambda: server.ids() >= LISTED)
    assert "Parsing" in server.log.read_text()
    server.kill()
    assert gate.get("/")[0] == 503

    server.start()

    assert server.ids() >= LISTED
    assert gate.get("/")[0] == 200
    assert "Parsing" not in server.log.read_text()
