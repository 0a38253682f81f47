"""How much of a bound the queues of tiers 2 and 3 may fill, so that nothing of it is left to tier 1.

As read in apache/yunikorn-core v1.8.0, whatever the priority of a job: it starts where its queue, every queue
above and the limits of its user and group may have one more, and is passed over otherwise
(pkg/scheduler/objects/queue.go: TryAllocate); and a pod beyond what a limit lets its user or group have is
passed over before anything is preempted for it (application.go: tryAllocate).
"""

from collections.abc import Callable, Iterator
from typing import Literal

from moka.names import tier_queue
from moka.queues.tree import WILDCARD, Limit, Queue

Kind = Literal["users", "groups"]
KINDS: tuple[Kind, ...] = ("users", "groups")

Most = Callable[[Queue], int | None]
"""The most that tiers 2 and 3 have of something by what a queue itself says; None where it says nothing."""


def critical(queue: Queue) -> int:
    """How many queues of tier 1 there are in a queue; to each is left one of what is bounded."""
    return sum(map(critical, queue.queues)) if queue.queues else int(queue.name == tier_queue(1))


def others_below(queue: Queue, most: Most) -> int | None:
    """How much tiers 2 and 3 may have below a queue at a time; None where nothing bounds them."""
    counts = [_others(child, most) for child in queue.queues]
    numbers = [count for count in counts if count is not None]
    return sum(numbers) if len(numbers) == len(counts) else None


def _others(queue: Queue, most: Most) -> int | None:
    if not queue.queues:
        return most(queue) if queue.name != tier_queue(1) else 0
    return _least(others_below(queue, most), most(queue))


def jobs(queue: Queue) -> int | None:
    """Of the jobs of all users that a queue may run."""
    return _bound_for_others(queue, queue.max_applications)


def jobs_of(kind: Kind, name: str) -> Most:
    """Of the jobs of one user or group that a queue may run."""

    def most(queue: Queue) -> int | None:
        limit = limit_of(queue, kind, name)
        return _least(jobs(queue), _bound_for_others(queue, limit.max_applications if limit else None))

    return most


def amount_of(resource: str, kind: Kind, name: str) -> Most:
    """Of what one user or group may have of a resource in a queue."""

    def most(queue: Queue) -> int | None:
        limit = limit_of(queue, kind, name)
        limited = limit.maximum.get(resource) if limit and limit.maximum else None
        # Of a queue's own maximum tier 1 takes its part by preemption, so that the others may have all of it.
        return _least(
            queue.maximum.get(resource) if queue.maximum else None, _bound_for_others(queue, limited)
        )

    return most


def _bound_for_others(queue: Queue, bound: int | None) -> int | None:
    """A bound without what is left to tier 1: where it has no room for that, it is refused itself."""
    return None if bound is None else bound - critical(queue)


def _least(*bounds: int | None) -> int | None:
    return min((bound for bound in bounds if bound is not None), default=None)


def limit_of(queue: Queue, kind: Kind, name: str) -> Limit | None:
    """The limit of a queue that a user or group has: by name, or else that of all others."""
    limits = {listed: limit for limit in queue.limits for listed in getattr(limit, kind)}
    return limits.get(name) or limits.get(WILDCARD)


def names_in(queue: Queue, kind: Kind) -> Iterator[str]:
    """The users or groups that limits of a queue name, and those of queues below it."""
    for limit in queue.limits:
        yield from getattr(limit, kind)
    for child in queue.queues:
        yield from names_in(child, kind)
