"""What is wrong with a tree, told before a scheduler sees it.

Stricter than YuniKorn where it would take what cannot be meant (pkg/common/configs/configvalidator.go of
apache/yunikorn-core v1.8.0 is what it checks itself): it takes names in upper case and then loses their
limits (pkg/scheduler/ugm/manager.go goes by the written name, the queue by the lower one), amounts of
nothing, and any depth.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moka.names import ROOT_QUEUE, tier_queue
from moka.queues.resources import RESOURCES, Resources, quantity
from moka.queues.tiers import POLICIES
from moka.queues.tree import WILDCARD, Limit, Queue, QueueTree

NAME = re.compile(r"^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$")
"""What a queue may be called: YuniKorn's names without what a label's value could not have."""

USER = re.compile(r"^[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?$")
GROUP = re.compile(r"^[_a-zA-Z][a-zA-Z0-9:_.-]*$")
LABEL = 63
"""Characters of a label's value: a job names its queue by one."""

LEVELS = ("organization", "project", "tier")
TIERS = tuple(tier_queue(number) for number in POLICIES)


@dataclass(frozen=True)
class Problem:
    """Something that is wrong.

    path: of the queue.
    at: what of it, as `guaranteed.cpu` or `limits.0`; empty when it is the queue itself.
    says: what is wrong with it, and what to do.
    """

    path: str
    at: str
    says: str

    def __str__(self) -> str:
        return f"{self.path}: {self.at} {self.says}" if self.at else f"{self.path}: {self.says}"


@dataclass(frozen=True)
class _Bound:
    """An upper bound, and who sets it."""

    amount: int
    whose: str


@dataclass(frozen=True)
class _Bounds:
    """How much there may be at most.

    maximum: by resource.
    applications: None where nobody says.
    """

    maximum: Mapping[str, _Bound] = field(default_factory=dict)
    applications: _Bound | None = None

    def with_(self, maximum: Resources | None, applications: int | None, whose: str) -> "_Bounds":
        """These, and what somebody says: the lower ones count."""
        merged = dict(self.maximum)
        for name, amount in maximum.amounts() if maximum else ():
            if name not in merged or amount <= merged[name].amount:
                merged[name] = _Bound(amount, whose)
        said = self.applications if applications is None else _Bound(applications, whose)
        return _Bounds(merged, said)


@dataclass(frozen=True)
class _Above:
    """What is set further up: for the queue, and for users and groups by name."""

    queue: _Bounds = field(default_factory=_Bounds)
    users: Mapping[str, _Bounds] = field(default_factory=dict)
    groups: Mapping[str, _Bounds] = field(default_factory=dict)


def problems(tree: QueueTree) -> Iterator[Problem]:
    """All that is wrong with a tree."""
    if not tree.organizations:
        yield Problem(ROOT_QUEUE, "", "has no queues, so no job could run; add one")
    yield from _names(ROOT_QUEUE, tree.organizations)
    for queue in tree.organizations:
        yield from _of_queue(f"{ROOT_QUEUE}.{queue.name}", queue, 0, _Above())


def _of_queue(path: str, queue: Queue, level: int, above: _Above) -> Iterator[Problem]:
    yield from _place(path, queue, level)
    yield from _amounts(path, queue)
    yield from _sizes(path, queue, above)
    yield from _applications(path, queue, above)
    below = _below(path, queue, above)
    yield from _limits(path, queue, above, below.queue)
    yield from _promises(path, queue)
    if level + 1 < len(LEVELS):
        yield from _names(path, queue.queues)
        for child in queue.queues:
            yield from _of_queue(f"{path}.{child.name}", child, level + 1, below)


def _names(path: str, queues: tuple[Queue, ...]) -> Iterator[Problem]:
    """Names that YuniKorn or a label would not take, and those that are there twice."""
    for queue in queues:
        if not NAME.match(queue.name):
            yield Problem(
                f"{path}.{queue.name}",
                "",
                "has a name with illegal characters; use lower case, digits, dashes and underscores",
            )
    times = Counter(queue.name.lower() for queue in queues)
    for name, many in times.items():
        if many > 1:
            yield Problem(
                f"{path}.{name}",
                "",
                f"is there {many} times, upper and lower case alike; rename or join them",
            )


