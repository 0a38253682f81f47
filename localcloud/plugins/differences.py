"""How inputs differ, field by field."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from localcloud.plugins.values import Properties, reveal

PropertyPath = tuple[str | int, ...]
"""Where a value is: `("rules", 0, "prefix")`."""


class Kind(Enum):
    """What happened to a property; the numbers are those of the engine's `PropertyDiff`."""

    ADD = 0
    DELETE = 2
    UPDATE = 4


@dataclass(frozen=True, kw_only=True)
class Diff:
    """How new inputs differ from old ones.

    kinds: what happened, by path.
    replaces: paths that can only change by a new resource.
    delete_before_replace: the old resource has to go first.
    """

    kinds: Mapping[PropertyPath, Kind] = field(default_factory=dict)
    replaces: frozenset[PropertyPath] = frozenset()
    delete_before_replace: bool = False


def differences(
    old: Any,
    new: Any,
    same: Callable[[PropertyPath, Any, Any], bool] = lambda path, old, new: False,
    path: PropertyPath = (),
) -> dict[PropertyPath, Kind]:
    """Where two values differ, field by field.

    same: says of two values that they mean the same although they are not equal.
    """
    old, new = reveal(old), reveal(new)
    if old == new or (path and same(path, old, new)):
        return {}
    found: dict[PropertyPath, Kind] = {}
    match old, new:
        case dict(), dict():
            # The order in which people wrote them, then what is gone.
            for name in [*new, *(name for name in old if name not in new)]:
                found |= _member(path, name, old, new, same)
            return found
        case list(), list():
            for index in range(max(len(old), len(new))):
                here = (*path, index)
                if index >= len(new):
                    found[here] = Kind.DELETE
                elif index >= len(old):
                    found[here] = Kind.ADD
                else:
                    found |= differences(old[index], new[index], same, here)
            return found
        case _:
            return {path: Kind.UPDATE}


def _member(
    path: PropertyPath,
    name: str,
    old: Properties,
    new: Properties,
    same: Callable[[PropertyPath, Any, Any], bool],
) -> dict[PropertyPath, Kind]:
    here = (*path, name)
    if old.get(name) is None and new.get(name) is None:
        return {}
    if old.get(name) is None:
        return {} if same(here, None, reveal(new[name])) else {here: Kind.ADD}
    if new.get(name) is None:
        return {} if same(here, reveal(old[name]), None) else {here: Kind.DELETE}
    return differences(old[name], new[name], same, here)


def path_text(path: PropertyPath) -> str:
    """A path as the engine writes it: `rules[0].tags["kubernetes.io/role/elb"]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += "[" + json.dumps(step) + "]"
    return text
