"""What each queue gains and loses, with a picture."""

from collections.abc import Iterator, Mapping, Sequence

from moka.names import tier_queue
from moka.queues.resources import RESOURCES, quantity
from previews import Preview, Step
from report.model import Finding, Section, Table, Weight
from report.subjects.queue_tree import CONFIG_MAP, Amounts, QueueState, is_queues, queue_states
from report.words import code, count, listing, plain

Queues = Mapping[str, QueueState]

BAR = 24
"""Characters of a full bar."""

MOST_BARS = 40
"""Lines of the picture; what more there is stands in the table."""


def queues(preview: Preview) -> Section:
    """The section of queues, all clusters of the stack."""
    findings: list[Finding] = []
    rows: list[list[str]] = []
    pictures: list[str] = []
    for step in preview.changes_of(CONFIG_MAP):
        if not is_queues(step.state):
            continue
        try:
            before, after = queue_states(step.old) or {}, queue_states(step.new) or {}
        except ValueError as error:
            findings.append(Finding(weight="stop", says=f"{resource_name(step)}: {plain(error)}."))
            continue
        if step.new is not None and not after:
            findings.append(
                Finding(weight="look", says=f"The queues of {resource_name(step)} are known after `up` only.")
            )
            continue
        findings += _findings(before, after)
        rows += _rows(before, after)
        if before:
            pictures.append(picture(before, after))
    return Section(
        subject="queues",
        title="Queues",
        findings=findings,
        table=Table(head=("queue", "guaranteed", "maximum", "jobs", ""), rows=rows) if rows else None,
        picture="\n".join(filter(None, pictures)),
        folded=not findings and not pictures,
    )


def resource_name(step: Step) -> str:
    """The ConfigMap, as an engineer finds it."""
    return f"ConfigMap {code(step.name)}"


def changed_paths(before: Queues, after: Queues) -> list[str]:
    """Queues that differ, parents first."""
    return sorted(path for path in {**before, **after} if before.get(path) != after.get(path))


def _findings(before: Queues, after: Queues) -> Iterator[Finding]:
    """What the leaves gain and lose; what is above them stands in the table."""
    if not before:
        yield Finding(weight="note", says=f"{count(len(after), 'queue')} are new.")
        return
    paths = [path for path in changed_paths(before, after) if (after.get(path) or before[path]).leaf]
    losses = [path for path in paths if path not in after]
    fresh = [path for path in paths if path not in before]
    common = [path for path in paths if path in before and path in after]
    less = [path for path in common if _less(before[path].guaranteed, after[path].guaranteed)]
    more = [path for path in common if _less(after[path].guaranteed, before[path].guaranteed)]
    bare = [path for path in less if path.endswith(f".{tier_queue(1)}") and not after[path].guaranteed]
    differing = [path for path in common if before[path].rest != after[path].rest]
    cases: tuple[tuple[Weight, list[str], str], ...] = (
        ("stop", bare, "Nothing is guaranteed to {} any more, which nobody may preempt."),
        ("look", losses, "{} goes: jobs that name it are refused, and those in it end there."),
        ("look", less, "Guaranteed less: {}."),
        ("look", differing, "Other limits or policies: {}; `make queues` has them."),
        ("note", more, "Guaranteed more: {}."),
        ("note", fresh, "New: {}."),
    )
    for weight, affected, sentence in cases:
        if affected:
            yield Finding(weight=weight, says=sentence.format(listing(map(code, affected), 8)))


def lower(before: Queues, after: Queues) -> Iterator[tuple[str, str]]:
    """Queues in which fewer jobs, or smaller ones, may run -> what of it, in words."""
    for path in changed_paths(before, after):
        old, new = before.get(path), after.get(path)
        if old is None or new is None:
            continue
        parts = [f"at most {_quantity(name, new.maximum[name])} {name}" for name in _less_bound(old, new)]
        if new.jobs is not None and (old.jobs is None or new.jobs < old.jobs):
            parts.append(f"at most {count(new.jobs, 'job')} at a time")
        if parts:
            yield path, _names(parts)


def _less_bound(old: QueueState, new: QueueState) -> list[str]:
    """Resources of which a queue may have less at most; one without a bound may have any amount."""
    return [
        name for name, amount in new.maximum.items() if name not in old.maximum or amount < old.maximum[name]
    ]


def _less(old: Amounts, new: Amounts) -> bool:
    return any(new.get(name, 0) < amount for name, amount in old.items())


def _names(parts: Sequence[str]) -> str:
    return " and ".join(parts)


def _rows(before: Queues, after: Queues) -> Iterator[list[str]]:
    for path in changed_paths(before, after):
        old, new = before.get(path), after.get(path)
        state = "new" if old is None else "goes" if new is None else ""
        yield [
            code(path),
            _cell(old.guaranteed if old else None, new.guaranteed if new else None),
            _cell(old.maximum if old else None, new.maximum if new else None),
            _arrow(_jobs(old), _jobs(new)),
            state,
        ]


def _cell(old: Amounts | None, new: Amounts | None) -> str:
    names = [name for name in RESOURCES if name in {**(old or {}), **(new or {})}]
    return "; ".join(f"{name} {_arrow(_amount(old, name), _amount(new, name))}" for name in names) or "-"


def _arrow(old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return (new if old is None else old) or "-"
    return new if old == new else f"{old} → {new}"


def _amount(amounts: Amounts | None, name: str) -> str | None:
    if amounts is None:
        return None
    return _quantity(name, amounts[name]) if name in amounts else "-"


def _quantity(name: str, amount: int) -> str:
    """An amount in few digits: shares come to thousandths of a core."""
    return f"{amount / 1000:.4g}" if name == "cpu" else quantity(name, amount)


def _jobs(queue: QueueState | None) -> str | None:
    return None if queue is None else "-" if queue.jobs is None else str(queue.jobs)


def picture(before: Queues, after: Queues) -> str:
    """Guarantees before and after, a bar each, of the leaf queues whose guarantee changes.

    A full bar is the largest guarantee of the resource, before or after.
    """
    paths = [
        path
        for path in sorted({**before, **after})
        if (before.get(path) or after[path]).leaf and _guarantees(before, path) != _guarantees(after, path)
    ]
    lines: list[str] = []
    width = max(map(len, paths), default=0)
    for name in RESOURCES:
        full = max(
            (_guarantees(tree, path).get(name, 0) for tree in (before, after) for path in paths), default=0
        )
        if not full:
            continue
        lines.append(f"guaranteed {name}")
        for path in paths:
            old, new = (_guarantees(tree, path).get(name, 0) for tree in (before, after))
            if old != new:
                lines.append(f"  {path.ljust(width)}  {bar(old, full)}  {_quantity(name, old)}")
                lines.append(f"  {''.ljust(width)}  {bar(new, full)}  {_quantity(name, new)}")
    if len(lines) > MOST_BARS:
        lines = [*lines[:MOST_BARS], f"and {len(lines) - MOST_BARS} more lines: see the table"]
    return "\n".join(lines)


def bar(amount: int, full: int) -> str:
    """A bar of an amount; as long as any where it is all."""
    length = round(BAR * amount / full)
    length = max(1, length) if amount else 0
    return "█" * length + "·" * (BAR - length)


def _guarantees(queues: Queues, path: str) -> Amounts:
    return queues[path].guaranteed if path in queues else {}
