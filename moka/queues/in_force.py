"""What a scheduler has in force, beside what it should have.

It tells by its REST API (apache/yunikorn-core v1.8.0, pkg/webservice/dao/queue_info.go, config_info.go):
`/ws/v1/partition/default/queues` how each queue works now, `/ws/v1/config` the configuration that it took
last, which alone has the limits and the placement rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moka.names import ROOT_QUEUE
from moka.quantities import duration_seconds
from moka.queues.rendering import YUNIKORN_NAMES, document
from moka.queues.resources import quantity
from moka.queues.tiers import Policy
from moka.queues.tree import Queue, QueueTree

Answer = Mapping[str, Any]
"""JSON, or YAML, as a scheduler gave it."""

RECOVERY = f"{ROOT_QUEUE}.@recovery@"
"""Where YuniKorn puts what ran before it started and has no queue any more."""


@dataclass(frozen=True)
class Difference:
    """Something that is not as it should be.

    path: of the queue.
    says: what is in force, and what should be.
    """

    path: str
    says: str

    def __str__(self) -> str:
        return f"{self.path} {self.says}."


def differences(tree: QueueTree, queues: Answer, config: Answer) -> Iterator[Difference]:
    """In what a scheduler differs from a tree.

    queues: its answer of the partition's queues. config: its answer of the configuration.
    """
    there = {str(queue["queuename"]): queue for queue in _all(queues)}
    wanted = dict(tree.walk())
    applications = _applications(tree)
    for path, queue in wanted.items():
        if path not in there:
            yield Difference(path, "is not there, and should be")
            continue
        found = there[path]
        if found["status"] != "Active":
            yield Difference(path, f"is {found['status']}, and should be Active")
        for said, should, is_ in _works(queue, applications[path], found):
            if should != is_:
                yield Difference(path, f"has {said} {is_}, and should have {should}")
    for path, found in there.items():
        if path not in wanted and path not in (ROOT_QUEUE, RECOVERY):
            running = found.get("runningApps", 0)
            yield Difference(
                path, f"is there ({found['status']}, {running} jobs run in it), and should not be"
            )
    yield from _configured(tree, config)


def _all(queue: Answer) -> Iterator[Answer]:
    yield queue
    for child in queue.get("children") or ():
        yield from _all(child)


def _applications(tree: QueueTree) -> dict[str, int]:
    """How many jobs may run in each queue, 0 for any number: what a queue does not say, its parent does."""
    found = {ROOT_QUEUE: 0}
    for path, queue in tree.walk():
        found[path] = queue.max_applications or found[path.rpartition(".")[0]]
    return found


def _works(queue: Queue, applications: int, found: Answer) -> Iterator[tuple[str, str, str]]:
    """How a queue works: what, as it should be, as it is."""
    for what, resources, key in (
        ("guaranteed", queue.guaranteed, "guaranteedResource"),
        ("maximum", queue.maximum, "maxResource"),
    ):
        for name, known_as in YUNIKORN_NAMES.items():
            amount = None if resources is None else resources.get(name)
            is_ = (found.get(key) or {}).get(known_as)
            yield f"{what} {name}", _told(name, amount), _told(name, is_)
    yield "at most", _jobs(applications), _jobs(found.get("maxRunningApps") or 0)
    if queue.policy is not None:
        yield from _policy(queue.policy, found)


def _policy(policy: Policy, found: Answer) -> Iterator[tuple[str, str, str]]:
    enabled, fence = found["preemptionEnabled"], found["isPreemptionFence"]
    preemption = "disabled" if not enabled else "fence" if fence else "default"
    yield "preemption", policy.preemption, preemption
    yield "a delay of", f"{policy.delay_seconds} s", _seconds(found["preemptionDelay"])
    yield "jobs sorted", policy.sort, str(found["sortingPolicy"])
    own = str(found.get("priorityOffset", 0)) if found["isPriorityFence"] else "of its pods"
    yield "priority", str(policy.priority), own


def _told(name: str, amount: int | None) -> str:
    return "none" if amount is None else quantity(name, amount)


def _jobs(number: int) -> str:
    return f"{number} jobs" if number else "any number of jobs"


def _seconds(duration: str) -> str:
    seconds = duration_seconds(duration)
    return duration if seconds is None else f"{seconds:g} s"


def _configured(tree: QueueTree, config: Answer) -> Iterator[Difference]:
    """Limits and placement rules: they stand in the configuration alone."""
    [wanted] = document(tree)["partitions"]
    found: Answer = next((each for each in config["partitions"] if each["name"] == "default"), {})
    if _plain(found.get("placementrules")) != _plain(wanted["placementrules"]):
        yield Difference(ROOT_QUEUE, "places jobs by other rules than by the queue that each names")
    limits = {path: queue.get("limits") for path, queue in _paths("", found.get("queues") or ())}
    for path, queue in _paths("", wanted["queues"]):
        if path in limits and _plain(limits[path]) != _plain(queue.get("limits")):
            yield Difference(path, "has other limits of users and groups than it should have")


def _paths(above: str, queues: Any) -> Iterator[tuple[str, Answer]]:
    for queue in queues:
        path = f"{above}{queue['name']}"
        yield path, queue
        yield from _paths(f"{path}.", queue.get("queues") or ())


def _plain(value: Any) -> Any:
    """Without what says nothing: YuniKorn leaves out what is empty or false."""
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items() if held}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value or None
