"""Follows the applications of a namespace: what they are now, and which are gone."""

import asyncio
import itertools
import logging
import time
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from uuid import UUID

import aiohttp

from moka.jobs.job import Restart
from moka.submission.job_id import attempt_in_name, id_text
from moka.submission.manifest import FINALIZER, JOB_LABEL, attempt_of
from moka.submission.observation import (
    Object,
    Seen,
    acknowledged,
    deleted,
    driver_name,
    needs_driver,
    seen,
)
from moka.submission.reasons import Fault, Retries
from moka.submission.states import ENDED, State, Wanted
from moka.submission.verdict import retries, verdict
from services.archer.database import transitions
from services.archer.database.pool import Away, Connection, Pool
from services.archer.worker.cluster import APPLICATIONS, Cluster
from services.archer.worker.lookout import Lookout
from services.common.kubernetes import ApiError
from services.common.logs import fields
from services.common.watch import Watch

BATCH = 200
GATHER_SECONDS = 0.1
"""In which what is told is gathered, to be written at once."""

SWEEP_SECONDS = 60.0
"""Between looks at all that the database has on the cluster, lest anything was missed."""

AGAIN_SECONDS = 5.0
"""Until an application is looked at again that could not be."""

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

Attempt = tuple[UUID, int]
UNREACHED = (ApiError, aiohttp.ClientError, OSError, TimeoutError)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the database has of an attempt that is on the cluster."""

    state: State
    wanted: Wanted
    infrastructure_failures: int
    user_code_failures: int
    retries: Retries


class Follower:
    """Follows Archer's applications in a namespace of a cluster."""

    def __init__(self, pool: Pool, cluster: Cluster, namespace: str) -> None:
        self._pool = pool
        self._cluster = cluster
        self._namespace = namespace
        self._items: dict[str, Object] = {}
        """Name -> application, as it was last told."""
        self._told: dict[str, float] = {}
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
        times = [*self._told.values(), *([self._settling] if self._settling else [])]
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
            self._items[name] = item
        self._tell(name)

    def keep(self, namespace: str, uids: Set[str]) -> None:
        """There are no others."""
        for name in [n for n, item in self._items.items() if item["metadata"]["uid"] not in uids]:
            del self._items[name]
            self._tell(name)

    def _tell(self, name: str) -> None:
        self._told.setdefault(name, time.monotonic())
        self._wake.set()

    async def _settle(self) -> None:
        """Write what was told, a batch at a time."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._wake.clear()
            while self._told:
                batch = dict(itertools.islice(self._told.items(), BATCH))
                self._settling = min(batch.values())
                for name in batch:
                    del self._told[name]
                try:
                    await self.settle(batch)
                except (Away, *UNREACHED) as error:
                    log.warning(
                        "following failed",
                        extra=fields(cluster=self._cluster.name, namespace=self._namespace, error=error),
                    )
                    self._told = {**self._told, **batch}
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
        started: list[transitions.Started] = []
        ends: list[transitions.End] = []
        looked_at: list[UUID] = []
        done: list[Object] = []
        for item in present:
            attempt = attempt_of(item)
            if attempt is None or attempt not in rows:
                done.append(item)
                continue
            if acknowledged(item):
                looked_at.append(attempt[0])
            what = await self._seen(item)
            if what.state is State.RUNNING:
                started.append(
                    transitions.Started(job=attempt[0], attempt=attempt[1], spark_id=what.spark_id)
                )
            elif what.state in ENDED:
                ends.append(_end(attempt, what, rows[attempt][1]))
                done.append(item)
        for attempt, name in absent.items():
            # It may be there, and was not told yet: a watch is late, or was cut off.
            if not await self._cluster.gone(self._namespace, name):
                continue
            what = await self._seen_of(None, name)
            if what.state in ENDED:
                ends.append(_end(attempt, what, rows[attempt][1]))
        await self._pool.run(lambda connection: _keep(connection, looked_at, started, ends))
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
        for item in done:
            await self._let_go(item)

    async def _find(self, items: Iterable[Object]) -> None:
        """Have the database know of applications that their submitters have not told of."""
        applications = [
            transitions.Found(
                job=attempt[0],
                attempt=attempt[1],
                cluster=self._cluster.name,
                namespace=self._namespace,
                application=item["metadata"]["name"],
            )
            for item in items
            if (attempt := attempt_of(item))
        ]
        await self._pool.run(lambda connection: transitions.found(connection, applications))

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
                    wanted=Wanted(row["wanted"]),
                    infrastructure_failures=row["infrastructure_failures"],
                    user_code_failures=row["user_code_failures"],
                    retries=retries(Restart.model_validate(row["restart"] or {})),
                ),
            )
            for row in rows
        }

    async def _seen(self, item: Object) -> Seen:
        if not needs_driver(item):
            return seen(item, None)
        return await self._seen_of(item, item["metadata"]["name"])

    async def _seen_of(self, item: Object | None, name: str) -> Seen:
        pod = driver_name(item) if item else f"{name}-driver"
        what = seen(item, await self._driver(pod))
        if what.state is State.LOST and await self._cluster.namespace_deleted(self._namespace):
            return seen(item, None, namespace_deleted=True)
        if item is not None and deleted(item) and what.state not in ENDED:
            # It goes with its application, whoever deleted that.
            await self._remove_driver(pod)
        return what

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

    async def _let_go(self, item: Object) -> None:
        """Take our finalizer off an application whose end is in the database, or whose job has gone on."""
        attempt = attempt_of(item)
        if FINALIZER not in item["metadata"].get("finalizers", []):
            return
        if attempt is not None and not await self._over(attempt):
            return
        what = await self._seen(item)
        if what.state not in ENDED and not deleted(item):
            log.warning(
                "an application that nobody wants any more is removed",
                extra=fields(
                    application=item["metadata"]["name"], job=id_text(attempt[0]) if attempt else None
                ),
            )
            await self._cluster.remove(self._namespace, item["metadata"]["name"])
            return
        if what.state not in ENDED:
            return
        try:
            await self._cluster.let_go(item, FINALIZER)
        except ApiError as error:
            # Gone, or changed since: then it is told again.
            if error.status not in (404, 422):
                raise

    async def _over(self, attempt: Attempt) -> bool:
        """Whether nothing more is to come of an attempt."""
        rows = await self._pool.fetch("SELECT attempt FROM active WHERE id = $1", attempt[0])
        return not rows or rows[0]["attempt"] > attempt[1]


def _end(attempt: Attempt, what: Seen, row: Row) -> transitions.End:
    failures: Mapping[Fault, int] = {
        "infrastructure": row.infrastructure_failures,
        "user code": row.user_code_failures,
    }
    end = verdict(what, row.wanted, failures, row.retries)
    return transitions.End(
        job=attempt[0],
        attempt=attempt[1],
        state=end.state,
        reason=end.reason,
        message=end.message,
        spark_id=what.spark_id,
        pause_seconds=end.pause_seconds,
    )


async def _keep(
    connection: Connection,
    looked_at: list[UUID],
    started: list[transitions.Started],
    ends: list[transitions.End],
) -> None:
    await connection.execute(
        "UPDATE active SET acknowledged = true WHERE id = ANY($1::uuid[]) AND NOT acknowledged", looked_at
    )
    await transitions.started(connection, started)
    await transitions.ended(connection, ends)
