import asyncio
import json
import random
from datetime import UTC, datetime, timedelta

import boto3
import pytest
import zstandard
from moto import mock_aws

from moka import event_logs
from services.common.metrics import Metrics
from services.history_gate import storage as storage_module
from services.history_gate.keeper import RETURN_SECONDS, SILENT_SECONDS, Keeper
from services.history_gate.storage import Storage

BUCKET = "acme-event-logs"
LOG = "spark-" + "0a" * 16
OTHER = "spark-" + "0b" * 16
FILLER = random.Random(1).randbytes(3 * 2**20).hex()
"""Of which zstd makes 3 MiB."""


class Killed(BaseException):
    """The program ends here."""


class Dying:
    """A client of S3 that ends the program before, or after, its n-th writing call."""

    def __init__(self, client, calls, after):
        self._client, self._left, self._after = client, calls, after

    def __getattr__(self, name):
        call = getattr(self._client, name)
        if name.split("_")[0] not in ("put", "delete", "create", "upload", "complete"):
            return call

        def dying(**arguments):
            self._left -= 1
            if self._left < 0:
                if self._after:
                    call(**arguments)
                raise Killed
            return call(**arguments)

        return dying


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield client


@pytest.fixture
def left(client):
    """Leave what a driver that was killed leaves."""

    def leave(log=LOG, files=2, torn=b"", filler=""):
        client.put_object(
            Bucket=BUCKET,
            Key=event_logs.archive_key(log, event_logs.status_file(log, in_progress=True)),
            Body=b"",
        )
        for index in range(1, files + 1):
            content = zstandard.ZstdCompressor().compress(f'{{"Event":"e{index}","x":"{filler}"}}\n'.encode())
            client.put_object(
                Bucket=BUCKET,
                Key=event_logs.archive_key(log, event_logs.events_file(log, index)),
                Body=content + (torn if index == files else b""),
            )
        marker = event_logs.Marker(
            cluster="a", namespace="jobs", name="pi", app_id=log, started="2026-11-22T20:00:00Z"
        )
        client.put_object(Bucket=BUCKET, Key=event_logs.open_key(log), Body=marker.as_json().encode())

    return leave


def keeper(client, later=SILENT_SECONDS + 60, time=None):
    metrics = Metrics("history_gate")
    time = time or (lambda: datetime.now(UTC) + timedelta(seconds=later))
    result = Keeper(Storage(client, BUCKET), metrics, time)
    result.value = lambda name: metrics.registry.get_sample_value(f"moka_history_gate_{name}")
    return result


def events(client, log=LOG):
    content = client.get_object(Bucket=BUCKET, Key=event_logs.hot_key(log))["Body"].read()
    text = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(content)
    return [json.loads(line)["Event"] for line in text.splitlines()]


def keys(client, prefix=""):
    """Of all objects but folders."""
    contents = client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", ())
    return [entry["Key"] for entry in contents if not entry["Key"].endswith("/")]


def test_the_log_of_a_driver_that_is_gone_is_joined_in_order(client, left):
    left(files=11, torn=b"\x28\xb5\x2f\xfd\x04")
    subject = keeper(client)

    asyncio.run(subject.round())

    assert events(client) == [*[f"e{index}" for index in range(1, 12)], "SparkListenerApplicationEnd"]
    assert keys(client, event_logs.OPEN) == []
    assert subject.value("joined_total") == 1


def test_its_files_stay_as_they_are(client, left):
    left()
    before = keys(client, event_logs.ARCHIVE)

    asyncio.run(keeper(client).round())

    assert keys(client, event_logs.ARCHIVE) == before


@pytest.mark.parametrize("later", [0, SILENT_SECONDS - 60])
def test_a_driver_that_gave_a_sign_lately_is_left_alone(client, left, later):
    left()

    asyncio.run(keeper(client, later).round())

    assert keys(client, event_logs.HOT) == []
    assert keys(client, event_logs.OPEN) == [event_logs.open_key(LOG)]


