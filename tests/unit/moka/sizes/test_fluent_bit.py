import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.sizes.fluent_bit import (
    LEAST_BEHIND,
    MOST_BEHIND,
    behind_seconds,
    fluent_bit_size,
    upload_seconds,
)

SETTINGS = {"drivers_behind": 60, "executors_behind": 300, "outage_hours": 4, "kib_per_second": 512}


@given(st.integers(LEAST_BEHIND, MOST_BEHIND))
def test_a_line_is_in_s3_as_early_as_the_settings_say_and_not_much_earlier(behind):
    upload = upload_seconds(behind)

    assert upload >= 1
    assert behind_seconds(upload) <= behind < behind_seconds(upload + 1)


def test_less_than_can_be_kept_is_refused():
    with pytest.raises(ValueError, match="cannot be less than 30 seconds behind"):
        upload_seconds(LEAST_BEHIND - 1)


@pytest.mark.parametrize("output", ["drivers", "executors"])
def test_what_the_jobs_of_a_node_write_in_an_outage_has_room_whichever_of_the_two_they_are(output):
    buffer = fluent_bit_size(**SETTINGS).buffers[output]

    written_mib = 4 * 3600 * 512 / 1024
    assert buffer.store + buffer.queue >= written_mib * 1.25


@given(hours=st.integers(1, 72), rate=st.integers(16, 16384))
def test_the_stated_room_is_that_of_all_buffers(hours, rate):
    size = fluent_bit_size(**SETTINGS | {"outage_hours": hours, "kib_per_second": rate})

    mib = sum(buffer.store + buffer.queue for buffer in size.buffers.values())
    assert mib <= size.gib * 1024 < mib + 1024


def test_with_the_defaults_drivers_upload_each_39_seconds_and_a_node_keeps_22_gib_at_most():
    size = fluent_bit_size(**SETTINGS)

    assert (size.drivers_upload, size.others_upload, size.gib) == (39, 245, 22)
