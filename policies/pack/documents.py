"""IAM policies in the inputs of resources."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.pack.resource import Resource, at, mapping, sequence, text

LOOSE = re.compile(r"Not|IfExists$|^ForAllValues:|^Null$")
"""Operators of conditions that do not ask a request for a value."""


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
    def required(self) -> Mapping[str, Sequence[str]]:
        """Condition key, in lower case -> patterns of which a request must have one.

        Without operators that deny (`StringNotLike`), that let requests without the key through
        (`...IfExists`, `ForAllValues:...`, `Null`), and without patterns that everything fits.
        """
        return {
            str(key).lower(): patterns
            for operator, keys in self.condition.items()
            if not LOOSE.search(operator)
            for key, values in mapping(keys).items()
            if (patterns := _patterns(values)) and not any(pattern.strip("*?") == "" for pattern in patterns)
        }

    @property
    def is_for_everybody(self) -> bool:
        """Whether it is for everybody: `*`, or all but some."""
        return "*" in self.principals or "NotPrincipal" in self.content

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


def _patterns(values: Any) -> list[str]:
    """Values of a condition, truth values and numbers among them, as texts."""
    items = values if isinstance(values, list) else [values]
    return [str(value) for value in items if isinstance(value, str | bool | int | float)]


def statements(resource: Resource, field: str = "policy") -> Iterator[Statement]:
    """The statements of a policy in a field; none where it is not known or no policy."""
    yield from statements_of(resource.get(field))


def granted(resource: Resource) -> Iterator[Statement]:
    """The statements of what a role, or a policy for one, may do, those within the role included."""
    yield from statements(resource)
    for policy in sequence(resource.get("inlinePolicies")):
        yield from statements_of(at(policy, "policy"))


def trust(role: Resource) -> Iterator[Statement]:
    """The statements of who may take a role."""
    return statements(role, "assumeRolePolicy")


def statements_of(content: Any) -> Iterator[Statement]:
    """The statements of a policy, as text or as a mapping; none where it is no policy."""
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except ValueError:
            return
    entries = mapping(content).get("Statement")
    for number, entry in enumerate([entries] if isinstance(entries, Mapping) else sequence(entries), start=1):
        if isinstance(entry, Mapping):
            yield Statement(entry, number)
