"""How inputs differ, field by field."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from localcloud.plugins.values import reveal

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

    same: whether two values that are not equal mean the same.
    """
    old, new = reveal(old), reveal(new)
    if old == new or (path and same(path, old, new)):
        return {}
    changes: dict[PropertyPath, Kind] = {}
    match old, new:
        case dict(), dict():
            # In the order of the new value, then what is gone.
            for name in [*new, *(name for name in old if name not in new)]:
                changes |= differences(old.get(name), new.get(name), same, (*path, name))
            return changes
        case list(), list():
            for index in range(max(len(old), len(new))):
                item_path = (*path, index)
                if index >= len(new):
                    changes[item_path] = Kind.DELETE
                elif index >= len(old):
                    changes[item_path] = Kind.ADD
                else:
                    changes |= differences(old[index], new[index], same, item_path)
            return changes
        case None, _:
            return {path: Kind.ADD}
        case _, None:
            return {path: Kind.DELETE}
        case _:
            return {path: Kind.UPDATE}


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
