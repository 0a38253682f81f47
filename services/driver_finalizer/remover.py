"""Removes the finalizer from driver pods: knows which carry it, and asks about those that are over."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from moka.names import DRIVER_FINALIZER
from services.driver_finalizer.api import ApiError
from services.driver_finalizer.rules import (
    Object,
    application_name,
    held,
    over,
    state_of,
    submission_of,
    why_released,
)

WORKERS = 8
"""Pods that are asked about at once."""

PATIENCE = 15.0
"""Seconds between questions about a pod that is over, after the first few, which follow more quickly."""

RUNNING_PATIENCE = 300.0
"""Seconds between questions about a pod that runs, lest anything was missed."""

LONG = 600.0
"""Seconds after which a pod that is over and held is worth a word."""

log = logging.getLogger("moka.driver_finalizer")


class Asked(Protocol):
    """What is asked of the API server."""

    async def get(self, path: str, **query: str) -> dict[str, Any] | None:
        """An object; None when there is none."""

    async def patch(self, path: str, operations: list[dict[str, Any]]) -> dict[str, Any]:
        """Change an object."""


@dataclass
class Held:
    """A driver pod with the finalizer.

    due: when it is asked about next, by the monotonic clock; over: when it was first seen to be over.
    seen: how often it was heard of; tries: how often it was asked about since.
    """

    namespace: str
    name: str
    due: float
    over: float | None = None
    seen: int = 0
    tries: int = 0
    told: bool = False


@dataclass
class Counts:
    """What happened since the start."""

    released: int = 0
    failures: int = 0


@dataclass
class Remover:
    """Takes what is heard of driver pods, and removes the finalizer of those that may go.

    clock, now: monotonic seconds, and the date.
    """

    api: Asked
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    counts: Counts = field(default_factory=Counts)
    pods: dict[str, Held] = field(default_factory=dict)
    beat: float = 0.0
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, pod: Object, gone: bool = False) -> None:
        """A driver pod is there, or has changed, or is gone."""
        metadata = pod["metadata"]
        if gone or not held(pod):
            self.pods.pop(metadata["uid"], None)
            return
        now = self.clock()
        entry = self.pods.setdefault(
            metadata["uid"], Held(metadata["namespace"], metadata["name"], now + RUNNING_PATIENCE)
        )
        if over(pod):
            entry.over = now if entry.over is None else entry.over
            entry.due, entry.tries = now, 0
            entry.seen += 1
            self._wake.set()

    def forget(self, served: frozenset[str]) -> None:
        """Only these namespaces are served."""
        self.pods = {uid: one for uid, one in self.pods.items() if one.namespace in served}

    @property
    def waiting(self) -> list[float]:
        """For how many seconds each pod that is over has been held."""
        now = self.clock()
        return [now - one.over for one in self.pods.values() if one.over is not None]

    async def run(self) -> None:
        """Ask about every pod that is due, for as long as this is awaited."""
        queue: asyncio.Queue[str] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work(queue))
            while True:
                now = self.beat = self.clock()
                self._wake.clear()
                for uid, entry in self.pods.items():
                    if entry.due <= now:
                        entry.due = float("inf")
                        queue.put_nowait(uid)
                soonest = min((one.due for one in self.pods.values()), default=float("inf"))
                with_patience = min(max(soonest - self.clock(), 0.05), 5.0)
                try:
                    async with asyncio.timeout(with_patience):
                        await self._wake.wait()
                except TimeoutError:
                    pass

    async def settle(self, uid: str) -> None:
        """Ask about one pod, and remove its finalizer where it may go. Raises ApiError."""
        entry = self.pods.get(uid)
        if entry is None:
            return
        seen = entry.seen
        try:
            done = await self._settled(uid, entry)
        except BaseException:
            self._again(entry, seen)
            raise
        if done:
            self.pods.pop(uid, None)
        else:
            self._again(entry, seen)

    async def _work(self, queue: asyncio.Queue[str]) -> None:
        while True:
            uid = await queue.get()
            try:
                await self.settle(uid)
            except Exception as error:
                # Whatever it is about one pod, the others are asked about, and this one again.
                self.counts.failures += 1
                log.warning("asking failed", extra={"fields": {"error": str(error) or type(error).__name__}})

    def _again(self, entry: Held, seen: int) -> None:
        """Ask again: at once when more was heard meanwhile, else after a pause that grows."""
        pause = RUNNING_PATIENCE if entry.over is None else min(0.5 * 1.5 ** min(entry.tries, 10), PATIENCE)
        entry.tries += 1
        entry.due = self.clock() + (pause if entry.seen == seen else 0.0)
        self._wake.set()

    async def _settled(self, uid: str, entry: Held) -> bool:
        """Whether nothing is left to do for a pod."""
        path = f"/api/v1/namespaces/{entry.namespace}/pods/{entry.name}"
        pod = await self.api.get(path)
        if pod is None or pod["metadata"]["uid"] != uid or not held(pod):
            return True
        if over(pod) and entry.over is None:
            entry.over = self.clock()
        application = await self._application(pod)
        why = why_released(pod, application, self.now())
        if why is None and pod["metadata"].get("deletionTimestamp"):
            # Pods go before all else in a namespace, so their applications tell nothing of its end.
            why = why_released(pod, application, self.now(), await self._going(entry.namespace))
        if why is None:
            self._tell(entry, pod, application)
            return False
        try:
            await self.api.patch(path, _removal(pod))
        except ApiError as error:
            if error.status == 404:
                return True
            raise
        self.counts.released += 1
        log.info("released", extra={"fields": {**_about(pod, application), "because": why}})
        return True

    async def _application(self, pod: Object) -> dict[str, Any] | None:
        name = application_name(pod)
        where = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{pod['metadata']['namespace']}"
        return await self.api.get(f"{where}/sparkapplications/{name}") if name else None

    async def _going(self, namespace: str) -> bool:
        found = await self.api.get(f"/api/v1/namespaces/{namespace}")
        return found is None or "deletionTimestamp" in found["metadata"]

    def _tell(self, entry: Held, pod: Object, application: Object | None) -> None:
        if not entry.told and entry.over is not None and self.clock() - entry.over > LONG:
            entry.told = True
            log.warning("still held", extra={"fields": _about(pod, application)})


def _removal(pod: Object) -> list[dict[str, Any]]:
    """Take the finalizer out, if the pod is still this one and the finalizer where it was."""
    metadata = pod["metadata"]
    at = metadata["finalizers"].index(DRIVER_FINALIZER)
    return [
        {"op": "test", "path": "/metadata/uid", "value": metadata["uid"]},
        {"op": "test", "path": f"/metadata/finalizers/{at}", "value": DRIVER_FINALIZER},
        {"op": "remove", "path": f"/metadata/finalizers/{at}"},
    ]


def _about(pod: Object, application: Object | None) -> dict[str, Any]:
    """What a line of the log says of a pod and its application."""
    return {
        "namespace": pod["metadata"]["namespace"],
        "pod": pod["metadata"]["name"],
        "phase": (pod.get("status") or {}).get("phase"),
        "application": application_name(pod),
        "state": state_of(application) if application else None,
        "submission": submission_of(application) if application else None,
    }
