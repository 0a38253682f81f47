"""Why the pods of an application wait, by what Kubernetes and YuniKorn say of them.

YuniKorn tells it in events of the pods (apache/yunikorn-core, pkg/scheduler/objects/allocation.go), once for
each time that a request stops to fit; of applications that it holds back because others run it says nothing.
The condition PodScheduled is there only of what fits the quotas, and no machine (apache/yunikorn-k8shim,
pkg/cache/task.go and context.go). tests/local/control_plane/test_archer_waits.py has both from the scheduler.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.mistakes import comma_list
from moka.names import DRIVER_CONTAINER
from moka.submission.observation import Object
from moka.submission.waiting import Wait, WaitReason

SAID = "Informational"
"""Reason of events by which YuniKorn says why a request is not met."""

SCALED, NOT_SCALED = "TriggeredScaleUp", "NotTriggerScaleUp"
"""Reasons of events of the autoscaler (kubernetes/autoscaler, cluster-autoscaler/processors/status/
eventing_scale_up_processor.go)."""

QUEUE = re.compile(r"does not fit in queue '([^']+)' \(requested map\[(.*?)\], available map\[(.*?)\]\)")
USER = re.compile(r"exceeds the available user quota \(requested map\[(.*?)\], available map\[(.*?)\]\)")
NODES = re.compile(r"Unschedulable request '[^']*': (.*)", re.DOTALL)
AMOUNT = re.compile(r"([\w./-]+):(-?\d+)")

GIB = 2**30

IMAGE_WAITS = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
"""Reasons of a container that waits for its image (kubernetes/kubernetes, pkg/kubelet/images/types.go)."""

LONGEST = 500
"""Characters of what others said that are kept."""


@dataclass(frozen=True)
class ApplicationLimit:
    """Applications that may run in a queue and those below it at a time. whose: of a user, or a group."""

    queue: str
    most: int
    whose: str = ""

    def __str__(self) -> str:
        return f"{self.most} in {self.queue}" + (f" for {self.whose}" if self.whose else "")


def pending(
    pods: Sequence[Object], events: Iterable[Object], limits: Sequence[ApplicationLimit] | None
) -> WaitReason:
    """Why an application that the operator has looked at does not run.

    pods: of it, that are Pending: the driver's and YuniKorn's placeholders. events: of these pods.
    limits: of applications that hold for it; None where they, or all events, are not known.
    """
    unplaced = [pod for pod in pods if not pod["spec"].get("nodeName")]
    if not unplaced:
        return _start_reason(pods)
    events = sorted(events, key=_at)
    scheduler_events = [event for event in events if event.get("reason") == SAID]
    last = scheduler_events[-1] if scheduler_events else None
    no_room = max((at for pod in unplaced if (at := _no_room_since(pod))), default=None)
    if no_room is not None and (last is None or _at(last) <= no_room or NODES.search(_note(last))):
        return _no_machine(unplaced, scheduler_events, events)
    for event in reversed(scheduler_events):
        if quota := QUEUE.search(_note(event)):
            rest, need = _shortage(quota[2], quota[3])
            return WaitReason(
                Wait.QUEUE_FULL, f"queue {quota[1]} is full: it has {rest} left, and a pod takes {need}"
            )
        if quota := USER.search(_note(event)):
            rest, need = _shortage(quota[1], quota[2])
            return WaitReason(
                Wait.USER_LIMIT, f"its user has {rest} left in its queue, and a pod takes {need}"
            )
        if NODES.search(_note(event)):
            return _no_machine(unplaced, scheduler_events, events)
    if limits:
        return WaitReason(
            Wait.MAX_APPLICATIONS,
            "YuniKorn holds it back until others have ended: max_applications is "
            f"{comma_list(map(str, limits))}",
        )
    return WaitReason(Wait.SCHEDULER, "YuniKorn has its pods, and has not said why it does not place them")


def application_limits(queues: Any, path: str, user: str, groups: Sequence[str]) -> list[ApplicationLimit]:
    """The limits of applications that hold for a user in a queue, from the root down.

    queues: YuniKorn's queues.yaml, as it was read. path: of a leaf.
    """
    partitions = queues.get("partitions") if isinstance(queues, Mapping) else None
    level = [queue for partition in partitions or () for queue in partition.get("queues") or ()]
    limits: list[ApplicationLimit] = []
    names: list[str] = []
    for name in path.split("."):
        queue = next((candidate for candidate in level if candidate.get("name") == name), None)
        if queue is None:
            break
        names.append(name)
        limits += _limits_of(queue, ".".join(names), user, groups)
        level = queue.get("queues") or []
    return limits


def _limits_of(queue: Object, path: str, user: str, groups: Sequence[str]) -> Iterable[ApplicationLimit]:
    if most := queue.get("maxapplications"):
        yield ApplicationLimit(path, int(most))
    for limit in queue.get("limits") or ():
        if most := limit.get("maxapplications"):
            if {"*", user} & set(limit.get("users") or ()):
                yield ApplicationLimit(path, int(most), user)
            elif own_groups := {"*", *groups} & set(limit.get("groups") or ()):
                yield ApplicationLimit(path, int(most), f"group {min(own_groups)}")


def _start_reason(pods: Sequence[Object]) -> WaitReason:
    for pod in pods:
        for container in (pod.get("status") or {}).get("containerStatuses") or ():
            waits = (container.get("state") or {}).get("waiting") or {}
            if waits.get("reason") in IMAGE_WAITS:
                words = _short(f"{waits['reason']}: {waits.get('message') or container.get('image')}")
                return WaitReason(Wait.IMAGE, f"the image of its driver is not to be had: {words}")
    for pod in pods:
        if any(container["name"] == DRIVER_CONTAINER for container in pod["spec"]["containers"]):
            return WaitReason(Wait.START, f"its driver is on machine {pod['spec']['nodeName']}, and starts")
    return WaitReason(
        Wait.SUBMISSION, "the operator has it, and its driver is being made, or has just started"
    )


def _no_machine(
    pods: Sequence[Object], scheduler_events: Sequence[Object], events: Sequence[Object]
) -> WaitReason:
    count = f"{len(pods)} of its pods" if len(pods) > 1 else "a pod of it"
    reason = next(
        (_short(match[1]) for event in reversed(scheduler_events) if (match := NODES.search(_note(event)))),
        "",
    )
    room = next(
        (match for event in reversed(scheduler_events) if (match := QUEUE.search(_note(event)))), None
    )
    if not reason and room:
        rest, need = _shortage(room[2], room[3])
        reason = f"the machines have {rest} left, and a pod takes {need}"
    scaling = next((event for event in reversed(events) if event.get("reason") in (SCALED, NOT_SCALED)), None)
    more = "" if scaling is None else f"; autoscaler: {_short(_note(scaling))}"
    return WaitReason(Wait.NO_MACHINE, f"no machine takes {count}" + (f": {reason}" if reason else "") + more)


def _no_room_since(pod: Object) -> str | None:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if (condition["type"], condition["status"]) == ("PodScheduled", "False"):
            return str(condition.get("lastTransitionTime") or "")[:19]
    return None


def _at(event: Object) -> str:
    """When it was last, to the second, as text that sorts."""
    series = (event.get("series") or {}).get("lastObservedTime")
    own = (series, event.get("lastTimestamp"), event.get("eventTime"))
    return next((str(at)[:19] for at in (*own, event["metadata"].get("creationTimestamp")) if at), "")


def _note(event: Object) -> str:
    return str(event.get("message") or event.get("note") or "")


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST].rstrip("; ")


def _shortage(requested: str, available: str) -> tuple[str, str]:
    """What there is of the resources that do not suffice, and what is asked for of them."""
    needs = {name: int(amount) for name, amount in AMOUNT.findall(requested)}
    rest = {name: int(amount) for name, amount in AMOUNT.findall(available)}
    short = [name for name in sorted(needs) if name in rest and needs[name] > rest[name]] or sorted(needs)
    return (
        comma_list(_amount(name, rest.get(name, 0)) for name in short),
        comma_list(_amount(name, needs[name]) for name in short),
    )


def _amount(resource: str, amount: int) -> str:
    """YuniKorn's units: thousandths of a core, and bytes."""
    if resource == "vcore":
        return f"{amount / 1000:g} cores"
    if resource in ("memory", "ephemeral-storage"):
        return f"{amount / GIB:.3g} GiB of {resource}"
    return f"{amount} {resource}"
