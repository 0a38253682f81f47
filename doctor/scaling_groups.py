"""Auto Scaling groups behind the managed node groups of a cluster."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moka.machines.departure import Bounds

if TYPE_CHECKING:
    # boto3 is half a second of loading, which only some subcommands need.
    from doctor.account import Place

CLUSTER_TAG, GROUP_TAG = "eks:cluster-name", "eks:nodegroup-name"
"""Tags that EKS gives the Auto Scaling group of a managed one."""


@dataclass(frozen=True, kw_only=True)
class ScalingGroup:
    """The Auto Scaling group of a managed node group; instances: id -> state in its life."""

    bounds: Bounds
    maximum: int
    instances: Mapping[str, str]


def scaling_groups(place: "Place", cluster: str, groups: Iterable[str]) -> dict[str, ScalingGroup]:
    """Managed node group of a cluster -> its Auto Scaling group. Raises NoAnswer.

    cluster: name in EKS. groups: names of managed groups; one that EKS does not have is left out.
    """
    by_group = {}
    names = set(groups)
    for group in place.items(
        "autoscaling",
        "describe_auto_scaling_groups",
        "AutoScalingGroups",
        Filters=[{"Name": f"tag:{CLUSTER_TAG}", "Values": [cluster]}],
    ):
        name = next((tag["Value"] for tag in group["Tags"] if tag["Key"] == GROUP_TAG), None)
        if name in names:
            by_group[name] = ScalingGroup(
                bounds=Bounds(minimum=group["MinSize"], desired=group["DesiredCapacity"]),
                maximum=group["MaxSize"],
                instances={
                    instance["InstanceId"]: instance["LifecycleState"] for instance in group["Instances"]
                },
            )
    return by_group
