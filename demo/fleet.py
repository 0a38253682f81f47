"""Workflows that are made up for the queues of clusters, so that what they ask for is about what there is.

Tier 1 runs by night, tier 2 in the morning and at noon, tier 3 through the working day. A few workflows of a
queue have most of its work.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random

import yaml

from moka.allocation.fleet import HOURS
from moka.allocation.offer import Offer
from moka.queues.tiers import TierNumber
from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR
from moka.workflows.definitions import FORMAT, Workflow
from planning.example_history import MINUTE, Habit

SEED = 17
PREFIX = "demo"
"""Of the names of workflows, so that nobody takes them for real ones."""

TIMES: Mapping[TierNumber, tuple[int, ...]] = {
    1: (0, 1, 2, 3, 4),
    2: (5, 6, 7, 8, 12),
    3: (6, 7, 8, 9, 10, 12, 13, 14, 15, 16),
}
"""Hours of the day, in UTC, in which workflows of a tier begin."""

SHARES: Mapping[TierNumber, float] = {1: 0.2, 2: 0.3, 3: 0.5}
"""Of the workflows, for each tier."""

FILLED = 0.8
"""Of a queue's maximum, that the workflows of each of these hours have together."""

ALL_DAY = 0.03
"""Of the workflows of tiers 2 and 3 run every hour."""

SMALLEST, LARGEST = 100, 1000
"""Thousandths of a core of a pod."""

MINUTES = 35
"""That a run of many takes."""

SPREAD = 0.02
"""Hours by which runs come earlier or later than they should."""

SLOS: Mapping[TierNumber, tuple[float, float]] = {1: (1.5, 3), 2: (1.5, 4), 3: (2, 6)}
"""How many times as long as a run takes its SLO is, from and to."""

LEAST_SLO = 0.5
"""Hours."""


def habits(offers: Sequence[Offer], count: int) -> tuple[Habit, ...]:
    """How so many workflows run in the queues of clusters, the same for the same queues."""
    chance = Random(SEED)
    places = [(offer, path) for offer in offers for path in offer.queues]
    of_tier = {tier: [place for place in places if _tier(place[1]) == tier] for tier in SHARES}
    weights = [SHARES[_tier(path)] / len(of_tier[_tier(path)]) for _, path in places]
    numbers = iter(range(count))
    return tuple(
        habit
        for (offer, path), many in zip(places, _shares(count, weights), strict=True)
        for habit in _of_queue(offer, path, [next(numbers) for _ in range(many)], chance)
    )


def workflows(habits: Sequence[Habit]) -> dict[str, Workflow]:
    """What Archer is told of the workflows, by name."""
    names = {habit.name: queue_names(habit.queue) for habit in habits}
    return {
        habit.name: Workflow(
            tier=habit.tier,
            slo_hours=habit.slo_hours,
            owner=f"{names[habit.name].project}@{names[habit.name].organization}.example",
            project=f"{names[habit.name].organization}.{names[habit.name].project}",
            cluster=habit.home,
        )
        for habit in habits
    }


def document(workflows: Mapping[str, Workflow]) -> str:
    """The workflows as a file."""
    head = "# Made up by `make demo`: there are no such workflows.\n"
    dumped = {name: workflow.model_dump() for name, workflow in workflows.items()}
    return head + yaml.safe_dump({"format": FORMAT, "workflows": dumped}, sort_keys=False)


def _shares(count: int, weights: Sequence[float]) -> list[int]:
    """A number in parts by weight, which come to the whole."""
    ends = [round(count * end / sum(weights)) for end in accumulate(weights)]
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


def _tier(path: str) -> TierNumber:
    return next(tier for tier in SHARES if tier == queue_names(path).tier)


def _of_queue(offer: Offer, path: str, numbers: Sequence[int], chance: Random) -> Iterator[Habit]:
    tier = _tier(path)
    most = (offer.queues[path].maximum or offer.cluster.capacity).cpu or offer.cluster.capacity.cpu or 0
    sizes = [chance.paretovariate(1.4) for _ in numbers]
    for number, size in zip(numbers, sizes, strict=True):
        all_day = tier > 1 and chance.random() < ALL_DAY
        hours = HOURS if all_day else 1
        # Thousandths of a core that it has while it runs.
        cpu = most * FILLED * len(TIMES[tier]) / hours * size / sum(sizes)
        pods = -(-int(min(cpu, most / 5)) // LARGEST) or 1
        at = None if all_day else chance.choice(TIMES[tier]) + chance.uniform(0, 0.4)
        lasts = int(MINUTE * (15 if all_day else MINUTES) * math.exp(chance.gauss(0, 0.4)))
        pod = max(SMALLEST, min(LARGEST, round(cpu / pods / 50) * 50))
        yield Habit(
            name=f"{PREFIX}-{_when(at)}-{number:04}",
            queue=path,
            tier=tier,
            home=offer.name,
            slo_hours=max(LEAST_SLO, round(lasts / HOUR * chance.uniform(*SLOS[tier]) * 4) / 4),
            daily=hours,
            at=at,
            spread=SPREAD,
            pods=pods,
            cpu=pod,
            memory=pod * chance.choice((4, 6, 8, 8, 9)) * 1024 // 1000,
            lasts=lasts,
        )


def _when(at: float | None) -> str:
    if at is None:
        return "hourly"
    return "night" if at < 5 else "morning" if at < 12 else "afternoon"
