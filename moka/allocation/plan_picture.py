"""A plan drawn: what each queue that it changes is guaranteed by the hour, before and after."""

from collections.abc import Iterator, Sequence
from html import escape

from moka.allocation.plan_differences import Change
from moka.queues.resources import quantity
from moka.svg import LINE, Paint, document, shortened, text, text_width

ROW, HEAD, MARGIN, REMARK = 46, 108, 24, 18
NAME, HOUR, CHART, AMOUNTS = 300, 9, 34, 170
"""Heights and widths, in pixels."""

MOST_ROWS = 200
"""Of a picture that one looks at; of more queues there is their number."""

UNITS = {"cpu": (1000, "cores"), "memory": (2**30, "GiB")}
"""Of what is written beside a row: how much of an amount is one, and its name."""

PAINTS = (Paint(".before", "stroke", *LINE),)
RULES = (".before { fill: none; stroke-width: 1.5 }", ".after { opacity: 0.8 }")


def as_svg(
    changes: Sequence[Change], title: str, before: str = "the settings", remarks: Sequence[str] = ()
) -> str:
    """A drawing that needs no other file: a row for each amount that is guaranteed otherwise, with its hours.

    Columns in the colour of the tier are after, the line is before. before: what is compared with. remarks:
    below that, a line each.
    """
    guaranteed = [change for change in changes if change.bound == "guaranteed"]
    rows, more = guaranteed[:MOST_ROWS], len(guaranteed) - MOST_ROWS
    compared = f"compared with {before}"
    width = 2 * MARGIN + max(
        NAME + 24 * HOUR + AMOUNTS, text_width(title, "title"), text_width(compared, "small")
    )
    head = HEAD + REMARK * len(remarks)
    height = head + ROW * max(len(rows), 1) + 2 * MARGIN
    parts = [
        text(MARGIN, 56, compared, "small"),
        *(
            text(MARGIN, 78 + REMARK * number, shortened(remark, width - 2 * MARGIN))
            for number, remark in enumerate(remarks)
        ),
        text(
            MARGIN + NAME, head - 10, "guaranteed from 0:00 to 24:00, UTC: columns after, line before", "head"
        ),
        *[part for index, change in enumerate(rows) for part in _row(change, head + ROW * index)],
    ]
    if not rows:
        parts.append(text(MARGIN, head + ROW / 2, "No queue is guaranteed anything else."))
    if more > 0:
        parts.append(text(MARGIN, height - MARGIN, f"And {more} more.", "small"))
    return document(title, (width, height), parts, paints=PAINTS, rules=RULES)


def _row(change: Change, y: float) -> Iterator[str]:
    tier = change.queue.rpartition(".")[2]
    yield f"<g><title>{escape(str(change))}</title>"
    yield text(MARGIN, y + 18, shortened(change.queue.partition(".")[2], NAME - 16))
    yield text(
        MARGIN, y + 34, shortened(f"{change.resource} on {change.cluster}", NAME - 16, "small"), "small"
    )
    left, bottom = MARGIN + NAME, y + 6 + CHART
    full = max(amount or 0 for amount in (*change.before, *change.after)) or 1
    for hour, amount in enumerate(change.after):
        length = CHART * (amount or 0) / full
        yield (
            f'<rect class="{tier} after" x="{left + hour * HOUR:g}" y="{bottom - length:.1f}" '
            f'width="{HOUR - 1}" height="{length:.1f}"/>'
        )
    points = [
        f"{left + (hour + end) * HOUR:g},{bottom - CHART * (amount or 0) / full:.1f}"
        for hour, amount in enumerate(change.before)
        for end in (0, 1)
    ]
    yield f'<polyline class="before" points="{" ".join(points)}"/>'
    most = [max(amount or 0 for amount in amounts) for amounts in (change.before, change.after)]
    yield text(left + 24 * HOUR + 12, y + 26, f"{_amounts(change.resource, most)} at most", "small")
    yield "</g>"


def _amounts(resource: str, amounts: Sequence[int]) -> str:
    """Amounts as one reads them, from one to the other."""
    if resource not in UNITS:
        return " → ".join(quantity(resource, amount) for amount in amounts)
    unit, name = UNITS[resource]
    return f"{' → '.join(f'{amount / unit:.3g}' for amount in amounts)} {name}"
