"""The steps of a preview, put together from what the engine says of each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from report.preview.model import Op, State, Step, UnreadablePreview
from report.preview.values import known, mapping

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


BOOKKEEPING = ("__defaults", "__internal", "compat")
"""Inputs that are the providers' own; the last is a mark of Helm releases that comes and goes."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the engine says of one step, in either form."""

    op: str
    urn: str
    old: State | None
    new: State | None
    changed: tuple[str, ...]
    forces: tuple[str, ...]


def state_of(value: Any, type_: str) -> State | None:
    """A state as both forms have it; None where there is none."""
    if not isinstance(value, Mapping):
        return None
    return State(
        type=str(value.get("type") or type_),
        custom=bool(value.get("custom")),
        inputs={key: part for key, part in (value.get("inputs") or {}).items() if key not in BOOKKEEPING},
        outputs=value.get("outputs") or {},
        id=str(value.get("id") or ""),
        parent=str(value.get("parent") or ""),
        provider=str(value.get("provider") or ""),
        protect=bool(value.get("protect")),
        retain=bool(value.get("retainOnDelete")),
    )


def entry(value: Any, old: str, new: str, source: str, diffs: str, keys: str) -> Entry:
    """One step; `old` to `keys` are the members' names in this form. Raises UnreadablePreview."""
    if not isinstance(value, Mapping) or not isinstance(value.get("urn"), str):
        raise UnreadablePreview(f"{source} has a step without a URN: it is not of `pulumi preview --json`.")
    urn = value["urn"]
    if value.get("op") not in OPS:
        raise UnreadablePreview(
            f"{source} has the operation {value.get('op')!r} for {urn}, which is not known here: a newer "
            "engine's, so bring `moka` up to it, or preview with the engine of this checkout."
        )
    detailed = value.get("detailedDiff") or {}
    type_ = urn.split("::")[2].rpartition("$")[2] if urn.count("::") > 2 else ""
    step = Entry(
        op=value["op"],
        urn=urn,
        old=state_of(value.get(old), type_),
        new=state_of(value.get(new), type_),
        changed=tuple(sorted(detailed)) or tuple(value.get(diffs) or ()),
        forces=tuple(value.get(keys) or ()),
    )
    if step.old is None and step.new is None:
        raise UnreadablePreview(f"{source} says neither how {urn} is nor how it would be: make it anew.")
    return step


def together(entries: Iterable[Entry]) -> tuple[Step, ...]:
    """One step a resource: what the engine does for a replacement is one thing."""
    by_urn: dict[str, Step] = {}
    for one in entries:
        op = OPS[one.op]
        if op is None:
            continue
        step = Step(op=op, urn=one.urn, old=one.old, new=one.new, changed=one.changed, forces=one.forces)
        other = by_urn.get(one.urn)
        by_urn[one.urn] = step if other is None else _joined(other, step)
    # The engine's order differs from run to run; a report's does not.
    return tuple(_identified(by_urn[urn]) for urn in sorted(by_urn))


def _identified(step: Step) -> Step:
    """An object that is made anew keeps its name and namespace, though the engine does not know them yet."""
    if step.old is None or step.new is None or not step.type.startswith("kubernetes:"):
        return step
    old, new = (mapping(state.inputs.get("metadata")) for state in (step.old, step.new))
    kept = {
        key: old[key]
        for key in ("name", "namespace")
        if known(old.get(key, "")) and key in old and not known(new.get(key, ""))
    }
    if not kept:
        return step
    inputs = {**step.new.inputs, "metadata": {**new, **kept}}
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
