"""Of which layer a resource in a preview is."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from stacks.slices import RESOURCES

Step = Mapping[str, Any]
"""A step of a preview: what the engine would do with one resource."""

POSITION = re.compile(r"/stacks/layers/(\w+)\.py\b")
ROOT = "::pulumi:pulumi:Stack::"


def is_root(step: Step) -> bool:
    """Whether a step is the stack's own."""
    return ROOT in step["urn"]


class Owners:
    """What the steps of a preview tell of this.

    In one form of a preview the engine writes down where in the program a resource was registered. In the
    other, and of states that old engines wrote, the outputs of the stack tell it: each unit lists its own.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._by_urn = {step["urn"]: step for step in steps}
        roots = [step for step in steps if is_root(step)]
        self.deployed = frozenset(unit for root in roots for unit in _units(root.get("oldState")))
        """Addresses of the units that the stack has had until now."""
        self._layers: dict[str, str] = {}
        for state in (
            state for name in ("oldState", "newState") for root in roots for state in [root.get(name)]
        ):
            for unit, resources in _units(state).items():
                self._layers.update(dict.fromkeys(resources, unit.partition("/")[0]))

    def layer(self, urn: str, type: str, name: str) -> str:
        """The layer of a resource, or nothing where none is known.

        type: of what it is in at the top of the stack, or its own.
        name: its logical name, which begins with that of what it is in.
        """
        return self._by_position(urn) or self._by_outputs(type, name)

    def _by_position(self, urn: str) -> str:
        """The layer whose module registered it, or what it is in."""
        passed = set()
        while (step := self._by_urn.get(urn)) and urn not in passed:
            passed.add(urn)
            state = step.get("newState") or step.get("oldState") or {}
            trace = state.get("stackTrace")
            for place in (state, *(trace if isinstance(trace, list) else ())):
                position = place.get("sourcePosition") if isinstance(place, Mapping) else None
                if match := POSITION.search(str(position)):
                    return match[1]
            urn = str(state.get("parent", ""))
        return ""

    def _by_outputs(self, type: str, name: str) -> str:
        words = name.split("-")
        names = ("-".join(words[:number]) for number in range(len(words), 0, -1))
        return next((layer for top in names if (layer := self._layers.get(f"{type}::{top}"))), "")


def _units(state: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Address of each unit in the outputs of a stack -> its resources at the top, as `type::name`."""
    outputs = (state or {}).get("outputs")
    units = outputs if isinstance(outputs, dict) else {}
    resources = {
        name: value.get(RESOURCES) if isinstance(value, dict) else ()
        for name, value in units.items()
        if "/" in name
    }
    return {
        name: list(map(str, value)) if isinstance(value, list) else [] for name, value in resources.items()
    }
