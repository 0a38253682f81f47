from datetime import UTC, datetime, timedelta

import pytest

from services.allocator.timetable import Clock, Timetable
from tests.support.loops import run_apart

NIGHT = Timetable("30 3 * * *", late=timedelta(hours=6))


class Ended(Exception):
    """Enough was seen."""


class Life:
    """A program on a clock that goes on as it sleeps. results: of its attempts."""

    def __init__(self, start, *results):
        self.time = datetime.fromisoformat(start).replace(tzinfo=UTC)
        self.results, self.attempts = list(results), []

    async def sleep(self, seconds):
        self.time += timedelta(seconds=seconds)

    async def work(self, due):
        if not self.results:
            raise Ended
        self.attempts.append((f"{self.time:%d %H:%M}", f"{due:%d %H:%M}"))
        return self.results.pop(0)

    def run(self):
        with pytest.raises(Ended):
            run_apart(NIGHT.rounds(Clock(lambda: self.time, self.sleep), self.work))
        return self.attempts


@pytest.mark.parametrize(
    ("start", "at"),
    [
        ("2026-11-26T03:29:59", [("26 03:30", "26 03:30"), ("27 03:30", "27 03:30")]),
        ("2026-11-26T03:30:00", [("26 03:30", "26 03:30"), ("27 03:30", "27 03:30")]),
        ("2026-11-26T09:30:00", [("26 09:30", "26 03:30"), ("27 03:30", "27 03:30")]),
        ("2026-11-26T09:31:00", [("27 03:30", "27 03:30"), ("28 03:30", "28 03:30")]),
    ],
)
def test_it_is_done_when_it_is_due_and_at_the_start_if_that_was_not_long_ago(start, at):
    assert Life(start, True, True).run() == at


def test_what_fails_is_done_again_after_pauses_that_grow_until_the_next_is_due():
    attempts = Life("2026-11-26T03:00:00", *[False] * 55).run()

    assert [time for time, _ in attempts[:8]] == [
        *("26 03:30", "26 03:31", "26 03:33", "26 03:37", "26 03:45", "26 04:01", "26 04:31", "26 05:01")
    ]
    of_the_next = [time for time, due in attempts if due == "27 03:30"]
    assert of_the_next[:3] == ["27 03:30", "27 03:31", "27 03:33"]


def test_what_was_due_while_it_stood_still_is_done_once():
    life = Life("2026-11-26T03:30:00", True, True)

    async def sleep(seconds):
        life.time += timedelta(days=3)

    life.sleep = sleep
    assert life.run() == [("26 03:30", "26 03:30"), ("29 03:30", "29 03:30")]
