"""Pictures of a report's page: SVG within HTML, which takes its colours from there."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from moka.svg import text
from moka.usage.report.model import Balance, TierSlo, TierUse, Use
from moka.usage.report.sizes import Amount

WIDTH, HEIGHT = 760, 190
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 26
"""Of hours: what is around the bars, pixels."""

ROW, BAR, LABEL = 28, 420, 90
"""Of bars that lie, pixels."""


def tier_class(tier: int) -> str:
    """Its colour: `tier0` is for queues that have none."""
    return f"tier{tier}"


def tier_name(tier: int) -> str:
    """As pages write it."""
    return f"tier {tier}" if tier else "no tier"


def hours(use: Use, resource: str, capacity: float | None, title: str) -> str:
    """What was in use in each hour, by tier, up to the capacity. resource: a field of Amount."""
    drawn = _scaled(use, resource)
    most = max([capacity or 0.0, *(sum(amount for _, amount in parts) for parts in drawn)]) * 1.05 or 1.0
    height, width = HEIGHT - TOP - BOTTOM, (WIDTH - LEFT - RIGHT) / len(drawn)
    parts = []
    for tick in ticks(most):
        y = TOP + height * (1 - tick / most)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f} H{WIDTH - RIGHT}"/>')
        parts.append(_right(LEFT - 8, y + 4, number(tick)))
    for hour, tiers in enumerate(drawn):
        x = LEFT + hour * width
        if use.known_by_hour[hour] < 1:
            parts.append(
                f'<rect class="unknown" x="{x:.1f}" y="{TOP}" width="{width:.1f}" height="{height}"/>'
            )
        notes = [f"{tier_name(tier)} {number(amount)}" for tier, amount in tiers if amount]
        if use.known_by_hour[hour] < 1:
            notes.append(f"{(1 - use.known_by_hour[hour]) * 60:.0f} min are not known")
        parts.append(f"<g><title>{hour:02}:00 {escape(', '.join(notes) or 'nothing')}</title>")
        y = TOP + height
        for tier, amount in tiers:
            length = height * amount / most
            y -= length
            parts.append(
                f'<rect class="{tier_class(tier)}" x="{x + 1.5:.1f}" y="{y:.1f}" width="{width - 3:.1f}" '
                f'height="{length:.1f}"/>'
            )
        parts.append("</g>")
        if hour % 3 == 0:
            parts.append(text(x, HEIGHT - 8, f"{hour:02}:00", "small"))
    if capacity:
        y = TOP + height * (1 - capacity / most)
        parts.append(f'<path class="limit" d="M{LEFT} {y:.1f} H{WIDTH - RIGHT}"/>')
    peak = max(range(len(drawn)), key=lambda hour: sum(amount for _, amount in drawn[hour]))
    top = sum(amount for _, amount in drawn[peak])
    of = f", of a capacity of {number(capacity)}" if capacity else ""
    label = f"{title} by hour: at most {number(top)} at {peak:02}:00{of}"
    return _picture((WIDTH, HEIGHT), label, parts)


def ticks(most: float) -> list[float]:
    """Amounts that an axis up to `most` names: two or more, as round as one reads them."""
    power = 10 ** math.floor(math.log10(most))
    step = next(step for step in (power * 2, power, power / 2, power / 5) if step * 2 <= most)
    return [step * number for number in range(math.floor(most / step) + 1)]


def _scaled(use: Use, resource: str) -> list[list[tuple[int, float]]]:
    """By hour, what each tier has of the cluster's amount.

    Instances of tiers, each by a resource of its own, add up to more than those of all: they share in these.
    """
    result = []
    for hour, whole in enumerate(use.by_hour):
        amounts = [(tier.tier, _of(tier, hour, resource)) for tier in use.tiers]
        total = sum(amount for _, amount in amounts)
        scale = getattr(whole, resource) / total if total else 0.0
        result.append([(tier, amount * scale) for tier, amount in amounts])
    return result


def _of(tier: TierUse, hour: int, resource: str) -> float:
    amount: Amount = tier.by_hour[hour]
    value: float = getattr(amount, resource)
    return value


def slos(tiers: Sequence[TierSlo], aim: int) -> str:
    """Of the workflows of each tier, how many were successful, beside what is aimed at."""
    parts = []
    for index, tier in enumerate(tiers):
        y = index * ROW + 6
        parts.append(text(0, y + 12, tier_name(tier.tier)))
        parts.append(f'<rect class="room" x="{LABEL}" y="{y}" width="{BAR}" height="16" rx="2"/>')
        if tier.share is not None:
            parts.append(
                f'<rect class="{tier_class(tier.tier)}" x="{LABEL}" y="{y}" width="{BAR * tier.share:.1f}" '
                'height="16" rx="2"/>'
            )
        verdict = "met" if tier.met else "missed"
        label = (
            f"{tier.share:.0%}: {tier.successful:,} of {tier.judged:,}, {verdict}"
            if tier.share is not None
            else f"none of {tier.workflows:,} is judged"
        )
        parts.append(text(LABEL + BAR + 10, y + 12, label))
    height = len(tiers) * ROW + 22
    x = LABEL + BAR * aim / 100
    parts.append(f'<path class="limit" d="M{x:.1f} 0 V{height - 20}"/>')
    parts.append(text(x - 34, height - 6, f"aim: {aim}%", "small"))
    shares = "; ".join(f"{tier_name(tier.tier)} {tier.share:.0%}" for tier in tiers if tier.share is not None)
    return _picture(
        (WIDTH, height), f"Workflows that were successful, by tier: {shares or 'none judged'}", parts
    )


def evenness(balance: Balance, use: Use) -> str:
    """The shares of the capacity's vcores and memory that were used."""
    pairs = [("vcores", use.vcores_share), ("memory", use.memory_share)]
    parts = []
    for index, (name, share) in enumerate(pairs):
        y = index * ROW + 6
        parts.append(text(0, y + 12, name))
        parts.append(f'<rect class="room" x="{LABEL}" y="{y}" width="{BAR}" height="16" rx="2"/>')
        length = BAR * min(share or 0.0, 1.0)
        kind = "binds" if name == balance.binds else "free"
        parts.append(f'<rect class="{kind}" x="{LABEL}" y="{y}" width="{length:.1f}" height="16" rx="2"/>')
        label = "of no capacity" if share is None else f"{share:.0%} of the day's capacity"
        parts.append(text(LABEL + BAR + 10, y + 12, label + (", binds" if kind == "binds" else "")))
    return _picture((WIDTH, len(pairs) * ROW + 6), balance.says, parts)


def number(amount: float) -> str:
    """With as many digits as one reads."""
    return f"{amount:,.0f}" if amount >= 100 or amount == int(amount) else f"{amount:.3g}"


def _right(x: float, y: float, content: str) -> str:
    """Text that ends at `x`."""
    return f'<text class="small" text-anchor="end" x="{x:g}" y="{y:.1f}">{escape(content)}</text>'


def _picture(size: tuple[float, float], label: str, parts: Iterator[str] | Sequence[str]) -> str:
    width, height = size
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}">{"".join(parts)}</svg>'
    )
