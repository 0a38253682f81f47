"""Where EC2 has an instance type: in which zones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from aws_rules.rule import Rule, Unknown, Verdict, Violation

OFFERED = Rule(
    name="instance-type-offered",
    authority="EKS",
    decides="whether the zones of a group have its instance types",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypeOfferings.html",
)
RULES = (OFFERED,)


def offered(
    resource: str, instance_types: Sequence[str], zones: Sequence[str], offerings: Mapping[str, Iterable[str]]
) -> Iterator[Verdict]:
    """Whether each zone has one of these instance types at least: Auto Scaling takes that.

    offerings: instance type -> zones that have it, of those types that are known at all.
    """
    unknown = [name for name in instance_types if name not in offerings]
    for name in unknown:
        yield Unknown(rule=OFFERED, resource=resource, lacks=f"the zones of instance type {name}")
    if unknown:
        return
    elsewhere = sorted(set().union(*(offerings[name] for name in instance_types)))
    for zone in zones:
        if zone not in elsewhere:
            yield Violation(
                rule=OFFERED,
                resource=resource,
                code="AsgInstanceLaunchFailures",
                # Source: EC2's error Unsupported, "Troubleshoot Amazon EC2 instance launch issues".
                message=f"Your requested instance type ({', '.join(instance_types)}) is not supported in "
                f"your requested Availability Zone ({zone}). Please retry your request by not specifying an "
                f"Availability Zone or choosing {', '.join(elsewhere)}",
                remedy="leave the zone out, or choose a type that it has",
            )
