"""A worker: submits to the clusters of an environment, follows what runs there, and keeps the database."""

import asyncio
import logging
import secrets
import socket
from collections.abc import Coroutine, Mapping
from typing import Any

from services.archer.database import leases
from services.archer.database.leases import Followed
from services.archer.database.pool import Away, Pool
from services.archer.traces import JobTraces
from services.archer.tracing import OFF, Tracing
from services.archer.worker.cluster import Cluster
from services.archer.worker.courier import Courier
from services.archer.worker.departures import Departures
from services.archer.worker.follower import Follower
from services.archer.worker.placer import Placer
from services.archer.worker.reclaimer import Reclaimer
from services.archer.worker.station import Station
from services.common.kubernetes import Api
from services.common.logs import fields

HOLD_SECONDS = leases.SECONDS / 3

log = logging.getLogger(__name__)


class Worker:
    """Does the work of any number of clusters; several share it.

    clusters: name -> its API server. weights: of queues.
    """

    def __init__(
        self, pool: Pool, clusters: Mapping[str, Api], weights: Mapping[str, float], tracing: Tracing = OFF
    ) -> None:
        self.name = f"{socket.gethostname()[:100]}-{secrets.token_hex(4)}"
        self._pool = pool
        self._apis = clusters
        self._clusters: dict[str, Cluster] = {}
        """Those that have said what they are."""
        self._weights = weights
        self._traces = JobTraces(pool, tracing)
        self._followers: dict[Followed, asyncio.Task[None]] = {}
        self._following: dict[Followed, Follower] = {}
        self.ready = False
        """Whether the database has answered."""

    @property
    def clusters(self) -> list[str]:
        """Those whose work it does, also while they are away."""
        return list(self._apis)

    @property
    def leases(self) -> int:
        """Namespaces that it follows."""
        return len(self._followers)

    @property
    def behind_seconds(self) -> float:
        """Since the oldest thing was told that is not in the database."""
        return max((follower.behind_seconds for follower in self._following.values()), default=0.0)

    @property
    def idle_seconds(self) -> float:
        """The longest silence of a watch."""
        return max((follower.idle_seconds for follower in self._following.values()), default=0.0)

    def parts(self) -> list[Coroutine[Any, Any, None]]:
        """What it does, side by side, for ever."""
        return [
            self._follow(),
            Placer(self._pool, self._traces).run(),
            Reclaimer(self._pool).run(),
            self._traces.run(),
            Departures(self._pool, self.clusters, self._traces).run(),
            *[Courier(self._pool, name, api).run() for name, api in self._apis.items()],
            *[
                Station(self._pool, name, api, self._weights, self._traces, self.name, self._know).run()
                for name, api in self._apis.items()
            ],
        ]

    def _know(self, cluster: Cluster) -> None:
        """A cluster is there, or is another: whoever follows it begins anew."""
        self._clusters[cluster.name] = cluster
        self._follow_only({key for key in self._followers if key[0] != cluster.name})

    async def _follow(self) -> None:
        """Follow the namespaces that it has leases for."""
        held_at = asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    own_namespaces = await self._pool.run(
                        lambda connection: leases.hold(connection, self.name, list(self._clusters)), 5.0
                    )
                    held_at = asyncio.get_running_loop().time()
                    self.ready = True
                    self._follow_only(own_namespaces)
                except Away as error:
                    log.warning("leases were not renewed", extra=fields(error=error))
                    if asyncio.get_running_loop().time() - held_at > leases.SECONDS:
                        self._follow_only(set())
                await asyncio.sleep(HOLD_SECONDS)
        finally:
            self._follow_only(set())
            await self._pool.run(lambda connection: leases.give_up(connection, self.name), 2.0)

    def _follow_only(self, namespaces: set[Followed]) -> None:
        for followed in set(self._followers) - namespaces:
            self._followers.pop(followed).cancel()
            del self._following[followed]
        for followed in namespaces:
            task = self._followers.get(followed)
            if task is None or task.done():
                cluster, namespace = followed
                if task is not None and (error := task.exception()):
                    # It begins anew, with a list.
                    log.error("a follower failed", extra=fields(cluster=cluster), exc_info=error)
                follower = Follower(self._pool, self._clusters[cluster], namespace, self._traces)
                self._following[followed] = follower
                self._followers[followed] = asyncio.create_task(follower.run())
