"""The queues of a cluster with the amounts of a plan in them, within what the settings leave to plans.

Which queues there are is as the settings have it, and so is the maximum of each, which no plan exceeds: what
does not fit is lowered, or raised to the least that the settings leave a queue, and told. So a plan goes on
after a change of the settings, for the queues that are still there, and a schedule lowers it like them.

Organizations and projects with queues of a plan are guaranteed what these have together
(moka/allocation/queue_document.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.queue_amounts import AmountsOfHour, HourAmounts
from moka.mistakes import Mistake
from moka.names import ROOT_QUEUE
from moka.quantities import MIB
from moka.queues import shares
from moka.queues.bounds import Bound, walk_bounded
from moka.queues.calendar import Nodes
from moka.queues.resources import RESOURCES, Resources, quantity
from moka.queues.room import critical
from moka.queues.tiers import POLICIES
from moka.queues.tree import Queue, QueueTree

CAPACITY = "the capacity of the cluster"

BESIDE_GPUS = {"cpu": 1, "memory": MIB}
"""What a queue with GPUs has of both at the least: what has a GPU has some of them."""


@dataclass(frozen=True)
class InForce:
    """What a scheduler is to have.

    tree: the queues. unresolved: what the settings have that does not come to amounts.
    says: what of a plan is not as it has it, and why.
    """

    tree: QueueTree
    unresolved: Sequence[Mistake] = ()
    says: Sequence[Mistake] = ()


def in_force(settings: ClusterSettings, amounts: AmountsOfHour, nodes: Nodes) -> InForce:
    """The queues with amounts in them while there are so many nodes; without any, those of the settings."""
    base, unresolved = settings.tree(nodes)
    if not amounts.queues:
        return InForce(base, unresolved)
    capacity = settings.calendar.capacity_of(nodes) or settings.calendar.amounts(nodes)
    tree, mistakes = _Merger(settings, amounts, base, capacity).merged()
    return InForce(tree, unresolved, mistakes)


class _Merger:
    """Puts amounts into a tree."""

    def __init__(
        self, settings: ClusterSettings, amounts: AmountsOfHour, base: QueueTree, capacity: Resources
    ) -> None:
        self._least = settings.bounds.least
        self._amounts = amounts
        self._base = base
        self._capacity = capacity
        self._bounds = {path: (bounds, queue) for path, queue, bounds in walk_bounded(base)}
        paths = [path for path in amounts.queues if path in self._bounds]
        self._above = {above for path in paths for above in (_parent(path), _parent(_parent(path)))}
        """What has queues of the plan below it."""
        self._mistakes: list[Mistake] = []
        self._floors: dict[str, Resources] = {}

    def merged(self) -> tuple[QueueTree, Sequence[Mistake]]:
        for path in self._amounts.queues:
            if path not in self._bounds or self._bounds[path][1].queues:
                self._say(path, "is none of the queues in the settings; leave it out, or add it there")
        # What queues have by their plan, and then what all below a queue may have together.
        leaves = {path: self._leaf(path, queue) for path, queue in self._base.leaves()}
        for path, source, limit in self._limits():
            self._fit(path, source, limit, leaves)
        organizations = tuple(
            self._queue(f"{ROOT_QUEUE}.{queue.name}", queue, leaves) for queue in self._base.organizations
        )
        return replace(self._base, organizations=organizations), self._mistakes

    def _queue(self, path: str, queue: Queue, leaves: Mapping[str, Queue]) -> Queue:
        if not queue.queues:
            return leaves[path]
        children = tuple(self._queue(f"{path}.{child.name}", child, leaves) for child in queue.queues)
        return replace(queue, guaranteed=None if path in self._above else queue.guaranteed, queues=children)

    def _leaf(self, path: str, queue: Queue) -> Queue:
        stated = queue.guaranteed or Resources()
        percent = self._least.get(_tier(queue), 0)
        self._floors[path] = Resources(
            **{name: shares.part(name, amount, percent, 100) for name, amount in stated.amounts()}
        )
        planned = self._amounts.queues.get(path)
        if planned is None:
            # It has no part in giving way.
            self._floors[path] = stated
            return queue
        bounds = self._within(path)
        maximum = self._maximum(path, queue, planned, bounds)
        return replace(
            queue,
            guaranteed=self._guaranteed(path, planned, maximum, bounds),
            maximum=maximum,
            max_applications=self._applications(path, queue, planned),
        )

    def _within(self, path: str) -> Mapping[str, Bound]:
        """The most of each resource, and what sets it."""
        bounds, _ = self._bounds[path]
        most = {name: Bound(amount, CAPACITY) for name, amount in self._capacity.amounts()}
        for name, bound in bounds.maximum.items():
            if name not in most or bound.amount <= most[name].amount:
                most[name] = Bound(bound.amount, f"the maximum of {bound.source} in the settings")
        return most

    def _maximum(
        self, path: str, queue: Queue, planned: HourAmounts, bounds: Mapping[str, Bound]
    ) -> Resources | None:
        maximum = dict(queue.maximum.amounts()) if queue.maximum else {}
        for name, amount in planned.maximum.resources.amounts() if planned.maximum else ():
            maximum[name] = self._at_most(path, "maximum", name, amount, bounds.get(name))
        return Resources(**maximum) if maximum else None

    def _guaranteed(
        self, path: str, planned: HourAmounts, maximum: Resources | None, bounds: Mapping[str, Bound]
    ) -> Resources | None:
        amounts = dict(planned.guaranteed.resources.amounts()) if planned.guaranteed else {}
        floors = self._floors[path]
        guaranteed = {}
        for name in RESOURCES:
            amount, floor = amounts.get(name, 0), floors.get(name) or 0
            if amount < floor:
                self._say(
                    f"{path}.guaranteed.{name}",
                    f"is {quantity(name, amount)}, less than the {quantity(name, floor)} that `least` in the "
                    "settings leaves it; raise it",
                )
                amount = floor
            own = maximum.get(name) if maximum else None
            bound = bounds.get(name)
            if own is not None and (bound is None or own < bound.amount):
                bound = Bound(own, "its maximum")
            amount = self._at_most(path, "guaranteed", name, amount, bound)
            if amount:
                guaranteed[name] = amount
        return Resources(**guaranteed) if guaranteed else None

    def _at_most(self, path: str, kind: str, name: str, amount: int, bound: Bound | None) -> int:
        if bound is None or amount <= bound.amount:
            return amount
        self._say(
            f"{path}.{kind}.{name}",
            f"is {quantity(name, amount)}, more than {bound.source}, "
            f"{quantity(name, bound.amount)}; lower it",
        )
        return max(bound.amount, 0)

    def _applications(self, path: str, queue: Queue, planned: HourAmounts) -> int | None:
        """Jobs at a time: no more than what keeps room for others, no fewer than a user of it may have."""
        number = planned.max_applications
        if number is None:
            return queue.max_applications
        at = f"{path}.max_applications"
        parent = self._bounds[_parent(path)][0].applications
        if parent is not None and number > parent.amount:
            self._say(
                at, f"is {number}, more than the {parent.amount} of {parent.source} in the settings; lower it"
            )
            number = parent.amount
        own, shared = queue.max_applications, self._shared_with_tier_1(path)
        if own is not None and number > own and shared and _tier(queue) > 1:
            self._say(
                at, f"is {number}, more than the {own} that leave room for tier 1 in {shared}; lower it"
            )
            number = own
        of_users = max((limit.max_applications or 0 for limit in queue.limits), default=0)
        if number < of_users:
            self._say(at, f"is {number}, fewer than the {of_users} that its limits let a user have; raise it")
            number = of_users
        return number

    def _shared_with_tier_1(self, path: str) -> str | None:
        """The queue above whose bound on jobs queues of tier 1 share with one; None where there is none."""
        project = _parent(path)
        for above in (project, _parent(project)):
            queue = self._bounds[above][1]
            bounds = [queue.max_applications, *(limit.max_applications for limit in queue.limits)]
            if critical(queue) and any(bound is not None for bound in bounds):
                return above
        return None

    def _limits(self) -> Iterator[tuple[str, str, Resources]]:
        """Queues, what sets the most that all below them may have together, and that: the deepest first; the
        root stands for the cluster."""
        above = [(path, queue) for path, (_, queue) in self._bounds.items() if queue.queues]
        for path, queue in sorted(above, key=lambda pair: (-pair[0].count("."), pair[0])):
            if queue.maximum:
                yield path, "its maximum in the settings", queue.maximum
        yield ROOT_QUEUE, CAPACITY, self._capacity

    def _fit(self, path: str, source: str, limit: Resources, leaves: dict[str, Queue]) -> None:
        """Have all queues below one be guaranteed no more than it may have: the lowest tier gives way first,
        all its queues by the same part."""
        below = [leaf for leaf in leaves if leaf.startswith(f"{path}.") and self._gives_way(leaf, path)]
        for name, most in limit.amounts():
            together = sum(self._together(child, name, leaves) for child in self._children(path))
            over = together - most
            if over <= 0:
                continue
            self._say(
                path,
                f"has queues that are guaranteed {quantity(name, together)} of {name} together, more than "
                f"{source}, {quantity(name, most)}; lower theirs",
            )
            for tier in sorted(POLICIES, reverse=True):
                if over > 0:
                    over -= self._give_way(
                        [leaf for leaf in below if _tier(leaves[leaf]) == tier], name, over, leaves
                    )

    def _children(self, path: str) -> list[str]:
        queues = self._base.organizations if path == ROOT_QUEUE else self._bounds[path][1].queues
        return [f"{path}.{queue.name}" for queue in queues]

    def _together(self, path: str, resource: str, leaves: Mapping[str, Queue]) -> int:
        """What a queue and all below it are guaranteed, as a scheduler counts it."""
        queue = self._bounds[path][1]
        if not queue.queues:
            return _guaranteed(leaves[path], resource)
        stated = queue.guaranteed.get(resource) if queue.guaranteed and path not in self._above else None
        if stated is not None:
            return stated
        return sum(self._together(child, resource, leaves) for child in self._children(path))

    def _gives_way(self, leaf: str, path: str) -> bool:
        """Whether a queue's guarantee counts in one above: not where one between them states its own."""
        above = _parent(leaf)
        while above != path:
            if above not in self._above and self._bounds[above][1].guaranteed:
                return False
            above = _parent(above)
        return True

    def _give_way(self, paths: list[str], resource: str, over: int, leaves: dict[str, Queue]) -> int:
        """Have queues be guaranteed less by so much, as far as they may; how much less that is."""
        amounts = {path: _guaranteed(leaves[path], resource) for path in paths}
        spare = {
            path: max(amount - self._floor(path, resource, leaves[path]), 0)
            for path, amount in amounts.items()
        }
        whole = sum(spare.values())
        if not whole:
            return 0
        for path, amount in spare.items():
            queue = leaves[path]
            guarantee = amounts[path] - amount + shares.part(resource, amount, max(whole - over, 0), whole)
            stated = {**dict((queue.guaranteed or Resources()).amounts()), resource: guarantee}
            guaranteed = {name: amount for name, amount in stated.items() if amount}
            leaves[path] = replace(queue, guaranteed=Resources(**guaranteed) if guaranteed else None)
        return sum(amounts.values()) - sum(_guaranteed(leaves[path], resource) for path in paths)

    def _floor(self, path: str, resource: str, leaf: Queue) -> int:
        beside_gpus = BESIDE_GPUS.get(resource, 0) if _guaranteed(leaf, "gpu") else 0
        return max(self._floors[path].get(resource) or 0, beside_gpus)

    def _say(self, at: str, sentence: str) -> None:
        self._mistakes.append(Mistake(at, sentence))


def _guaranteed(queue: Queue, resource: str) -> int:
    return (queue.guaranteed.get(resource) if queue.guaranteed else None) or 0


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _tier(queue: Queue) -> int:
    return int(queue.name.removeprefix("tier"))
