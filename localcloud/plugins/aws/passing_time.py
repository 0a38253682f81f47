"""What Auto Scaling does by itself as time passes: scheduled actions, and even zones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.nodes import missing_machines
from localcloud.plugins.aws.api import Api, account_api
from localcloud.plugins.aws.eks_backend import have_machines
from localcloud.store import store_folder

SIZES = ("MinSize", "MaxSize", "DesiredCapacity")


@dataclass(frozen=True)
class Occurrence:
    """A scheduled action at one of its times."""

    time: datetime
    action: Mapping[str, Any]


def pass_time(cloud: Cloud, endpoint: str, before: datetime, after: datetime) -> list[str]:
    """Do what is done between two times, with the machines that follow; a sentence for each change."""
    sentences: list[str] = []
    for api, region in places(cloud, endpoint):
        scaling = api.service("autoscaling", region)
        sentences += _taken_machines(api, region)
        occurrences = [
            occurrence
            for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
            for action in scaling.describe_scheduled_actions(group["AutoScalingGroupName"])[
                "ScheduledUpdateGroupActions"
            ]
            for occurrence in occurrences_of(action, before, after)
        ]
        for occurrence in sorted(occurrences, key=lambda occurrence: occurrence.time):
            sentences.append(_perform(scaling, occurrence))
        sentences += _follow(api, region)
    return sentences


def occurrences_of(action: Mapping[str, Any], before: datetime, after: datetime) -> Iterator[Occurrence]:
    """Times of a scheduled action after one time, up to another: its cron expression's, or its only one."""
    start, end = _time(action.get("StartTime")), _time(action.get("EndTime"))
    if not action.get("Recurrence"):
        if start and before < start <= after:
            yield Occurrence(start, action)
        return
    zone = ZoneInfo(action.get("TimeZone") or "UTC")
    for time in CronSim(action["Recurrence"], before.astimezone(zone)):
        if time > after or (end and time > end):
            return
        if not start or time >= start:
            yield Occurrence(time.astimezone(UTC), action)


def sizes_after(group: Mapping[str, int], action: Mapping[str, Any]) -> dict[str, int]:
    """Sizes of a group after an action: one that it leaves out stays, and the desired one is kept in bounds.

    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html
    """
    sizes = {name: int(action.get(name, group[name])) for name in SIZES}
    sizes["DesiredCapacity"] = max(sizes["MinSize"], min(sizes["DesiredCapacity"], sizes["MaxSize"]))
    return sizes


def _perform(scaling: Any, occurrence: Occurrence) -> str:
    action, name = occurrence.action, occurrence.action["AutoScalingGroupName"]
    subject = (
        f"{occurrence.time:%Y-%m-%d %H:%M} UTC: scheduled action {action['ScheduledActionName']} of {name}"
    )
    [group] = scaling.describe_auto_scaling_groups([name])["AutoScalingGroups"]
    sizes = sizes_after(group, action)
    if sizes["MinSize"] > sizes["MaxSize"]:
        # Auto Scaling notes the failure among its activities, and goes on.
        return (
            f"{subject} failed: Min bound, {sizes['MinSize']}, must be less than or equal to max bound, "
            f"{sizes['MaxSize']} (ValidationError)."
        )
    scaling.store.update("group", name, members=sizes)
    return (
        f"{subject}: minimum {sizes['MinSize']}, maximum {sizes['MaxSize']}, desired "
        f"{group['DesiredCapacity']} -> {sizes['DesiredCapacity']}."
    )


def _taken_machines(api: Api, region: str) -> Iterator[str]:
    """Let the desired size of a group follow nodes that were deleted, as the autoscaler does it."""
    scaling = api.service("autoscaling", region)
    for group, plane in groups(api, region):
        missing = missing_machines(plane, group["nodegroupName"])
        sizes = group["scalingConfig"]
        size = max(sizes["minSize"], sizes["desiredSize"] - missing)
        if size < sizes["desiredSize"]:
            for scaling_group in group["resources"]["autoScalingGroups"]:
                scaling.set_desired_capacity(scaling_group["name"], size)
            yield (
                f"Node group {group['nodegroupName']} of {group['clusterName']}: {missing} machines were "
                f"taken away, so its desired size is {size}."
            )


def _follow(api: Api, region: str) -> Iterator[str]:
    """Make the machines of every group as Auto Scaling has it, zones even."""
    for group, _ in groups(api, region):
        name, cluster = group["nodegroupName"], group["clusterName"]
        if moves := have_machines(api, region, group):
            yield (
                f"Node group {name} of {cluster}: zones were uneven, so {', '.join(sorted(moves))} ended, "
                "with what ran there; its events say more."
            )


def groups(api: Api, region: str) -> Iterator[tuple[dict[str, Any], ControlPlane]]:
    """Node groups of a region whose clusters run here, with their control planes."""
    eks = api.service("eks", region)
    for cluster in eks.list_clusters()["clusters"]:
        plane = ControlPlane(api.cloud, cluster)
        if plane.alive():
            for name in eks.list_nodegroups(clusterName=cluster)["nodegroups"]:
                yield eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"], plane


def places(cloud: Cloud, endpoint: str) -> Iterator[tuple[Api, str]]:
    """Accounts and regions in which Auto Scaling has groups."""
    for folder in sorted(Path(store_folder(cloud)).glob("*/*/autoscaling")):
        account, region = folder.parts[-3:-1]
        yield account_api(cloud, endpoint, account, region), region


def _time(value: Any) -> datetime | None:
    if not value:
        return None
    time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return time if time.tzinfo else time.replace(tzinfo=UTC)
