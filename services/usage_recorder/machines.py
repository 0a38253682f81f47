"""Types of the machines that nodes are: YuniKorn does not tell them, Kubernetes does."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from services.common.kubernetes import Api
from services.common.logs import fields

LABEL = "node.kubernetes.io/instance-type"
"""Kubernetes' own, of nodes."""

KEPT = 100_000
"""Nodes that are known; those that come after are asked for anew."""

AT_A_TIME = 16

SECONDS = 5.0
"""For all answers of a time: events wait meanwhile."""

PAUSE_SECONDS = 30.0
"""After the API server did not answer, it is left in peace for so long."""

log = logging.getLogger(__name__)


class Machines:
    """The type of each node, which is asked for once."""

    def __init__(self, api: Api, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._away_until = clock()
        self._types: dict[str, str] = {}
        self._asking = asyncio.Semaphore(AT_A_TIME)

    def type_of(self, node: str) -> str:
        """The type of a node; empty where nobody knows."""
        return self._types.get(node, "")

    async def learn(self, nodes: Iterable[str]) -> None:
        """Ask for those that are not known. Where the API server is away they are of no type, for now."""
        unknown = {node for node in nodes if node and node not in self._types}
        if not unknown or self._clock() < self._away_until:
            return
        if len(self._types) + len(unknown) > KEPT:
            self._types.clear()
        try:
            async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
                for node in unknown:
                    group.create_task(self._ask(node))
        except (TimeoutError, ExceptionGroup) as error:
            self._away_until = self._clock() + PAUSE_SECONDS
            log.warning("types of nodes are not known", extra=fields(nodes=len(unknown), error=error))

    async def _ask(self, node: str) -> None:
        async with self._asking:
            answer = await self._api.get(f"/api/v1/nodes/{node}")
        labels = (answer or {}).get("metadata", {}).get("labels") or {}
        self._types[node] = labels.get(LABEL, "")
