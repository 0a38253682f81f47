"""The uploader against a log that is written as Spark does, and an S3 that fails at will."""

import random
import threading
from datetime import UTC, datetime

import pytest

from moka import event_logs
from moka.event_logs import Marker
from services.event_log_uploader.s3 import RequestFailed
from services.event_log_uploader.uploader import Application, Uploader
from tests.support.event_log_writer import LOG, EventLogWriter

APPLICATION = Application(cluster="spark-a", namespace="team", name="daily")
MIB = 1024 * 1024
IN_PROGRESS = event_logs.archive_key(LOG, event_logs.status_file(LOG, in_progress=True))
COMPLETE = event_logs.archive_key(LOG, event_logs.status_file(LOG, in_progress=False))
HOT, OPEN = event_logs.hot_key(LOG), event_logs.open_key(LOG)


class FakeS3:
    """Objects by key. `fails` says before each request whether it fails; `watch` sees each new state."""

    def __init__(self, fails=lambda: False, watch=lambda objects: None):
        self.objects, self.puts = {}, []
        self.fails, self.watch = fails, watch

    def put(self, key, body):
        self._maybe_fail(key)
        data = body if isinstance(body, bytes) else b"".join(_content(part) for part in body)
        self.objects[key] = data
        self.puts.append(key)
        self.watch(self.objects)
        return len(data)

    def delete(self, key):
        self._maybe_fail(key)
        self.objects.pop(key, None)
        self.watch(self.objects)

    def close(self):
        """There is no connection."""

    def _maybe_fail(self, key):
        if self.fails():
            raise RequestFailed(f"{key}: 503, SlowDown")

    def archived(self):
        return {key: data for key, data in self.objects.items() if key.startswith(event_logs.ARCHIVE)}


def _content(part):
    with part.path.open("rb") as file:
        return file.read(part.size)


@pytest.fixture
def writer(tmp_path):
    writer = EventLogWriter(tmp_path)
    writer.start()
    writer.roll()
    return writer


@pytest.fixture
def uploader(tmp_path):
    def make(s3, clock=lambda: 0.0, volume=8192 * MIB):
        return Uploader(tmp_path, s3, APPLICATION, 10.0, volume, clock)

    return make


def test_what_a_killed_driver_has_written_is_there_and_its_marker_says_whose_it_is(writer, uploader):
    s3 = FakeS3()
    writer.write(b"one")
    writer.roll()
    writer.write(b"two")

    assert uploader(s3).round()

    assert s3.archived() == writer.objects()
    assert IN_PROGRESS in s3.objects
    assert HOT not in s3.objects
    marker = Marker.from_json(s3.objects[OPEN])
    assert (marker.cluster, marker.namespace, marker.name, marker.app_id) == ("spark-a", "team", "daily", LOG)
    assert abs(datetime.fromisoformat(marker.started) - datetime.now(UTC)).total_seconds() < 60


def test_a_complete_log_is_joined_to_one_object_and_its_marker_goes(writer, uploader):
    s3 = FakeS3()
    running = uploader(s3)
    for data in (b"one", b"two", b"three"):
        writer.write(data)
        running.round()
        writer.roll()
    writer.stop()

    assert running.round()

    assert s3.archived() == writer.objects()
    assert s3.objects[HOT] == b"onetwothree"
    assert OPEN not in s3.objects
    assert IN_PROGRESS not in s3.objects


def test_what_has_not_changed_is_not_sent_again(writer, uploader):
    s3 = FakeS3()
    running = uploader(s3)
    writer.write(b"one")
    running.round()
    sent = len(s3.puts)

    running.round()
    assert len(s3.puts) == sent
    writer.write(b"more")
    running.round()
    assert len(s3.puts) == sent + 1
    writer.stop()
    running.round()
    sent = len(s3.puts)
    running.round()
    assert len(s3.puts) == sent


def test_the_marker_is_put_again_every_five_minutes_while_the_driver_runs(writer, uploader):
    now = [0.0]
    s3 = FakeS3()
    running = uploader(s3, clock=lambda: now[0])
    for now[0] in range(0, 1000, 10):
        running.round()
    assert s3.puts.count(OPEN) == 4

    writer.stop()
    running.round()
    now[0] += 1000
    running.round()
    assert s3.puts.count(OPEN) == 4
    assert OPEN not in s3.objects


def test_after_a_restart_closed_files_are_not_sent_again(writer, uploader):
    s3 = FakeS3()
    writer.write(b"one")
    writer.roll()
    writer.write(b"two")
    uploader(s3).round()
    s3.puts.clear()

    uploader(s3).round()

    assert event_logs.archive_key(LOG, event_logs.events_file(LOG, 1)) not in s3.puts
    assert s3.archived() == writer.objects()


def test_a_second_log_of_the_same_name_takes_the_place_of_the_first(tmp_path, writer, uploader):
    s3 = FakeS3()
    running = uploader(s3)
    writer.write(b"first")
    writer.stop()
    running.round()
    for path in writer.path.iterdir():
        path.unlink()
    writer.path.rmdir()
    second = EventLogWriter(tmp_path)
    second.start()
    second.roll()
    second.write(b"other")
    second.stop()

    running.round()

    assert s3.objects[HOT] == b"other"
    assert s3.archived() == second.objects()


def test_other_things_in_the_folder_are_left_alone(tmp_path, writer, uploader):
    s3 = FakeS3()
    writer.write(b"one")
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "eventlog_v2_file").touch()
    (writer.path / ".hidden.crc").touch()
    (writer.path / "events_1_other.zstd").write_bytes(b"other")
    (tmp_path / "eventlog_v2_link").symlink_to("/etc")

    assert uploader(s3).round()

    assert s3.archived() == writer.objects()


