"""All else that changes, folded: nobody has to read it, and it is there."""

from collections import Counter
from collections.abc import Mapping

from previews import Preview, Step
from previews.model import Op
from previews.values import differs
from report.model import Finding, Section, Table
from report.words import code, count, listing, plain, short_type

PAST: Mapping[Op, str] = {
    "create": "created",
    "update": "updated",
    "replace": "replaced",
    "delete": "deleted",
    "import": "imported",
    "discard": "forgotten",
}


def other_changes(preview: Preview) -> Section:
    """The section of every change, by type; and of the engine's warnings."""
    changes = [step for step in preview.changes if step.state.custom]
    groups: dict[tuple[str, str], list[Step]] = {}
    for step in changes:
        groups.setdefault((PAST[step.op], step.type), []).append(step)
    rows = [
        [verb, code(type_), str(len(steps)), listing((_with_paths(step) for step in steps), 5)]
        for (verb, type_), steps in sorted(groups.items())
    ]
    return Section(
        subject="rest",
        title=f"All changes ({count(len(changes), 'resource')})",
        findings=[*_blind(changes), *_warnings(preview)],
        table=Table(head=("", "type", "number", "what"), rows=rows) if rows else None,
        folded=True,
    )


def summary(preview: Preview) -> str:
    """How many resources change, in what way."""
    counts = Counter(step.op for step in preview.changes if step.state.custom)
    parts = [f"{counts[op]:,} {verb}" for op, verb in PAST.items() if counts[op]]
    return listing(parts) if parts else "no change"


def _with_paths(step: Step) -> str:
    paths = [path for path in step.changed if not path.startswith("__")]
    return (
        f"{code(step.name)} ({listing(map(code, paths), 3)})"
        if step.op == "update" and paths
        else code(step.name)
    )


def _blind(changes: list[Step]) -> list[Finding]:
    """Updates of which nothing is known, as of objects in a cluster whose endpoint may change."""
    blind = [step for step in changes if step.op == "update" and _as_before(step)]
    if not blind:
        return []
    kinds = listing(sorted({short_type(step.type) for step in blind}), 5)
    sentence = f"Of {count(len(blind), 'update')} no difference is known before `up` ({kinds})."
    return [Finding(weight="note", says=sentence)]


def _as_before(step: Step) -> bool:
    return step.old is not None and step.new is not None and not differs(step.old.inputs, step.new.inputs)


def _warnings(preview: Preview) -> list[Finding]:
    counts = Counter(" ".join(warning.split()) for warning in preview.warnings)
    return [
        Finding(
            weight="note",
            says=f"The engine warns{f' {number} times' if number > 1 else ''}: {plain(warning)}",
        )
        for warning, number in counts.items()
    ]
