"""Compares what the ConfigMap of queues has with what it should have at this time, and writes that.

Which queues there are, and the most that each may have, is as the settings have it; what they are guaranteed,
as a plan has it for this hour; and both are lowered where schedules leave fewer nodes
(moka/allocation/queues_in_force.py).
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import aiohttp

from moka.allocation import queue_amounts
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.queue_amounts import AmountsOfHour, QueueAmounts
from moka.allocation.queue_state import QueueState, state_of
from moka.mistakes import InvalidDocument, Mistake
from moka.names import QUEUE_AMOUNTS, QUEUE_CALENDAR, YUNIKORN_CONFIGS, YUNIKORN_NAMESPACE
from moka.queues import config_map, queues_yaml
from moka.queues.calendar import Nodes
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

Versions = tuple[str | None, ...]
"""Of what it is given."""

log = logging.getLogger(__name__)


class Keeper:
    """Keeps the queues, for as long as it is given a calendar.

    What it keeps is there only while it differs from what the settings have for all nodes: otherwise theirs
    are in force, and a change of them needs nobody.

    namespace: with ConfigMaps QUEUE_CALENDAR and QUEUE_AMOUNTS. now: the date. clock: monotonic seconds.
    seconds: between looks.
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
        config_maps = f"/api/v1/namespaces/{namespace}/configmaps"
        self._calendar_path = f"{config_maps}/{QUEUE_CALENDAR}"
        self._amounts_path = f"{config_maps}/{QUEUE_AMOUNTS}"
        self._now, self._clock, self._seconds = now, clock, seconds
        self._last_look = clock()
        self._last_correct = clock()
        self._share = 1.0
        self._input: tuple[Versions, ClusterSettings, QueueAmounts | None] | None = None
        self._rendered: tuple[tuple[Versions, Nodes, int], str | None] | None = None
        self._revision = 0
        self._left_out: Sequence[Mistake] = ()
        self._other_settings = False
        self._writes = metrics.counter("written", "Changes of what is in force.")
        self._failures = metrics.counter("failures", "Looks that failed, and were repeated.")
        metrics.gauge(
            "behind_seconds",
            "Since all was last as it should be.",
            lambda: self._clock() - self._last_correct,
        )
        metrics.gauge(
            "capacity_share",
            "Of the nodes for jobs, how many there may be at this time.",
            lambda: self._share,
        )
        metrics.gauge(
            "plan_revision", "Of the amounts that it has; 0 without a plan.", lambda: self._revision
        )
        metrics.gauge(
            "amounts_left_out",
            "What of the plan is not in force, as the settings do not leave it room.",
            lambda: len(self._left_out),
        )
        metrics.gauge(
            "other_settings",
            "1 where the plan was made for other queues than the settings have.",
            lambda: float(self._other_settings),
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
        calendar_map = await self._api.get(self._calendar_path)
        amounts_map = await self._api.get(self._amounts_path)
        scheduler_map = await self._api.get(CONFIGS)
        # Without a scheduler's ConfigMap there is nothing to keep yet, or any more.
        if scheduler_map is not None:
            text = None if calendar_map is None else self._queues(calendar_map, amounts_map)
            if config_map.keeper_queues(scheduler_map) != text:
                await self._write(text)
        self._last_correct = self._clock()

    async def _write(self, text: str | None) -> None:
        """Have these queues in force; None for those of the settings."""
        value = None if text is None else config_map.pack(text)
        patch: dict[str, Any] = {"binaryData": {config_map.KEPT_KEY: value}}
        await self._api.merge(CONFIGS, patch, FIELD_MANAGER)
        self._writes.inc()
        log.info(
            "written",
            extra=fields(kept=text is not None, share=round(self._share, 3), revision=self._revision),
        )

    def _queues(self, calendar_map: Object, amounts_map: Object | None) -> str | None:
        """The queues to be kept at this time; None where those of the settings are right.

        Raises InvalidDocument.
        """
        now = self._now()
        versions, settings, amounts = self._reading(calendar_map, amounts_map)
        calendar = settings.calendar
        nodes = calendar.nodes(calendar.changes(now))
        of_hour = queue_amounts.at(amounts, now)
        key = versions, nodes, of_hour.hour
        if self._rendered is None or self._rendered[0] != key:
            self._share = sum(nodes.values()) / sum(calendar.all_nodes.values())
            self._revision = amounts.revision if amounts else 0
            current = state_of(settings, of_hour, nodes)
            self._tell(settings, of_hour, current)
            current_text = queues_yaml(current.tree)
            of_settings = queues_yaml(state_of(settings, AmountsOfHour(), calendar.all_nodes).tree)
            self._rendered = key, None if current_text == of_settings else current_text
        return self._rendered[1]

    def _reading(
        self, calendar_map: Object, amounts_map: Object | None
    ) -> tuple[Versions, ClusterSettings, QueueAmounts | None]:
        versions = tuple(
            source_map["metadata"]["resourceVersion"] if source_map else None
            for source_map in (calendar_map, amounts_map)
        )
        if self._input is None or self._input[0] != versions:
            settings = ClusterSettings.of_data(calendar_map.get("data") or {})
            self._input = versions, settings, queue_amounts.of_config_map(amounts_map)
        return self._input

    def _tell(self, settings: ClusterSettings, amounts: AmountsOfHour, current: QueueState) -> None:
        """Say what of a plan the settings leave no room for; that a schedule lowers it is as it should be."""
        whole = state_of(settings, amounts, settings.calendar.all_nodes)
        left_out = [*whole.left_out, *([] if whole.refused else current.refused)]
        other = amounts.settings not in (None, settings.digest)
        if left_out != self._left_out or other != self._other_settings:
            log.warning(
                "the plan is of other settings" if other else "the plan fits the settings",
                extra=fields(revision=self._revision, left_out=[str(mistake) for mistake in left_out[:20]]),
            )
        self._left_out, self._other_settings = left_out, other