@pytest.mark.parametrize("seed", range(150))
def test_whatever_fails_or_restarts_at_whatever_moment_s3_is_readable_and_in_the_end_complete(
    seed, tmp_path, uploader
):
    draw = random.Random(seed)
    writer = EventLogWriter(tmp_path)
    s3 = FakeS3(fails=lambda: draw.random() < 0.25, watch=lambda objects: _assert_readable(objects, writer))
    running = uploader(s3)
    killed = False
    for _ in range(draw.randint(1, 60)):
        action = draw.choice(["write", "write", "write", "roll", "round", "round", "restart", "stop", "kill"])
        match action:
            case "round":
                if running.round() and writer.path.exists():
                    assert s3.archived() == writer.objects()
            case "restart":
                running = uploader(s3)
            case _ if killed or writer.complete:
                pass
            case "kill":
                killed = draw.random() < 0.3
            case "stop" if writer.flushed and draw.random() < 0.3:
                writer.stop()
            case _ if not writer.path.exists():
                writer.start()
                writer.roll()
            case "roll":
                writer.roll()
            case "write":
                writer.write(draw.randbytes(draw.randint(1, 50)))
    if not writer.path.exists():
        return
    s3.fails = lambda: False

    assert running.round()

    assert s3.archived() == writer.objects()
    assert (OPEN in s3.objects) is not writer.complete
    assert s3.objects.get(HOT) == (b"".join(writer.flushed) if writer.complete else None)


def _assert_readable(objects, writer):
    """What the History Server demands of a log, at every moment."""
    archived = {key for key in objects if key.startswith(event_logs.ARCHIVE)}
    indexes = sorted(
        index
        for key in archived
        if (index := event_logs.events_index(writer.log, key.rpartition("/")[2])) is not None
    )
    assert indexes == list(range(1, len(indexes) + 1)), "a gap"
    assert not archived or {IN_PROGRESS, COMPLETE} & archived, "no status"
    for index in indexes:
        data = objects[event_logs.archive_key(writer.log, event_logs.events_file(writer.log, index))]
        assert writer.flushed[index - 1].startswith(data), "not a prefix of what was written"
        assert index == indexes[-1] or data == writer.flushed[index - 1], "not whole, but another follows"
    if COMPLETE in archived:
        assert archived - {IN_PROGRESS} == set(writer.objects()), "complete before its last event"
    assert HOT not in objects or objects[HOT] == b"".join(writer.flushed)


def test_failures_are_counted_and_make_pauses_longer_and_one_success_ends_that(writer, uploader):
    s3 = FakeS3(fails=lambda: True)
    running = uploader(s3)
    pauses = []
    for _ in range(6):
        assert not running.round()
        pauses.append(running.pause())

    assert running.counts.failures == 6
    assert 16 <= pauses[0] <= 24
    assert all(48 <= pause <= 72 for pause in pauses[3:])
    s3.fails = lambda: False
    running.round()
    assert running.pause() == 10.0


def test_how_far_it_is_behind_counts_from_the_last_round_without_a_failure(writer, uploader):
    now = [100.0]
    s3 = FakeS3()
    running = uploader(s3, clock=lambda: now[0])
    running.round()
    s3.fails = lambda: True
    writer.write(b"one")
    for now[0] in (110.0, 130.0, 170.0):
        running.round()

    assert running.behind_seconds == 70.0
    s3.fails = lambda: False
    running.round()
    assert running.behind_seconds == 0.0


def test_above_half_of_the_volume_what_is_in_s3_goes_and_who_joins_is_left_the_marker(writer, uploader):
    s3 = FakeS3()
    running = uploader(s3, volume=1000)
    for _ in range(5):
        writer.write(b"x" * 200)
        writer.roll()
        running.round()
    assert sum(path.stat().st_size for path in writer.path.iterdir()) <= 500
    writer.stop()

    assert running.round()

    assert s3.archived() == writer.objects()
    assert HOT not in s3.objects
    assert OPEN in s3.objects
    assert running.counts.dropped_files == 0


def test_in_a_long_outage_the_oldest_files_but_the_first_are_emptied_and_later_ones_arrive(writer, uploader):
    s3 = FakeS3(fails=lambda: True)
    running = uploader(s3, volume=1000)
    for _ in range(6):
        writer.write(b"x" * 200)
        writer.roll()
        running.round()
    assert sum(path.stat().st_size for path in writer.path.iterdir()) <= 750
    assert running.counts.dropped_files == 3
    s3.fails = lambda: False

    assert running.round()

    sizes = [
        len(s3.objects[event_logs.archive_key(LOG, event_logs.events_file(LOG, index))])
        for index in range(1, 7)
    ]
    assert sizes == [200, 0, 0, 0, 200, 200]


def test_it_uploads_what_is_left_when_it_is_told_to_end(writer, uploader):
    s3 = FakeS3()
    end = threading.Event()
    end.set()
    writer.write(b"last")

    assert uploader(s3).run(end, 45)

    assert s3.archived() == writer.objects()


def test_it_gives_up_at_the_end_when_its_time_is_over(writer, uploader):
    s3 = FakeS3(fails=lambda: True)
    end = threading.Event()
    end.set()

    assert not uploader(s3).run(end, 0)


def test_it_has_a_problem_once_no_round_ends(writer, uploader):
    now = [0.0]
    running = uploader(FakeS3(), clock=lambda: now[0])
    now[0] = 299.0
    assert running.problem() is None
    now[0] = 301.0
    assert running.problem() == "no round has ended for 301 s"
    running.round()
    assert running.problem() is None
