"""Problems of a tree, found before a scheduler sees it.

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
from moka.queues.bounds import Bounds
from moka.queues.resources import Resources, quantity, total
from moka.queues.room import (
    KINDS,
    amount_of,
    critical,
    jobs,
    jobs_of,
    limit_of,
    names_in,
    others_below,
)
from moka.queues.tiers import POLICIES
from moka.queues.tree import WILDCARD, Limit, Queue, QueueTree

NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?")
"""Names of queues: YuniKorn's without those that the value of a label could not have."""

USER = re.compile(r"[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?")
GROUP = re.compile(r"[_a-zA-Z][a-zA-Z0-9:_.-]*")
LABEL_LENGTH = 63
"""Characters of a label's value: a job names its queue by one."""

LEVELS = ("organization", "project", "tier")
TIERS = tuple(tier_queue(tier) for tier in POLICIES)


@dataclass(frozen=True)
class Problem:
    """A mistake in a queue.

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
class _Inherited:
    """Bounds from further up: for the queue, and for users and groups by name."""

    queue: Bounds = field(default_factory=Bounds)
    users: Mapping[str, Bounds] = field(default_factory=dict)
    groups: Mapping[str, Bounds] = field(default_factory=dict)


def problems(tree: QueueTree) -> Iterator[Problem]:
    """All problems of a tree."""
    if not tree.organizations:
        yield Problem(ROOT_QUEUE, "", "has no queues, so no job could run; add one")
    yield from _names(ROOT_QUEUE, tree.organizations)
    for queue in tree.organizations:
        yield from _queue(f"{ROOT_QUEUE}.{queue.name}", queue, 0, _Inherited())


def _queue(path: str, queue: Queue, level: int, inherited: _Inherited) -> Iterator[Problem]:
    yield from _level(path, queue, level)
    yield from _amounts(path, queue)
    yield from _resources(path, queue, inherited.queue)
    yield from _applications(path, "max_applications", queue.max_applications, inherited.queue)
    yield from _room_for_tier_1(path, queue)
    own = _with_own_bounds(path, queue, inherited)
    yield from _limits(path, queue, inherited, own.queue)
    yield from _guarantees(path, queue)
    if level + 1 < len(LEVELS):
        yield from _names(path, queue.queues)
        for child in queue.queues:
            yield from _queue(f"{path}.{child.name}", child, level + 1, own)


def _names(path: str, queues: tuple[Queue, ...]) -> Iterator[Problem]:
    """Names that YuniKorn or a label would not take, and duplicates."""
    for queue in queues:
        if not NAME.fullmatch(queue.name):
            yield Problem(
                f"{path}.{queue.name}",
                "",
                "has a name with illegal characters; use lower case, digits, dashes and underscores",
            )
    for name, count in Counter(queue.name.lower() for queue in queues).items():
        if count > 1:
            yield Problem(
                f"{path}.{name}",
                "",
                f"is listed {count} times, upper and lower case being the same; rename or merge them",
            )


def _level(path: str, queue: Queue, level: int) -> Iterator[Problem]:
    """Queues at a depth where there are none, and leaves that are not tiers."""
    if level < len(LEVELS) - 1:
        if not queue.queues:
            yield Problem(path, "", f"has no {LEVELS[level + 1]}; add one, or remove it")
        if queue.policy is not None:
            yield Problem(path, "policy", "is only for tiers; remove it")
        return
    if queue.queues:
        yield Problem(path, "", f"has queues below it, but queues are only {', '.join(LEVELS)}; remove them")
        return
    if queue.name not in TIERS:
        yield Problem(path, "", f"is not a tier; the tiers are {', '.join(TIERS)}")
    if queue.policy is None:
        yield Problem(path, "policy", "is missing; every tier has one")
    if len(path) > LABEL_LENGTH:
        yield Problem(
            path, "", f"has {len(path)} characters, but a job's label holds {LABEL_LENGTH}; shorten the names"
        )


def _amounts(path: str, queue: Queue) -> Iterator[Problem]:
    """Amounts of nothing, or less."""
    yield from _nothing(path, "guaranteed", queue.guaranteed)
    yield from _nothing(path, "maximum", queue.maximum)
    if queue.max_applications is not None and queue.max_applications < 1:
        yield Problem(
            path,
            "max_applications",
            f"is {queue.max_applications}, so no job could run; allow at least one, or remove it",
        )
    if queue.policy is not None and queue.policy.delay_seconds < 1:
        yield Problem(path, "policy.delay_seconds", f"is {queue.policy.delay_seconds}; it must be above zero")


def _nothing(path: str, at: str, resources: Resources | None) -> Iterator[Problem]:
    for name, amount in resources.amounts() if resources else ():
        if amount <= 0:
            yield Problem(
                path, f"{at}.{name}", f"is {quantity(name, amount)}; make it more than zero, or remove it"
            )


def _resources(path: str, queue: Queue, bounds: Bounds) -> Iterator[Problem]:
    """A maximum above the bounds from further up, and a guarantee above the maximum."""
    yield from _over(path, "maximum", queue.maximum, bounds)
    for name, amount in queue.guaranteed.amounts() if queue.guaranteed else ():
        maximum = None if queue.maximum is None else queue.maximum.get(name)
        # Guarantees above the maximum of a queue further up are a problem of that queue.
        if maximum is not None and amount > maximum:
            yield Problem(
                path,
                f"guaranteed.{name}",
                f"is {quantity(name, amount)}, more than the maximum of {quantity(name, maximum)}; lower it, "
                "or raise the maximum",
            )


def _guarantees(path: str, queue: Queue) -> Iterator[Problem]:
    """More guaranteed to the queues below than the queue is guaranteed, or may have."""
    below = total(child.effective_guarantee for child in queue.queues)
    for name, amount in below.amounts():
        at, most = "guaranteed", None if queue.guaranteed is None else queue.guaranteed.get(name)
        if most is None:
            at, most = "maximum", None if queue.maximum is None else queue.maximum.get(name)
        if most is not None and amount > max(most, 0):
            yield Problem(
                path,
                f"{at}.{name}",
                f"is {quantity(name, most)}, less than its queues are guaranteed in total, "
                f"{quantity(name, amount)}; raise it, or lower theirs",
            )


def _room_for_tier_1(path: str, queue: Queue) -> Iterator[Problem]:
    """Bounds that the queues of other tiers below could fill, so that nothing of tier 1 would start."""
    if not queue.queues or not critical(queue):
        return
    if queue.max_applications is not None:
        others, most = others_below(queue, jobs), max(queue.max_applications - critical(queue), 0)
        if others is None or others > most:
            yield Problem(
                path,
                "max_applications",
                f"is {queue.max_applications}, but its queues of tiers 2 and 3 may run {_jobs(others)}, so "
                f"that none of tier 1 would start; give those at most {most} in total, or remove it here",
            )
    for index, limit in enumerate(queue.limits):
        yield from _room_in_limit(path, queue, f"limits.{index}", limit)


def _room_in_limit(path: str, queue: Queue, at: str, limit: Limit) -> Iterator[Problem]:
    """The first of its users and groups whose jobs of tiers 2 and 3 could fill a limit."""
    holders = [
        (kind, name)
        for kind in KINDS
        for name in dict.fromkeys(names_in(queue, kind))
        if limit_of(queue, kind, name) is limit
    ]
    if limit.max_applications is not None:
        most = max(limit.max_applications - critical(queue), 0)
        for kind, name in holders:
            others = others_below(queue, jobs_of(kind, name))
            if others is None or others > most:
                yield Problem(
                    path,
                    f"{at}.max_applications",
                    f"is {limit.max_applications}, but {kind[:-1]} {name!r} may run {_jobs(others)} in "
                    f"queues of tiers 2 and 3, so that none of tier 1 would start; allow at most {most} in "
                    "total there, or set limits there only",
                )
                break
    for resource, amount in limit.maximum.amounts() if limit.maximum else ():
        for kind, name in holders:
            others = others_below(queue, amount_of(resource, kind, name))
            if others is None or others > max(amount - critical(queue), 0):
                yield Problem(
                    path,
                    f"{at}.maximum.{resource}",
                    f"is {quantity(resource, amount)}, but {kind[:-1]} {name!r} may have "
                    f"{'all of it' if others is None else quantity(resource, others)} in queues of tiers 2 "
                    "and 3, so that nothing would be left to tier 1, for which nothing is preempted then; "
                    "allow less in total there, or set limits there only",
                )
                break


def _jobs(count: int | None) -> str:
    return "as many jobs as come" if count is None else f"{count} jobs"


def _with_own_bounds(path: str, queue: Queue, inherited: _Inherited) -> _Inherited:
    """Bounds for the queues below."""
    limited: dict[str, dict[str, Bounds]] = {"users": dict(inherited.users), "groups": dict(inherited.groups)}
    for limit in queue.limits:
        for kind, bounds in limited.items():
            for name in getattr(limit, kind):
                bounds[name] = _bounds_of(name, bounds).narrow(
                    limit.maximum, limit.max_applications, f"{kind[:-1]} {name!r} in {path}"
                )
    return _Inherited(inherited.queue.narrow(queue.maximum, queue.max_applications, path), **limited)


def _bounds_of(name: str, bounds: Mapping[str, Bounds]) -> Bounds:
    return bounds.get(name) or bounds.get(WILDCARD) or Bounds()


def _limits(path: str, queue: Queue, inherited: _Inherited, own: Bounds) -> Iterator[Problem]:
    """Limits without users or amounts, duplicates, and limits above the queue's own and those further up."""
    for kind, pattern in (("users", USER), ("groups", GROUP)):
        count = Counter(name for limit in queue.limits for name in getattr(limit, kind))
        for name in count:
            if count[name] > 1:
                yield Problem(path, "limits", f"list {kind[:-1]} {name!r} {count[name]} times; merge them")
            if name != WILDCARD and not pattern.fullmatch(name):
                yield Problem(path, "limits", f"name {name!r}, which cannot be a {kind[:-1]} of YuniKorn")
    if {name for limit in queue.limits for name in limit.groups} == {WILDCARD}:
        # It would be a limit of all jobs together (configvalidator.go: checkLimit).
        yield Problem(
            path,
            "limits",
            "have '*' as their only group; name a group, or set what the queue itself may have",
        )
    for index, limit in enumerate(queue.limits):
        yield from _limit(path, f"limits.{index}", limit, inherited, own)


