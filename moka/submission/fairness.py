"""Whose jobs are submitted next: fair over queues by weight, tier by tier within each.

Start-time fair queueing (Goyal, Vin, Cheng, 1996): a queue has a clock that runs on by 1/weight with each
job of it, the queue whose clock is furthest behind is next, and one that comes back after a pause does not
get what it did not ask for.
"""

import heapq
from collections.abc import Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """jobs: (queue, tier) -> how many of it are next. clocks: of the queues, afterwards."""

    jobs: Mapping[tuple[str, int], int]
    clocks: Mapping[str, float]


def next_turn(
    waiting: Mapping[tuple[str, int], int],
    clocks: Mapping[str, float],
    weights: Mapping[str, float],
    number: int,
    more: Set[tuple[str, int]] = frozenset(),
) -> Turn:
    """The jobs that are next.

    waiting: (queue `organization.project`, tier) -> jobs that wait, or as many of them as were counted.
    clocks: of queues, after the last turn; those that are missing begin with the one that is furthest behind.
    weights: of queues, 1 where it is missing. number: jobs at most.
    more: those of which more wait than were counted: where such a one comes to its end, the turn does, as
    nobody knows who would be next.
    """
    counts = {key: count for key, count in waiting.items() if count > 0}
    tiers: dict[str, list[int]] = {}
    for queue, tier in sorted(counts):
        tiers.setdefault(queue, []).append(tier)
    behind = min((clocks[queue] for queue in tiers if queue in clocks), default=0.0)
    heap = [(max(clocks.get(queue, behind), behind), queue) for queue in tiers]
    heapq.heapify(heap)
    ends = {queue: clock for clock, queue in heap}
    jobs: dict[tuple[str, int], int] = {}
    for _ in range(number):
        if not heap:
            break
        clock, queue = heapq.heappop(heap)
        key = (queue, tiers[queue][0])
        jobs[key] = jobs.get(key, 0) + 1
        counts[key] -= 1
        ends[queue] = clock + 1.0 / weights.get(queue, 1.0)
        if not counts[key]:
            if key in more:
                break
            tiers[queue].pop(0)
        if tiers[queue]:
            heapq.heappush(heap, (ends[queue], queue))
    return Turn(jobs, {**clocks, **ends})
