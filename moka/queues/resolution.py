"""The queues of the settings on a cluster: weights and percents turned into amounts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from moka.mistakes import Mistake
from moka.names import tier_queue
from moka.queues import definitions, shares
from moka.queues.resources import Resources, quantity
from moka.queues.tiers import POLICIES, Policy
from moka.queues.tree import Limit, Queue, QueueTree

AT = "queues.organizations"
"""Where the queues stand in the settings."""

REQUIRED = ("cpu", "memory")
"""Resources that no pod does without, so that a share needs some of each."""

NO_CAPACITY = "set `capacity` of `queues` or of the cluster"


def to_resources(definition: definitions.Resources | None) -> Resources | None:
    """Amounts of the settings as numbers; None stays None."""
    if definition is None:
        return None
    return Resources.of(cpu=definition.cpu, memory=definition.memory, gpu=definition.gpu)


def policies(queues: definitions.Queues) -> dict[int, Policy]:
    """The policy of each tier."""
    changes = {tier: policy.model_dump(exclude_none=True) for tier, policy in queues.tiers.items()}
    return {tier: replace(policy, **changes.get(tier, {})) for tier, policy in POLICIES.items()}


def resolve(queues: definitions.Queues, capacity: Resources | None) -> tuple[QueueTree, list[Mistake]]:
    """The tree on a cluster with a capacity, and mistakes in what cannot be turned into amounts.

    capacity: None where the settings do not state it.
    """
    resolver = _Resolver(capacity, policies(queues))
    pool = _Pool(capacity, "the capacity of the cluster", NO_CAPACITY)
    return QueueTree(organizations=resolver.queues(AT, pool, queues.organizations)), resolver.mistakes


@dataclass(frozen=True)
class _Pool:
    """Resources that are shared out by weight.

    resources: None when there are none to share.
    name: for messages.
    remedy: what to do when there are none; empty when another mistake says so.
    """

    resources: Resources | None
    name: str
    remedy: str


@dataclass(frozen=True)
class _Resolver:
    """Turns the queues of the settings into a tree, and collects the mistakes."""

    capacity: Resources | None
    policies: Mapping[int, Policy]
    mistakes: list[Mistake] = field(default_factory=list)

    def queues(self, at: str, pool: _Pool, children: Mapping[str, definitions.Shared]) -> tuple[Queue, ...]:
        """The queues of one parent; those with weights share what the others leave of the pool."""
        queues = {
            name: self._queue(f"{at}.{name}", name, child, to_resources(child.guaranteed))
            for name, child in children.items()
            if child.weight is None
        }
        weights = {name: child.weight for name, child in children.items() if child.weight is not None}
        claims = [queue.effective_guarantee for queue in queues.values()]
        guarantees = self._share_out(at, pool, claims, weights)
        for name in weights:
            queues[name] = self._queue(f"{at}.{name}", name, children[name], guarantees.get(name))
        return tuple(queues[name] for name in children)

    def _share_out(
        self, at: str, pool: _Pool, claims: Iterable[Resources], weights: Mapping[str, int]
    ) -> dict[str, Resources]:
        if pool.resources is None:
            for name in weights if pool.remedy else ():
                self._add(
                    f"{at}.{name}.weight", f"is a share of {pool.name}, but there is none; {pool.remedy}"
                )
            return {}
        rest = shares.remainder(pool.resources, claims)
        guarantees = shares.by_weight(rest, weights)
        for name, guarantee in guarantees.items():
            for resource in [resource for resource in REQUIRED if not guarantee.get(resource)]:
                amount = quantity(resource, max(rest.get(resource) or 0, 0))
                self._add(
                    f"{at}.{name}.weight",
                    f"is a share of what the queues beside it leave of {pool.name}, but that is {amount} of "
                    f"{resource}; guarantee them less",
                )
        return guarantees

    def _queue(
        self, at: str, name: str, definition: definitions.Shared, guaranteed: Resources | None
    ) -> Queue:
        queue = Queue(
            name=name,
            guaranteed=guaranteed,
            maximum=self._maximum(f"{at}.maximum", definition.maximum),
            max_applications=definition.max_applications,
            limits=tuple(
                self._limit(f"{at}.limits.{index}", limit) for index, limit in enumerate(definition.limits)
            ),
        )
        remedy = "give it `guaranteed` or a weight" if definition.weight is None else ""
        match definition:
            case definitions.Tier():
                return replace(queue, name=tier_queue(int(name)), policy=self.policies[int(name)])
            case definitions.Project():
                tiers = {str(tier): definition.tiers[tier] for tier in sorted(definition.tiers)}
                pool = _Pool(guaranteed, "what the project is guaranteed", remedy)
                return replace(queue, queues=self.queues(f"{at}.tiers", pool, tiers))
            case definitions.Organization():
                pool = _Pool(guaranteed, "what the organization is guaranteed", remedy)
                return replace(queue, queues=self.queues(f"{at}.projects", pool, definition.projects))
            case _:
                raise TypeError(f"{type(definition).__name__} is not a queue")

    def _limit(self, at: str, definition: definitions.Limit) -> Limit:
        return Limit(
            users=tuple(definition.users),
            groups=tuple(definition.groups),
            max_applications=definition.max_applications,
            maximum=self._maximum(f"{at}.maximum", definition.maximum),
        )

    def _maximum(self, at: str, definition: definitions.Maximum | None) -> Resources | None:
        if definition is None:
            return None
        if definition.percent is None:
            return Resources.of(cpu=definition.cpu, memory=definition.memory, gpu=definition.gpu)
        if self.capacity is None:
            self._add(
                f"{at}.percent",
                f"is a share of the capacity of the cluster, but there is none; {NO_CAPACITY}",
            )
            return None
        return shares.percent(self.capacity, definition.percent)

    def _add(self, at: str, sentence: str) -> None:
        self.mistakes.append(Mistake(at, sentence))
