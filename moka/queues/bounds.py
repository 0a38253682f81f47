"""The most that each queue may have, the bounds of the queues above it included."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moka.names import ROOT_QUEUE
from moka.queues.resources import Resources, quantity
from moka.queues.tree import Queue, QueueTree


@dataclass(frozen=True)
class Bound:
    """An upper bound, and what sets it: the path of a queue, or a user or group in one."""

    amount: int
    source: str


@dataclass(frozen=True)
class Bounds:
    """How much there may be at most.

    maximum: by resource; one that nothing bounds is left out.
    applications: None where nothing bounds them.
    """

    maximum: Mapping[str, Bound] = field(default_factory=dict)
    applications: Bound | None = None

    def narrow(self, maximum: Resources | None, applications: int | None, source: str) -> "Bounds":
        """These, and those that a source adds: of resources, the lower ones count."""
        merged = dict(self.maximum)
        for name, amount in maximum.amounts() if maximum else ():
            if name not in merged or amount <= merged[name].amount:
                merged[name] = Bound(amount, source)
        return Bounds(merged, self.applications if applications is None else Bound(applications, source))


def walk_bounded(tree: QueueTree) -> Iterator[tuple[str, Queue, Bounds]]:
    """Every queue of a tree with its path and its bounds, parents first."""
    bounds = {ROOT_QUEUE: Bounds()}
    for path, queue in tree.walk():
        parent = bounds[path.rpartition(".")[0]]
        bounds[path] = parent.narrow(queue.maximum, queue.max_applications, path)
        yield path, queue, bounds[path]


def maxima(tree: QueueTree) -> dict[str, dict[str, str]]:
    """Path of each leaf -> resource -> Kubernetes quantity; a resource that nothing bounds is left out."""
    return {
        path: {name: quantity(name, bound.amount) for name, bound in sorted(bounds.maximum.items())}
        for path, queue, bounds in walk_bounded(tree)
        if not queue.queues
    }
