"""The share of time that each tier gets on a cluster: the highest that fits.

Shares fall from tier 1 to 3, while what a tier uses of what it gets rises: the critical ones have room, and
the others make use of what there is. Tier 1 comes first: its share is the highest at which the least of the
others still fits; then tier 2's, then tier 3's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from moka.allocation.rules import TIERS, Rules
from moka.queues.tiers import TierNumber

MachinesForShare = Callable[[TierNumber, int], int]
"""Thousandths of machines that a tier gets for a percentage; more for a higher one."""


@dataclass(frozen=True)
class TierShares:
    """The shares of time of a cluster's tiers.

    percents: by tier. fits: whether all of it is within the capacity; else these are the least.
    says: what is not as it should be, a sentence each.
    """

    percents: Mapping[TierNumber, int]
    fits: bool
    says: tuple[str, ...]


def find(
    rules: Rules, capacity: int, machines_for: MachinesForShare, used: Mapping[TierNumber, Fraction]
) -> TierShares:
    """Search the shares of the tiers.

    capacity: thousandths of machines. used: by tier, thousandths of machines in use on average.
    """
    least = {tier: rules.thresholds[tier].least for tier in TIERS}
    if sum(machines_for(tier, least[tier]) for tier in TIERS) > capacity:
        return TierShares(least, fits=False, says=())
    percents: dict[TierNumber, int] = {}
    sentences = []
    above: tuple[TierNumber, Fraction] | None = None
    for tier in TIERS:
        others = sum(
            machines_for(other, percents.get(other, least[other])) for other in TIERS if other != tier
        )
        room = capacity - others
        fitting = [p for p in _percents(rules, tier, percents) if machines_for(tier, p) <= room]
        rising = [p for p in fitting if above is None or _ratio(tier, p, machines_for, used) >= above[1]]
        percents[tier] = (rising or fitting)[0]
        if not machines_for(tier, percents[tier]):
            continue
        ratio = _ratio(tier, percents[tier], machines_for, used)
        if above is not None and not rising:
            sentences.append(
                f"Tier {tier} uses {_percent(ratio)} of what it gets, less than tier {above[0]} with "
                f"{_percent(above[1])}, whatever share of time it has: the lower tier has more room."
            )
        above = tier, ratio
    return TierShares(percents, fits=True, says=tuple(sentences))


def _percents(rules: Rules, tier: TierNumber, percents: Mapping[TierNumber, int]) -> Iterator[int]:
    """The shares that a tier may have, the highest first: none above those of the tiers above it."""
    most, least = rules.thresholds[tier]
    yield from range(min([most, *percents.values()]), least - 1, -1)


def _ratio(
    tier: TierNumber, percent: int, machines_for: MachinesForShare, used: Mapping[TierNumber, Fraction]
) -> Fraction:
    """Usage to capacity of a tier."""
    amount = machines_for(tier, percent)
    return used[tier] / amount if amount else Fraction(0)


def _percent(ratio: Fraction) -> str:
    return f"{float(ratio):.0%}"
