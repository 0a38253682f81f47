"""Of which layer a resource in a preview is."""

import re

from previews import Preview, State, Step
from stacks.slices import RESOURCES

POSITION = re.compile(r"/stacks/layers/(\w+)\.py\b")


class Owners:
    """What a preview tells of this.

    In one form of a preview the engine writes down where in the program a resource was registered. In the
    other, and of states that old engines wrote, the outputs of the stack tell it: each unit lists its own.
    """

    def __init__(self, preview: Preview) -> None:
        self._by_urn = preview.by_urn
        before, after = (_units(state) for state in (preview.root.old, preview.root.new))
        self.deployed = frozenset(before)
        """Addresses of the units that the stack has had until now."""
        self._layers = {
            resource: unit.partition("/")[0]
            for units in (before, after)
            for unit, resources in units.items()
            for resource in resources
        }

    def layer(self, step: Step) -> str:
        """The layer of a resource, or nothing where none is known."""
        return self._by_position(step.urn) or self._by_outputs(step.types[0], step.name)

    def _by_position(self, urn: str) -> str:
        """The layer whose module registered it, or what it is in."""
        ancestors = set()
        while (step := self._by_urn.get(urn)) and urn not in ancestors:
            ancestors.add(urn)
            for place in step.state.places:
                if match := POSITION.search(place):
                    return match[1]
            urn = step.state.parent
        return ""

    def _by_outputs(self, type: str, name: str) -> str:
        """The layer that lists what it is in at the top of the stack, whose name its own begins with."""
        words = name.split("-")
        names = ("-".join(words[:number]) for number in range(len(words), 0, -1))
        return next((layer for top in names if (layer := self._layers.get(f"{type}::{top}"))), "")


def _units(state: State | None) -> dict[str, list[str]]:
    """Address of each unit in the outputs of a stack -> its resources at the top, as `type::name`."""
    outputs = state.outputs if state else {}
    resources = {
        name: value.get(RESOURCES) if isinstance(value, dict) else ()
        for name, value in outputs.items()
        if "/" in name
    }
    return {
        name: list(map(str, value)) if isinstance(value, list) else [] for name, value in resources.items()
    }
