"""When something is to be done, by cron in UTC, and for how long it waits after it was not."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cronsim import CronSim

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 60.0, 1800.0
"""After the first attempt that failed, and after any."""

LONGEST_SLEEP_SECONDS = 60.0
"""Until it looks at the clock again, which may have been set."""

INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Clock:
    """now: the time, in UTC. sleep: waits so many seconds."""

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]

    async def wait(self, until: datetime) -> None:
        """Wait for a time."""
        while (seconds := (until - self.now()).total_seconds()) > 0:
            await self.sleep(min(seconds, LONGEST_SLEEP_SECONDS))


@dataclass(frozen=True)
class Timetable:
    """Times at which something is due.

    late: for so long after one of them a program that starts does what was due then.
    """

    cron: str
    late: timedelta

    def last(self, now: datetime) -> datetime:
        """The last one that is not to come."""
        return next(CronSim(self.cron, now + INSTANT, reverse=True))

    def following(self, time: datetime) -> datetime:
        """The first one after a time."""
        return next(CronSim(self.cron, time))

    async def rounds(self, clock: Clock, work: Callable[[datetime], Awaitable[bool]]) -> None:
        """Do it whenever it is due, for ever.

        work: of the time at which it was due; whether it was done. If not it is done again, after pauses that
        grow, until it is due the next time.
        """
        at = self.last(clock.now())
        if clock.now() - at > self.late:
            at = self.following(at)
        while True:
            await clock.wait(at)
            following, pause = self.following(at), FIRST_PAUSE_SECONDS
            while clock.now() < following and not await work(at):
                await clock.wait(min(clock.now() + timedelta(seconds=pause), following))
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            await clock.wait(following)
            # What was due while this stood still was due once.
            at = self.last(clock.now())
