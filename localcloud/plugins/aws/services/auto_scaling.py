"""Auto Scaling as boto3's client answers it: the groups behind EKS node groups, kept in files.

moto's own groups would start instances, and it knows one scheduled action of a name, whatever its group.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service

SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredSize": "DesiredCapacity"}
"""Sizes as EKS and as Auto Scaling name them."""


class AutoScaling(Service):
    """A client of Auto Scaling in one region."""

    # --- groups ---

    def keep_group(self, name: str, cluster: str, node_group: str, members: Members) -> None:
        """Keep the group of an EKS node group, with the tags that EKS gives it."""
        tags = {
            "eks:cluster-name": cluster,
            "eks:nodegroup-name": node_group,
            f"kubernetes.io/cluster/{cluster}": "owned",
            "k8s.io/cluster-autoscaler/enabled": "true",
            f"k8s.io/cluster-autoscaler/{cluster}": "owned",
        }
        self.kept.put(
            "group",
            name,
            thing={
                "AutoScalingGroupName": name,
                "AutoScalingGroupARN": self._arn("autoScalingGroup", f"autoScalingGroupName/{name}"),
                "VPCZoneIdentifier": ",".join(members["subnets"]),
                "Instances": [],
                **_sizes(members.get("scalingConfig") or {}),
            },
        )
        for key, value in tags.items():
            self._keep_tag(name, key, value, propagate=True)

    def keep_sizes(self, name: str, scaling: Members) -> None:
        """Keep the sizes that EKS says."""
        group = self.kept.get("group", name)
        if group is not None:
            self.kept.put("group", name, thing={**group, **_sizes(scaling)})

    def forget_group(self, name: str) -> None:
        """Forget a group, and what is planned for it."""
        for noun in ("group", "tag", "schedule"):
            self.kept.remove(noun, name)

    def describe_auto_scaling_groups(self, AutoScalingGroupNames: Sequence[str] = ()) -> Members:
        """Groups of some names, or all of them."""
        groups = [
            g for g in self.kept.all("group") if _named(g["AutoScalingGroupName"], AutoScalingGroupNames)
        ]
        tagged = [{**g, "Tags": list(self.kept.all("tag", g["AutoScalingGroupName"]))} for g in groups]
        return {"AutoScalingGroups": tagged}

    def _group(self, name: str, operation: str) -> Members:
        group = self.kept.get("group", name)
        if group is None:
            self.refuse("ValidationError", f"AutoScalingGroup name not found - {name}", operation)
        return group

    def _arn(self, noun: str, rest: str) -> str:
        return f"arn:{self.api.partition}:autoscaling:{self.region}:{self.api.account}:{noun}:{rest}"

    # --- tags ---

    def create_or_update_tags(self, Tags: list[Members]) -> Members:
        """Put tags on groups."""
        self.validate("create_or_update_tags", {"Tags": Tags})
        for tag in Tags:
            self._group(tag["ResourceId"], "CreateOrUpdateTags")
            self._keep_tag(
                tag["ResourceId"], tag["Key"], tag.get("Value", ""), tag.get("PropagateAtLaunch", False)
            )
        return {}

    def delete_tags(self, Tags: list[Members]) -> Members:
        """Take tags from groups."""
        for tag in Tags:
            self._group(tag["ResourceId"], "DeleteTags")
            self.kept.remove("tag", tag["ResourceId"], tag["Key"])
        return {}

    def describe_tags(self, Filters: list[Members]) -> Members:
        """Tags of all groups that these filters let through: `auto-scaling-group` and `key`."""
        wanted = {each["Name"]: each["Values"] for each in Filters}
        return {
            "Tags": [
                tag
                for tag in self.kept.all("tag")
                if _named(tag["ResourceId"], wanted.get("auto-scaling-group", ()))
                and _named(tag["Key"], wanted.get("key", ()))
            ]
        }

    def _keep_tag(self, group: str, key: str, value: str, propagate: bool) -> None:
        tag = {
            "ResourceId": group,
            "ResourceType": "auto-scaling-group",
            "Key": key,
            "Value": value,
            "PropagateAtLaunch": propagate,
        }
        self.kept.put("tag", group, key, thing=tag)

    # --- scheduled actions ---

    def put_scheduled_update_group_action(self, **members: Any) -> Members:
        """Plan another size of a group, in place of what was planned under this name."""
        self.validate("put_scheduled_update_group_action", members)
        group, name = members["AutoScalingGroupName"], members["ScheduledActionName"]
        self._group(group, "PutScheduledUpdateGroupAction")
        action = f"autoScalingGroupName/{group}:scheduledActionName/{name}"
        arn = self._arn("scheduledUpdateGroupAction", action)
        self.kept.put("schedule", group, name, thing={**members, "ScheduledActionARN": arn})
        return {}

    def describe_scheduled_actions(
        self, AutoScalingGroupName: str, ScheduledActionNames: Sequence[str] = ()
    ) -> Members:
        """What is planned for a group."""
        actions = self._planned(AutoScalingGroupName, ScheduledActionNames)
        return {"ScheduledUpdateGroupActions": list(actions)}

    def delete_scheduled_action(self, AutoScalingGroupName: str, ScheduledActionName: str) -> Members:
        """Plan something no longer."""
        if not list(self._planned(AutoScalingGroupName, [ScheduledActionName])):
            self.refuse(
                "ScheduledActionNotFound",
                f"Scheduled action {ScheduledActionName} not found",
                "DeleteScheduledAction",
            )
        self.kept.remove("schedule", AutoScalingGroupName, ScheduledActionName)
        return {}

    def _planned(self, group: str, names: Sequence[str]) -> Iterator[Members]:
        return (a for a in self.kept.all("schedule", group) if _named(a["ScheduledActionName"], names))


def _sizes(scaling: Members) -> Members:
    return {member: scaling[name] for name, member in SIZES.items() if name in scaling}


def _named(name: str, names: Sequence[str]) -> bool:
    return not names or name in names
