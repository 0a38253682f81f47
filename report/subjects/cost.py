"""The change of what the stack costs a month, as far as a table of prices says it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from moka.prices import Prices, prices
from previews import Preview, State, Step
from previews.values import text
from report.cost.charges import CHARGED, USAGE, Charge, is_free
from report.model import Finding, Section, Table
from report.words import code, listing, plain

LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
AWS_PROVIDER = "pulumi:providers:aws"


@dataclass
class Total:
    """Dollars a month, at the least, as it starts, and at the most."""

    low: float = 0.0
    usual: float = 0.0
    high: float = 0.0

    def add(self, charge: Charge, price: float) -> None:
        """Count a charge."""
        self.low += charge.low * price
        self.usual += charge.usual * price
        self.high += charge.high * price


@dataclass
class Bill:
    """Totals by kind, and what has no price: key and region."""

    kinds: dict[str, Total] = field(default_factory=dict)
    missing: set[tuple[str, str]] = field(default_factory=set)

    @property
    def total(self) -> Total:
        """All kinds together."""
        parts = self.kinds.values()
        return Total(
            sum(part.low for part in parts),
            sum(part.usual for part in parts),
            sum(part.high for part in parts),
        )


def monthly(preview: Preview) -> Total:
    """What there is after the changes of a preview, of what changes. Raises InvalidPrices."""
    return _bill(preview, preview.changes, lambda step: step.new, prices()).total


def cost(preview: Preview) -> Section:
    """The section of cost: of what changes, before and after. Raises InvalidPrices."""
    steps = [step for step in preview.changes if step.state.custom]
    table = prices()
    before = _bill(preview, steps, lambda step: step.old, table)
    after = _bill(preview, steps, lambda step: step.new, table)
    missing = sorted(before.missing | after.missing)
    findings = [*_change(before, after, partial=bool(missing)), *_missing(missing), *_unpriced_types(steps)]
    rows = _rows(before, after)
    return Section(
        subject="cost",
        title="Cost a month",
        findings=findings,
        table=Table(head=("what", "before", "after", "change"), rows=rows) if rows else None,
        remark=_remark(table, steps) if rows or findings else "",
    )


def _bill(
    preview: Preview, steps: Iterable[Step], side: Callable[[Step], State | None], table: Prices
) -> Bill:
    bill = Bill()
    templates = {step.name: state for step in preview.of(LAUNCH_TEMPLATE) if (state := side(step))}
    groups = {step.name for step in steps if step.type == LAUNCH_TEMPLATE}
    regions = _regions(preview)
    for step in preview.steps:
        reader, state = CHARGED.get(step.type), side(step)
        # A group's disks stand in its launch template.
        concerned = step.op not in ("same", "read") or step.name in groups
        if reader is None or state is None or not concerned:
            continue
        region = text(state.inputs.get("region")) or regions.get(_provider(state), "") or _only(regions)
        for charge in reader(step, state, templates):
            if not charge.high:
                continue
            price = table.price(charge.key, region)
            if price is None:
                bill.missing.add((charge.key, region or "an unknown region"))
            else:
                bill.kinds.setdefault(charge.kind, Total()).add(charge, price)
    return bill


def _regions(preview: Preview) -> Mapping[str, str]:
    """Logical name of an AWS provider -> its region; without one, what resources themselves say."""
    of_providers = {step.name: text(step.state.inputs.get("region")) for step in preview.of(AWS_PROVIDER)}
    return {name: region for name, region in of_providers.items() if region} or {
        region: region
        for step in preview.steps
        if step.type.startswith("aws:") and (region := text(step.state.inputs.get("region")))
    }


def _provider(state: State) -> str:
    return state.provider.split("::")[-2] if state.provider.count("::") > 1 else ""


def _only(regions: Mapping[str, str]) -> str:
    """The region where there is one only: Kubernetes objects do not say theirs."""
    names = set(regions.values())
    return names.pop() if len(names) == 1 else ""


def _change(before: Bill, after: Bill, *, partial: bool) -> list[Finding]:
    old, new = before.total, after.total
    amount = new.usual - old.usual
    if not (before.kinds or after.kinds):
        return []
    at_least = "at least " if partial else ""
    if _near(old, new):
        sentence = "What changes costs as much as before"
    else:
        sentence = (
            f"{at_least}**{_difference(amount)} a month**".capitalize()
            if partial
            else f"**{_difference(amount)} a month**"
        )
    bounds = ""
    low, high = new.low - old.low, new.high - old.high
    if abs(low - amount) >= 1 or abs(high - amount) >= 1:
        bounds = (
            f"; {_difference(low)} with every group at its minimum, "
            f"{_difference(high)} with every group at its maximum"
        )
    moves = max(map(abs, (low, amount, high))) >= 1
    return [Finding(weight="look" if moves else "note", says=f"{sentence}{bounds}.")]


def _near(old: Total, new: Total) -> bool:
    return abs(old.usual - new.usual) < 0.5


def _missing(missing: list[tuple[str, str]]) -> list[Finding]:
    if not missing:
        return []
    prices = listing((f"{code(key.removeprefix('ec2/'))} in {plain(region)}" for key, region in missing), 8)
    return [
        Finding(
            weight="look",
            says=f"No price is known of {prices}: it is left out of all sums; `moka prices --refresh` asks "
            "AWS for it.",
        )
    ]


def _unpriced_types(steps: Iterable[Step]) -> list[Finding]:
    types = sorted({step.type for step in steps if step.type not in CHARGED and not is_free(step.type)})
    if not types:
        return []
    return [
        Finding(weight="look", says=f"Not known whether it costs anything: {listing(map(code, types), 8)}.")
    ]


def _rows(before: Bill, after: Bill) -> list[list[str]]:
    rows = []
    for kind in sorted({*before.kinds, *after.kinds}):
        old, new = before.kinds.get(kind, Total()), after.kinds.get(kind, Total())
        if not _near(old, new) or abs(old.high - new.high) >= 1 or abs(old.low - new.low) >= 1:
            rows.append([kind, _range(old), _range(new), _difference(new.usual - old.usual)])
    return rows


def _range(total: Total) -> str:
    if total.high - total.low < 1:
        return _dollars(total.usual)
    return f"{_dollars(total.usual)} ({_dollars(total.low)} to {_dollars(total.high)})"


def _dollars(amount: float) -> str:
    return f"${amount:,.0f}" if abs(amount) >= 10 else f"${amount:,.2f}"


def _difference(amount: float) -> str:
    return f"{'+' if amount >= 0 else '−'}{_dollars(abs(amount))}"


def _remark(table: Prices, steps: Iterable[Step]) -> str:
    usage = sorted({USAGE[step.type] for step in steps if step.type in USAGE})
    omission = f" Not counted, as it goes by usage: {listing(usage)}." if usage else ""
    return (
        f"AWS's list prices in USD, on demand, the oldest of {table.oldest} (moka/prices.json has all "
        "sources); 730 hours; node groups at the size they start with, and between their bounds; without "
        f"discounts, traffic and taxes.{omission}"
    )
