"""Transforms of resources that a third-party component makes."""

from collections.abc import Callable, Mapping
from typing import Any

import pulumi


def transform_of(
    type_: str, change: Callable[[Mapping[str, Any]], dict[str, Any]], options: pulumi.ResourceOptions
) -> pulumi.ResourceTransform:
    """A transform of the resources of one type only: their inputs are changed, and options are added."""

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != type_:
            return None
        return pulumi.ResourceTransformResult(
            change(args.props), pulumi.ResourceOptions.merge(args.opts, options)
        )

    return transform
