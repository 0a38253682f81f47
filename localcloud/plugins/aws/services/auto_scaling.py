"""Auto Scaling as boto3's client answers it: the groups of EKS node groups, kept in files.

moto's own groups would start instances, and it has one scheduled action of a name, whatever its group.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service

SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredSize": "DesiredCapacity"}
"""EKS's name of a size -> Auto Scaling's."""


class AutoScaling(Service):
    """A client of Auto Scaling in one region."""

    # --- groups ---

    def put_group(self, name: str, cluster: str, node_group: str, members: Members) -> None:
        """Store the group of an EKS node group, with the tags that EKS puts on it."""
        tags = {
            "eks:cluster-name": cluster,
            "eks:nodegroup-name": node_group,
            f"kubernetes.io/cluster/{cluster}": "owned",
            "k8s.io/cluster-autoscaler/enabled": "true",
            f"k8s.io/cluster-autoscaler/{cluster}": "owned",
        }
        self.store.put(
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
            self._put_tag(name, key, value, propagate=True)

    def put_sizes(self, name: str, scaling: Members) -> None:
        """Store the sizes of a node group."""
        group = self.store.get("group", name)
        if group is not None:
            self.store.put("group", name, thing={**group, **_sizes(scaling)})

    def remove_group(self, name: str) -> None:
        """Remove a group, with its tags and scheduled actions."""
        for noun in ("group", "tag", "schedule"):
            self.store.remove(noun, name)

    def describe_auto_scaling_groups(self, AutoScalingGroupNames: Sequence[str] = ()) -> Members:
        """Groups of some names, or all of them."""
        groups = [
            g for g in self.store.all("group") if _matches(g["AutoScalingGroupName"], AutoScalingGroupNames)
        ]
        tagged = [{**g, "Tags": list(self.store.all("tag", g["AutoScalingGroupName"]))} for g in groups]
        return {"AutoScalingGroups": tagged}

    def _group(self, name: str, operation: str) -> Members:
        group = self.store.get("group", name)
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
            self._put_tag(
                tag["ResourceId"], tag["Key"], tag.get("Value", ""), tag.get("PropagateAtLaunch", False)
            )
        return {}

    def delete_tags(self, Tags: list[Members]) -> Members:
        """Take tags from groups."""
        for tag in Tags:
            self._group(tag["ResourceId"], "DeleteTags")
            self.store.remove("tag", tag["ResourceId"], tag["Key"])
        return {}

    def describe_tags(self, Filters: list[Members]) -> Members:
        """Tags of all groups that match these filters: `auto-scaling-group` and `key`."""
        values = {rule["Name"]: rule["Values"] for rule in Filters}
        return {
            "Tags": [
                tag
                for tag in self.store.all("tag")
                if _matches(tag["ResourceId"], values.get("auto-scaling-group", ()))
                and _matches(tag["Key"], values.get("key", ()))
            ]
        }

    def _put_tag(self, group: str, key: str, value: str, propagate: bool) -> None:
        tag = {
            "ResourceId": group,
            "ResourceType": "auto-scaling-group",
            "Key": key,
            "Value": value,
            "PropagateAtLaunch": propagate,
        }
        self.store.put("tag", group, key, thing=tag)

    # --- scheduled actions ---

    def put_scheduled_update_group_action(self, **members: Any) -> Members:
        """Plan another size of a group, in place of an earlier action of this name."""
        self.validate("put_scheduled_update_group_action", members)
        group, name = members["AutoScalingGroupName"], members["ScheduledActionName"]
        self._group(group, "PutScheduledUpdateGroupAction")
        action = f"autoScalingGroupName/{group}:scheduledActionName/{name}"
        arn = self._arn("scheduledUpdateGroupAction", action)
        self.store.put("schedule", group, name, thing={**members, "ScheduledActionARN": arn})
        return {}

    def describe_scheduled_actions(
        self, AutoScalingGroupName: str, ScheduledActionNames: Sequence[str] = ()
    ) -> Members:
        """Scheduled actions of a group."""
        actions = self._actions(AutoScalingGroupName, ScheduledActionNames)
        return {"ScheduledUpdateGroupActions": list(actions)}

    def delete_scheduled_action(self, AutoScalingGroupName: str, ScheduledActionName: str) -> Members:
        """Delete a scheduled action."""
        if not list(self._actions(AutoScalingGroupName, [ScheduledActionName])):
            self.refuse(
                "ScheduledActionNotFound",
                f"Scheduled action {ScheduledActionName} not found",
                "DeleteScheduledAction",
            )
        self.store.remove("schedule", AutoScalingGroupName, ScheduledActionName)
        return {}

    def _actions(self, group: str, names: Sequence[str]) -> Iterator[Members]:
        return (a for a in self.store.all("schedule", group) if _matches(a["ScheduledActionName"], names))


def _sizes(scaling: Members) -> Members:
    return {member: scaling[name] for name, member in SIZES.items() if name in scaling}


def _matches(name: str, names: Sequence[str]) -> bool:
    return not names or name in names
