import pytest

from tests.support.wrong_settings import REMOVED, Changes

GROUPS = "clusters.spark-a.node_groups"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "sizes out of order": (
        {f"{GROUPS}.system.minimum": 5, f"{GROUPS}.system.desired": 3},
        f"{GROUPS}.system: sizes must be in order, minimum <= desired <= maximum, but are 5, 3, 4.",
    ),
    "an instance type of the other architecture": (
        {f"{GROUPS}.driver-amd64.instance_types": ["r6i.2xlarge", "r7g.2xlarge"]},
        f"{GROUPS}.driver-amd64.instance_types: r7g.2xlarge is arm64, but the group is amd64; move it "
        "to a group for arm64.",
    ),
    "machines with and without GPUs in one group": (
        {f"{GROUPS}.executor-amd64.instance_types": ["g5.4xlarge", "r6i.4xlarge"]},
        f"{GROUPS}.executor-amd64.instance_types: g5.4xlarge with GPUs and r6i.4xlarge without need "
        "different machine images; split them into two groups.",
    ),
    "a role that no group has": (
        {f"{GROUPS}.driver-arm64": REMOVED, f"{GROUPS}.driver-amd64": REMOVED},
        f"{GROUPS}: has no group with role driver, so its pods would wait for ever; add one.",
    ),
    "drivers on spot": (
        {f"{GROUPS}.driver-arm64.spot": True},
        f"{GROUPS}.driver-arm64.spot: a driver node on spot can be reclaimed at any time, and its "
        "jobs would fail; remove spot.",
    ),
    "spot in a batch cluster": (
        {"clusters.spark-a.profile": "batch"},
        f"{GROUPS}.executor-arm64.spot: a batch cluster has only on-demand or reserved machines; "
        "remove spot.",
    ),
    "a batch cluster whose size moves": (
        {"clusters.spark-a.profile": "batch"},
        f"{GROUPS}.system.maximum: is 4, but minimum is 2; a batch cluster has a fixed size, so make "
        "them equal or add a schedule.",
    ),
    "a zone that the foundation lacks": (
        {f"{GROUPS}.system.zones": ["us-east-1f"]},
        f"{GROUPS}.system.zones: foundation 'main' has no zone us-east-1f; it has us-east-1a, "
        "us-east-1b, us-east-1c.",
    ),
    "executors away from their shuffle workers": (
        {f"{GROUPS}.shuffle.zones": ["us-east-1b"]},
        f"{GROUPS}.executor-arm64.zones: are us-east-1a, us-east-1b, us-east-1c, but shuffle workers "
        "are only in us-east-1b; put executors only there, or set per_zone: true with executor_zone: one, or "
        "every shuffle crosses zones.",
    ),
    "executors in all zones of which none is chosen": (
        {
            f"{GROUPS}.shuffle.zones": ["us-east-1b"],
            f"{GROUPS}.executor-arm64.per_zone": True,
            "clusters.spark-a.executor_zone": "any",
        },
        f"{GROUPS}.executor-arm64.zones: are us-east-1a, us-east-1b, us-east-1c, but shuffle workers ",
    ),
    "fewer machines than zones with a group each": (
        {f"{GROUPS}.executor-arm64": {"per_zone": True, "maximum": 2, "desired": 1}},
        f"{GROUPS}.executor-arm64.maximum: is 2 for a group in each of 3 zones; raise it to at least 3, "
        "or name fewer zones.",
    ),
    "more nodes in a group than EKS takes": (
        {f"{GROUPS}.executor-arm64.maximum": 600},
        f"{GROUPS}.executor-arm64.maximum: is 600, but EKS allows 450 nodes in a group; make several "
        "groups, or set per_zone: true.",
    ),
    "more groups in a cluster than EKS takes": (
        {f"{GROUPS}.{f'more-{number}'}": "copy of executor-amd64" for number in range(17)},
        f"{GROUPS}: make 31 managed node groups with their zones and generations, but EKS allows 30 "
        "in a cluster; merge some.",
    ),
    "a schedule above the maximum": (
        {f"{GROUPS}.executor-arm64.schedule": {"night": {"cron": "0 20 * * *", "minimum": 100}}},
        "schedule.night.minimum: is 100, above the group's maximum of 8",
    ),
    "a schedule that is no cron": (
        {f"{GROUPS}.executor-arm64.schedule": {"night": {"cron": "at eight", "minimum": 1}}},
        "schedule.night.cron: is 'at eight'; cron has five fields, and this 2; write minute, hour, day of",
    ),
    "a time zone that is none": (
        {f"{GROUPS}.executor-arm64.time_zone": "Mars/Olympus"},
        f"{GROUPS}.executor-arm64.time_zone: is 'Mars/Olympus', which is no known time zone; write "
        "one such as Europe/Berlin.",
    ),
    "a reservation for spot machines": (
        {f"{GROUPS}.executor-arm64.capacity_reservations": {"us-east-1a": "cr-0123456789abcdef0"}},
        f"{GROUPS}.executor-arm64.capacity_reservations: spot machines cannot use a reservation; "
        "remove spot.",
    ),
    "a reservation for several zones": (
        {
            f"{GROUPS}.system.capacity_reservations": {"us-east-1a": "cr-0123456789abcdef0"},
            f"{GROUPS}.system.per_zone": False,
        },
        f"{GROUPS}.system.capacity_reservations: a reservation is for one zone; set per_zone: true, "
        "or zones to that one.",
    ),
    "a generation that retires before it was there": (
        {f"{GROUPS}.system.retiring": {1: {"instance_types": ["m6g.2xlarge"]}}},
        f"{GROUPS}.system.retiring.1: is no generation before the group's own, 1, counted from 1; "
        "correct the number, or raise generation.",
    ),
    "a machine image for another Kubernetes": (
        {f"{GROUPS}.system.ami_release": "1.30.4-20260101"},
        f"{GROUPS}.system.ami_release: is '1.30.4-20260101', but the cluster's Kubernetes version is "
        "1.35; use a release for that version.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
