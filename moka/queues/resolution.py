"""What the queues of the settings come to on a cluster: weights and percents turned into amounts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from moka import queues
from moka.mistakes import Mistake
from moka.names import tier_queue
from moka.queues import POLICIES, Policy, Queue, QueueTree, shares
from moka.queues.definitions import Limit, Maximum, Organization, Project, Queues, Resources, Shared, Tier
from moka.queues.problems import promised
from moka.queues.resources import quantity

AT = "queues.organizations"
"""Where the queues stand in the settings."""

Amounts = queues.Resources

NEEDED = ("cpu", "memory")
"""What a share has to have some of, since no pod does without."""


def amounts(said: Resources | None) -> Amounts | None:
    """An amount of the settings; None stays None."""
    return None if said is None else Amounts.of(cpu=said.cpu, memory=said.memory, gpu=said.gpu)


def policies(said: Queues) -> dict[int, Policy]:
    """The policy of each tier."""
    own = {number: policy.model_dump(exclude_none=True) for number, policy in said.tiers.items()}
    return {number: replace(policy, **own.get(number, {})) for number, policy in POLICIES.items()}


def tree(said: Queues, capacity: Amounts | None) -> tuple[QueueTree, list[Mistake]]:
    """The tree on a cluster of some capacity, and what could not be turned into amounts.

    capacity: None where nobody states one.
    """
    making = _Making(capacity, policies(said))
    pool = _Pool(capacity, "the capacity of the cluster", "set `capacity` of `queues` or of the cluster")
    return QueueTree(organizations=making.within(AT, pool, said.organizations)), making.mistakes


@dataclass(frozen=True)
class _Pool:
    """What is shared out by weight.

    amount: None when there is nothing to share.
    name: what it is called.
    remedy: what to do when there is nothing; empty when that is told already.
    """

    amount: Amounts | None
    name: str
    remedy: str


@dataclass(frozen=True)
class _Making:
    """One way through the queues of the settings."""

    capacity: Amounts | None
    policies: Mapping[int, Policy]
    mistakes: list[Mistake] = field(default_factory=list)

    def within(self, at: str, pool: _Pool, said: Mapping[str, Shared]) -> tuple[Queue, ...]:
        """The queues of one parent: what is promised in amounts, then the rest of the pool by weight."""
        made = {
            key: self.queue(f"{at}.{key}", key, each, amounts(each.guaranteed))
            for key, each in said.items()
            if each.weight is None
        }
        weights = {key: each.weight for key, each in said.items() if each.weight is not None}
        promises = [Amounts(**promised(queue)) for queue in made.values()]
        shared = self.shared(at, pool, promises, weights)
        made |= {key: self.queue(f"{at}.{key}", key, said[key], shared.get(key)) for key in weights}
        return tuple(made[key] for key in said)

    def shared(
        self, at: str, pool: _Pool, promises: list[Amounts], weights: Mapping[str, int]
    ) -> dict[str, Amounts]:
        if pool.amount is None:
            for key in weights if pool.remedy else ():
                self.wrong(f"{at}.{key}.weight", f"is of {pool.name}, and there is none; {pool.remedy}")
            return {}
        left = shares.rest(pool.amount, promises)
        shared = shares.by_weight(left, weights)
        for key, share in shared.items():
            for name in [name for name in NEEDED if not share.get(name)]:
                much = quantity(name, max(left.get(name) or 0, 0))
                self.wrong(
                    f"{at}.{key}.weight",
                    f"is of what queues beside it leave of {pool.name}, and of {name} that is {much}; "
                    "promise those less",
                )
        return shared

    def queue(self, at: str, key: str, said: Shared, guaranteed: Amounts | None) -> Queue:
        made = Queue(
            name=key,
            guaranteed=guaranteed,
            maximum=self.maximum(f"{at}.maximum", said.maximum),
            max_applications=said.max_applications,
            limits=tuple(self.limit(f"{at}.limits.{index}", each) for index, each in enumerate(said.limits)),
        )
        remedy = "give it `guaranteed` or a weight" if said.weight is None else ""
        match said:
            case Tier():
                return replace(made, name=tier_queue(int(key)), policy=self.policies[int(key)])
            case Project():
                tiers = {str(number): tier for number, tier in sorted(said.tiers.items())}
                pool = _Pool(guaranteed, "what the project is guaranteed", remedy)
                return replace(made, queues=self.within(f"{at}.tiers", pool, tiers))
            case Organization():
                pool = _Pool(guaranteed, "what the organization is guaranteed", remedy)
                return replace(made, queues=self.within(f"{at}.projects", pool, said.projects))
            case _:
                raise TypeError(f"{type(said).__name__} is no queue")

    def limit(self, at: str, said: Limit) -> queues.Limit:
        return queues.Limit(
            users=tuple(said.users),
            groups=tuple(said.groups),
            max_applications=said.max_applications,
            maximum=self.maximum(f"{at}.maximum", said.maximum),
        )

    def maximum(self, at: str, said: Maximum | None) -> Amounts | None:
        if said is None:
            return None
        if said.percent is None:
            return Amounts.of(cpu=said.cpu, memory=said.memory, gpu=said.gpu)
        if self.capacity is None:
            self.wrong(
                f"{at}.percent",
                "is of the capacity of the cluster, and there is none; set `capacity` of `queues` or of the "
                "cluster",
            )
            return None
        return shares.percent(self.capacity, said.percent)

    def wrong(self, at: str, says: str) -> None:
        self.mistakes.append(Mistake(at, says))
