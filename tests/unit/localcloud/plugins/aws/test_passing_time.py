from datetime import UTC, datetime

import pytest

from localcloud.plugins.aws.passing_time import occurrences_of, sizes_after

NIGHT = {
    "AutoScalingGroupName": "eks-executor",
    "ScheduledActionName": "night",
    "Recurrence": "0 21 * * *",
    "TimeZone": "America/New_York",
    "MinSize": 180,
}
GROUP = {"MinSize": 20, "MaxSize": 200, "DesiredCapacity": 30}


def at(day, hour, month=11):
    return datetime(2026, month, day, hour, tzinfo=UTC)


def times(action, before, after):
    return [occurrence.time for occurrence in occurrences_of(action, before, after)]


def test_a_scheduled_action_is_done_at_its_times_in_its_time_zone():
    assert times(NIGHT, at(20, 12), at(22, 12)) == [at(21, 2), at(22, 2)]
    # Summer time: an hour earlier by the clock of UTC.
    assert times(NIGHT, at(1, 12, month=7), at(2, 12, month=7)) == [at(2, 1, month=7)]


def test_a_time_that_was_passed_is_not_passed_again():
    assert times(NIGHT, at(21, 2), at(21, 12)) == []


def test_an_action_without_recurrence_is_done_once_and_one_that_has_ended_never():
    once = {**NIGHT, "Recurrence": "", "StartTime": "2026-11-21T02:00:00Z"}

    assert times(once, at(20, 12), at(25, 12)) == [at(21, 2)]
    assert times({**NIGHT, "EndTime": "2026-11-21T02:30:00Z"}, at(20, 12), at(25, 12)) == [at(21, 2)]


@pytest.mark.parametrize(
    ("action", "sizes"),
    [
        ({"MinSize": 180}, (180, 200, 180)),
        ({"MinSize": 20}, (20, 200, 30)),
        ({"MaxSize": 25}, (20, 25, 25)),
        ({"DesiredCapacity": 0}, (20, 200, 20)),
    ],
)
def test_an_action_changes_what_it_names_and_keeps_the_desired_size_in_bounds(action, sizes):
    assert tuple(sizes_after(GROUP, action).values()) == sizes