def _limit(path: str, at: str, limit: Limit, inherited: _Inherited, own: Bounds) -> Iterator[Problem]:
    if not limit.users and not limit.groups:
        yield Problem(path, at, "names no users or groups; name some, or '*' for all others")
    if limit.max_applications is None and limit.maximum in (None, Resources()):
        yield Problem(path, at, "limits nothing; set max_applications, maximum or both")
    if limit.max_applications is not None and limit.max_applications < 1:
        yield Problem(
            path,
            f"{at}.max_applications",
            f"is {limit.max_applications}; allow at least one, or remove it",
        )
    yield from _nothing(path, f"{at}.maximum", limit.maximum)
    yield from _limit_over(path, at, limit, own)
    for kind in KINDS:
        for name in getattr(limit, kind):
            bounds = _bounds_of(name, getattr(inherited, kind))
            yield from _limit_over(path, at, limit, bounds)
            if bounds.applications is not None and limit.max_applications is None:
                yield Problem(
                    path,
                    at,
                    f"has no max_applications for {kind[:-1]} {name!r}, but {bounds.applications.source} has "
                    f"at most {bounds.applications.amount}; set it",
                )


def _limit_over(path: str, at: str, limit: Limit, bounds: Bounds) -> Iterator[Problem]:
    yield from _applications(path, f"{at}.max_applications", limit.max_applications, bounds)
    yield from _over(path, f"{at}.maximum", limit.maximum, bounds)


def _applications(path: str, at: str, applications: int | None, bounds: Bounds) -> Iterator[Problem]:
    """More jobs than the bounds."""
    bound = bounds.applications
    if applications is not None and bound is not None and applications > bound.amount:
        yield Problem(
            path,
            at,
            f"is {applications}, more than the {bound.amount} of {bound.source}; lower it, or raise the "
            "other",
        )


def _over(path: str, at: str, resources: Resources | None, bounds: Bounds) -> Iterator[Problem]:
    """Resources above the bounds."""
    for name, amount in resources.amounts() if resources else ():
        bound = bounds.maximum.get(name)
        if bound is not None and amount > bound.amount:
            yield Problem(
                path,
                f"{at}.{name}",
                f"is {quantity(name, amount)}, more than the maximum of {bound.source}, "
                f"{quantity(name, bound.amount)}; lower it, or raise the other",
            )