def _place(path: str, queue: Queue, level: int) -> Iterator[Problem]:
    """Queues at a depth where there are none, and leaves that are no tier."""
    tier = level == len(LEVELS) - 1
    if tier and queue.queues:
        yield Problem(
            path, "", f"has queues within; queues are {', '.join(LEVELS)}, and no deeper: take them out"
        )
        return
    if tier and queue.name not in TIERS:
        yield Problem(path, "", f"is no tier; the tiers are {', '.join(TIERS)}")
    if tier and queue.policy is None:
        yield Problem(path, "policy", "is missing; every tier has one")
    if tier and len(path) > LABEL:
        yield Problem(
            path, "", f"is {len(path)} characters long, and a job's label holds {LABEL}; shorten the names"
        )
    if not tier and not queue.queues:
        yield Problem(
            path, "", f"is a {LEVELS[level]} without a {LEVELS[level + 1]}; add one, or take it out"
        )
    if not tier and queue.policy is not None:
        yield Problem(path, "policy", "is for tiers alone; take it out")


def _amounts(path: str, queue: Queue) -> Iterator[Problem]:
    """Nothing, or less than that."""
    for what, resources in (("guaranteed", queue.guaranteed), ("maximum", queue.maximum)):
        yield from _nothing(path, what, resources)
    if queue.max_applications is not None and queue.max_applications < 1:
        yield Problem(
            path,
            "max_applications",
            f"is {queue.max_applications}, so no job could run; allow one, or leave it out",
        )
    if queue.policy is not None and queue.policy.delay_seconds < 1:
        yield Problem(
            path, "policy.delay_seconds", f"is {queue.policy.delay_seconds}; it has to be more than zero"
        )


def _nothing(path: str, what: str, resources: Resources | None) -> Iterator[Problem]:
    for name, amount in resources.amounts() if resources else ():
        if amount <= 0:
            yield Problem(
                path, f"{what}.{name}", f"is {quantity(name, amount)}; it has to be more, or left out"
            )


def _sizes(path: str, queue: Queue, above: _Above) -> Iterator[Problem]:
    """A maximum above the parent's, and promises above the maximum."""
    for name in RESOURCES:
        own = None if queue.maximum is None else queue.maximum.get(name)
        bound = above.queue.maximum.get(name)
        if own is not None and bound is not None and own > bound.amount:
            yield Problem(path, f"maximum.{name}", _more(name, own, bound))
        promised = None if queue.guaranteed is None else queue.guaranteed.get(name)
        # Above the maximum of a queue further up is told there, of all that is promised within it.
        if promised is not None and own is not None and promised > own:
            yield Problem(
                path,
                f"guaranteed.{name}",
                f"is {quantity(name, promised)}, more than the maximum of {quantity(name, own)}; lower it, "
                "or raise the maximum",
            )


def _more(name: str, amount: int, bound: _Bound) -> str:
    return (
        f"is {quantity(name, amount)}, more than the maximum of {bound.whose}, "
        f"{quantity(name, bound.amount)}; lower it, or raise the other"
    )


def _promises(path: str, queue: Queue) -> Iterator[Problem]:
    """More promised to the queues within than to the queue, or than it may have."""
    for name in RESOURCES:
        total = sum(promised(child).get(name, 0) for child in queue.queues)
        own = None if queue.guaranteed is None else queue.guaranteed.get(name)
        what, most = "guaranteed", own
        if own is None:
            what, most = "maximum", None if queue.maximum is None else queue.maximum.get(name)
        if most is not None and total > max(most, 0):
            yield Problem(
                path,
                f"{what}.{name}",
                f"is {quantity(name, most)}, less than its queues are promised together, "
                f"{quantity(name, total)}; raise it, or lower theirs",
            )


def promised(queue: Queue) -> dict[str, int]:
    """What a queue is promised, or the queues within it where it says nothing itself."""
    within: Counter[str] = Counter()
    for child in queue.queues:
        within.update(promised(child))
    return {**within, **(dict(queue.guaranteed.amounts()) if queue.guaranteed else {})}


