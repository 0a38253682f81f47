"""A tree drawn: as text for a terminal, and as an SVG that reads on light and on dark ground."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from moka.names import ROOT_QUEUE, tier_queue
from moka.queues.bounds import Bounds, walk_bounded
from moka.queues.resources import RESOURCES, Resources, quantity, total
from moka.queues.tree import Limit, Queue, QueueTree
from moka.svg import document, shortened, text

PREEMPTION = {
    "default": "can be preempted",
    "fence": "can be preempted, never preempts others",
    "disabled": "never preempted",
}


@dataclass(frozen=True)
class _Row:
    """A queue, with the lines that lead to it and what it may have at most.

    guaranteed: whether it is guaranteed anything, itself or by a queue above.
    """

    lines: str
    depth: int
    path: str
    queue: Queue
    bounds: Bounds
    guaranteed: bool


def _rows(tree: QueueTree) -> Iterator[_Row]:
    bounds = {path: bounds for path, _, bounds in walk_bounded(tree)}

    def below(
        lines: str, depth: int, parent: str, queues: Sequence[Queue], guaranteed: bool
    ) -> Iterator[_Row]:
        for index, queue in enumerate(queues):
            last = index == len(queues) - 1
            path = f"{parent}.{queue.name}"
            # YuniKorn takes the guarantee of the nearest queue above (preemption.go of yunikorn-core v1.8.0:
            # GetRemainingGuaranteedResource).
            within_guarantee = guaranteed or queue.guaranteed is not None
            yield _Row(
                f"{lines}{'└─ ' if last else '├─ '}", depth, path, queue, bounds[path], within_guarantee
            )
            yield from below(
                f"{lines}{'   ' if last else '│  '}", depth + 1, path, queue.queues, within_guarantee
            )

    yield from below("", 1, ROOT_QUEUE, tree.organizations, False)


def as_text(tree: QueueTree, title: str, capacity: Resources | None = None) -> str:
    """A line a queue, in columns; `-` is where a queue has what its parent has, or no guarantee.

    At the root stands the capacity.

    capacity: of the cluster, where it is stated.
    """
    names = _resource_names(tree, capacity)
    table = [
        [ROOT_QUEUE, *[_amount(capacity, name) for name in names], *["" for _ in names], "", ""],
        *[
            [
                f"{row.lines}{row.queue.name}",
                *[_amount(row.queue.guaranteed, name) for name in names],
                *[_amount(row.queue.maximum, name) for name in names],
                str(row.queue.max_applications or "-"),
                "; ".join([*_policy(row), *map(_limit, row.queue.limits)]),
            ]
            for row in _rows(tree)
        ],
    ]
    head = ["", *names, *names, "jobs", ""]
    titles = ["queue", *_title_over("guaranteed", names), *_title_over("maximum", names), "", ""]
    widths = [max(map(len, column)) for column in zip(titles, head, *table, strict=True)]
    lines = [_line(cells, widths) for cells in (titles, head, *table)]
    return "\n".join([title, "", *lines]) + "\n"


def _title_over(title: str, names: Sequence[str]) -> list[str]:
    """A title over several columns: over the last of them."""
    return [*["" for _ in names[1:]], *[title for _ in names[:1]]]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names and remarks to the left, amounts to the right."""
    first, *amounts, remark = cells
    middle = [amount.rjust(width) for amount, width in zip(amounts, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *middle, remark]).rstrip()


def _resource_names(tree: QueueTree, capacity: Resources | None) -> list[str]:
    """The resources that the tree or the capacity states."""
    stated = total([*_amounts(tree), *([capacity] if capacity else [])])
    return [name for name in RESOURCES if stated.get(name) is not None]


def _amounts(tree: QueueTree) -> list[Resources]:
    """Guarantees and maxima of all queues."""
    pairs = ((queue.guaranteed, queue.maximum) for _, queue in tree.walk())
    return [resources for pair in pairs for resources in pair if resources]


def _amount(resources: Resources | None, name: str) -> str:
    amount = None if resources is None else resources.get(name)
    return "-" if amount is None else quantity(name, amount)


def _policy(row: _Row) -> list[str]:
    policy = row.queue.policy
    if policy is None:
        return []
    takes_back = f"waits {policy.delay_seconds} s" if row.guaranteed else "guaranteed nothing"
    return [PREEMPTION[policy.preemption], takes_back, policy.sort]


def _limit(limit: Limit) -> str:
    names = [f"user {name}" for name in limit.users] + [f"group {name}" for name in limit.groups]
    quantities = limit.maximum.quantities() if limit.maximum else {}
    amounts = [f"{amount} {name}" for name, amount in quantities.items()]
    jobs = [] if limit.max_applications is None else [f"{limit.max_applications} jobs"]
    return f"{', '.join(names)}: {', '.join([*jobs, *amounts])}"


TIERS = tuple(map(tier_queue, (1, 2, 3)))

ROW, HEAD, MARGIN = 26, 84, 24
NAME, BAR, AMOUNT, REMARK = 250, 170, 150, 390
"""Heights and widths, in pixels."""


