"""Brings a cluster what is in force for its queues, and says what queues its settings have.

Any number of couriers may do so at once: each writes only over what it has read, and no revision over a later
one. A cluster that is away is asked again, and then has what is in force by then.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import aiohttp

from moka.allocation import queue_amounts
from moka.allocation.cluster_settings import ClusterSettings
from moka.mistakes import InvalidDocument
from moka.names import QUEUE_AMOUNTS, QUEUE_CALENDAR, QUEUE_KEEPER_NAMESPACE
from services.archer.database import plans
from services.archer.database.pool import Away, Pool
from services.common.kubernetes import Api, ApiError
from services.common.logs import fields

SECONDS = 5.0
"""Between looks: a plan takes effect on all clusters within about as much."""

FIELD_MANAGER = "archer"

CONFIG_MAPS = f"/api/v1/namespaces/{QUEUE_KEEPER_NAMESPACE}/configmaps"
GIVEN, AMOUNTS = f"{CONFIG_MAPS}/{QUEUE_CALENDAR}", f"{CONFIG_MAPS}/{QUEUE_AMOUNTS}"

FORBIDDEN, CONFLICT = 403, 409

log = logging.getLogger(__name__)


class Courier:
    """Goes to one cluster. seconds: between looks."""

    def __init__(self, pool: Pool, cluster: str, api: Api, seconds: float = SECONDS) -> None:
        self._pool = pool
        self._cluster = cluster
        self._api = api
        self._seconds = seconds
        self._last_version: str | None = None
        self._cached_amounts: tuple[int, Mapping[str, Any]] | None = None

    async def run(self) -> None:
        """Go for ever."""
        while True:
            try:
                await self.go()
            except (Away, ApiError, aiohttp.ClientError, OSError, TimeoutError, InvalidDocument) as error:
                # One without a keeper lets nobody in there, and needs no amounts.
                if not (isinstance(error, ApiError) and error.status == FORBIDDEN):
                    log.warning(
                        "queues were not brought up to date", extra=fields(cluster=self._cluster, error=error)
                    )
            await asyncio.sleep(self._seconds)

    async def go(self) -> None:
        """Tell what the cluster says, and bring what it lacks. Raises Away, ApiError and InvalidDocument."""
        settings_map = await self._api.get(GIVEN)
        if settings_map is None:
            return
        await self._tell(settings_map)
        amounts_map = await self._api.get(AMOUNTS)
        if amounts_map is None:
            return
        last = await self._pool.run(plans.in_force)
        revision = queue_amounts.revision_of(amounts_map)
        if revision is None and last.number == 0:
            # Before the first plan there is nothing to bring.
            return
        if revision is None or revision <= last.number:
            revision = await self._bring(amounts_map)
        await self._pool.run(lambda connection: plans.brought(connection, self._cluster, revision))

    async def _tell(self, settings_map: Mapping[str, Any]) -> None:
        version = settings_map["metadata"]["resourceVersion"]
        # A worker that was not told of this cluster yet may have forgotten it.
        known = await self._pool.run(lambda connection: plans.has_reported_queues(connection, self._cluster))
        if version != self._last_version or not known:
            settings = await asyncio.to_thread(ClusterSettings.of_data, settings_map.get("data") or {})
            await self._pool.run(lambda connection: plans.tell(connection, self._cluster, settings))
            self._last_version = version

    async def _bring(self, amounts_map: Mapping[str, Any]) -> int:
        """Have the cluster hold what is in force; its revision."""
        revision, content = await self._amounts_in_force()
        if not all(
            values.items() <= (amounts_map.get(field) or {}).items() for field, values in content.items()
        ):
            # The version is a precondition (kubernetes/kubernetes#63104): where another courier has written
            # since it was read, perhaps a later revision, this is refused.
            changes = {"metadata": {"resourceVersion": amounts_map["metadata"]["resourceVersion"]}, **content}
            try:
                await self._api.merge(AMOUNTS, changes, FIELD_MANAGER)
            except ApiError as error:
                if error.status != CONFLICT:
                    raise
                return queue_amounts.revision_of(await self._api.get(AMOUNTS) or {}) or 0
            log.info("amounts brought", extra=fields(cluster=self._cluster, revision=revision))
        return revision

    async def _amounts_in_force(self) -> tuple[int, Mapping[str, Any]]:
        last = await self._pool.run(plans.in_force)
        if self._cached_amounts is None or self._cached_amounts[0] != last.number:
            amounts = await self._pool.run(lambda connection: plans.amounts(connection, self._cluster))
            packed = await asyncio.to_thread(queue_amounts.as_config_map, amounts)
            self._cached_amounts = amounts.revision, packed
        return self._cached_amounts
