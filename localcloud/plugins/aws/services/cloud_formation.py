"""CloudFormation as boto3's client answers it: stacks in files, of Auto Scaling groups only.

What a template makes is made by the same calls as a program's own, so that the same rules refuse it; moto's
stacks would make theirs inside moto, past them.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.services.base import Members, Service, now

GROUP = "AWS::AutoScaling::AutoScalingGroup"
WHOLE = ("MinSize", "MaxSize", "DesiredCapacity")


class CloudFormation(Service):
    """A client of CloudFormation in one region."""

    def create_stack(self, **members: Any) -> Members:
        """Make a stack, and what its template has."""
        self.validate("CreateStack", members)
        name = members["StackName"]
        if self.store.get("stack", name):
            self.refuse("AlreadyExistsException", f"Stack [{name}] already exists", "CreateStack")
        template = parsed(members.get("TemplateBody") or "", name)
        place = f"{self.region}:{self.api.account}:stack/{name}"
        stack = {
            "StackName": name,
            "StackId": f"arn:{self.api.partition}:cloudformation:{place}/{uuid.uuid4()}",
            "StackStatus": "CREATE_COMPLETE",
            "CreationTime": now(),
            "DisableRollback": bool(members.get("DisableRollback")),
            "Capabilities": members.get("Capabilities") or [],
            "Tags": members.get("Tags") or [],
            "TemplateBody": members["TemplateBody"],
            "Resources": {},
        }
        for logical, resource in template["Resources"].items():
            physical = f"{name}-{logical}-{uuid.uuid4().hex[:12].upper()}"
            group, tags = group_members(resource, physical)
            # What follows fails as the group does, and then there is no stack: CloudFormation rolls back.
            self._scaling.create_auto_scaling_group(AutoScalingGroupName=physical, **group, Tags=tags)
            stack["Resources"][logical] = physical
        self._put(stack, template)
        return {"StackId": stack["StackId"]}

    def update_stack(self, **members: Any) -> Members:
        """Change what a stack has to what another template says."""
        self.validate("UpdateStack", members)
        stack = self._stack(members["StackName"], "UpdateStack")
        template = parsed(members.get("TemplateBody") or "", stack["StackName"])
        if template["Resources"].keys() != stack["Resources"].keys():
            raise Refusal(
                f"aws.cloudformation.Stack {stack['StackName']}: the laptop cloud changes what a stack has, "
                "and adds and removes nothing: make another stack."
            )
        for logical, physical in stack["Resources"].items():
            group, tags = group_members(template["Resources"][logical], physical)
            self._scaling.update_auto_scaling_group(AutoScalingGroupName=physical, **group)
            self._scaling.create_or_update_tags(Tags=tags)
        stack |= {name: members[name] for name in ("TemplateBody", "Tags") if name in members}
        self._put({**stack, "StackStatus": "UPDATE_COMPLETE"}, template)
        return {"StackId": stack["StackId"]}

    def describe_stacks(self, StackName: str) -> Members:
        """One stack."""
        return {"Stacks": [self._stack(StackName, "DescribeStacks")]}

    def list_stack_resources(self, StackName: str) -> Members:
        """What a stack has."""
        resources = self._stack(StackName, "ListStackResources")["Resources"]
        return {
            "StackResourceSummaries": [
                {"LogicalResourceId": logical, "PhysicalResourceId": physical, "ResourceType": GROUP}
                for logical, physical in resources.items()
            ]
        }

    def get_template(self, StackName: str) -> Members:
        """The template of a stack."""
        return {"TemplateBody": self._stack(StackName, "GetTemplate")["TemplateBody"]}

    def delete_stack(self, StackName: str) -> Members:
        """Delete a stack with what it has; fine when it is gone."""
        if stack := self.store.get("stack", _name(StackName)):
            for physical in stack["Resources"].values():
                try:
                    self._scaling.delete_auto_scaling_group(AutoScalingGroupName=physical)
                except Exception as error:
                    if not not_found(error) and "not found" not in str(error):
                        raise
            self.store.remove("stack", stack["StackName"])
        return {}

    @property
    def _scaling(self) -> Any:
        return self.api.service("autoscaling", self.region)

    def _stack(self, name: str, operation: str) -> Members:
        stack = self.store.get("stack", _name(name))
        if stack is None:
            self.refuse("StackNotFoundException", f"Stack with id {name} does not exist", operation)
        return dict(stack)

    def _put(self, stack: Members, template: Mapping[str, Any]) -> None:
        outputs = {
            key: stack["Resources"].get(output["Value"].removeprefix(REFERENCE), output["Value"])
            for key, output in (template.get("Outputs") or {}).items()
        }
        output_list = [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]
        self.store.put("stack", stack["StackName"], thing={**stack, "Outputs": output_list})


REFERENCE = "Ref "
"""Before the name that `!Ref` has in a template that was read."""


def parsed(text: str, stack: str) -> Mapping[str, Any]:
    """A template with what it makes. Raises Refusal for one that has something else than is followed here."""
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML with CloudFormation's short forms, of which one is followed."""

    Loader.add_constructor("!Ref", lambda loader, node: f"{REFERENCE}{node.value}")
    about = f"aws.cloudformation.Stack {stack}"
    try:
        template = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise Refusal(
            f"{about}: its template is not YAML, or has what is not followed here: {error}."
        ) from None
    resources = template.get("Resources") if isinstance(template, dict) else None
    if not resources:
        message = "Template format error: At least one Resources member must be defined."
        raise Refusal(f"{about}: AWS would refuse this: {message}")
    other_types = sorted({resource.get("Type", "nothing") for resource in resources.values()} - {GROUP})
    if other_types or template.get("Parameters"):
        subject = ", ".join(other_types) or "parameters"
        raise Refusal(
            f"{about}: {subject} in a template is not simulated by the laptop cloud, which takes {GROUP} "
            "only: make it by a resource of the program."
        )
    return dict(template)


def group_members(resource: Mapping[str, Any], name: str) -> tuple[Members, list[Members]]:
    """Members of Auto Scaling's calls for a group in a template, and its tags."""
    properties = dict(resource.get("Properties") or {})
    tags = [
        {
            **tag,
            "PropagateAtLaunch": _true(tag.get("PropagateAtLaunch")),
            "ResourceId": name,
            "ResourceType": "auto-scaling-group",
        }
        for tag in properties.pop("Tags", None) or ()
    ]
    members: Members = {key: int(value) if key in WHOLE else value for key, value in properties.items()}
    subnets = members.get("VPCZoneIdentifier")
    if isinstance(subnets, list):
        members["VPCZoneIdentifier"] = ",".join(sorted(subnets))
    return members, tags


def _true(value: Any) -> bool:
    return str(value).lower() == "true"


def _name(name_or_arn: str) -> str:
    return name_or_arn.split("/")[1] if name_or_arn.startswith("arn:") else name_or_arn
