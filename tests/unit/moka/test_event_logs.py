import pytest

from moka import event_logs
from moka.event_logs import Marker

LOG = "spark-0123456789abcdef0123456789abcdef"


def test_keys_are_what_writers_and_readers_agreed_on():
    assert event_logs.archive_key(LOG, event_logs.events_file(LOG, 3)) == (
        f"archive/eventlog_v2_{LOG}/events_3_{LOG}.zstd"
    )
    assert event_logs.archive_key(LOG, event_logs.status_file(LOG, in_progress=True)) == (
        f"archive/eventlog_v2_{LOG}/appstatus_{LOG}.inprogress"
    )
    assert event_logs.status_file(LOG, in_progress=False) == f"appstatus_{LOG}"
    assert event_logs.hot_key(LOG) == f"hot/{LOG}.zstd"
    assert event_logs.open_key(LOG) == f"open/{LOG}"
    assert event_logs.link_key("spark-a", "team", "daily") == "links/spark-a/team/daily"


@pytest.mark.parametrize("log", [LOG, f"{LOG}_1", "local-1732300000000"])
def test_names_are_read_as_they_are_written(log):
    assert event_logs.log_of(event_logs.folder(log)) == log
    assert event_logs.events_index(log, event_logs.events_file(log, 12)) == 12


@pytest.mark.parametrize(
    "name", ["eventlog_v2_", "eventlog_v2_a/b", "eventlog_v2_..", "eventlog_v1_a", f"x{LOG}", "lost+found"]
)
def test_other_folders_are_no_logs(name):
    assert event_logs.log_of(name) is None


@pytest.mark.parametrize(
    "name",
    [
        f"events_0_{LOG}.zstd",
        f"events_1_{LOG}",
        f"events_1_{LOG}.lz4",
        f"events_1_{LOG}.zstd.tmp",
        "events_1_spark-other.zstd",
        f".events_1_{LOG}.zstd.crc",
        f"appstatus_{LOG}",
    ],
)
def test_other_files_are_no_events(name):
    assert event_logs.events_index(LOG, name) is None


@pytest.mark.parametrize("text", ["", "..", "a/b", "%2e%2e", "a" * 129, "a\n", "-a"])
def test_what_leads_elsewhere_is_no_log(text):
    assert not event_logs.is_log(text)


def test_a_marker_is_read_as_it_is_written():
    marker = Marker(
        cluster="spark-a", namespace="team", name="daily", app_id=LOG, started="2026-11-22T20:00:00+00:00"
    )

    assert Marker.from_json(marker.as_json()) == marker


def test_a_marker_of_a_later_version_is_read():
    text = '{"cluster": "c", "namespace": "n", "name": "a", "app_id": "i", "started": "s", "more": 1}'

    assert Marker.from_json(text).name == "a"


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"cluster": 1, "namespace": "n"}', b"\xff"])
def test_other_text_is_no_marker(text):
    with pytest.raises(ValueError, match="no marker"):
        Marker.from_json(text)


def test_a_marker_holds_text_only():
    text = '{"cluster": 1, "namespace": "n", "name": "a", "app_id": "i", "started": "s"}'

    with pytest.raises(ValueError, match="not all text"):
        Marker.from_json(text)
