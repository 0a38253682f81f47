"""Follows the applications of a namespace: what they are now, and which are gone."""

import asyncio
import itertools
import logging
import time
from collections.abc import Coroutine, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import aiohttp

from moka.submission.job_id import attempt_in_name, id_text
from moka.submission.manifest import FINALIZER, JOB_LABEL, attempt_of
from moka.submission.observation import (
    Object,
    Observation,
    acknowledged,
    deleted,
    driver_name,
    needs_driver,
    observe,
)
from moka.submission.reasons import Fault, Retries
from moka.submission.states import ENDED, DesiredState, State
from moka.submission.verdict import retries, verdict
from services.archer.database import transitions
from services.archer.database.pool import Away, Connection, Pool
from services.archer.traces import JobTraces
from services.archer.worker.cluster import APPLICATIONS, Cluster
from services.archer.worker.lookout import Lookout
from services.archer.worker.stored_job import stored_restart
from services.common.kubernetes import ApiError
from services.common.logs import fields
from services.common.watch import Watch

BATCH = 200
GATHER_SECONDS = 0.1
"""In which what is told is gathered, to be written at once."""

SWEEP_SECONDS = 60.0
"""Between looks at all that the database has on the cluster, lest anything was missed."""

AT_ONCE = 16
"""Requests to an API server."""

AGAIN_SECONDS = 5.0
"""Until an application is looked at again that could not be."""

METADATA = ("name", "namespace", "uid", "labels", "finalizers", "deletionTimestamp")
STATUS = ("applicationState", "sparkApplicationId", "driverInfo")
"""What is kept of an application: most of one is its spec, the account of who wrote which field, and the
states of its executors."""

ON_CLUSTER = """
SELECT application FROM active JOIN attempts ON job = active.id AND number = attempt
WHERE active.cluster = $1 AND active.namespace = $2 AND active.state IN ('submitted', 'running')
"""

ATTEMPTS = """
SELECT active.id, attempt, application, active.state, wanted, infrastructure_failures, user_code_failures,
  document -> 'restart' AS restart
FROM attempts JOIN active ON job = active.id AND number = attempt JOIN jobs ON jobs.id = active.id
WHERE attempts.cluster = $1 AND attempts.namespace = $2 AND application = ANY($3::text[])
  AND attempts.job = ANY($4::uuid[]) AND active.state IN ('submitted', 'running')
"""

log = logging.getLogger(__name__)

