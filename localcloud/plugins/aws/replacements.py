"""Whether a changed property replaces its resource: by AWS's own data, and a list of Pulumi's deviations.

cfn-lint carries the schema of every CloudFormation type with the properties that can only be set at
creation. They are read only for a type with a changed resource.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from aws_rules.values.schemas import document
from localcloud.plugins.aws.deviations import DEVIATIONS, UPDATES
from localcloud.plugins.aws.table import Kind
from localcloud.plugins.differences import PropertyPath


def replacing(
    type: str, kind: Kind, paths: Iterable[PropertyPath], old: Any, new: Any
) -> frozenset[PropertyPath]:
    """The paths that cannot change in place."""
    return frozenset(path for path in paths if _replaces(type, kind, path, old, new))


def _replaces(type: str, kind: Kind, path: PropertyPath, old: Any, new: Any) -> bool:
    name = str(path[0])
    if name == "region" or (kind.name and name == kind.name.prefix):
        return True
    if name in kind.replaced_if and new.get(kind.replaced_if[name]):
        return True
    if name in ("tags", "tagsAll") or name in kind.arguments:
        return False
    steps = [step for step in path if isinstance(step, str)]
    for length in range(len(steps), 0, -1):
        deviation = DEVIATIONS.get(type, {}).get(".".join(steps[:length]))
        if deviation is not None:
            return deviation[0] is not UPDATES
    members = schema_path(kind, steps)
    for fixed_path in create_only(kind.schema):
        if members[: len(fixed_path)] == fixed_path:
            return True
        if fixed_path[: len(members)] == members and _differs_inside(
            fixed_path[len(members) :], path, old, new
        ):
            return True
    return False


def _differs_inside(rest: tuple[str, ...], path: PropertyPath, old: Any, new: Any) -> bool:
    """Whether a structure that was added or removed has the member that can only be set once."""
    return any(_has(_value(inputs, path), rest) for inputs in (old, new))


def _value(value: Any, path: PropertyPath) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _has(value: Any, rest: tuple[str, ...]) -> bool:
    for step in rest:
        if not isinstance(value, dict):
            return False
        value = next((item for name, item in value.items() if name.lower() == step), None)
    return value is not None


def schema_path(kind: Kind, steps: list[str]) -> tuple[str, ...]:
    """A property's path in the schema, in lower case."""
    first, *rest = steps
    return tuple(step.lower() for step in [*kind.schema_names.get(first, first).split("/"), *rest])


@cache
def create_only(schema: str) -> tuple[tuple[str, ...], ...]:
    """Paths of the properties of a CloudFormation type that can only be set at creation, in lower case."""
    return tuple(
        tuple(step.lower() for step in path.removeprefix("/properties/").split("/") if step != "*")
        for path in document(schema).get("createOnlyProperties", [])
    )
