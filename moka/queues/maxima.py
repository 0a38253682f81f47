"""The most that each leaf queue may have, its parents' bounds included."""

from collections.abc import Iterator

from moka.queues import Queue, QueueTree
from moka.queues.resources import quantity


def maxima(tree: QueueTree) -> dict[str, dict[str, str]]:
    """Path of each leaf -> resource -> Kubernetes quantity; a resource that nothing bounds is left out."""
    return {
        path: {name: quantity(name, amount) for name, amount in bounds.items()}
        for organization in tree.organizations
        for path, bounds in _leaves(organization, "root", {})
    }


def _leaves(queue: Queue, parent: str, above: dict[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    path, own = f"{parent}.{queue.name}", dict(queue.maximum.amounts()) if queue.maximum else {}
    bounds = {
        name: min(each[name] for each in (own, above) if name in each) for name in sorted({*own, *above})
    }
    if not queue.queues:
        yield path, bounds
    for child in queue.queues:
        yield from _leaves(child, path, bounds)
