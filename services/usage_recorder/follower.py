"""Follows the events of a scheduler: the next answer is on its way while one is read."""

import asyncio
import logging
from typing import Any

from moka.usage.events import NODE_ALLOC
from moka.usage.profiles import ANSWER, Profiler
from services.common.logs import fields
from services.usage_recorder.applications import Applications
from services.usage_recorder.sources import Sources

AT_A_TIME = 16
"""Applications that are asked for at a time."""

log = logging.getLogger(__name__)


class Follower:
    """Brings a profiler what it needs."""

    def __init__(self, sources: Sources, applications: Applications, profiler: Profiler) -> None:
        self._scheduler, self._machines = sources.scheduler, sources.machines
        self._applications, self._profiler = applications, profiler
        self._now, self._clock = sources.now, sources.clock
        self._next: tuple[int, asyncio.Task[dict[str, Any]]] | None = None
        self._asking = asyncio.Semaphore(AT_A_TIME)
        self.behind = 0
        """Events that there were when it last asked, and that it has not read."""
        self.read_until = 0
        """When it last asked for events and got all that there were: milliseconds since 1970; 0 for never."""
        self._read_at = sources.clock()

    async def step(self) -> bool:
        """Take an answer; whether there is more to take at once. Raises FAILURES of the scheduler."""
        asked_at = self._now()
        answer = await self._answer()
        records = answer["EventRecords"] or []
        full = len(records) >= ANSWER
        if full:
            # The next one of the same scheduler; where it is not, it is asked for anew.
            start = self._profiler.next_id + ANSWER
            task = asyncio.create_task(self._scheduler.events(start))
            # Of one that is not waited for, nobody wants to know how it ended.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._next = start, task
            await asyncio.sleep(0)
        await self._learn(records)
        self._profiler.batch(answer)
        self.behind = max(int(answer["HighestID"]) + 1 - self._profiler.next_id, 0)
        if self._profiler.needs_seed:
            await self._seed()
        elif not full:
            self.read_until, self._read_at = asked_at, self._clock()
        return full

    @property
    def behind_seconds(self) -> float:
        """Since all events were read."""
        return self._clock() - self._read_at

    async def close(self) -> None:
        """Ask for nothing more."""
        if self._next is not None:
            self._next[1].cancel()
            await asyncio.gather(self._next[1], return_exceptions=True)

    async def _answer(self) -> dict[str, Any]:
        following, self._next = self._next, None
        if following is not None:
            start, task = following
            if start == self._profiler.next_id:
                return await task
            task.cancel()
        return await self._scheduler.events(self._profiler.next_id)

    async def _learn(self, records: list[dict[str, Any]]) -> None:
        """What events do not say: workflows of applications, types of machines."""
        nodes = {
            str(record.get("objectID", ""))
            for record in records
            if record.get("eventChangeDetail") == NODE_ALLOC
        }
        await self._machines.learn(nodes)
        if unknown := self._applications.unknown(records, self._clock()):
            await asyncio.gather(*map(self._learn_application, unknown))

    async def _learn_application(self, name: str) -> None:
        async with self._asking:
            answer = await self._scheduler.application(name)
        if answer is None:
            self._applications.ended(name)
        else:
            self._take(answer)

    async def _seed(self) -> None:
        """Have the profiler know what runs, and go on with the events after it."""
        last = await self._scheduler.events(self._profiler.next_id)
        active = await self._scheduler.active()
        at = self._now()
        for answer in active:
            self._take(answer)
        await self._machines.learn(
            {
                str(allocation.get("nodeId", ""))
                for answer in active
                for allocation in answer.get("allocations") or ()
            }
        )
        self._profiler.seed(active, next_id=int(last["HighestID"]) + 1, at=at)

    def _take(self, answer: dict[str, Any]) -> None:
        try:
            self._applications.learn(answer, self._clock())
        except (KeyError, TypeError, ValueError) as error:
            log.warning("an application is not as the scheduler tells of one", extra=fields(error=error))
