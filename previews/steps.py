"""The steps of a preview, put together from what the engine says of each."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from previews import refusals
from previews.model import Op, State, Step
from previews.values import known, mapping
from previews.wire import ResourceState, ResourceStep

OPS: Mapping[str, Op | None] = {
    "same": "same",
    "create": "create",
    "update": "update",
    "delete": "delete",
    "replace": "replace",
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "import-replacement": "replace",
    "read": "read",
    "read-replacement": "read",
    "discard": "discard",
    "discard-replaced": "discard",
    "import": "import",
    # Of what is in the state already, and not of the change.
    "refresh": None,
    "diff": None,
    "remove-pending-replace": None,
}
"""An operation of the engine's -> ours; None: it is passed over.

Source: pulumi/pulumi v3.200.0, pkg/resource/deploy/step.go.
"""

COUNTED = ("create", "update", "delete", "replace", "import")
"""Operations of which the summary's numbers are those of steps."""

STATES: Mapping[Op, tuple[str, ...]] = {
    "create": ("new",),
    "import": ("new",),
    "update": ("old", "new"),
    "replace": ("old", "new"),
    "delete": ("old",),
}
"""Which states a step has at the least; of others one of both."""

BOOKKEEPING = ("__defaults", "__internal", "compat")
"""Inputs that are the providers' own; the last is a mark of Helm releases that comes and goes."""


def stack_and_project(steps: Sequence[ResourceStep], source: str) -> tuple[str, str]:
    """What all steps are of. Raises UnreadablePreview."""
    if not steps:
        raise refusals.no_steps(source)
    names = sorted({tuple(step.urn.removeprefix("urn:pulumi:").split("::", 2)[:2]) for step in steps})
    if len(names) > 1:
        raise refusals.several(source, [f"{stack} of {project}" for stack, project in names])
    [(stack, project)] = names
    return stack, project


def together(steps: Iterable[ResourceStep], counted: Mapping[str, int], source: str) -> tuple[Step, ...]:
    """One step a resource: what the engine does for a replacement is one thing.

    counted: what the engine counted at its end, by operation. Raises UnreadablePreview where an operation is
    not known, nothing is said of a resource, or steps are lacking.
    """
    numbers: Counter[str] = Counter()
    by_urn: dict[str, Step] = {}
    for step in steps:
        if step.op not in OPS:
            raise refusals.newer(source, f"the operation {step.op!r} for {step.urn}")
        numbers[step.op] += 1
        if op := OPS[step.op]:
            whole = _step(step, op, source)
            previous = by_urn.get(step.urn)
            by_urn[step.urn] = whole if previous is None else _joined(previous, whole)
    for name in COUNTED:
        if numbers[name] < counted.get(name, 0):
            raise refusals.cut_off(source, f"has {numbers[name]} of {counted[name]} steps to {name}")
    if sum(step.is_root for step in by_urn.values()) != 1:
        raise refusals.no_steps(source)
    for urn, whole in by_urn.items():
        lacking = [side for side in STATES.get(whole.op, ()) if getattr(whole, side) is None]
        if lacking:
            raise refusals.malformed(source, urn, f"(to {whole.op}, and without its {lacking[0]} state)")
    # The engine's order differs from run to run; what is said of it does not.
    return tuple(_identified(by_urn[urn]) for urn in sorted(by_urn))


def _step(step: ResourceStep, op: Op, source: str) -> Step:
    if step.old is None and step.new is None:
        raise refusals.malformed(source, step.urn, "(it says neither how that is nor how it would be)")
    type_ = step.urn.split("::")[2].rpartition("$")[2]
    return Step(
        op=op,
        urn=step.urn,
        old=state(step.old, type_),
        new=state(step.new, type_),
        changed=tuple(sorted(step.detailed_diff or ())) or tuple(step.diffs or ()),
        forces=tuple(step.keys or ()),
    )


def state(value: ResourceState | None, type_: str) -> State | None:
    """A state as both forms have it; None where there is none. type_: its type by the URN."""
    if value is None:
        return None
    places = (value, *(value.stack_trace or ()))
    return State(
        type=type_,
        custom=bool(value.custom),
        inputs={key: part for key, part in (value.inputs or {}).items() if key not in BOOKKEEPING},
        outputs=value.outputs or {},
        id=value.id or "",
        parent=value.parent or "",
        provider=value.provider or "",
        protect=bool(value.protect),
        retain=bool(value.retain_on_delete),
        places=tuple(place.source_position for place in places if place.source_position),
    )


def _identified(step: Step) -> Step:
    """An object that is made anew keeps its name and namespace, though the engine does not know them yet."""
    if step.old is None or step.new is None or not step.type.startswith("kubernetes:"):
        return step
    old, new = (mapping(state.inputs.get("metadata")) for state in (step.old, step.new))
    metadata = {
        key: old[key]
        for key in ("name", "namespace")
        if known(old.get(key, "")) and key in old and not known(new.get(key, ""))
    }
    if not metadata:
        return step
    inputs = {**step.new.inputs, "metadata": {**new, **metadata}}
    return replace(step, new=replace(step.new, inputs=inputs))


def _joined(first: Step, second: Step) -> Step:
    """Both steps of a resource as one: to delete it and to create it is to replace it."""
    ops = {first.op, second.op} - {"same"}
    return Step(
        op="replace" if "replace" in ops or {"create", "delete"} <= ops else (ops or {first.op}).pop(),
        urn=first.urn,
        old=first.old or second.old,
        new=second.new or first.new,
        changed=tuple(dict.fromkeys((*first.changed, *second.changed))),
        forces=tuple(dict.fromkeys((*first.forces, *second.forces))),
    )
