"""The queues of a cluster, from the settings."""

from moka.queues import QueueTree
from moka.queues.resolution import amounts, tree
from stacks.settings import Environment


def tree_of(settings: Environment, cluster: str) -> QueueTree:
    """The queue tree of a cluster: what weights and percents come to with its capacity."""
    made, _ = tree(settings.queues, amounts(settings.capacity_of(cluster)))
    return made
