"""Types of instances, by region."""

from collections.abc import Iterator
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Path, Request, ValueVerdict
from aws_rules.values.schemas import instance_types

RULE = Rule(
    name="instance-types-of-region",
    authority="AWS",
    decides="whether a region offers a type of instance",
    source="aws-cloudformation/cfn-lint: "
    "src/cfnlint/data/schemas/extensions/aws_ec2_instance/instancetype_enum.json",
)

RULES = (RULE,)


def node_group(request: Request) -> Iterator[ValueVerdict]:
    """The types of a node group."""
    types = request.value_at("instanceTypes")
    for index, type in enumerate(types if isinstance(types, list) else ()):
        code = "InvalidParameterException"
        message = f"The following supplied instance types do not exist: [{type}]"
        yield from _offered(request, ("instanceTypes", index), type, code, message)


def launch_template(request: Request) -> Iterator[ValueVerdict]:
    """The type of a launch template."""
    path: Path = ("LaunchTemplateData", "InstanceType")
    type = request.value_at(*path)
    message = f"Invalid value '{type}' for InstanceType"
    yield from _offered(request, path, type, "InvalidParameterValue", message)


def instance(request: Request) -> Iterator[ValueVerdict]:
    """The type of an instance."""
    type = request.value_at("InstanceType")
    message = f"Invalid value '{type}' for InstanceType"
    yield from _offered(request, ("InstanceType",), type, "InvalidParameterValue", message)


def _offered(request: Request, path: Path, type: Any, code: str, message: str) -> Iterator[ValueVerdict]:
    if not isinstance(type, str):
        return
    regions = instance_types()
    offered = regions.get(request.region)
    if offered is None:
        yield request.gap(RULE, f"the instance types of region {request.region}")
    elif type not in offered:
        elsewhere = sorted(region for region, types in regions.items() if type in types)
        family, _, size = type.partition(".")
        if elsewhere:
            remedy = (
                f"choose one that {request.region} offers: this one is offered in {', '.join(elsewhere[:4])}"
            )
            yield request.misfit(RULE, path, code, message, remedy)
        elif size and not any(
            known.startswith(f"{family}.") for types in regions.values() for known in types
        ):
            # A whole family that no region has is new: AWS adds them every month.
            yield request.gap(RULE, f"instance type {type}")
        else:
            sizes = sorted(known for known in offered if family and known.startswith(f"{family}."))
            remedy = f"choose one that exists: {', '.join(sizes[:12]) or 'such as m7g.2xlarge'}"
            yield request.misfit(RULE, path, code, message, remedy)
