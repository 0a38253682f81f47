"""What changes in a preview, as far as the picture needs it: what becomes of what, and in which layer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drawing.model import Operation
from drawing.ownership import Owners
from previews import Op, Preview, name_of

OPERATIONS: Mapping[Op, Operation] = {
    "create": "create",
    "import": "create",
    "update": "update",
    "replace": "replace",
    "delete": "delete",
}
"""What happens to a resource -> how it is marked; others stay as they are."""


@dataclass(frozen=True)
class Changed:
    """A resource that changes; components stand for nothing by themselves, and are none.

    types: its own type last, before it those of the components that it is in. layer: whose module registered
    it, or what it is in; nothing where that is not known. provider: name of its provider.
    """

    operation: Operation
    types: tuple[str, ...]
    name: str
    layer: str
    provider: str

    @property
    def title(self) -> str:
        """Its type in short, and its name."""
        *package, type = self.types[-1].split(":")
        return f"{'provider ' if 'providers' in package else ''}{type} {self.name}"


@dataclass(frozen=True)
class Changes:
    """What a preview of one stack changes.

    deployed: addresses of the units that the stack has had until now.
    """

    stack: str
    changed: tuple[Changed, ...]
    deployed: frozenset[str]


def changes_of(preview: Preview) -> Changes:
    """What a preview changes."""
    owners = Owners(preview)
    return Changes(preview.stack, tuple(_changed_resources(preview, owners)), owners.deployed)


def _changed_resources(preview: Preview, owners: Owners) -> Iterator[Changed]:
    for step in preview.steps:
        if step.op in OPERATIONS and step.state.custom:
            # The provider's URN, and its id behind it.
            provider = name_of(step.state.provider.rpartition("::")[0])
            yield Changed(OPERATIONS[step.op], step.types, step.name, owners.layer(step), provider)
