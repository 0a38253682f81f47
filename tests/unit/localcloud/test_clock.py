from datetime import UTC, date, datetime, timedelta

import pytest

from localcloud import clock
from localcloud.cloud import Cloud
from localcloud.errors import Refusal


def test_the_clock_of_a_cloud_goes_with_the_machines_and_can_be_moved_ahead(tmp_path, monkeypatch):
    monkeypatch.delenv("MOKA_AS_OF")
    cloud = Cloud(tmp_path)
    assert clock.now(cloud) - datetime.now(UTC) < timedelta(seconds=5)

    clock.advance(cloud, timedelta(hours=12))
    clock.advance(cloud, timedelta(days=2))

    ahead = clock.now(cloud) - datetime.now(UTC)
    assert timedelta(hours=59) < ahead < timedelta(hours=61)


def test_a_cloud_can_be_on_another_day(tmp_path, monkeypatch):
    cloud = Cloud(tmp_path)
    monkeypatch.setenv("MOKA_AS_OF", "2027-04-01")

    assert clock.now(cloud).date() == date(2027, 4, 1)
    clock.advance(cloud, timedelta(days=2))
    assert clock.now(cloud).date() == date(2027, 4, 3)


@pytest.mark.parametrize("text", ["tomorrow", "2027-13-01", "1.4.2027"])
def test_another_day_is_refused_unless_it_is_one(tmp_path, monkeypatch, text):
    monkeypatch.setenv("MOKA_AS_OF", text)

    with pytest.raises(Refusal, match="is no day: write one such as 2027-04-01"):
        clock.now(Cloud(tmp_path))


def test_durations_are_of_minutes_hours_and_days():
    assert clock.duration_of("90m") == timedelta(minutes=90)
    assert clock.duration_of("2d") == timedelta(days=2)


@pytest.mark.parametrize("text", ["", "12", "-1h", "1.5h", "1w"])
def test_another_text_is_refused(text):
    with pytest.raises(Refusal, match="is no duration: write one such as"):
        clock.duration_of(text)
