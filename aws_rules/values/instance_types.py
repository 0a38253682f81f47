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
        yield from _verdicts(request, ("instanceTypes", index), type, code, message)


def launch_template(request: Request) -> Iterator[ValueVerdict]:
    """The type of a launch template."""
    path: Path = ("LaunchTemplateData", "InstanceType")
    type = request.value_at(*path)
    message = f"Invalid value '{type}' for InstanceType"
    yield from _verdicts(request, path, type, "InvalidParameterValue", message)


def instance(request: Request) -> Iterator[ValueVerdict]:
    """The type of an instance."""
    type = request.value_at("InstanceType")
    message = f"Invalid value '{type}' for InstanceType"
    yield from _verdicts(request, ("InstanceType",), type, "InvalidParameterValue", message)


def _verdicts(request: Request, path: Path, type: Any, code: str, message: str) -> Iterator[ValueVerdict]:
    if not isinstance(type, str):
        return
    regions = instance_types()
    offers = regions.get(request.region)
    if offers is None:
        yield request.gap(RULE, f"the instance types of region {request.region}")
    elif type not in offers:
        elsewhere = sorted(region for region, types in regions.items() if type in types)
        family, _, size = type.partition(".")
        if elsewhere:
            remedy = (
                f"choose one that {request.region} offers: this one is offered in {', '.join(elsewhere[:4])}"
            )
            yield request.misfit(RULE, path, code, message, remedy)
        elif size and not any(
            candidate.startswith(f"{family}.") for types in regions.values() for candidate in types
        ):
            # A whole family that no region has is new: AWS adds them every month.
            yield request.gap(RULE, f"instance type {type}")
        else:
            sizes = sorted(candidate for candidate in offers if family and candidate.startswith(f"{family}."))
            remedy = f"choose one that exists: {', '.join(sizes[:12]) or 'such as m7g.2xlarge'}"
            yield request.misfit(RULE, path, code, message, remedy)
