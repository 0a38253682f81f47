"""The base of the components: checked arguments, and outputs for the program."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi

from localcloud.plugins.components.arguments import Arguments


class Component(pulumi.ComponentResource):
    """A component of a package, made here as its real plugin makes it.

    Children have the logical names of the real ones: these are identities in states that may move to AWS.
    """

    TYPE: ClassVar[str]
    ARGUMENTS: ClassVar[Arguments]

    outputs: dict[str, Any]
    """Outputs for the program, by their names on the wire."""

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        package, _, kind = self.TYPE.split(":")
        self.ARGUMENTS.check(f"{package}.{kind} {name}", inputs)
        super().__init__(self.TYPE, name, {}, opts)

    @property
    def child(self) -> pulumi.ResourceOptions:
        """Options of a child that needs no others."""
        return pulumi.ResourceOptions(parent=self)
