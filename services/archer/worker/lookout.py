"""Looks why the jobs of a namespace wait there, for those who ask (services/archer/database/waits.py)."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence

import aiohttp
import yaml

from moka.names import YUNIKORN_ID_LABEL, queue_path
from moka.submission.observation import Object
from moka.submission.pending import (
    NOT_SCALED,
    SAID,
    SCALED,
    ApplicationLimit,
    application_limits,
    pending,
)
from moka.submission.waiting import VAGUE, Wait, WaitReason
from services.archer.database import waits
from services.archer.database.pool import Away, Pool
from services.archer.database.waits import Pending
from services.archer.worker.cluster import Cluster
from services.common.kubernetes import ApiError
from services.common.logs import fields

SECONDS = 10.0
"""Between looks."""

PATIENCE_SECONDS = 5.0
"""For which a job's application has been there before it is asked why it does not run: most run by then."""

JOBS = 1_000
"""Whose reasons are looked for, the oldest first."""

OBJECTS = 5_000
"""Pods, or events, that are read in a look."""

log = logging.getLogger(__name__)


class Lookout:
    """Looks at the pods of jobs that wait in a namespace of a cluster, and asks nothing while none does."""

    def __init__(self, pool: Pool, cluster: Cluster, namespace: str) -> None:
        self._pool = pool
        self._cluster = cluster
        self._namespace = namespace

    async def run(self) -> None:
        """Look for ever."""
        while True:
            try:
                await self.look()
            except (Away, ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning(
                    "it was not seen why jobs wait",
                    extra=fields(cluster=self._cluster.name, namespace=self._namespace, error=error),
                )
            await asyncio.sleep(SECONDS)

    async def look(self) -> int:
        """Look once; of how many jobs something was written. Raises Away and ApiError."""
        name, namespace = self._cluster.name, self._namespace
        jobs = await waits.pending(self._pool, name, namespace, JOBS, PATIENCE_SECONDS)
        observations = list(zip(jobs, await self._reasons(jobs), strict=True)) if jobs else []
        return await self._pool.run(lambda connection: waits.keep(connection, name, namespace, observations))

    async def _reasons(self, jobs: Sequence[Pending]) -> list[WaitReason]:
        """Why these wait."""
        pod_items = await self._cluster.pending_pods(self._namespace, YUNIKORN_ID_LABEL, OBJECTS)
        pods: dict[str, list[Object]] = defaultdict(list)
        for pod in pod_items or ():
            pods[pod["metadata"]["labels"][YUNIKORN_ID_LABEL]].append(pod)
        scheduler_events = await self._events(SAID)
        whole = pod_items is not None and scheduler_events is not None
        events_by_pod = scheduler_events or {}
        reasons = [_pending(job, pods, events_by_pod, None) for job in jobs]
        if any(wait.word is Wait.NO_MACHINE for wait in reasons):
            for reason in (SCALED, NOT_SCALED):
                for name, events in (await self._events(reason) or {}).items():
                    events_by_pod[name] = [*events_by_pod.get(name, ()), *events]
        queues = None
        if whole and any(wait.word in VAGUE for wait in reasons):
            queues = yaml.safe_load(await self._cluster.queues() or "")
        return [
            _pending(
                job,
                pods,
                events_by_pod,
                application_limits(queues, queue_path(job.queue, job.tier), job.user, job.groups),
            )
            for job in jobs
        ]

    async def _events(self, reason: str) -> dict[str, list[Object]] | None:
        """Name of a pod -> its events of this reason; None where there are too many."""
        items = await self._cluster.pod_events(self._namespace, reason, OBJECTS)
        if items is None:
            return None
        by_pod: dict[str, list[Object]] = defaultdict(list)
        for event in items:
            by_pod[event["involvedObject"]["name"]].append(event)
        return by_pod


def _pending(
    job: Pending,
    pods: Mapping[str, Sequence[Object]],
    events: Mapping[str, Sequence[Object]],
    limits: Sequence[ApplicationLimit] | None,
) -> WaitReason:
    job_pods = pods.get(job.application, ())
    return pending(
        job_pods, [event for pod in job_pods for event in events.get(pod["metadata"]["name"], ())], limits
    )