T = TypeVar("T")
Attempt = tuple[UUID, int]
UNREACHED = (ApiError, aiohttp.ClientError, OSError, TimeoutError)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the database has of an attempt that is on the cluster."""

    state: State
    wanted: DesiredState
    infrastructure_failures: int
    user_code_failures: int
    retries: Retries


class Follower:
    """Follows Archer's applications in a namespace of a cluster."""

    def __init__(self, pool: Pool, cluster: Cluster, namespace: str, traces: JobTraces) -> None:
        self._pool = pool
        self._traces = traces
        self._cluster = cluster
        self._namespace = namespace
        self._items: dict[str, Object] = {}
        """Name -> what is kept of an application, as it was last told."""
        self._notices: dict[str, float] = {}
        """Names of which something was told since they were last looked at -> since when"""
        self._settling: float | None = None
        """Since when what is being written was told."""
        self._wake = asyncio.Event()
        self._watch = Watch(
            cluster.api, namespace, "sparkapplications", JOB_LABEL, self, api_path=APPLICATIONS
        )

    async def run(self) -> None:
        """Follow for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch.run())
            group.create_task(self._settle())
            group.create_task(self._sweep())
            group.create_task(Lookout(self._pool, self._cluster, self._namespace).run())

    @property
    def behind_seconds(self) -> float:
        """Since the oldest thing was told that is not written yet."""
        times = [*self._notices.values(), *([self._settling] if self._settling else [])]
        return time.monotonic() - min(times) if times else 0.0

    @property
    def idle_seconds(self) -> float:
        """Since the API server last said something."""
        return self._watch.idle_seconds

    def observe(self, item: Object, deleted: bool) -> None:
        """An application as it is now."""
        name = item["metadata"]["name"]
        if deleted:
            self._items.pop(name, None)
        else:
            self._items[name] = _part(item)
        self._tell(name)

    def keep(self, namespace: str, uids: Set[str]) -> None:
        """There are no others."""
        for name in [n for n, item in self._items.items() if item["metadata"]["uid"] not in uids]:
            del self._items[name]
            self._tell(name)

    def _tell(self, name: str) -> None:
        self._notices.setdefault(name, time.monotonic())
        self._wake.set()

    async def _settle(self) -> None:
        """Write what was told, a batch at a time."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._wake.clear()
            while self._notices:
                batch = dict(itertools.islice(self._notices.items(), BATCH))
                self._settling = min(batch.values())
                for name in batch:
                    del self._notices[name]
                try:
                    await self.settle(batch)
                except (Away, *UNREACHED) as error:
                    log.warning(
                        "following failed",
                        extra=fields(cluster=self._cluster.name, namespace=self._namespace, error=error),
                    )
                    self._notices = {**self._notices, **batch}
                    await asyncio.sleep(AGAIN_SECONDS)
                finally:
                    self._settling = None

    async def _sweep(self) -> None:
        """Look, from time to time, at what the database has on the cluster and the cluster may not have."""
        while True:
            wait = SWEEP_SECONDS
            try:
                if self._watch.synced:
                    await self.sweep()
                else:
                    wait = 1.0
            except (Away, *UNREACHED) as error:
                log.warning("sweeping failed", extra=fields(cluster=self._cluster.name, error=error))
            await asyncio.sleep(wait)

    async def sweep(self) -> None:
        """Look at every job that the database has here. Raises Away and ApiError."""
        rows = await self._pool.fetch(ON_CLUSTER, self._cluster.name, self._namespace)
        await self.settle([row["application"] for row in rows])

    async def settle(self, names: Iterable[str]) -> None:
        """Look at applications, and write what they are. Raises Away and ApiError."""
        names = list(names)
        present = [item for name in names if (item := self._items.get(name))]
        await self._find(present)
        rows = await self._rows(names)
        absent = {attempt: name for attempt, (name, _) in rows.items() if name not in self._items}
        starts: list[transitions.DriverStart] = []
        ends: list[transitions.End] = []
        looked_at: list[UUID] = []
        finished_items: list[Object] = []
        followed: list[tuple[Attempt, Object]] = []
        for item in present:
            attempt = attempt_of(item)
            if attempt is None or attempt not in rows:
                finished_items.append(item)
            else:
                followed.append((attempt, item))
        observations = await _gather_bounded(self._observation(item) for _, item in followed)
        for (attempt, item), observation in zip(followed, observations, strict=True):
            if acknowledged(item):
                looked_at.append(attempt[0])
            if observation.state is State.RUNNING:
                starts.append(
                    transitions.DriverStart(job=attempt[0], attempt=attempt[1], spark_id=observation.spark_id)
                )
            elif observation.state in ENDED:
                ends.append(_end(attempt, observation, rows[attempt][1]))
                finished_items.append(item)
        for attempt, final_observation in zip(
            absent, await _gather_bounded(map(self._final_observation, absent.values())), strict=True
        ):
            if final_observation and final_observation.state in ENDED:
                ends.append(_end(attempt, final_observation, rows[attempt][1]))
        ended_jobs = await self._pool.run(lambda connection: _keep(connection, looked_at, starts, ends))
        self._traces.ended(ended_jobs)
        for end in ends:
            log.info(
                "an attempt ended",
                extra=fields(
                    job=id_text(end.job),
                    attempt=end.attempt,
                    cluster=self._cluster.name,
                    state=end.state,
                    reason=end.reason,
                ),
            )
        await self._let_go(finished_items)

    async def _find(self, items: Iterable[Object]) -> None:
        """Have the database know of applications that their submitters have not told of."""
        applications = [
            transitions.FoundApplication(
                job=attempt[0],
                attempt=attempt[1],
                cluster=self._cluster.name,
                namespace=self._namespace,
                application=item["metadata"]["name"],
            )
            for item in items
            if (attempt := attempt_of(item))
        ]
        await self._pool.run(lambda connection: transitions.record_found(connection, applications))

    async def _rows(self, names: list[str]) -> dict[Attempt, tuple[str, Row]]:
        """Attempt -> name of its application and what the database has of it, while it is the job's last."""
        rows = await self._pool.fetch(
            ATTEMPTS,
            self._cluster.name,
            self._namespace,
            names,
            [attempt[0] for name in names if (attempt := attempt_in_name(name))],
        )
        return {
            (row["id"], row["attempt"]): (
                row["application"],
                Row(
                    state=State(row["state"]),
                    wanted=DesiredState(row["wanted"]),
                    infrastructure_failures=row["infrastructure_failures"],
                    user_code_failures=row["user_code_failures"],
                    retries=retries(stored_restart(row["restart"])),
                ),
            )
            for row in rows
        }

    async def _observation(self, item: Object) -> Observation:
        if not needs_driver(item):
            return observe(item, None)
        return await self._observation_of(item, item["metadata"]["name"])

    async def _final_observation(self, name: str) -> Observation | None:
        """What is seen of an application that is gone; None while it is there, and was only not told yet.

        A watch may be late, or cut off.
        """
        return (
            await self._observation_of(None, name)
            if await self._cluster.is_absent(self._namespace, name)
            else None
        )

    async def _observation_of(self, item: Object | None, name: str) -> Observation:
        pod = driver_name(item) if item else f"{name}-driver"
        observation = observe(item, await self._driver(pod))
        if observation.state is State.LOST and await self._cluster.namespace_deleted(self._namespace):
            return observe(item, None, namespace_deleted=True)
        if item is not None and deleted(item) and observation.state not in ENDED:
            # It goes with its application, whoever deleted that.
            await self._remove_driver(pod)
        return observation

    async def _driver(self, name: str) -> Object | None:
        """A driver pod; none where its namespace is being deleted, and with it the right to read it."""
        try:
            return await self._cluster.pod(self._namespace, name)
        except ApiError as error:
            if error.status == 403 and await self._cluster.namespace_deleted(self._namespace):
                return None
            raise

    async def _remove_driver(self, name: str) -> None:
        try:
            await self._cluster.remove_pod(self._namespace, name)
        except ApiError as error:
            if error.status != 403 or not await self._cluster.namespace_deleted(self._namespace):
                raise

    async def _let_go(self, items: Iterable[Object]) -> None:
        """Take our finalizer off applications whose end is in the database, or whose jobs have gone on."""
        candidates = [
            (attempt_of(item), item) for item in items if FINALIZER in item["metadata"].get("finalizers", [])
        ]
        active = await self._active([attempt[0] for attempt, _ in candidates if attempt])
        await _gather_bounded(
            self._let_one_go(item, attempt)
            for attempt, item in candidates
            if attempt is None or attempt[0] not in active or active[attempt[0]] > attempt[1]
        )

    async def _let_one_go(self, item: Object, attempt: Attempt | None) -> None:
        observation = await self._observation(item)
        if observation.state not in ENDED and not deleted(item):
            log.warning(
                "an application that nobody wants any more is removed",
                extra=fields(
                    application=item["metadata"]["name"], job=id_text(attempt[0]) if attempt else None
                ),
            )
            await self._cluster.remove(self._namespace, item["metadata"]["name"])
            return
        if observation.state not in ENDED:
            return
        try:
            await self._cluster.let_go(item, FINALIZER)
        except ApiError as error:
            # Gone, or changed since: then it is told again.
            if error.status not in (404, 422):
                raise

    async def _active(self, jobs: list[UUID]) -> dict[UUID, int]:
        """Job -> its attempt now, of those that are active."""
        if not jobs:
            return {}
        rows = await self._pool.fetch("SELECT id, attempt FROM active WHERE id = ANY($1::uuid[])", jobs)
        return {row["id"]: row["attempt"] for row in rows}