def _applications(path: str, queue: Queue, above: _Above) -> Iterator[Problem]:
    own, bound = queue.max_applications, above.queue.applications
    if own is not None and bound is not None and own > bound.amount:
        yield Problem(path, "max_applications", _too_many(own, bound))


def _too_many(applications: int, bound: _Bound) -> str:
    return f"is {applications}, more than the {bound.amount} of {bound.whose}; lower it, or raise the other"


def _below(path: str, queue: Queue, above: _Above) -> _Above:
    """What is set for the queues within."""
    limited: dict[str, dict[str, _Bounds]] = {"users": dict(above.users), "groups": dict(above.groups)}
    for limit in queue.limits:
        for kind, names in limited.items():
            for name in getattr(limit, kind):
                bounds = names.get(name) or names.get(WILDCARD) or _Bounds()
                names[name] = bounds.with_(
                    limit.maximum, limit.max_applications, f"{kind[:-1]} {name!r} in {path}"
                )
    return _Above(above.queue.with_(queue.maximum, queue.max_applications, path), **limited)


def _limits(path: str, queue: Queue, above: _Above, own: _Bounds) -> Iterator[Problem]:
    """Limits of nobody or nothing, of somebody twice, above the queue's own, and above those further up."""
    for kind, pattern in (("users", USER), ("groups", GROUP)):
        times = Counter(name for limit in queue.limits for name in getattr(limit, kind))
        for name, many in times.items():
            if many > 1:
                yield Problem(path, "limits", f"name {kind[:-1]} {name!r} {many} times; join them")
            if name != WILDCARD and not pattern.match(name):
                yield Problem(
                    path, "limits", f"name {name!r}, which no {kind[:-1]} of YuniKorn can be called"
                )
    if {name for limit in queue.limits for name in limit.groups} == {WILDCARD}:
        # It would be a limit of all jobs together (configvalidator.go: checkLimit).
        yield Problem(
            path,
            "limits",
            "are of all groups and of none by name; name one, or set what the queue itself may have",
        )
    for index, limit in enumerate(queue.limits):
        yield from _limit(path, f"limits.{index}", limit, above, own)


def _limit(path: str, at: str, limit: Limit, above: _Above, own: _Bounds) -> Iterator[Problem]:
    if not limit.users and not limit.groups:
        yield Problem(path, at, "is for nobody; name users or groups, or '*' for all others")
    if limit.max_applications is None and limit.maximum in (None, Resources()):
        yield Problem(path, at, "limits nothing; set max_applications, maximum or both")
    if limit.max_applications is not None and limit.max_applications < 1:
        yield Problem(
            path, f"{at}.max_applications", f"is {limit.max_applications}; allow one, or leave it out"
        )
    yield from _nothing(path, f"{at}.maximum", limit.maximum)
    yield from _over(path, at, limit, own)
    for kind in ("users", "groups"):
        limited: Mapping[str, _Bounds] = getattr(above, kind)
        for name in getattr(limit, kind):
            bounds = limited.get(name) or limited.get(WILDCARD) or _Bounds()
            yield from _over(path, at, limit, bounds)
            if bounds.applications is not None and limit.max_applications is None:
                yield Problem(
                    path,
                    at,
                    f"says no max_applications for {kind[:-1]} {name!r}, and there are at most "
                    f"{bounds.applications.amount} of {bounds.applications.whose}; say how many",
                )


def _over(path: str, at: str, limit: Limit, bounds: _Bounds) -> Iterator[Problem]:
    """More than the bounds."""
    most = bounds.applications
    if limit.max_applications is not None and most is not None and limit.max_applications > most.amount:
        yield Problem(path, f"{at}.max_applications", _too_many(limit.max_applications, most))
    for name, amount in limit.maximum.amounts() if limit.maximum else ():
        if name in bounds.maximum and amount > bounds.maximum[name].amount:
            yield Problem(path, f"{at}.maximum.{name}", _more(name, amount, bounds.maximum[name]))
