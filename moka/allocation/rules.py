"""What an allocation goes by, where the history leaves a choice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from moka.queues.tiers import TierNumber
from moka.usage.records import DAY


class Threshold(NamedTuple):
    """Percentages of the time in use between which a tier's share is sought."""

    most: int
    least: int


class InvalidRules(ValueError):
    """Rules that contradict themselves; the message is a sentence."""


TIERS: tuple[TierNumber, ...] = (1, 2, 3)

THRESHOLDS: Mapping[TierNumber, Threshold] = {
    1: Threshold(most=99, least=90),
    2: Threshold(most=95, least=75),
    3: Threshold(most=90, least=50),
}
"""Ours. The published example has 95; a workflow is within its SLO when 90% of its runs are."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What an allocation goes by.

    days: of history that it looks at.
    thresholds: by tier; both ends fall from tier 1 to 3.
    headroom: percentage by which more applications may run than ever did at a time.
    new_machines, new_applications: of a queue that has no history.
    Raises InvalidRules.
    """

    days: int = 30
    thresholds: Mapping[TierNumber, Threshold] = field(default_factory=lambda: THRESHOLDS)
    headroom: int = 25
    new_machines: int = 1
    new_applications: int = 5

    def __post_init__(self) -> None:
        for name, least in (("days", 1), ("headroom", 0), ("new_machines", 1), ("new_applications", 1)):
            if getattr(self, name) < least:
                raise InvalidRules(f"{name} is {getattr(self, name)}: it is at least {least}.")
        if set(self.thresholds) != set(TIERS):
            raise InvalidRules("thresholds: every tier, 1 to 3, has one.")
        for tier in TIERS:
            most, least = self.thresholds[tier]
            if not 1 <= least <= most <= 100:
                raise InvalidRules(
                    f"thresholds: tier {tier} has {most} to {least}: write percentages, most first."
                )
            if tier > 1 and any(map(_over, self.thresholds[tier], self.thresholds[_above(tier)])):
                raise InvalidRules(
                    f"thresholds: tier {tier} is above tier {tier - 1}: they fall from tier 1 to 3."
                )

    @property
    def window(self) -> int:
        """Milliseconds of history that it looks at."""
        return self.days * DAY


def _over(lower: int, upper: int) -> bool:
    return lower > upper


def _above(tier: TierNumber) -> TierNumber:
    return TIERS[tier - 2]
