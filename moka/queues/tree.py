"""The tree of queues: `root.<organization>.<project>.tier<n>`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from moka.machines.profiles import NodeOrder
from moka.names import ROOT_QUEUE, queue_path, tier_queue
from moka.queues.resources import Resources, total
from moka.queues.tiers import POLICIES, Policy, TierNumber

WILDCARD = "*"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The most that each of some users, and each of some groups, may have in a queue at a time.

    users, groups: their names; `*` are all that no other limit of the queue names.
    max_applications: running at a time.
    maximum: of resources.
    """

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    max_applications: int | None = None
    maximum: Resources | None = None


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A queue: an organization, a project of it, or a tier of the project, in which jobs run.

    guaranteed: what it gets back when others of its tier and below have it; None guarantees nothing.
    maximum: what it never exceeds; None, and a resource that is not stated, are as its parent has it.
    max_applications: running at a time; None is as its parent has it.
    limits: of users and groups in it.
    policy: of a tier; organizations and projects have none.
    queues: within it.
    name: of the queue, without those above it.
    """

    name: str
    guaranteed: Resources | None = None
    maximum: Resources | None = None
    max_applications: int | None = None
    limits: tuple[Limit, ...] = ()
    policy: Policy | None = None
    queues: tuple["Queue", ...] = ()

    @property
    def effective_guarantee(self) -> Resources:
        """What it is guaranteed, or its queues in total where it states nothing itself."""
        below = total(child.effective_guarantee for child in self.queues)
        return replace(below, **dict(self.guaranteed.amounts())) if self.guaranteed else below


@dataclass(frozen=True, kw_only=True)
class QueueTree:
    """All queues of a cluster; the root has everything, and takes no resources of its own.

    organizations: the queues below the root.
    node_order: where pods of all of them go, `binpacking` to full nodes, `fair` to empty ones.
    """

    organizations: tuple[Queue, ...] = ()
    node_order: NodeOrder = "binpacking"

    def walk(self) -> Iterator[tuple[str, Queue]]:
        """Every queue with its path, parents first."""
        rest = [(f"{ROOT_QUEUE}.{queue.name}", queue) for queue in reversed(self.organizations)]
        while rest:
            path, queue = rest.pop()
            yield path, queue
            rest += [(f"{path}.{child.name}", child) for child in reversed(queue.queues)]

    def leaves(self) -> Iterator[tuple[str, Queue]]:
        """The queues in which jobs run, with the paths by which jobs name them."""
        return ((path, queue) for path, queue in self.walk() if not queue.queues)


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A tier of a project, where project and organization set nothing.

    tier: 1 is the most critical; what runs there is never preempted.
    """

    organization: str
    project: str
    tier: TierNumber
    guaranteed: Resources | None = None
    maximum: Resources | None = None
    max_applications: int | None = None
    limits: tuple[Limit, ...] = ()

    @property
    def path(self) -> str:
        """As a job names it."""
        return queue_path(f"{self.organization}.{self.project}", self.tier)


def grow(leaves: Iterable[Leaf]) -> QueueTree:
    """The tree with these leaves; equal leaves make equal trees, whatever their order."""
    ordered = sorted(leaves, key=lambda leaf: (leaf.organization, leaf.project, leaf.tier))
    return QueueTree(
        organizations=tuple(
            Queue(
                name=organization,
                queues=tuple(
                    Queue(name=project, queues=tuple(_tier(leaf) for leaf in tiers))
                    for project, tiers in groupby(projects, key=lambda leaf: leaf.project)
                ),
            )
            for organization, projects in groupby(ordered, key=lambda leaf: leaf.organization)
        )
    )


def _tier(leaf: Leaf) -> Queue:
    return Queue(
        name=tier_queue(leaf.tier),
        guaranteed=leaf.guaranteed,
        maximum=leaf.maximum,
        max_applications=leaf.max_applications,
        limits=leaf.limits,
        policy=POLICIES[leaf.tier],
    )
