"""YuniKorn's events of allocations: a pod got a machine, or is gone from it.

Each is a JSON document (apache/yunikorn-scheduler-interface v1.8.0, si.proto: EventRecord, encoded by Go,
which leaves zeros out), in `/ws/v1/events/batch` with ids and in `/ws/v1/events/stream` without
(yunikorn-core v1.8.0, pkg/webservice/handlers.go: getEvents, getStream). Kept are which applications a
queue has, which allocations an application has, and on which nodes they are (pkg/scheduler/objects/events).
None names the instance type, the user or the workflow, and none says of an allocation that it is a
placeholder until it times out or another one takes its place: on its node, which no event says once more
(objects/node.go: ReplaceAllocation).
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from moka.names import GPU
from moka.quantities import MIB
from moka.usage.records import Kind

APP, NODE, QUEUE = 2, 3, 4
"""Types of events."""

ADD, REMOVE = 2, 3
"""Types of changes."""

APP_ALLOC, NODE_ALLOC, QUEUE_APP = 200, 303, 405
ALLOC_REPLACED = 503
ALLOC_ENDS: Mapping[int, Kind] = {
    500: "used",
    501: "preempted",
    502: "placeholder",
    ALLOC_REPLACED: "placeholder",
    504: "used",
}
"""Details of changes, and what an allocation was that ends: it was cancelled, preempted, timed out, which
only placeholders are, replaced, or its node is gone. Those of requests, which have the same types, are
others."""

What = Literal["application", "application gone", "node", "allocation", "allocation gone"]


class Amount(NamedTuple):
    """What an allocation has: thousandths of a core, MiB rounded up, GPUs."""

    cpu: int
    memory: int
    gpu: int


class Event(NamedTuple):
    """A change.

    at: nanoseconds since 1970. queue: of an application. allocation, amount: of an allocation. node: of one
    whose application is told next. kind: what one was that is gone. replaced: whether it was a placeholder in
    whose place, on its node, the application's next one comes.
    """

    what: What
    at: int
    application: str = ""
    queue: str = ""
    allocation: str = ""
    amount: Amount = Amount(0, 0, 0)
    node: str = ""
    kind: Kind = "used"
    replaced: bool = False


class UnreadableEvent(ValueError):
    """A document that YuniKorn did not write; the message is a clause."""


def event(record: Mapping[str, Any]) -> Event | None:
    """The change that a record says; None of one that is of no use here. Raises UnreadableEvent."""
    try:
        detail, change = record.get("eventChangeDetail"), record.get("eventChangeType")
        kind = record.get("type")
        if kind == APP:
            end: Kind = "used"
            if change == ADD and detail == APP_ALLOC:
                what: What = "allocation"
            elif change == REMOVE and isinstance(detail, int) and detail in ALLOC_ENDS:
                what, end = "allocation gone", ALLOC_ENDS[detail]
            else:
                return None
            return Event(
                what,
                int(record["timestampNano"]),
                record["objectID"],
                allocation=record["referenceID"],
                amount=_amount(record["resource"]["resources"]),
                kind=end,
                replaced=detail == ALLOC_REPLACED,
            )
        if kind == NODE and change == ADD and detail == NODE_ALLOC:
            return Event(
                "node",
                int(record["timestampNano"]),
                allocation=record["referenceID"],
                node=record["objectID"],
            )
        if kind == QUEUE and detail == QUEUE_APP and change in (ADD, REMOVE):
            what = "application" if change == ADD else "application gone"
            return Event(what, int(record["timestampNano"]), record["referenceID"], queue=record["objectID"])
        return None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableEvent(f"is no event of YuniKorn's: {type(error).__name__} at {error}") from None


def amount(resources: Mapping[str, int]) -> Amount:
    """What there is of resources by YuniKorn's names, in bytes, thousandths of a core and GPUs."""
    return Amount(
        int(resources.get("vcore", 0)), -(-int(resources.get("memory", 0)) // MIB), int(resources.get(GPU, 0))
    )


def _amount(resources: Mapping[str, Mapping[str, int]]) -> Amount:
    # Go leaves out a value of 0.
    return amount({name: value.get("value", 0) for name, value in resources.items()})
