"""IAM policies in the inputs of resources."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies.pack.resource import Resource, mapping, text


@dataclass(frozen=True)
class Statement:
    """A statement of a policy, with lists where AWS takes a single value as well.

    number: from 1, where it has no Sid.
    """

    content: Mapping[str, Any]
    number: int

    @property
    def name(self) -> str:
        """Its Sid, or its number."""
        return text(self.content.get("Sid")) or f"number {self.number}"

    @property
    def allows(self) -> bool:
        """Whether it allows something."""
        return self.content.get("Effect") == "Allow"

    @property
    def actions(self) -> list[str]:
        """Patterns of actions."""
        return texts(self.content.get("Action"))

    @property
    def resources(self) -> list[str]:
        """Patterns of ARNs."""
        return texts(self.content.get("Resource"))

    @property
    def condition(self) -> Mapping[str, Any]:
        """Operator -> key -> values."""
        return mapping(self.content.get("Condition"))

    @property
    def condition_keys(self) -> set[str]:
        """Keys that its condition asks for, in lower case."""
        return {str(key).lower() for keys in self.condition.values() for key in mapping(keys)}

    @property
    def principals(self) -> list[str]:
        """Everyone it names, `*` for everybody."""
        principal = self.content.get("Principal")
        if isinstance(principal, Mapping):
            return [name for names in principal.values() for name in texts(names)]
        return texts(principal)


def texts(value: Any) -> list[str]:
    """Texts of a value that is one or a list of them; what is not known is left out."""
    if isinstance(value, str):
        return [value]
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def statements(resource: Resource, field: str = "policy") -> Iterator[Statement]:
    """The statements of a policy in a field; none where it is not known or no policy."""
    content = resource.get(field)
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except ValueError:
            return
    entries = mapping(content).get("Statement")
    for number, entry in enumerate([entries] if isinstance(entries, Mapping) else entries or (), start=1):
        if isinstance(entry, Mapping):
            yield Statement(entry, number)
