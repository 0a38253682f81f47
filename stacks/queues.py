"""The queues of a cluster, from the settings."""

from typing import cast

from components.kubernetes.queues import Leaf, QueueTree, Resources, TierNumber, grow
from stacks.settings import Environment


def tree_of(settings: Environment, cluster: str) -> QueueTree:
    """The queue tree of a cluster, everything that the settings leave open filled in."""
    return grow(
        Leaf(
            organization=organization,
            project=project,
            tier=cast(TierNumber, number),
            guaranteed=Resources.of(**tier.guaranteed.model_dump()),
            maximum=Resources.of(**tier.maximum.model_dump()),
        )
        for organization, projects in settings.queues.organizations.items()
        for project, tiers in projects.projects.items()
        for number, tier in tiers.tiers.items()
    )
