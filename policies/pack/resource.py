"""Resources as rules see them: plain data, in which what is not known yet is marked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

Inputs = Mapping[str, Any]

YAML_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unknown:
    """A value that is not known at preview: no comparison with it holds, so it is no violation."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "(not known yet)"


UNKNOWN = Unknown()


class SecretText(str):
    """A text that the engine keeps as a secret."""


def fully_known(value: Any) -> bool:
    """Whether all within a value is known."""
    if isinstance(value, Mapping):
        return all(fully_known(part) for part in value.values())
    if isinstance(value, list):
        return all(fully_known(part) for part in value)
    return value is not UNKNOWN


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping as it is; anything else, what is not known included, as an empty one."""
    return value if isinstance(value, Mapping) else {}


def parsed(value: Any) -> Any:
    """A mapping, also one in JSON or YAML; UNKNOWN as it is, anything else as an empty one."""
    if isinstance(value, str):
        try:
            value = yaml.load(value, Loader=YAML_LOADER)
        except (ValueError, yaml.YAMLError):
            return {}
    return value if value is UNKNOWN else mapping(value)


def sequence(value: Any) -> Sequence[Any]:
    """A list as it is; anything else, what is not known included, as an empty one."""
    return value if isinstance(value, list | tuple) else ()


def text(value: Any) -> str:
    """A text as it is; anything else, what is not known included, as an empty one."""
    return value if isinstance(value, str) else ""


def at(value: Any, path: str, default: Any = None) -> Any:
    """What is at a dotted path; UNKNOWN where something on the way is not known."""
    for key in path.split("."):
        if value is UNKNOWN:
            return UNKNOWN
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit():
            value = value[int(key)] if int(key) < len(value) else None
        else:
            return default
    return default if value is None else value


def member(value: Any, key: str, default: Any = None) -> Any:
    """What a mapping has under a key that may have dots; UNKNOWN where the mapping is not known."""
    if value is UNKNOWN:
        return UNKNOWN
    content = mapping(value).get(key)
    return default if content is None else content


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is neither mapping nor list, with its dotted path."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}.{index}")
    else:
        yield path, value


@dataclass(frozen=True)
class Resource:
    """A resource of a stack, or an object inside a chart that one releases.

    type: such as `aws:eks/cluster:Cluster` or `kubernetes:apps/v1:Deployment`.
    name: its logical name; of an object inside a chart, the release's.
    inputs: by the engine's names.
    protected: whether the engine refuses to delete it.
    parent: URN.
    provider: URN of the provider that makes it, which tells clusters apart.
    reads: input -> URNs of the resources that it comes from; known for the whole stack only.
    chart: the chart that the object is inside of; empty for what the program registers.
    """

    type: str
    name: str
    urn: str
    inputs: Inputs
    protected: bool = False
    parent: str = ""
    provider: str = ""
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chart: str = ""

    def get(self, path: str, default: Any = None) -> Any:
        """An input at a dotted path; UNKNOWN where it is not known yet."""
        return at(self.inputs, path, default)

    @property
    def kind(self) -> str:
        """Last word of the type: `Cluster`, `Deployment`."""
        return self.type.rpartition(":")[2]

    @property
    def namespace(self) -> str:
        """Of a Kubernetes object; empty where it has none, or that is not known yet."""
        return text(self.get("metadata.namespace"))

    @property
    def object_name(self) -> str:
        """Of a Kubernetes object: the name that the API server knows it by, or else the logical one."""
        return text(self.get("metadata.name")) or self.name

    @property
    def address(self) -> str:
        """What exceptions call it: `Deployment::spark-a-history`, or `Deployment::<chart>/<object>`."""
        return f"{self.kind}::{f'{self.chart}/{self.object_name}' if self.chart else self.name}"
