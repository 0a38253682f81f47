"""An allocation as queues: the tree that there is, with other amounts in its tiers.

What the settings own stays: which queues there are, their maxima and limits. Organizations and projects state
no guarantee of their own, so that each has what its tiers have together.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from moka.allocation.cluster import Cluster
from moka.allocation.percentile import Allocation, Limit, Share
from moka.names import queue_path
from moka.queues.definitions import Queues, Resources, Shared, Tier
from moka.queues.problems import problems
from moka.queues.resolution import resolve
from moka.queues.tree import QueueTree

S = TypeVar("S", bound=Shared)


def limits(tree: QueueTree) -> Iterator[Limit]:
    """The maxima of queues."""
    for path, queue in tree.walk():
        if queue.maximum is not None:
            yield Limit(source=path, maximum=queue.maximum)


def queues(base: Queues, allocation: Allocation) -> Queues:
    """The queues with what the allocation gives them; one that it does not know stays as it is."""
    shares = {share.queue: share for share in allocation.shares}
    organizations = {
        name: _without_guarantee(organization).model_copy(
            update={
                "projects": {
                    project: _without_guarantee(definition).model_copy(
                        update={"tiers": _tiers(f"{name}.{project}", definition.tiers, shares)}
                    )
                    for project, definition in organization.projects.items()
                }
            }
        )
        for name, organization in base.organizations.items()
    }
    return base.model_copy(update={"organizations": organizations})


def mistakes(of: Queues, cluster: Cluster) -> list[str]:
    """What a scheduler would not take of queues, or cannot be meant, a sentence each."""
    tree, mistakes = resolve(of, cluster.capacity)
    return [*map(str, mistakes), *map(str, problems(tree))]


def _without_guarantee(definition: S) -> S:
    return definition.model_copy(update={"guaranteed": None, "weight": None})


def _tiers(project: str, tiers: Mapping[int, Tier], shares: Mapping[str, Share]) -> dict[int, Tier]:
    return {
        number: _tier(tier, shares[path]) if (path := queue_path(project, number)) in shares else tier
        for number, tier in tiers.items()
    }


def _tier(tier: Tier, share: Share) -> Tier:
    amounts = share.guaranteed.quantities()
    # YuniKorn takes no guarantee of nothing, and settings none without both of these.
    whole = "cpu" in amounts and "memory" in amounts
    guaranteed = (
        Resources(cpu=amounts["cpu"], memory=amounts["memory"], gpu=share.guaranteed.gpu) if whole else None
    )
    return _without_guarantee(tier).model_copy(
        update={"guaranteed": guaranteed, "max_applications": share.max_applications}
    )