async def _gather_bounded(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What each of these answers, in their order, once all have; some at a time. Raises the first error."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def bounded(coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            async with turns:
                return await coroutine
        finally:
            # One that is cancelled before its turn was never begun.
            coroutine.close()

    answers = await asyncio.gather(*map(bounded, work), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _end(attempt: Attempt, observation: Observation, row: Row) -> transitions.End:
    failures: Mapping[Fault, int] = {
        "infrastructure": row.infrastructure_failures,
        "user code": row.user_code_failures,
    }
    end = verdict(observation, row.wanted, failures, row.retries, attempt[1])
    return transitions.End(
        job=attempt[0],
        attempt=attempt[1],
        state=end.state,
        reason=end.reason,
        message=end.message,
        spark_id=observation.spark_id,
        pause_seconds=end.pause_seconds,
    )


async def _keep(
    connection: Connection,
    looked_at: list[UUID],
    starts: list[transitions.DriverStart],
    ends: list[transitions.End],
) -> set[UUID]:
    """Write what was seen; the jobs of which an attempt has ended."""
    await connection.execute(
        "UPDATE active SET acknowledged = true WHERE id = ANY($1::uuid[]) AND NOT acknowledged", looked_at
    )
    await transitions.record_starts(connection, starts)
    return await transitions.record_ends(connection, ends)


def _part(item: Object) -> Object:
    """What is kept of an application."""
    status = item.get("status") or {}
    return {
        "metadata": {key: value for key, value in item["metadata"].items() if key in METADATA},
        "status": {key: value for key, value in status.items() if key in STATUS},
    }
