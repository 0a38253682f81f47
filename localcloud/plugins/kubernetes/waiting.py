"""Waiting until objects are ready, or gone, by watching them."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.readiness import READY, Verdict, failure, pending

HTTP_GONE = 410
"""The API server has forgotten the version at which a watch should begin."""

WATCH_SECONDS = 10.0
"""Length of a watch; between two, the deadline and the user's wish to stop are checked."""

Things = Mapping[str, Mapping[str, Any]]
"""Objects by name."""


class NotReady(Exception):
    """An object did not become ready, or was not deleted, in time."""


@dataclass
class Deadline:
    """The end of waiting.

    cancelled: set when the user stops the update.
    hopeless: why waiting is in vain, which ends it early; empty where it may help.
    meanwhile: what is done, from time to time, so that it need not be.
    """

    seconds: float
    cancelled: threading.Event
    hopeless: Callable[[], str] = lambda: ""
    meanwhile: Callable[[], None] = lambda: None
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds until then."""
        return max(0.0, self.until - time.monotonic())

    def check(self, reason: str) -> None:
        """Raise NotReady, with the reason to wait, when the time is over or the update was stopped."""
        if self.cancelled.is_set():
            raise NotReady(f"the update was stopped while waiting ({reason})")
        if not self.left:
            raise NotReady(f"timed out after {self.seconds:.0f} s ({reason})")
        self.meanwhile()
        if why := self.hopeless():
            raise NotReady(f"it would time out after {self.seconds:.0f} s ({reason}): {why}")


def until(
    api: Api,
    path: str,
    query: Mapping[str, str],
    judge: Callable[[Things], Verdict],
    deadline: Deadline,
) -> Things:
    """Wait until the judge finds the objects of a list ready; the objects as they are then.

    Raises NotReady, with the judge's last reason, when they are not ready in time, or have failed.
    """
    while True:
        listing = api.get(path, **query)
        things = {thing["metadata"]["name"]: thing for thing in listing.get("items") or []}
        verdict = judge(things)
        version = listing["metadata"]["resourceVersion"]
        while not verdict.ready:
            if verdict.failed:
                raise NotReady(verdict.reason)
            deadline.check(verdict.reason)
            latest = version
            for event in api.watch(path, query, version, min(deadline.left, WATCH_SECONDS)):
                thing = event["object"]
                if event["type"] == "ERROR":
                    if thing.get("code") != HTTP_GONE:
                        raise ApiError(thing.get("code", 500), "", thing.get("message", ""), {})
                    latest = ""
                    break
                latest = thing["metadata"]["resourceVersion"]
                name = thing["metadata"]["name"]
                if event["type"] == "DELETED":
                    things.pop(name, None)
                else:
                    things[name] = {"apiVersion": thing.get("apiVersion"), "kind": thing.get("kind"), **thing}
                verdict = judge(things)
                if verdict.ready or verdict.failed:
                    break
            version = latest
            if not version:
                break
        if verdict.ready:
            return things


def until_ready(
    api: Api,
    path: str,
    name: str,
    judge: Callable[[Mapping[str, Any]], Verdict],
    deadline: Deadline,
) -> Mapping[str, Any]:
    """Wait until one object is ready; the object as it is then. Raises NotReady."""

    def judge_all(things: Things) -> Verdict:
        return judge(things[name]) if name in things else failure("it was deleted meanwhile")

    return until(api, path, {"fieldSelector": f"metadata.name={name}"}, judge_all, deadline)[name]


def until_gone(api: Api, path: str, name: str, uid: str | None, deadline: Deadline) -> None:
    """Wait until an object is deleted. Raises NotReady with what it waits for."""

    def judge(things: Things) -> Verdict:
        thing = things.get(name)
        if thing is None or (uid and thing["metadata"].get("uid") != uid):
            return READY
        return pending(_deletion_reason(thing))

    until(api, path, {"fieldSelector": f"metadata.name={name}"}, judge, deadline)


def _deletion_reason(thing: Mapping[str, Any]) -> str:
    finalizers = [
        *(thing["metadata"].get("finalizers") or []),
        *((thing.get("spec") or {}).get("finalizers") or []),
    ]
    remaining = [
        condition.get("message", "")
        for condition in (thing.get("status") or {}).get("conditions") or []
        if condition.get("status") == "True" and condition.get("type", "").endswith("Remaining")
    ]
    reasons = [*remaining, *([f"finalizers {', '.join(finalizers)} hold it"] if finalizers else [])]
    return "; ".join(reasons) or "it still exists"


def last_warning(api: Api, namespace: str | None, kind: str, name: str) -> str | None:
    """The last warning in the cluster's events about an object."""
    path = f"/api/v1/namespaces/{namespace}/events" if namespace else "/api/v1/events"
    selector = f"involvedObject.kind={kind},involvedObject.name={name},type=Warning"
    try:
        events = api.get(path, fieldSelector=selector).get("items") or []
    except ApiError:
        return None
    if not events:
        return None
    last = max(events, key=lambda event: event.get("lastTimestamp") or event.get("eventTime") or "")
    return f"{last.get('reason')}: {last.get('message')}"
