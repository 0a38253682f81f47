"""Outputs that wait for more than their own value."""

from operator import itemgetter
from typing import Any, TypeVar

import pulumi

T = TypeVar("T")


def known_after(value: pulumi.Input[T], *others: Any) -> pulumi.Output[T]:
    """The value, known only once all the others are: what needs it comes after what they belong to."""
    return pulumi.Output.all(value, *others).apply(itemgetter(0))
