"""What comes after what: outputs and resources that wait for more than what they are made of."""

from operator import itemgetter
from typing import Any, TypeVar

import pulumi

T = TypeVar("T")


def known_after(value: pulumi.Input[T], *others: Any) -> pulumi.Output[T]:
    """The value, known only once all the others are: what needs it comes after what they belong to."""
    return pulumi.Output.all(value, *others).apply(itemgetter(0))


def after(opts: pulumi.ResourceOptions, *resources: pulumi.Resource) -> pulumi.ResourceOptions:
    """Options of a resource that also depends on these."""
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(resources)))


def after_outputs(opts: pulumi.ResourceOptions, *outputs: pulumi.Input[Any]) -> pulumi.ResourceOptions:
    """Options of a resource that comes after what these outputs are of, and is deleted before it."""
    whole: pulumi.Output[list[pulumi.Resource]] = pulumi.Output.all(*outputs).apply(lambda _: [])
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=whole))
