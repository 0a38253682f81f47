"""What the launch template of a managed node group may have."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from localcloud.rules.rule import Rule, Verdict, Violation

GROUP_TEMPLATE = Rule(
    name="group-templates",
    authority="EKS",
    decides="what the launch template of a node group may have",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
)
RULES = (GROUP_TEMPLATE,)

Data = Mapping[str, Any]


def _subnets(data: Data) -> bool:
    return any("SubnetId" in interface for interface in data.get("NetworkInterfaces", ()))


# What EC2 takes, and EKS does not: whether a template has it, code, message and remedy. Words of the second:
# hashicorp/terraform-provider-aws#15118; the others are those of the source.
PROHIBITED: tuple[tuple[Callable[[Data], Any], str, str, str], ...] = (
    (
        _subnets,
        "InvalidParameterException",
        "Subnets are not supported with the launch template",
        "name them in the node group",
    ),
    (
        lambda data: data.get("InstanceMarketOptions"),
        "InvalidParameterException",
        "Instance market options are not supported with the launch template",
        "set capacityType of the node group",
    ),
    (
        lambda data: data.get("IamInstanceProfile"),
        "InvalidParameterException",
        "IAM instance profiles are not supported with the launch template",
        "set nodeRoleArn of the node group",
    ),
    (
        lambda data: data.get("InstanceInitiatedShutdownBehavior"),
        "InvalidParameterException",
        "Shutdown behavior is not supported with the launch template",
        "leave it out, as EKS controls the lifecycle of instances",
    ),
    (
        lambda data: (data.get("HibernationOptions") or {}).get("Configured"),
        "InvalidParameterException",
        "Stop - Hibernate behavior is not supported with the launch template",
        "leave it out, as EKS controls the lifecycle of instances",
    ),
)


def group_template(resource: str, data: Data, group: Mapping[str, Any]) -> Iterator[Verdict]:
    """What EKS refuses in the template of a group, of which `group` has the members of the call."""

    def violation(code: str, message: str, remedy: str) -> Violation:
        return Violation(rule=GROUP_TEMPLATE, resource=resource, code=code, message=message, remedy=remedy)

    for prohibited, code, message, remedy in PROHIBITED:
        if prohibited(data):
            yield violation(code, message, remedy)
    if data.get("InstanceType") and group.get("instanceTypes"):
        # terraform-aws-modules/terraform-aws-eks#1386 has EKS's words.
        yield violation(
            "InvalidRequestException",
            "Cannot specify instance types in launch template and API request",
            "leave instanceType out of the template",
        )
