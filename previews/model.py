"""A preview as everybody here sees it, whatever form the engine wrote it in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Op = Literal["same", "create", "update", "replace", "delete", "read", "discard", "import"]
"""What happens to a resource, with the steps of a replacement taken together."""

STACK_TYPE = "pulumi:pulumi:Stack"


@dataclass(frozen=True, kw_only=True)
class State:
    """A resource as it is, or as it would be.

    inputs, outputs: with the sentinels of `previews.values` for what is not known or is secret.
    custom: it stands for something by itself; components do not.
    protect: Pulumi refuses to delete it. retain: it is left behind when it is deleted.
    places: where in the program it was registered, the innermost first; none where its form does not say.
    """

    type: str
    custom: bool = True
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    parent: str = ""
    provider: str = ""
    protect: bool = False
    retain: bool = False
    places: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step:
    """What happens to one resource.

    old: None where it is not there yet. new: None where it goes.
    changed: paths of properties that differ. forces: those of them that force a replacement.
    """

    op: Op
    urn: str
    old: State | None = None
    new: State | None = None
    changed: tuple[str, ...] = ()
    forces: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        """As it would be, or, where it goes, as it is."""
        state = self.new or self.old
        assert state is not None, self.urn
        return state

    @property
    def type(self) -> str:
        """Its type: `aws:s3/bucket:Bucket`."""
        return self.state.type

    @property
    def name(self) -> str:
        """Its logical name."""
        return name_of(self.urn)

    @property
    def is_root(self) -> bool:
        """Whether it is the stack's own."""
        return f"::{STACK_TYPE}::" in self.urn and self.types == (STACK_TYPE,)

    @property
    def types(self) -> tuple[str, ...]:
        """Its type as the URN has it, last, and before it those of the components that it is in."""
        return tuple(self.urn.split("::")[2].split("$"))


@dataclass(frozen=True, kw_only=True)
class Violation:
    """What a policy says of a resource, or of the stack where `urn` is empty.

    level: `mandatory`, `advisory`, or `remediate`.
    """

    policy: str
    pack: str
    level: str
    message: str
    urn: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.policy, name_of(self.urn), self.message)))


@dataclass(frozen=True)
class Refreshed:
    """A resource that the engine asked for, to compare it with the stack's state.

    changed: paths of what differs. gone: it is not there any more.
    """

    urn: str
    changed: tuple[str, ...]
    gone: bool


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A whole preview, of which the engine said itself that it ended.

    packs: policy packs that looked at it, with their versions; None where its form does not say.
    refreshed: of a preview with `--refresh`, what that gave; None where its form does not say.
    """

    stack: str
    project: str
    steps: tuple[Step, ...]
    violations: tuple[Violation, ...] = ()
    packs: Mapping[str, str] | None = None
    warnings: tuple[str, ...] = ()
    refreshed: tuple[Refreshed, ...] | None = None

    @property
    def refusals(self) -> tuple[str, ...]:
        """What mandatory policies say: `<policy>: <resource>: <message>`."""
        return tuple(str(violation) for violation in self.violations if violation.level == "mandatory")

    @cached_property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something, or take in what exists."""
        return tuple(step for step in self.steps if step.op not in ("same", "read"))

    @cached_property
    def by_type(self) -> Mapping[str, tuple[Step, ...]]:
        """All steps by the type of their resource."""
        types: dict[str, list[Step]] = {}
        for step in self.steps:
            types.setdefault(step.type, []).append(step)
        return {type_: tuple(steps) for type_, steps in types.items()}

    @cached_property
    def root(self) -> Step:
        """The stack's own step; its outputs are those of the stack."""
        return next(step for step in self.steps if step.is_root)

    @cached_property
    def by_urn(self) -> Mapping[str, Step]:
        """All steps by URN."""
        return {step.urn: step for step in self.steps}

    def of(self, *types: str) -> Iterator[Step]:
        """Steps of some types, unchanged ones included."""
        for type_ in types:
            yield from self.by_type.get(type_, ())

    def changes_of(self, *types: str) -> Iterator[Step]:
        """Steps of some types that change something."""
        return (step for step in self.of(*types) if step.op not in ("same", "read"))


def name_of(urn: str) -> str:
    """The logical name at the end of a URN."""
    return urn.rpartition("::")[2]
