"""A worker: submits to the clusters of an environment, follows what runs there, and keeps the database."""

import asyncio
import logging
import secrets
import socket
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from services.archer.database import claims, leases
from services.archer.database.leases import Followed
from services.archer.database.pool import Away, Connection, Pool
from services.archer.worker.cluster import Cluster
from services.archer.worker.follower import Follower
from services.archer.worker.placer import Placer
from services.archer.worker.reclaimer import Reclaimer
from services.archer.worker.stopper import Stopper
from services.archer.worker.submitter import Submitter
from services.common.logs import fields

HOLD_SECONDS = leases.SECONDS / 3

log = logging.getLogger(__name__)


class Worker:
    """Does the work of any number of clusters; several share it.

    weights: of queues.
    """

    def __init__(self, pool: Pool, clusters: Sequence[Cluster], weights: Mapping[str, float]) -> None:
        self.name = f"{socket.gethostname()[:100]}-{secrets.token_hex(4)}"
        self._pool = pool
        self._clusters = {cluster.name: cluster for cluster in clusters}
        self._weights = weights
        self._followers: dict[Followed, asyncio.Task[None]] = {}

    def parts(self) -> list[Coroutine[Any, Any, None]]:
        """What it does, side by side, for ever."""
        return [
            self._follow(),
            Placer(self._pool).run(),
            Reclaimer(self._pool).run(),
            *[Stopper(self._pool, cluster).run() for cluster in self._clusters.values()],
            *[
                Submitter(self._pool, cluster, pace, self._weights, self.name).run()
                for cluster in self._clusters.values()
                for pace in cluster.paces
            ],
        ]

    async def register(self) -> None:
        """Have the rows in the database that it works with. Raises Away."""

        async def write(connection: Connection) -> None:
            for cluster in self._clusters.values():
                await claims.register(connection, cluster.name, cluster.paces)
                await leases.register(connection, [(cluster.name, name) for name in cluster.namespaces])

        await self._pool.run(write)

    async def _follow(self) -> None:
        """Follow the namespaces that it has leases for."""
        held_at = asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    held = await self._pool.run(
                        lambda connection: leases.hold(connection, self.name, list(self._clusters)), 5.0
                    )
                    held_at = asyncio.get_running_loop().time()
                    self._follow_only(held)
                except Away as error:
                    log.warning("leases were not renewed", extra=fields(error=error))
                    if asyncio.get_running_loop().time() - held_at > leases.SECONDS:
                        self._follow_only(set())
                await asyncio.sleep(HOLD_SECONDS)
        finally:
            self._follow_only(set())
            await self._pool.run(lambda connection: leases.give_up(connection, self.name), 2.0)

    def _follow_only(self, held: set[Followed]) -> None:
        for followed in set(self._followers) - held:
            self._followers.pop(followed).cancel()
        for followed in held:
            task = self._followers.get(followed)
            if task is None or task.done():
                cluster, namespace = followed
                follower = Follower(self._pool, self._clusters[cluster], namespace)
                self._followers[followed] = asyncio.create_task(follower.run())
