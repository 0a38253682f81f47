"""Waiting until objects are ready, or gone, by watching them."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.readiness import READY, Verdict, waiting

GONE = 410
"""The API server has forgotten the version that a watch was to begin at."""

LOOK = 10.0
"""Seconds after which a watch is begun anew, to see whether the user still wants to wait."""

Things = Mapping[str, Mapping[str, Any]]
"""Objects by name."""


class NotReady(Exception):
    """What was waited for did not come."""


@dataclass
class Patience:
    """How long to wait, at the most, and whether the user still wants to.

    cancelled: set when the user stops the update.
    """

    seconds: float
    cancelled: threading.Event
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.until - time.monotonic())

    def check(self, why: str) -> None:
        """Raises NotReady when there is no point in going on."""
        if self.cancelled.is_set():
            raise NotReady(f"it was not waited for any longer, as the update was stopped ({why})")
        if not self.left:
            raise NotReady(f"it did not become so within {self.seconds:.0f} s ({why})")


def until(
    api: Api,
    path: str,
    query: Mapping[str, str],
    judge: Callable[[Things], Verdict],
    patience: Patience,
) -> Things:
    """Wait until the objects of a list are as the judge wants them; the objects as they are then.

    Raises NotReady, with the judge's last word, when they are not so in time, or will not be.
    """
    while True:
        listed = api.get(path, **query)
        things = {each["metadata"]["name"]: each for each in listed.get("items") or []}
        verdict = judge(things)
        version = listed["metadata"]["resourceVersion"]
        while not verdict.ready:
            if verdict.hopeless:
                raise NotReady(verdict.why)
            patience.check(verdict.why)
            seen = version
            for event in api.watch(path, query, version, min(patience.left, LOOK)):
                thing = event["object"]
                if event["type"] == "ERROR":
                    if thing.get("code") != GONE:
                        raise ApiError(thing.get("code", 500), "", thing.get("message", ""), {})
                    seen = ""
                    break
                seen = thing["metadata"]["resourceVersion"]
                name = thing["metadata"]["name"]
                if event["type"] == "DELETED":
                    things.pop(name, None)
                else:
                    things[name] = {"apiVersion": thing.get("apiVersion"), "kind": thing.get("kind"), **thing}
                verdict = judge(things)
                if verdict.ready or verdict.hopeless:
                    break
            version = seen
            if not version:
                break
        if verdict.ready:
            return things


def until_ready(
    api: Api,
    path: str,
    name: str,
    judge: Callable[[Mapping[str, Any]], Verdict],
    patience: Patience,
) -> Mapping[str, Any]:
    """Wait until one object is ready; the object as it is then. Raises NotReady."""

    def judge_it(things: Things) -> Verdict:
        return (
            judge(things[name]) if name in things else Verdict(hopeless=True, why="it was deleted meanwhile")
        )

    return until(api, path, {"fieldSelector": f"metadata.name={name}"}, judge_it, patience)[name]


def until_gone(api: Api, path: str, name: str, uid: str | None, patience: Patience) -> None:
    """Wait until an object is no longer there. Raises NotReady with what holds it back."""

    def judge(things: Things) -> Verdict:
        thing = things.get(name)
        if thing is None or (uid and thing["metadata"].get("uid") != uid):
            return READY
        return waiting(_held(thing))

    until(api, path, {"fieldSelector": f"metadata.name={name}"}, judge, patience)


def _held(thing: Mapping[str, Any]) -> str:
    finalizers = [
        *(thing["metadata"].get("finalizers") or []),
        *((thing.get("spec") or {}).get("finalizers") or []),
    ]
    remaining = [
        each.get("message", "")
        for each in (thing.get("status") or {}).get("conditions") or []
        if each.get("status") == "True" and each.get("type", "").endswith("Remaining")
    ]
    words = [*remaining, *([f"finalizers {', '.join(finalizers)} hold it"] if finalizers else [])]
    return "; ".join(words) or "it is still there"


def last_warning(api: Api, namespace: str | None, kind: str, name: str) -> str | None:
    """The last warning that the cluster gave about an object."""
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
