"""Types of the machines that nodes are: YuniKorn does not tell them, Kubernetes does."""

import asyncio
import logging
from collections.abc import Iterable

import aiohttp

from services.common.kubernetes import Api, ApiError
from services.common.logs import fields

LABEL = "node.kubernetes.io/instance-type"
"""Kubernetes' own, of nodes."""

KEPT = 100_000
"""Nodes that are known; those that come after are asked for anew."""

AT_A_TIME = 16

log = logging.getLogger(__name__)


class Machines:
    """The type of each node, which is asked for once."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._types: dict[str, str] = {}
        self._asking = asyncio.Semaphore(AT_A_TIME)

    def type_of(self, node: str) -> str:
        """The type of a node; empty where nobody knows."""
        return self._types.get(node, "")

    async def learn(self, nodes: Iterable[str]) -> None:
        """Ask for those that are not known. Where the API server is away they are of no type, for now."""
        if unknown := {node for node in nodes if node and node not in self._types}:
            if len(self._types) + len(unknown) > KEPT:
                self._types.clear()
            await asyncio.gather(*map(self._ask, unknown))

    async def _ask(self, node: str) -> None:
        async with self._asking:
            try:
                answer = await self._api.get(f"/api/v1/nodes/{node}")
            except (ApiError, aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
                log.warning("the type of a node is not known", extra=fields(node=node, error=error))
                return
        labels = (answer or {}).get("metadata", {}).get("labels") or {}
        self._types[node] = labels.get(LABEL, "")
