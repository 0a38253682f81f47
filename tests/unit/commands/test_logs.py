"""`moka logs` against moto's S3, with objects under the keys that Fluent Bit gives them."""

import gzip
import json
from datetime import UTC, datetime

import boto3
import pytest
from moto import mock_aws

from commands import logs as command
from localcloud.cloud import REPOSITORY
from moka.log_keys import log_object
from stacks.settings import load
from tests.support.command_line import shown_commands

BUCKET = "moka-local-123456789012-us-east-1-job-logs"
ID = "spark-0a1b2c"
DRIVER = ("driver", "report-driver", "spark-kubernetes-driver")
EXECUTOR = ("executor", "report-exec-1", "spark-kubernetes-executor")


@pytest.fixture
def upload(monkeypatch):
    """Put an object of these lines, each `<second> <flag> <text>`, into the bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket=BUCKET)

        def upload(second, *lines, of=DRIVER, application=ID):
            logs = (line.split(" ", 2) for line in lines)
            text = "".join(
                json.dumps({"log": f"2026-11-22T10:15:{at}.000000000Z stdout {flag} {text}"}) + "\n"
                for at, flag, text in logs
            )
            key = f"moka-local-spark-a/spark-jobs/{application}/{'/'.join(of)}/20261122T1015{second}-aB3dE6gH"
            s3.put_object(Bucket=BUCKET, Key=f"{key}.jsonl.gz", Body=gzip.compress(text.encode()))

        yield upload


def test_the_logs_of_a_driver_are_printed_in_order_and_long_lines_whole(moka, upload):
    upload("40", "41 F and more", "45 F last")
    upload("01", "01 F first", "02 P a long", "03 F  line")
    upload("01", "01 F of another application", application="spark-ffff")
    upload("01", "01 F of an executor", of=EXECUTOR)

    result = moka("logs", "local", ID)

    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines() == [
        "2026-11-22T10:15:01.000000000Z report-driver first",
        "2026-11-22T10:15:02.000000000Z report-driver a long line",
        "2026-11-22T10:15:41.000000000Z report-driver and more",
        "2026-11-22T10:15:45.000000000Z report-driver last",
    ]


def test_logs_of_all_pods_come_by_time_with_what_they_are_of(moka, upload):
    upload("01", "01 F driver", "05 F driver again")
    upload("02", "02 F executor", of=EXECUTOR)

    lines = [
        json.loads(line) for line in moka("logs", "local", ID, "--role", "all", "--json").out.splitlines()
    ]

    assert [line["text"] for line in lines] == ["driver", "executor", "driver again"]
    assert lines[1] == {
        "time": "2026-11-22T10:15:02.000000000Z",
        "cluster": "moka-local-spark-a",
        "namespace": "spark-jobs",
        "role": "executor",
        "pod": "report-exec-1",
        "container": "spark-kubernetes-executor",
        "stream": "stdout",
        "text": "executor",
    }


def test_only_what_was_asked_for_is_printed(moka, upload):
    upload("01", "01 F a", "30 F b")
    upload("01", "01 F c", of=("driver", "other", "main"))

    result = moka("logs", "local", ID, "--pod", "report-driver", "--since", "2026-11-22T11:15:30+01:00")

    assert result.out == "2026-11-22T10:15:30.000000000Z report-driver b\n"


def test_the_objects_are_listed_for_whoever_reads_them_by_themselves(moka, upload):
    upload("01", "01 F a")

    [line] = moka("logs", "local", ID, "--list", "--json").out.splitlines()

    entry = json.loads(line)
    assert log_object(entry["object"].removeprefix(f"s3://{BUCKET}/")).pod == "report-driver"
    assert entry["bytes"] > 0
    assert datetime.fromisoformat(entry["uploaded"])


def test_logs_are_followed_as_they_are_uploaded(moka, upload, monkeypatch):
    upload("01", "01 F first", "02 P second, which")
    later = iter([lambda: upload("40", "41 F  goes on"), lambda: None])

    def pause(_seconds):
        step = next(later, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(command, "sleep", pause)
    result = moka("logs", "local", ID, "--follow")

    assert result.status == 0
    assert [line.split(" ", 2)[2] for line in result.out.splitlines()] == ["first", "second, which goes on"]


PAGE = (REPOSITORY / "docs/operations/logs.md").read_text()
SHOWN = [
    arguments for arguments in shown_commands(PAGE, "moka") if arguments[:1] == ["logs"] and arguments[1:]
]


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_every_call_that_the_page_on_logs_shows_prints_what_is_there(moka, upload, monkeypatch, arguments):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    now = datetime.now(UTC)
    monkeypatch.setattr(command, "sleep", interrupt)
    bucket, cluster = "acme-prod-444455556666-us-east-1-job-logs", "acme-prod-batch-a"
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket=bucket)
    log = json.dumps({"log": f"{now:%Y-%m-%dT%H:%M:%S}.000000000Z stdout F printed"})
    [namespace, *_] = load("prod").job_namespaces
    for role, pod, container in (DRIVER, EXECUTOR):
        folder = f"{cluster}/{namespace}/{ID}/{role}/{pod}/{container}"
        key = f"{folder}/{now:%Y%m%dT%H%M%S}-aB3dE6gH.jsonl.gz"
        s3.put_object(Bucket=bucket, Key=key, Body=gzip.compress(log.encode()))

    result = moka(*arguments)

    assert (result.status, result.err) == (0, "")
    assert "report-" in result.out


def test_the_page_shows_calls():
    assert len(SHOWN) >= 5


def test_without_logs_it_says_where_it_looked(moka, upload):
    result = moka("logs", "local", ID, "--role", "executor")

    assert result.status == 1
    assert result.out == ""
    assert f"There are no logs of {ID} of role executor below s3://{BUCKET}/moka-local-spark-a/" in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report"], "'report' is no id of Spark's, such as spark-0a1b2c: `kubectl get sparkapplication"),
        ([ID, "--since", "soon"], "--since is 'soon': write how long ago, as 10m or 2h, or a time as 2026-"),
        ([ID, "--cluster", "x"], "local has no cluster 'x'; --cluster is one of spark-a."),
        ([ID, "--namespace", "x"], "local has no namespace 'x'; --namespace is one of spark-jobs."),
        ([ID, "--list", "--follow"], "--follow and --list exclude each other."),
    ],
)
def test_what_cannot_be_meant_is_refused(moka, arguments, words):
    result = moka("logs", "local", *arguments)

    assert result.status == 2
    assert words in result.err


def test_a_bucket_that_cannot_be_read_is_no_empty_log(moka, upload):
    boto3.client("s3", region_name="us-east-1").delete_bucket(Bucket=BUCKET)

    result = moka("logs", "local", ID)

    assert result.status == 2
    assert "The specified bucket does not exist" in result.err


def test_an_object_of_something_else_is_named(moka, upload):
    key = f"moka-local-spark-a/spark-jobs/{ID}/{'/'.join(DRIVER)}/20261122T101501-aB3dE6gH.jsonl.gz"
    boto3.client("s3", region_name="us-east-1").put_object(Bucket=BUCKET, Key=key, Body=b"no gzip")

    result = moka("logs", "local", ID)

    assert result.status == 2
    assert f"s3://{BUCKET}/{key} cannot be read" in result.err
