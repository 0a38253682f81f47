"""YuniKorn's queues as plain data: a tree of organizations, projects and tiers, and what follows from it.

Nothing here knows Pulumi or the settings, so any program can build, check and draw a tree.
"""

from moka.queues.rendering import queues_yaml
from moka.queues.resources import Resources
from moka.queues.tiers import POLICIES, Policy, TierNumber
from moka.queues.tree import Leaf, Limit, Queue, QueueTree, grow

__all__ = [
    "POLICIES",
    "Leaf",
    "Limit",
    "Policy",
    "Queue",
    "QueueTree",
    "Resources",
    "TierNumber",
    "grow",
    "queues_yaml",
]
