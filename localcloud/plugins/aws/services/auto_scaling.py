"""Auto Scaling as boto3's client answers it: groups, those behind EKS node groups too, kept in files.

moto's own groups would start instances, and it knows one scheduled action of a name, whatever its group.
"""

from collections.abc import Sequence
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service

SIZES = {"minSize": "MinSize", "maxSize": "MaxSize", "desiredSize": "DesiredCapacity"}
"""Sizes as EKS and as Auto Scaling name them; minimum, maximum, desired."""


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
            self._put_tag(ResourceId=name, Key=key, Value=value, PropagateAtLaunch=True)

    def create_auto_scaling_group(self, **members: Any) -> Members:
        """Make a group of one's own."""
        operation = "CreateAutoScalingGroup"
        self.validate(operation, members)
        name = members["AutoScalingGroupName"]
        if self.store.get("group", name):
            message = (
                f"AutoScalingGroup by this name already exists - A group with the name {name} already exists"
            )
            self.refuse("AlreadyExists", message, operation)
        if not members.get("VPCZoneIdentifier"):
            message = "At least one Availability Zone or VPC Subnet is required."
            self.refuse("ValidationError", message, operation)
        if not members.get("LaunchTemplate") and not members.get("LaunchConfigurationName"):
            message = (
                "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or "
                "MixedInstancesPolicy parameter."
            )
            self.refuse("ValidationError", message, operation)
        settings = {key: value for key, value in members.items() if key != "Tags"}
        group = {
            "AutoScalingGroupARN": self._arn("autoScalingGroup", f"autoScalingGroupName/{name}"),
            "DesiredCapacity": members["MinSize"],
            "DefaultCooldown": 300,
            "HealthCheckType": "EC2",
            "HealthCheckGracePeriod": 0,
            "Instances": [],
            **settings,
        }
        self._check_sizes(group, operation)
        self.store.put("group", name, thing=group)
        for tag in members.get("Tags") or ():
            self._put_tag(**{"Value": "", "PropagateAtLaunch": False, **tag, "ResourceId": name})
        return {}

    def update_auto_scaling_group(self, AutoScalingGroupName: str, **members: Any) -> Members:
        """Change settings of a group. A desired size that is not given moves into the new bounds.

        https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_UpdateAutoScalingGroup.html
        """
        operation = "UpdateAutoScalingGroup"
        self.validate(operation, {"AutoScalingGroupName": AutoScalingGroupName, **members})
        self._need_group(AutoScalingGroupName, operation)
        group = {**(self.store.get("group", AutoScalingGroupName) or {}), **members}
        if "DesiredCapacity" not in members:
            capacity = max(group["MinSize"], min(group["DesiredCapacity"], group["MaxSize"]))
            group["DesiredCapacity"] = capacity
        self._check_sizes(group, operation)
        self.store.put("group", AutoScalingGroupName, thing=group)
        return {}

    def delete_auto_scaling_group(self, AutoScalingGroupName: str, ForceDelete: bool = False) -> Members:
        """Delete a group."""
        self._need_group(AutoScalingGroupName, "DeleteAutoScalingGroup")
        self.remove_group(AutoScalingGroupName)
        return {}

    def _check_sizes(self, group: Members, operation: str) -> None:
        """Refuse sizes out of order, in the words of banzaicloud/pipeline#3017."""
        minimum, maximum, desired = (group[name] for name in SIZES.values())
        if not minimum <= desired <= maximum:
            self.refuse(
                "ValidationError",
                f"Desired capacity:{desired} must be between the specified min size:{minimum} and max "
                f"size:{maximum}",
                operation,
            )

    def put_sizes(self, name: str, scaling: Members) -> None:
        """Store the sizes of a node group."""
        if self.store.get("group", name):
            self.store.update("group", name, members=_sizes(scaling))

    def sizes(self, name: str) -> Members:
        """Sizes of a group, as EKS names them."""
        group = self.store.get("group", name) or {}
        return {size: group[member] for size, member in SIZES.items() if member in group}

    def set_desired_capacity(self, AutoScalingGroupName: str, DesiredCapacity: int) -> Members:
        """Change the desired size of a group, as the autoscaler does."""
        self._need_group(AutoScalingGroupName, "SetDesiredCapacity")
        group = self.store.get("group", AutoScalingGroupName) or {}
        if not group["MinSize"] <= DesiredCapacity <= group["MaxSize"]:
            bound, size = (
                ("below min value", group["MinSize"])
                if DesiredCapacity < group["MinSize"]
                else ("above max value", group["MaxSize"])
            )
            message = (
                f"New SetDesiredCapacity value {DesiredCapacity} is {bound} {size} for the AutoScalingGroup."
            )
            self.refuse("ValidationError", message, "SetDesiredCapacity")
        self.store.update("group", AutoScalingGroupName, members={"DesiredCapacity": DesiredCapacity})
        return {}

    def lose_instance(self, name: str, *, decrement: bool) -> None:
        """Have a group lose a machine: with `decrement` it is one smaller, and never below its minimum.

        In the words of aws/aws-cli#47.
        """
        group = self.store.get("group", name) or {}
        if not decrement:
            return
        if group["DesiredCapacity"] <= group["MinSize"]:
            self.refuse(
                "ValidationError",
                f"Currently, desiredSize equals minSize ({group['MinSize']}). Terminating instance without "
                "replacement will violate group's min size constraint. Either set "
                "shouldDecrementDesiredCapacity flag to false or lower group's min size.",
                "TerminateInstanceInAutoScalingGroup",
            )
        self.store.update("group", name, members={"DesiredCapacity": group["DesiredCapacity"] - 1})

    def remove_group(self, name: str) -> None:
        """Remove a group, with its tags and scheduled actions."""
        for noun in ("group", "tag", "schedule"):
            self.store.remove(noun, name)

    def describe_auto_scaling_groups(
        self, AutoScalingGroupNames: Sequence[str] = (), Filters: Sequence[Members] = ()
    ) -> Members:
        """Groups of some names, or all of them; with tags of these values, for filters such as `tag:some`."""
        groups = [
            {**group, "Tags": list(self.store.all("tag", group["AutoScalingGroupName"]))}
            for group in self.store.all("group")
            if _matches(group["AutoScalingGroupName"], AutoScalingGroupNames)
        ]
        return {"AutoScalingGroups": [group for group in groups if _passes(group["Tags"], Filters)]}

    def _need_group(self, name: str, operation: str) -> None:
        if self.store.get("group", name) is None:
            self.refuse("ValidationError", f"AutoScalingGroup name not found - {name}", operation)

    def _arn(self, noun: str, rest: str) -> str:
        return f"arn:{self.api.partition}:autoscaling:{self.region}:{self.api.account}:{noun}:{rest}"

    # --- tags ---

    def create_or_update_tags(self, Tags: list[Members]) -> Members:
        """Put tags on groups."""
        self.validate("CreateOrUpdateTags", {"Tags": Tags})
        for tag in Tags:
            self._need_group(tag["ResourceId"], "CreateOrUpdateTags")
            self._put_tag(**{"Value": "", "PropagateAtLaunch": False, **tag})
        return {}

    def delete_tags(self, Tags: list[Members]) -> Members:
        """Take tags from groups."""
        for tag in Tags:
            self._need_group(tag["ResourceId"], "DeleteTags")
            self.store.remove("tag", tag["ResourceId"], tag["Key"])
        return {}

    def describe_tags(self, Filters: list[Members]) -> Members:
        """Tags of all groups that match these filters: `auto-scaling-group` and `key`."""
        values = {filter["Name"]: filter["Values"] for filter in Filters}
        return {
            "Tags": [
                tag
                for tag in self.store.all("tag")
                if _matches(tag["ResourceId"], values.get("auto-scaling-group", ()))
                and _matches(tag["Key"], values.get("key", ()))
            ]
        }

    def _put_tag(self, **tag: Any) -> None:
        tag["ResourceType"] = "auto-scaling-group"
        self.store.put("tag", tag["ResourceId"], tag["Key"], thing=tag)

    # --- scheduled actions ---

    def put_scheduled_update_group_action(self, **members: Any) -> Members:
        """Plan another size of a group, in place of an earlier action of this name."""
        self.validate("PutScheduledUpdateGroupAction", members)
        group, name = members["AutoScalingGroupName"], members["ScheduledActionName"]
        self._need_group(group, "PutScheduledUpdateGroupAction")
        minimum, maximum, desired = (members.get(size) for size in SIZES.values())
        if minimum is not None and desired is not None and desired < minimum:
            # The words: buildkite/terraform-buildkite-elastic-ci-stack-for-aws#146.
            self.refuse(
                "ValidationError",
                "Desired capacity must be greater than or equal to min size",
                "PutScheduledUpdateGroupAction",
            )
        if minimum is not None and maximum is not None and minimum > maximum:
            self.refuse(
                "ValidationError",
                f"Min bound, {minimum}, must be less than or equal to max bound, {maximum}",
                "PutScheduledUpdateGroupAction",
            )
        action = f"autoScalingGroupName/{group}:scheduledActionName/{name}"
        arn = self._arn("scheduledUpdateGroupAction", action)
        self.store.put("schedule", group, name, thing={**members, "ScheduledActionARN": arn})
        return {}

    def describe_scheduled_actions(
        self, AutoScalingGroupName: str, ScheduledActionNames: Sequence[str] = ()
    ) -> Members:
        """Scheduled actions of a group."""
        actions = self.store.all("schedule", AutoScalingGroupName)
        return {
            "ScheduledUpdateGroupActions": [
                action for action in actions if _matches(action["ScheduledActionName"], ScheduledActionNames)
            ]
        }

    def delete_scheduled_action(self, AutoScalingGroupName: str, ScheduledActionName: str) -> Members:
        """Delete a scheduled action."""
        key = ("schedule", AutoScalingGroupName, ScheduledActionName)
        if self.store.get(*key) is None:
            message = f"Scheduled action {ScheduledActionName} not found"
            self.refuse("ScheduledActionNotFound", message, "DeleteScheduledAction")
        self.store.remove(*key)
        return {}


def _passes(tags: Sequence[Members], filters: Sequence[Members]) -> bool:
    """Whether tags pass filters, each `tag:<key>` with values."""
    values = {f"tag:{tag['Key']}": tag["Value"] for tag in tags}
    return all(values.get(condition["Name"]) in condition["Values"] for condition in filters)


def _sizes(scaling: Members) -> Members:
    return {member: scaling[name] for name, member in SIZES.items() if name in scaling}


def _matches(name: str, names: Sequence[str]) -> bool:
    return not names or name in names