def test_a_driver_that_left_no_events_only_loses_its_marker(client, left):
    left(files=0)

    asyncio.run(keeper(client).round())

    assert (keys(client, event_logs.HOT), keys(client, event_logs.OPEN)) == ([], [])


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("calls", range(5))
def test_whatever_it_is_ended_in_the_next_one_finishes(client, left, monkeypatch, calls, after):
    # The least that S3 takes as a part; two of them.
    monkeypatch.setattr(storage_module, "PART_BYTES", 5 * 2**20)
    left(files=2, filler=FILLER)
    try:
        keeper(Dying(client, calls, after)).join(LOG)
    except Killed:
        assert event_logs.hot_key(LOG) in keys(client) or event_logs.open_key(LOG) in keys(client)

    asyncio.run(keeper(client).round())

    assert events(client) == ["e1", "e2", "SparkListenerApplicationEnd"]
    assert keys(client, event_logs.OPEN) == []


def test_one_that_cannot_be_joined_holds_no_other_up_and_is_tried_again(client, left, monkeypatch):
    left(OTHER)
    left(LOG)
    read = Storage.read
    monkeypatch.setattr(
        Storage,
        "read",
        lambda self, key: (_ for _ in ()).throw(OSError("gone")) if LOG in key else read(self, key),
    )
    subject = keeper(client)

    asyncio.run(subject.round())

    assert events(client, OTHER)
    assert keys(client, event_logs.OPEN) == [event_logs.open_key(LOG)]
    assert (subject.value("joined_total"), subject.value("join_failures_total")) == (1, 1)


def test_how_long_logs_wait_is_measured(client, left):
    left()
    subject = keeper(client, later=100)

    asyncio.run(subject.round())

    assert subject.value("open_logs") == 1
    assert subject.value("oldest_open_seconds") == pytest.approx(100, abs=30)


def test_a_quiet_driver_that_has_just_marked_itself_is_left_alone(client, left):
    """After S3 was away all that it wrote is old, but for its marker."""
    left()
    subject = keeper(client, time=lambda: datetime.now(UTC))
    subject._silence = lambda stored: 0.0 if stored.key.startswith(event_logs.OPEN) else SILENT_SECONDS + 60

    assert not subject.join(LOG)

    assert keys(client, event_logs.HOT) == []
    assert keys(client, event_logs.OPEN) == [event_logs.open_key(LOG)]


def test_nothing_is_joined_until_drivers_have_had_time_to_come_back_after_s3(client, left, monkeypatch):
    left()
    moment = [datetime.now(UTC) + timedelta(seconds=SILENT_SECONDS + 60)]
    subject = keeper(client, time=lambda: moment[0])

    def round_after(seconds):
        moment[0] += timedelta(seconds=seconds)
        asyncio.run(subject.round())
        return keys(client, event_logs.HOT) != []

    with monkeypatch.context() as away:
        away.setattr(subject, "keep_folder", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            round_after(0)
    assert not round_after(60)
    assert round_after(RETURN_SECONDS)


def test_a_large_log_is_sent_in_parts_and_complete(client):
    content = [bytes([number % 251]) * 2**20 for number in range(40)]

    Storage(client, BUCKET).write("hot/x.zstd", content)

    assert client.get_object(Bucket=BUCKET, Key="hot/x.zstd")["Body"].read() == b"".join(content)
    assert client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []) == []


def test_there_is_a_folder_for_the_list_before_the_first_log_and_after_the_last(client):
    """S3A takes a prefix for a folder where an object of its name is."""
    keeper = Keeper(Storage(client, BUCKET), Metrics("history_gate"))

    for _ in range(2):
        asyncio.run(keeper.round())
        assert client.head_object(Bucket=BUCKET, Key=event_logs.HOT)["ContentLength"] == 0
        client.delete_object(Bucket=BUCKET, Key=event_logs.HOT)
