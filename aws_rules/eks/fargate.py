"""Fargate profiles: the subnets that EKS takes for their pods."""

from collections.abc import Iterable, Iterator

from aws_rules.rule import Rule, Violation

FARGATE_SUBNETS = Rule(
    name="fargate-subnets",
    authority="EKS",
    decides="whether the subnets of a Fargate profile have no route to an internet gateway",
    source="https://docs.aws.amazon.com/eks/latest/userguide/fargate-profile.html",
    further=("awslabs/eks-perf-tests#195",),
)
RULES = (FARGATE_SUBNETS,)


def fargate_subnets(profile: str, public: Iterable[str]) -> Iterator[Violation]:
    """What EKS refuses of a profile's subnets; public: ids of those with a route to an internet gateway."""
    for subnet in public:
        yield Violation(
            rule=FARGATE_SUBNETS,
            resource=profile,
            code="InvalidParameterException",
            message=f"Subnet {subnet} provided in Fargate Profile is not a private subnet",
            remedy="name subnets whose route table has no route to an internet gateway",
        )
