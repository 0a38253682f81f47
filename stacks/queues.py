"""The queues of a cluster, from the settings."""

from components.kubernetes.queues import QueueTree
from stacks.settings import Environment
from stacks.settings.queue_trees import amounts, tree


def tree_of(settings: Environment, cluster: str) -> QueueTree:
    """The queue tree of a cluster: what weights and percents come to with its capacity."""
    made, _ = tree(settings.queues, amounts(settings.capacity_of(cluster)))
    return made
