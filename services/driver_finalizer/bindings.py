"""Pods of jobs whose binding was lost.

YuniKorn tries no binding again: the pod stays pending, and the scheduler has forgotten it until it is started
anew (apache/yunikorn-k8shim v1.8.0, pkg/cache/task.go: postTaskAllocated; YUNIKORN-2884 mends it, after
1.9.0). A connection to the API server that breaks off loses all that are under way on it. So such pods are
deleted: Spark takes a deleted executor for no failure of the job, and asks for another (apache/spark:
ExecutorPodsLifecycleManager.scala; read, not run), and of a driver the operator says "driver pod not found",
after which Archer tries again.

Placeholders stay: YuniKorn makes none anew, and lets the job go on without its gang after a while.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Set
from dataclasses import dataclass

import aiohttp

from services.common.kubernetes import Api, ApiError, Object
from services.common.logs import fields
from services.common.metrics import Metrics

EVENTS = "reason=PodBindFailure"
"""Field selector of the events that YuniKorn has of them."""

SETTLED_SECONDS = 60.0
"""From the event to the check: what a client gave up may still be carried out, for as long as the API server
lets a request run (kube-apiserver: --request-timeout)."""

RETRY_SECONDS = 30.0
"""Between checks of a pod that failed."""

PASS_SECONDS = 5.0
"""Between looks at which pods are due."""

ROLES = frozenset({"driver", "executor"})

log = logging.getLogger(__name__)


@dataclass
class Binding:
    """One that YuniKorn gave up; due: when its pod is looked at, by the monotonic clock."""

    namespace: str
    pod: str
    due: float


class LostBindings:
    """Takes YuniKorn's events, and deletes the pods whose binding was lost.

    clock: monotonic seconds.
    """

    def __init__(self, api: Api, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        self.bindings: dict[str, Binding] = {}
        """Those that have not been looked at, by the uid of their pod."""
        self._api = api
        self._clock = clock
        self._deleted = metrics.counter("lost_bindings", "Pods deleted, as their binding was lost.")

    def observe(self, item: Object, deleted: bool) -> None:
        """Take an event; one that is gone tells nothing."""
        pod = item["involvedObject"]
        if not deleted and pod.get("kind") == "Pod" and pod.get("uid"):
            namespace = item["metadata"]["namespace"]
            binding = Binding(namespace, pod["name"], self._clock() + SETTLED_SECONDS)
            self.bindings.setdefault(pod["uid"], binding)

    def drop_all_but(self, namespaces: frozenset[str]) -> None:
        """Forget the bindings of all other namespaces, of which it may ask nothing."""
        self.bindings = {
            uid: binding for uid, binding in self.bindings.items() if binding.namespace in namespaces
        }

    def keep(self, namespace: str, uids: Set[str]) -> None:
        """Nothing follows from events that are there no more: they are kept for an hour only."""

    async def run(self) -> None:
        """Look at each pod once its binding is settled, for as long as this is awaited."""
        while True:
            await self.check()
            await asyncio.sleep(PASS_SECONDS)

    async def check(self) -> None:
        """Delete the pods that are due and still wait for their binding."""
        now = self._clock()
        for uid, binding in list(self.bindings.items()):
            if binding.due > now:
                continue
            try:
                await self._delete_if_lost(uid, binding)
                self.bindings.pop(uid, None)
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                binding.due = now + RETRY_SECONDS
                log.warning(
                    "checking a lost binding failed",
                    extra=fields(namespace=binding.namespace, pod=binding.pod, error=error),
                )

    async def _delete_if_lost(self, uid: str, binding: Binding) -> None:
        path = f"/api/v1/namespaces/{binding.namespace}/pods"
        pod = await self._api.get(f"{path}/{binding.pod}")
        if pod is None or not is_lost(pod, uid):
            return
        # By these fields the API server lets it be if it has a node by now.
        await self._api.delete_collection(path, fieldSelector=f"metadata.name={binding.pod},spec.nodeName=")
        self._deleted.inc()
        log.warning("its binding was lost", extra=fields(namespace=binding.namespace, pod=binding.pod))


def is_lost(pod: Object, uid: str) -> bool:
    """Whether a pod is this one, a driver or an executor, and still without a node."""
    metadata = pod["metadata"]
    return (
        metadata["uid"] == uid
        and (metadata.get("labels") or {}).get("spark-role") in ROLES
        and not metadata.get("deletionTimestamp")
        and not (pod.get("spec") or {}).get("nodeName")
        and (pod.get("status") or {}).get("phase") == "Pending"
    )
