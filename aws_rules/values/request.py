"""A call of AWS's API, and what is wrong with a value in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from aws_rules.rule import Rule, Unknown, Violation


class Later(Enum):
    """A value that is known only when another resource is made: nothing can be said of it yet."""

    LATER = "later"


LATER: Final = Later.LATER

Path = tuple[str | int, ...]
"""Where a value is in the members of a request: `("scalingConfig", "minSize")`."""


@dataclass(frozen=True, kw_only=True)
class Misfit(Violation):
    """A value that would be refused.

    path: of the value.
    """

    path: Path = ()


ValueVerdict = Misfit | Unknown


@dataclass(frozen=True, kw_only=True)
class Request:
    """A call as botocore takes it.

    resource: it is about, as an engineer names it.
    service, operation: as botocore names them: `ec2`, `CreateSubnet`.
    members: of the call; `LATER` for what is not known yet.
    region: it is made in.
    """

    resource: str
    service: str
    operation: str
    members: Mapping[str, Any]
    region: str

    def value_at(self, *steps: str | int) -> Any:
        """The value at a path; None where there is none, or it is not known yet."""
        value: Any = self.members
        for step in steps:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return None if value is LATER else value

    def has(self, *steps: str | int) -> bool:
        """Whether there is a value at a path, known or not."""
        *above, last = steps
        parent = self.value_at(*above) if above else self.members
        return isinstance(parent, Mapping) and parent.get(str(last)) is not None

    def texts(self) -> Iterator[tuple[Path, str]]:
        """All texts in it, and where they are."""
        return _texts((), self.members)

    def misfit(self, rule: Rule, path: Path, code: str, message: str, remedy: str) -> Misfit:
        """A value of this call that would be refused."""
        return Misfit(rule=rule, resource=self.resource, path=path, code=code, message=message, remedy=remedy)

    def gap(self, rule: Rule, lacks: str) -> Unknown:
        """Something in this call that a rule does not know."""
        return Unknown(rule=rule, resource=self.resource, lacks=lacks)


def path_text(path: Path) -> str:
    """A path as AWS writes it: `scalingConfig.minSize`, `taints[0].key`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def partition(region: str) -> str:
    """Partition that a region belongs to."""
    return {"cn": "aws-cn", "us-gov": "aws-us-gov", "eusc": "aws-eusc"}.get(_family(region), "aws")


def words(text: str) -> frozenset[str]:
    """A set of words, from a text."""
    return frozenset(text.split())


def _family(region: str) -> str:
    return "us-gov" if region.startswith("us-gov-") else region.partition("-")[0]


def _texts(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    match value:
        case str():
            yield path, value
        case Mapping():
            for name, item in value.items():
                yield from _texts((*path, name), item)
        case list() | tuple():
            for index, item in enumerate(value):
                yield from _texts((*path, index), item)
