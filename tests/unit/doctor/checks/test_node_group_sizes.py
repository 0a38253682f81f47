from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from doctor.checks import node_group_sizes
from doctor.checks.node_group_sizes import bounds
from tests.support.aws_stubs import lines

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)

SETTINGS = {"system": (2, 3), "driver": (1, 4), "executor": (0, 30), "shuffle": (3, 3)}


def executor(**settings):
    def change(written):
        written["clusters"]["spark-a"]["node_groups"]["executor"] |= settings

    return change


def scaling(**changes):
    """Auto Scaling with the groups of the settings, one a zone where they are so: name -> its sizes."""
    zones = {"us-east-1a": 0, "us-east-1b": 1, "us-east-1c": 2}
    sizes = {"executor": (0, 5, 30)}
    for group in ("system", "driver", "shuffle"):
        minimum, maximum = SETTINGS[group]
        for zone, part in zones.items():
            least, most = (total // 3 + (part < total % 3) for total in (minimum, maximum))
            sizes[f"{group}-{zone}"] = (least, least, most)
    groups = [
        {
            "AutoScalingGroupName": f"eks-{name}",
            "MinSize": minimum,
            "DesiredCapacity": desired,
            "MaxSize": maximum,
            "DefaultCooldown": 300,
            "AvailabilityZones": ["us-east-1a"],
            "HealthCheckType": "EC2",
            "CreatedTime": "2026-01-01T00:00:00Z",
            "Instances": [],
            "Tags": [{"Key": "eks:nodegroup-name", "Value": name}],
        }
        for name, (minimum, desired, maximum) in {**sizes, **changes}.items()
    ]
    request = {"Filters": [{"Name": "tag:eks:cluster-name", "Values": ["acme-trial-spark-a"]}]}
    return {"autoscaling": [("describe_auto_scaling_groups", request, {"AutoScalingGroups": groups})]}


def schedule(minimum):
    """A minimum from six to eight o'clock in the evening."""
    return executor(
        schedule={
            "morning": {"cron": "0 6 * * *", "minimum": minimum},
            "evening": {"cron": "0 20 * * *", "minimum": 0},
        }
    )


@pytest.fixture(autouse=True)
def _noon(monkeypatch):
    monkeypatch.setattr(node_group_sizes, "datetime", SimpleNamespace(now=lambda zone: NOON))


COMMAND = "`aws eks update-nodegroup-config --cluster-name acme-trial-spark-a --nodegroup-name executor"


@pytest.mark.parametrize(
    ("change", "live"),
    [
        (executor(), (0, 5, 30)),
        (schedule(minimum=4), (4, 5, 30)),
    ],
)
def test_bounds_of_the_settings_are_fine_and_of_the_last_time_of_a_schedule(place, change, live):
    assert lines(bounds, place(change, stubbed=scaling(executor=live))) == [
        "ok main/spark-a Auto Scaling has the bounds of the settings of 10 node groups."
    ]


@pytest.mark.parametrize(
    ("change", "live", "says", "remedy"),
    [
        # What a schedule left that was taken out.
        (
            executor(),
            (4, 5, 20),
            "from 4 to 20 machines, and by the settings from 0 to 30.",
            "minSize=0,maxSize=30`",
        ),
        # A new generation, or another maximum beside a schedule: its minimum is not in force yet.
        (
            schedule(minimum=6),
            (0, 5, 30),
            "by the settings from 6 to 30. The next time of its schedule sets them; before that",
            "minSize=6,maxSize=30,desiredSize=6`",
        ),
        (
            executor(maximum=10),
            (0, 12, 30),
            "Set the settings to what it has, or `moka shrink trial spark-a executor --by 2`, then",
            "minSize=0,maxSize=10`",
        ),
    ],
)
def test_other_bounds_are_shown_with_the_command_that_sets_them(place, change, live, says, remedy):
    warning, right = lines(bounds, place(change, stubbed=scaling(executor=live)))

    assert warning.startswith("warning main/spark-a Node group executor may have from ")
    assert says in warning
    assert warning.endswith(f"{COMMAND} --scaling-config {remedy}.")
    assert right.endswith("of 9 node groups.")


def test_of_a_cluster_that_is_not_there_nothing_is_said(place):
    empty = {"autoscaling": [(*scaling()["autoscaling"][0][:2], {"AutoScalingGroups": []})]}

    assert lines(bounds, place(stubbed=empty)) == []
