"""What the allocator does, and when."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar, TypeVarTuple, Unpack

from moka.allocation.configuration import Configuration
from services.allocator import day, desk, night
from services.allocator.child import Children
from services.allocator.failure import Failure
from services.allocator.measures import Measures
from services.allocator.timetable import Clock, Timetable
from services.common.logs import fields

LATE = timedelta(hours=6)
"""After which one that starts does not make the plan of last night: jobs of the day run."""

REPORT = Timetable("30 0,6,12,18 * * *", late=timedelta(days=2))
"""Of yesterday, whose end is recorded some minutes later; and again, as runs of the evening have hours left
by then. One that starts has none yet, however late."""

BESIDE_SEARCH_SECONDS, REPORT_SECONDS = 3600.0, 1800.0
"""In which all of a plan but its search, and a report, is done, or hangs."""

LOOK_SECONDS, LOOK_PATIENCE_SECONDS = 60.0, 5.0
"""Between looks at what is in force, and for how long one waits for Archer."""

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

log = logging.getLogger(__name__)


class Allocator:
    """Makes plans and reports, each when it is due.

    children: in which the work is done.
    """

    def __init__(
        self, configuration: Configuration, measures: Measures, children: Children, clock: Clock
    ) -> None:
        self._configuration = configuration
        self._measures = measures
        self._children = children
        self._clock = clock

    async def nights(self) -> None:
        """Make the plan of every night."""
        await Timetable(self._configuration.night.cron, LATE).rounds(self._clock, self._night)

    async def reports(self) -> None:
        """Report every day once it is over, again as its last runs end, and yesterday at the start."""
        await REPORT.rounds(self._clock, self._report)

    async def looks(self) -> None:
        """Look what is in force, again and again."""
        while True:
            await self._look()
            await self._clock.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        try:
            # Short, and nothing of it hangs: a thread will do.
            standing = await asyncio.to_thread(desk.look, self._configuration, LOOK_PATIENCE_SECONDS)
        except Failure as failure:
            log.warning("what is in force is not known", extra=fields(says=failure.says))
        else:
            self._measures.show_standing(standing)

    async def _night(self, due: datetime) -> bool:
        seconds = self._configuration.night.seconds + BESIDE_SEARCH_SECONDS
        outcome = await self._result("plan", seconds, night.make, self._configuration, due)
        if outcome is not None:
            self._measures.show_night(outcome, self._clock.now())
            await self._look()
        return outcome is not None

    async def _report(self, due: datetime) -> bool:
        yesterday = due.date() - timedelta(days=1)
        outcome = await self._result("report", REPORT_SECONDS, day.make, self._configuration, yesterday)
        if outcome is not None:
            self._measures.show_report(outcome)
        return outcome is not None

    async def _result(
        self, of: str, seconds: float, work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments
    ) -> T | None:
        """What comes of work, None where it failed."""
        try:
            return await self._children.run(seconds, work, *arguments)
        except Failure as failure:
            log.warning(f"{of} failed and will be retried", extra=fields(why=failure.why, says=failure.says))
            self._measures.show_failure(of, failure, self._clock.now())
            return None
