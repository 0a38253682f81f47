from datetime import UTC, datetime, timedelta

import pytest

from localcloud import clock
from localcloud.cloud import Cloud
from localcloud.errors import Refusal


def test_the_clock_of_a_cloud_goes_with_the_machines_and_can_be_moved_ahead(tmp_path):
    cloud = Cloud(tmp_path)
    assert clock.now(cloud) - datetime.now(UTC) < timedelta(seconds=5)

    clock.advance(cloud, timedelta(hours=12))
    clock.advance(cloud, timedelta(days=2))

    ahead = clock.now(cloud) - datetime.now(UTC)
    assert timedelta(hours=59) < ahead < timedelta(hours=61)


def test_durations_are_of_minutes_hours_and_days():
    assert clock.duration_of("90m") == timedelta(minutes=90)
    assert clock.duration_of("2d") == timedelta(days=2)


@pytest.mark.parametrize("text", ["", "12", "-1h", "1.5h", "1w"])
def test_another_text_is_refused(text):
    with pytest.raises(Refusal, match="is no duration: write one such as"):
        clock.duration_of(text)
