"""Sizes of a managed node group: at every change the desired size is within the bounds."""

from collections.abc import Iterator, Mapping

from aws_rules.rule import Rule, Violation

SIZES = Rule(
    name="node-group-sizes",
    authority="EKS",
    decides="whether a node group's desired size is within its bounds, at creation and at every change",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html",
    # Its words.
    further=("terraform-aws-modules/terraform-aws-eks#2508", "terraform-aws-modules/terraform-aws-eks#3306"),
)

RULES = (SIZES,)

Sizes = Mapping[str, int]
"""`minSize`, `maxSize`, `desiredSize`, as EKS names them."""


def sizes(group: str, request: Sizes, live: Sizes | None = None) -> Iterator[Violation]:
    """What EKS refuses of the sizes in a request.

    group: as an engineer names it. live: of a group that exists; a size that the request leaves out stays.
    """
    new = {**(live or {}), **request}
    minimum, desired, maximum = (new.get(name) for name in ("minSize", "desiredSize", "maxSize"))
    if minimum is not None and desired is not None and minimum > desired:
        yield _violation(
            group,
            "minSize can't be greater than desiredSize"
            if live is None
            else f"Minimum capacity {minimum} can't be greater than desired size {desired}",
            f"give a desired size of {minimum} with the new minimum",
        )
    if desired is not None and maximum is not None and desired > maximum:
        yield _violation(
            group,
            "desiredSize can't be greater than maxSize"
            if live is None
            else f"desired capacity {desired} can't be greater than max size {maximum}",
            f"give a desired size of {maximum} at most with the new maximum",
        )
    if minimum is not None and maximum is not None and minimum > maximum:
        yield _violation(
            group, "minSize can't be greater than maxSize", "raise the maximum, or lower the minimum"
        )


def _violation(group: str, message: str, remedy: str) -> Violation:
    return Violation(
        rule=SIZES, resource=group, code="InvalidParameterException", message=message, remedy=remedy
    )