def as_svg(tree: QueueTree, title: str, capacity: Resources | None = None) -> str:
    """A drawing that needs no other file: a row a queue, with bars of what it is guaranteed and may have.

    A full bar is the capacity of the cluster, or without one the most that any queue has.
    """
    rows = list(_rows(tree))
    full = {name: _full(tree, capacity, name) for name in _resource_names(tree, capacity)}
    width = 2 * MARGIN + NAME + len(full) * (BAR + AMOUNT) + REMARK
    height = HEAD + ROW * len(rows) + 2 * MARGIN
    parts = [
        *_legend(width),
        *[
            text(
                MARGIN + NAME + index * (BAR + AMOUNT),
                HEAD - 10,
                f"{name}: guaranteed of maximum{_of_capacity(capacity, name)}",
                "head",
            )
            for index, name in enumerate(full)
        ],
        text(width - MARGIN - REMARK, HEAD - 10, "jobs, policy, limits", "head"),
    ]
    for index, row in enumerate(rows):
        parts += _draw_row(row, HEAD + ROW * index, full, width, odd=index % 2 == 1)
    parts += _branches(rows)
    return document(title, (width, height), parts)


def _legend(width: int) -> Iterator[str]:
    x = width - MARGIN - 330
    for name, meaning in (
        ("tier1", "tier 1"),
        ("tier2", "tier 2"),
        ("tier3", "tier 3"),
        ("room", "up to maximum"),
    ):
        yield f'<rect class="{name}" x="{x}" y="24" width="12" height="12" rx="2"/>'
        yield text(x + 17, 34, meaning, "small")
        x += 75


def _of_capacity(capacity: Resources | None, name: str) -> str:
    amount = None if capacity is None else capacity.get(name)
    return "" if amount is None else f" (capacity {quantity(name, amount)})"


def _full(tree: QueueTree, capacity: Resources | None, name: str) -> int:
    """The amount of a full bar."""
    stated = capacity.get(name) if capacity else None
    return stated or max((resources.get(name) or 0 for resources in _amounts(tree)), default=0) or 1


def _draw_row(row: _Row, y: int, full: dict[str, int], width: int, *, odd: bool) -> Iterator[str]:
    queue, middle = row.queue, y + ROW / 2
    kind = queue.name if queue.policy is not None and queue.name in TIERS else "whole"
    remark = "; ".join(
        [
            *([f"{queue.max_applications} jobs"] if queue.max_applications else []),
            *_policy(row),
            *map(_limit, queue.limits),
        ]
    )
    yield f"<g><title>{escape(f'{row.path}: {remark}' if remark else row.path)}</title>"
    if odd:
        yield f'<rect class="line" x="{MARGIN / 2}" y="{y}" width="{width - MARGIN}" height="{ROW}"/>'
    x = _indent(row.depth)
    yield f'<circle class="{kind}" cx="{x}" cy="{middle}" r="4.5"/>'
    yield text(x + 11, middle + 4.5, queue.name, "parent" if queue.policy is None else "")
    for index, (name, most) in enumerate(full.items()):
        yield from _draw_bar(MARGIN + NAME + index * (BAR + AMOUNT), y, kind, row, name, most)
    yield text(width - MARGIN - REMARK, middle + 4, shortened(remark, REMARK, "small"), "small") + "</g>"


def _draw_bar(x: int, y: int, kind: str, row: _Row, name: str, full: int) -> Iterator[str]:
    """The maximum in grey, fainter where it is that of a queue above, and over it the guarantee."""
    guaranteed = (row.queue.guaranteed.get(name) if row.queue.guaranteed else None) or 0
    maximum = row.queue.maximum.get(name) if row.queue.maximum else None
    bound = row.bounds.maximum.get(name)
    room = BAR * min(1.0, bound.amount / full) if bound else BAR
    faint = "" if maximum is not None else ' opacity="0.45"'
    yield f'<rect class="room" x="{x}" y="{y + 8}" width="{room:.1f}" height="10" rx="2"{faint}/>'
    if guaranteed:
        length = max(1.5, BAR * min(1.0, guaranteed / full))
        yield f'<rect class="{kind}" x="{x}" y="{y + 8}" width="{length:.1f}" height="10" rx="2"/>'
    label = [quantity(name, guaranteed)] if guaranteed else []
    label += [f"of {quantity(name, maximum)}"] if maximum is not None else []
    if label:
        yield text(x + BAR + 8, y + ROW / 2 + 4, " ".join(label), "small")


def _branches(rows: Sequence[_Row]) -> Iterator[str]:
    """Lines from each queue down to those below it."""
    latest: dict[int, float] = {}
    for index, row in enumerate(rows):
        y = HEAD + ROW * index + ROW / 2
        latest[row.depth] = y
        if row.depth > 1:
            x, top = _indent(row.depth - 1), latest[row.depth - 1] + 5
            yield f'<path class="branch" d="M{x} {top} V{y} H{_indent(row.depth) - 5}"/>'


def _indent(depth: int) -> int:
    return MARGIN + 6 + (depth - 1) * 22
