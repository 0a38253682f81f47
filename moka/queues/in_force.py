"""How the queues that a scheduler has in force differ from a tree.

Its REST API has (apache/yunikorn-core v1.8.0, pkg/webservice/dao/queue_info.go, config_info.go):
`/ws/v1/partition/default/queues` how each queue works now, `/ws/v1/config` the configuration that it took
last, which is the only place with the limits and the placement rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moka.names import ROOT_QUEUE
from moka.quantities import duration_seconds
from moka.queues.bounds import Bounds, walk_bounded
from moka.queues.rendering import YUNIKORN_NAMES, document
from moka.queues.resources import quantity
from moka.queues.tiers import Policy
from moka.queues.tree import Queue, QueueTree

Answer = Mapping[str, Any]
"""JSON, or YAML, as a scheduler gave it."""

RECOVERY_QUEUE = f"{ROOT_QUEUE}.@recovery@"
"""Where YuniKorn puts what ran before it started and has no queue any more."""


@dataclass(frozen=True)
class Difference:
    """A difference of a queue.

    path: of the queue.
    says: what is in force, and what should be.
    """

    path: str
    says: str

    def __str__(self) -> str:
        return f"{self.path} {self.says}."


def differences(tree: QueueTree, queues: Answer, config: Answer) -> Iterator[Difference]:
    """How a scheduler differs from a tree.

    queues: its answer of the partition's queues. config: its answer of the configuration.
    """
    active = {str(queue["queuename"]): queue for queue in _walk(queues)}
    expected = {path: (queue, bounds) for path, queue, bounds in walk_bounded(tree)}
    for path, (queue, bounds) in expected.items():
        if path not in active:
            yield Difference(path, "is missing")
            continue
        status = active[path]["status"]
        if status != "Active":
            yield Difference(path, f"is {status}, but should be Active")
        for label, desired, actual in _settings(queue, bounds, active[path]):
            if desired != actual:
                yield Difference(path, f"has {label} {actual}, but should have {desired}")
    for path, answer in active.items():
        if path not in expected and path not in (ROOT_QUEUE, RECOVERY_QUEUE):
            running = answer.get("runningApps", 0)
            yield Difference(
                path, f"should not exist, but does ({answer['status']}, with {running} running jobs)"
            )
    yield from _config_differences(tree, config)


def _walk(queue: Answer) -> Iterator[Answer]:
    yield queue
    for child in queue.get("children") or ():
        yield from _walk(child)


def _settings(queue: Queue, bounds: Bounds, answer: Answer) -> Iterator[tuple[str, str, str]]:
    """What is set for a queue: its label, as it should be, as it is."""
    for label, resources, key in (
        ("guaranteed", queue.guaranteed, "guaranteedResource"),
        ("maximum", queue.maximum, "maxResource"),
    ):
        for name, yunikorn_name in YUNIKORN_NAMES.items():
            desired = None if resources is None else resources.get(name)
            actual = (answer.get(key) or {}).get(yunikorn_name)
            yield f"{label} {name}", _quantity(name, desired), _quantity(name, actual)
    applications = bounds.applications.amount if bounds.applications else 0
    yield "at most", _jobs(applications), _jobs(answer.get("maxRunningApps") or 0)
    if queue.policy is not None:
        yield from _policy(queue.policy, answer)


def _policy(policy: Policy, answer: Answer) -> Iterator[tuple[str, str, str]]:
    enabled, fence = answer["preemptionEnabled"], answer["isPreemptionFence"]
    preemption = "disabled" if not enabled else "fence" if fence else "default"
    yield "preemption", policy.preemption, preemption
    yield "a delay of", f"{policy.delay_seconds} s", _seconds(answer["preemptionDelay"])
    yield "jobs sorted", policy.sort, str(answer["sortingPolicy"])
    priority = str(answer.get("priorityOffset", 0)) if answer["isPriorityFence"] else "of its pods"
    yield "priority", str(policy.priority), priority


def _quantity(name: str, amount: int | None) -> str:
    return "none" if amount is None else quantity(name, amount)


def _jobs(number: int) -> str:
    return f"{number} jobs" if number else "any number of jobs"


def _seconds(duration: str) -> str:
    seconds = duration_seconds(duration)
    return duration if seconds is None else f"{seconds:g} s"


def _config_differences(tree: QueueTree, config: Answer) -> Iterator[Difference]:
    """Limits, placement rules and the order of nodes, which only the configuration has."""
    [desired] = document(tree)["partitions"]
    partitions = {partition["name"]: partition for partition in config["partitions"]}
    actual: Answer = partitions.get("default", {})
    if _normal(actual.get("placementrules")) != _normal(desired["placementrules"]):
        yield Difference(ROOT_QUEUE, "places jobs by other rules than the queue that each job names")
    order = (actual.get("nodesortpolicy") or {}).get("type")
    if actual and order != tree.node_order:
        yield Difference(ROOT_QUEUE, f"sorts nodes by {order}, but should by {tree.node_order}")
    limits = {path: queue.get("limits") for path, queue in _paths("", actual.get("queues") or ())}
    for path, queue in _paths("", desired["queues"]):
        if path in limits and _normal(limits[path]) != _normal(queue.get("limits")):
            yield Difference(path, "has limits of users and groups other than it should have")


def _paths(prefix: str, queues: Any) -> Iterator[tuple[str, Answer]]:
    for queue in queues:
        path = f"{prefix}{queue['name']}"
        yield path, queue
        yield from _paths(f"{path}.", queue.get("queues") or ())


def _normal(value: Any) -> Any:
    """Without what is empty or false: YuniKorn leaves it out."""
    if isinstance(value, Mapping):
        return {str(key): _normal(item) for key, item in value.items() if item}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return value or None
