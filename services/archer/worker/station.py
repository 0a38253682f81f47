"""The work for one cluster, as the cluster says that it is."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence

import aiohttp

from moka.names import SPARK_OPERATOR_NAMESPACE
from moka.submission.cluster_document import CONFIG_MAP, ClusterDocument, OperatorShare
from services.archer.database import claims, environment, leases
from services.archer.database.claims import Pace
from services.archer.database.pool import Away, Connection, Pool
from services.archer.traces import JobTraces
from services.archer.worker.cluster import Cluster
from services.archer.worker.stopper import Stopper
from services.archer.worker.submitter import Submitter
from services.common.kubernetes import Api, ApiError
from services.common.logs import fields

SECONDS = 30.0
"""Between looks at the cluster's document."""

AGAIN_SECONDS = 5.0
"""Until the next, where it could not be read."""

PATH = f"/api/v1/namespaces/{SPARK_OPERATOR_NAMESPACE}/configmaps/{CONFIG_MAP}"

BURST_MINUTES = 0.25
"""Of what an operator starts, which it may get at once."""

UNACKNOWLEDGED_MINUTES = 2.0
"""Of what an operator starts, which may lie before it."""

log = logging.getLogger(__name__)


class Station:
    """Submits and stops on one cluster; a cluster that is away delays nothing but its own.

    worker: name of the worker. changed: is given the cluster, each time that it is another.
    """

    def __init__(
        self,
        pool: Pool,
        name: str,
        api: Api,
        weights: Mapping[str, float],
        traces: JobTraces,
        worker: str,
        listener: Callable[[Cluster], None],
    ) -> None:
        self._pool = pool
        self._name = name
        self._api = api
        self._weights = weights
        self._traces = traces
        self._worker = worker
        self._listener = listener

    async def run(self) -> None:
        """Work for ever."""
        last_document: ClusterDocument | None = None
        work: asyncio.Task[None] | None = None
        try:
            while True:
                document = await self._read()
                if document is not None and document != last_document:
                    if work is not None:
                        work.cancel()
                        await asyncio.wait([work])
                    if cluster := await self._register(document):
                        last_document, work = document, asyncio.create_task(self._work(cluster))
                if work is not None and work.done():
                    # A fault of ours ends the process, which begins anew.
                    work.result()
                pause = AGAIN_SECONDS if last_document is None or document is None else SECONDS
                await (asyncio.wait([work], timeout=pause) if work else asyncio.sleep(pause))
        finally:
            if work is not None:
                work.cancel()
                await asyncio.wait([work])

    async def _read(self) -> ClusterDocument | None:
        """What the cluster says; None where it does not, now."""
        try:
            document = await self._api.get(PATH)
            if document is None:
                raise ValueError(f"there is no ConfigMap {CONFIG_MAP} in {SPARK_OPERATOR_NAMESPACE}")
            return ClusterDocument.of_data(document.get("data") or {})
        except (ApiError, aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            log.warning("a cluster does not say what it has", extra=fields(cluster=self._name, error=error))
            return None

    async def _register(self, document: ClusterDocument) -> Cluster | None:
        """Have the database know what a cluster has; None while that is away."""
        cluster = Cluster(self._name, self._api, paces(document.operators), document.target)

        async def write(connection: Connection) -> None:
            await environment.tell(connection, self._name, document.target)
            await claims.register(connection, self._name, cluster.paces)
            await leases.register(connection, [(self._name, name) for name in cluster.namespaces])

        try:
            await self._pool.run(write)
        except Away as error:
            log.warning("a cluster was not registered", extra=fields(cluster=self._name, error=error))
            return None
        self._listener(cluster)
        return cluster

    async def _work(self, cluster: Cluster) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(Stopper(self._pool, cluster, self._traces).run())
            for pace in cluster.paces:
                submitter = Submitter(self._pool, cluster, pace, self._weights, self._traces, self._worker)
                group.create_task(submitter.run())


def paces(operators: Sequence[OperatorShare]) -> list[Pace]:
    """How quickly jobs go to the operators of a cluster."""
    return [
        Pace(
            operator=operator.name,
            namespaces=tuple(operator.namespaces),
            rate=operator.applications_per_minute / 60,
            burst=max(operator.applications_per_minute * BURST_MINUTES, 1),
            namespace_rate=operator.applications_per_minute / 60,
            namespace_burst=max(operator.applications_per_minute * BURST_MINUTES, 1),
            unacknowledged=max(int(operator.applications_per_minute * UNACKNOWLEDGED_MINUTES), 1),
        )
        for operator in operators
    ]
