"""Arguments of the real components: those that are served, and what to do instead of the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from localcloud.errors import Refusal


@dataclass(frozen=True)
class Arguments:
    """The arguments of one component, by their names on the wire.

    served: done as the real component does it.
    refused: not served -> what to do instead.
    nested: objects -> their arguments.
    required: optional for the real component, and required here -> what to do.
    """

    served: frozenset[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    nested: Mapping[str, "Arguments"] = field(default_factory=dict)
    required: Mapping[str, str] = field(default_factory=dict)

    def check(self, component: str, arguments: Mapping[str, Any], path: str = "") -> None:
        """Raise Refusal at the first argument that is not served; `component` is for the message."""
        for name, value in arguments.items():
            if name in self.refused:
                raise Refusal(
                    f"{component}: the laptop cloud does not serve {path}{name}: {self.refused[name]}."
                )
            if name not in self.served:
                raise Refusal(
                    f"{component}: there is no argument {path}{name}: correct its name or leave it out."
                )
            if name in self.nested and isinstance(value, Mapping):
                self.nested[name].check(component, value, f"{path}{name}.")
        for name, remedy in self.required.items():
            if not arguments.get(name):
                raise Refusal(f"{component}: the laptop cloud requires {path}{name}: {remedy}.")
