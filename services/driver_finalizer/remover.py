"""Removes the finalizer of driver pods: knows which carry it, and checks those that have ended; looks after
those that run from time to time."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moka.names import DRIVER_FINALIZER
from services.common.kubernetes import Api, ApiError, Object
from services.common.logs import fields
from services.common.metrics import Metrics
from services.driver_finalizer import executors, gang, lifetime
from services.driver_finalizer.rules import (
    TERMINAL_STATES,
    application_name,
    application_state,
    awaited_config_maps,
    ended_or_deleted,
    has_finalizer,
    is_of_latest_submission,
    latest_submission,
    release_reason,
)

WORKERS = 8
"""Pods that are checked at a time."""

MAX_CHECK_PAUSE_SECONDS = 15.0
"""Between checks of a pod that has ended, after the first few, which follow more quickly."""

FIRST_CHECK_SECONDS = 30.0
"""After a driver was first seen. Most gangs are there by then, and an operator that was started anew has said
what it makes of the driver."""

RUNNING_CHECK_SECONDS = 300.0
"""Between checks of a pod that runs, lest an event was missed."""

UNSETTLED_CHECK_SECONDS = 15.0
"""The same while its application tells of no submission, or of another: the operator may give it up, and
delete it after the shortest `ttl_seconds` of a job, a minute."""

MANAGER = "driver-finalizer"
"""Whose the changes of applications are, in their `managedFields`."""

LONG_WAIT_SECONDS = 600.0
"""After which a pod that has ended and still has its finalizer is worth a warning."""

Turns = asyncio.PriorityQueue[tuple[bool, str]]
"""Whether a driver runs, and its uid: those that have ended come first."""

log = logging.getLogger(__name__)


@dataclass
class Driver:
    """A driver pod with the finalizer; times by the monotonic clock.

    due: when it is checked next; infinite while it is being checked.
    ended: when it was first seen to have ended or to be deleted.
    events: how often it was reported as ended; checks: how often it was checked since the last time.
    warned: whether the log has it as one that waits for long.
    unsettled: whether it runs, and its application does not tell of it.
    """

    namespace: str
    name: str
    due: float
    ended: float | None = None
    events: int = 0
    checks: int = 0
    warned: bool = False
    unsettled: bool = False


class Remover:
    """Takes the events of driver pods, and removes the finalizer of those that need it no more.

    clock, now: monotonic seconds, and the date.
    """

    def __init__(
        self,
        api: Api,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.drivers: dict[str, Driver] = {}
        self._api = api
        self._clock = clock
        self._now = now
        self._last_pass = clock()
        self._wake = asyncio.Event()
        self._released = metrics.counter("released", "Finalizers removed.")
        self._failures = metrics.counter("failures", "Checks of a pod that failed, and were repeated.")
        metrics.gauge("held", "Driver pods with the finalizer.", lambda: len(self.drivers))
        metrics.gauge("waiting", "Those that have ended.", lambda: len(self.waits))
        metrics.gauge(
            "longest_wait_seconds",
            "Since the end of the one that waits for longest.",
            lambda: max(self.waits, default=0.0),
        )

    def observe(self, pod: Object, deleted: bool = False) -> None:
        """Take a driver pod that exists, has changed, or has been deleted."""
        metadata = pod["metadata"]
        if deleted or not has_finalizer(pod):
            self.drivers.pop(metadata["uid"], None)
            return
        now = self._clock()
        driver = self.drivers.setdefault(
            metadata["uid"], Driver(metadata["namespace"], metadata["name"], now + FIRST_CHECK_SECONDS)
        )
        if ended_or_deleted(pod):
            driver.ended = now if driver.ended is None else driver.ended
            driver.due, driver.checks = now, 0
            driver.events += 1
            self._wake.set()

    def drop_all_but(self, namespaces: frozenset[str]) -> None:
        """Forget the drivers of all other namespaces."""
        self.drivers = {uid: driver for uid, driver in self.drivers.items() if driver.namespace in namespaces}

    @property
    def waits(self) -> list[float]:
        """Seconds since the end of each pod that has ended and has its finalizer."""
        now = self._clock()
        return [now - driver.ended for driver in self.drivers.values() if driver.ended is not None]

    @property
    def idle_seconds(self) -> float:
        """Time since it last looked for drivers that are due, which it does every 5 seconds at least."""
        return self._clock() - self._last_pass

    async def run(self) -> None:
        """Check every driver that is due, for as long as this is awaited."""
        queue: Turns = asyncio.PriorityQueue()
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._work(queue))
            while True:
                now = self._last_pass = self._clock()
                self._wake.clear()
                for uid, driver in self.drivers.items():
                    if driver.due <= now:
                        driver.due = float("inf")
                        queue.put_nowait((driver.ended is None, uid))
                next_due = min((driver.due for driver in self.drivers.values()), default=float("inf"))
                pause = min(max(next_due - self._clock(), 0.05), 5.0)
                try:
                    async with asyncio.timeout(pause):
                        await self._wake.wait()
                except TimeoutError:
                    pass

    async def check(self, uid: str) -> None:
        """Read a driver and its application, and remove its finalizer if it can go. Raises ApiError."""
        driver = self.drivers.get(uid)
        if driver is None:
            return
        events = driver.events
        try:
            done = await self._release(uid, driver)
        except BaseException:
            self._reschedule(driver, events)
            raise
        if done:
            self.drivers.pop(uid, None)
        else:
            self._reschedule(driver, events)

    async def _work(self, queue: Turns) -> None:
        while True:
            _, uid = await queue.get()
            try:
                await self.check(uid)
            except Exception as error:
                # Whatever it is about one pod, the others are checked, and this one again.
                self._failures.inc()
                log.warning("checking a driver failed", extra=fields(error=error))

    def _reschedule(self, driver: Driver, events: int) -> None:
        """Check again: at once when there were events meanwhile, else after a pause that grows."""
        if driver.ended is None:
            pause = UNSETTLED_CHECK_SECONDS if driver.unsettled else RUNNING_CHECK_SECONDS
        else:
            pause = min(0.5 * 1.5 ** min(driver.checks, 10), MAX_CHECK_PAUSE_SECONDS)
        driver.checks += 1
        driver.due = self._clock() + (pause if driver.events == events else 0.0)
        self._wake.set()

    async def _release(self, uid: str, driver: Driver) -> bool:
        """Remove the finalizer of a driver if it can go; whether nothing is left to do for it."""
        path = f"/api/v1/namespaces/{driver.namespace}/pods/{driver.name}"
        pod = await self._api.get(path)
        if pod is None or pod["metadata"]["uid"] != uid or not has_finalizer(pod):
            return True
        if ended_or_deleted(pod) and driver.ended is None:
            driver.ended = self._clock()
        application = await self._application(pod)
        reason = release_reason(pod, application, self._now())
        if reason is None and pod["metadata"].get("deletionTimestamp"):
            # Pods go before all else in a namespace, so their applications tell nothing of its end.
            deleted = await self._namespace_deleted(driver.namespace)
            reason = release_reason(pod, application, self._now(), deleted)
        if reason is None:
            self._warn_of_long_wait(driver, pod, application)
            if driver.ended is None and application is not None:
                await self._tend(driver, path, pod, application)
            return False
        await self._clear_away(driver, pod, application)
        try:
            await self._api.patch(path, _removal(pod))
        except ApiError as error:
            if error.status == 404:
                return True
            raise
        self._released.inc()
        log.info("released", extra=fields(**_description(pod, application), because=reason))
        return True

    async def _tend(self, driver: Driver, path: str, pod: Object, application: Object) -> None:
        """See to it that a driver that runs is left alone by the operator and by YuniKorn's next start."""
        change = lifetime.suspension(pod, application)
        if change:
            await self._api.merge(_application_path(pod), change, MANAGER)
            log.info("outlives its application", extra=fields(**_description(pod, application)))
        over = application_state(application) in TERMINAL_STATES
        driver.unsettled = not over and not is_of_latest_submission(pod, application)
        if over and await self._never_starts(pod):
            await self._api.delete_collection(
                _pods_path(pod), fieldSelector=f"metadata.name={pod['metadata']['name']}"
            )
            log.warning("never starts", extra=fields(**_description(pod, application)))
            return
        if gang.has_task_groups(pod) and not await self._has_placeholders(pod):
            await self._api.patch(path, gang.task_groups_removal(pod))

    async def _clear_away(self, driver: Driver, pod: Object, application: Object | None) -> None:
        """Undo what was done for a driver that ran, and delete what it left: its finalizer waits for neither
        where the API server refuses it."""
        if query := executors.unstarted(pod):
            try:
                await self._api.delete_collection(_pods_path(pod), **query)
            except ApiError as error:
                if not 400 <= error.status < 500 or error.status == 429:
                    raise
                log.warning("executors stay", extra=fields(**_description(pod, application), error=error))
        if application and (change := lifetime.resumption(application, self._now())):
            try:
                await self._api.merge(_application_path(pod), change, MANAGER)
            except ApiError as error:
                # A right may come with the next step of an `up`; what admission refuses stays refused.
                waited = driver.ended is not None and self._clock() - driver.ended > LONG_WAIT_SECONDS
                if error.status not in (404, 422) and not (error.status == 403 and waited):
                    raise
                log.warning(
                    "an application stays", extra=fields(**_description(pod, application), error=error)
                )

    async def _never_starts(self, pod: Object) -> bool:
        """Whether a driver waits for a ConfigMap that nobody makes any more."""
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/configmaps"
        for name in awaited_config_maps(pod, self._now()):
            if await self._api.get(f"{path}/{name}") is None:
                return True
        return False

    async def _has_placeholders(self, pod: Object) -> bool:
        placeholders = await self._api.get(_pods_path(pod), **gang.placeholders(pod), limit="1")
        return bool(placeholders and placeholders["items"])

    async def _application(self, pod: Object) -> Object | None:
        return await self._api.get(_application_path(pod)) if application_name(pod) else None

    async def _namespace_deleted(self, name: str) -> bool:
        namespace = await self._api.get(f"/api/v1/namespaces/{name}")
        return namespace is None or "deletionTimestamp" in namespace["metadata"]

    def _warn_of_long_wait(self, driver: Driver, pod: Object, application: Object | None) -> None:
        long = driver.ended is not None and self._clock() - driver.ended > LONG_WAIT_SECONDS
        if long and not driver.warned:
            driver.warned = True
            log.warning("still held", extra=fields(**_description(pod, application)))


def _pods_path(pod: Object) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"


def _application_path(pod: Object) -> str:
    namespace = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{pod['metadata']['namespace']}"
    return f"{namespace}/sparkapplications/{application_name(pod)}"


def _removal(pod: Object) -> list[dict[str, Any]]:
    """Take the finalizer out, if the pod is still this one and the finalizer where it was."""
    metadata = pod["metadata"]
    path = f"/metadata/finalizers/{metadata['finalizers'].index(DRIVER_FINALIZER)}"
    return [
        {"op": "test", "path": "/metadata/uid", "value": metadata["uid"]},
        {"op": "test", "path": path, "value": DRIVER_FINALIZER},
        {"op": "remove", "path": path},
    ]


def _description(pod: Object, application: Object | None) -> dict[str, Any]:
    """Fields of a log line about a pod and its application."""
    return {
        "namespace": pod["metadata"]["namespace"],
        "pod": pod["metadata"]["name"],
        "phase": (pod.get("status") or {}).get("phase"),
        "application": application_name(pod),
        "state": application_state(application) if application else None,
        "submission": latest_submission(application) if application else None,
    }
