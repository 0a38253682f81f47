"""The base of the components: checked arguments, and outputs for the program."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi

from localcloud.plugins.eks.arguments import Arguments

OVERWRITE = "OVERWRITE"


class Component(pulumi.ComponentResource):
    """A component of pulumi_eks.

    Children have the logical names of the real ones: these are identities in states that may move to AWS.
    """

    TYPE: ClassVar[str]
    ARGUMENTS: ClassVar[Arguments]

    outputs: dict[str, Any]
    """Outputs for the program, by their names on the wire."""

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        self.ARGUMENTS.check(f"eks.{self.TYPE.rpartition(':')[2]} {name}", inputs)
        super().__init__(self.TYPE, name, {}, opts)

    @property
    def child(self) -> pulumi.ResourceOptions:
        """Options of a child that needs no others."""
        return pulumi.ResourceOptions(parent=self)


def configuration_json(values: Any) -> pulumi.Output[str] | None:
    """Configuration of an add-on, as EKS takes it, with sorted keys."""
    return None if values is None else pulumi.Output.from_input(values).apply(_json)


def _json(values: Any) -> str:
    return json.dumps(_whole(values), sort_keys=True, separators=(",", ":"))


def _whole(value: Any) -> Any:
    """The value with whole numbers as such: over the wire every number is a float."""
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
