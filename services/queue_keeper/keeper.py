"""Compares what the ConfigMap of queues has with what it should have at this time, and writes that."""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import aiohttp

from moka.mistakes import InvalidDocument
from moka.names import QUEUE_CALENDAR, YUNIKORN_CONFIGS, YUNIKORN_NAMESPACE
from moka.queues import config_map, keeper_input, queues_yaml
from moka.queues.calendar import Calendar, Nodes
from moka.queues.definitions import Queues
from moka.queues.problems import problems
from services.common.kubernetes import Api, ApiError, Object
from services.common.logs import fields
from services.common.metrics import Metrics

FIELD_MANAGER = "queue-keeper"
"""Of what it writes, in the ConfigMap's own account of who did."""

SECONDS = 5.0
"""Time between looks. A change of settings, a scheduled time and a hand in the ConfigMap wait no longer."""

STALLED_AFTER_SECONDS = 60.0
"""After this time without a look it is taken for dead."""

CONFIGS = f"/api/v1/namespaces/{YUNIKORN_NAMESPACE}/configmaps/{YUNIKORN_CONFIGS}"

log = logging.getLogger(__name__)


class Keeper:
    """Keeps the queues, for as long as it is given a calendar.

    What it keeps is there only while it differs from what the settings have for all nodes: otherwise theirs
    are in force, and a change of them needs nobody.

    namespace: with ConfigMap QUEUE_CALENDAR. now: the date. clock: monotonic seconds. seconds: between looks.
    """

    def __init__(
        self,
        api: Api,
        namespace: str,
        metrics: Metrics,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
        seconds: float = SECONDS,
    ) -> None:
        self._api = api
        self._given = f"/api/v1/namespaces/{namespace}/configmaps/{QUEUE_CALENDAR}"
        self._now, self._clock, self._seconds = now, clock, seconds
        self._last_look = clock()
        self._right = clock()
        self._share = 1.0
        self._read: tuple[str, Queues, Calendar] | None = None
        self._made: tuple[str, Nodes, str | None] | None = None
        self._written = metrics.counter("written", "Changes of what is in force.")
        self._failures = metrics.counter("failures", "Looks that failed, and were repeated.")
        metrics.gauge(
            "behind_seconds", "Since all was last as it should be.", lambda: self._clock() - self._right
        )
        metrics.gauge(
            "capacity_share",
            "Of the nodes for jobs, how many there may be at this time.",
            lambda: self._share,
        )

    async def run(self) -> None:
        """Keep them for as long as this is awaited."""
        while True:
            await self.pass_by()
            await asyncio.sleep(self._seconds)

    async def pass_by(self) -> None:
        """Look once, whatever happens."""
        self._last_look = self._clock()
        try:
            await self.look()
        except (ApiError, aiohttp.ClientError, OSError, TimeoutError, InvalidDocument) as error:
            self._failures.inc()
            log.warning("keeping the queues failed", extra=fields(error=error))

    def problem(self) -> str | None:
        """Why it has to be started anew; None while it works."""
        return "stalled" if self._clock() - self._last_look > STALLED_AFTER_SECONDS else None

    async def look(self) -> None:
        """Write what should be in force where it is not. Raises ApiError and InvalidDocument."""
        given = await self._api.get(self._given)
        held = await self._api.get(CONFIGS)
        # Without a scheduler's ConfigMap there is nothing to keep yet, or any more.
        if held is not None:
            text = None if given is None else self._queues(given)
            if config_map.kept(held) != text:
                await self._write(text)
        self._right = self._clock()

    async def _write(self, text: str | None) -> None:
        """Have these queues in force; None for those of the settings."""
        value = None if text is None else config_map.pack(text)
        patch: dict[str, Any] = {"binaryData": {config_map.KEPT_KEY: value}}
        await self._api.merge(CONFIGS, patch, FIELD_MANAGER)
        self._written.inc()
        log.info("written", extra=fields(kept=text is not None, share=round(self._share, 3)))

    def _queues(self, given: Object) -> str | None:
        """The queues to be kept at this time; None where those of the settings are right.

        Raises InvalidDocument.
        """
        version, queues, calendar = self._reading(given)
        nodes = calendar.nodes(calendar.changes(self._now()))
        if self._made is None or self._made[:2] != (version, nodes):
            here, all_nodes = (_text(queues, calendar, count) for count in (nodes, calendar.all_nodes))
            self._made = version, nodes, None if here == all_nodes else here
            self._share = sum(nodes.values()) / sum(calendar.all_nodes.values())
        return self._made[2]

    def _reading(self, given: Object) -> tuple[str, Queues, Calendar]:
        version = given["metadata"]["resourceVersion"]
        if self._read is None or self._read[0] != version:
            self._read = version, *keeper_input.read(given.get("data") or {})
        return self._read


def _text(queues: Queues, calendar: Calendar, nodes: Nodes) -> str:
    """The queues with so many nodes. Raises InvalidDocument where a scheduler would not start with them.

    One that runs keeps what it had, and one that starts ends at once (apache/yunikorn-k8shim v1.8.0:
    pkg/shim/scheduler.go, Run). The settings are refused before; this is for those of another version.
    """
    tree, mistakes = calendar.tree(queues, nodes)
    for problem in [*mistakes, *problems(tree)]:
        raise InvalidDocument(f"With {sum(nodes.values())} nodes, {problem}")
    return queues_yaml(tree)
