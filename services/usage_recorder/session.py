"""The time in which a recorder is the one of its cluster: it follows the scheduler, and saves what is known.

What it holds in memory is bounded: while the bucket is away it reads on until it holds HELD intervals, and
then waits. The scheduler's ring keeps the events meanwhile; what is overwritten there is told as a gap.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import orjson

from moka.usage import places
from moka.usage.completed import completed
from moka.usage.profiles import NANOS, Profiler
from moka.usage.records import HOUR, TABLES, Application
from moka.usage.summaries import Summary
from services.common.logs import fields
from services.usage_recorder import bucket, scheduler, summary_objects, tables
from services.usage_recorder.applications import Applications
from services.usage_recorder.follower import Follower
from services.usage_recorder.ledger import Addition, Ledger
from services.usage_recorder.measures import Measures
from services.usage_recorder.sources import Sources

SAVE_SECONDS = 300.0
"""Between saves at the longest."""

ROWS = 200_000
"""Intervals that are saved at once, whatever the time."""

HELD = 500_000
"""Intervals that are held in memory at most, some 300 bytes each."""

APPLICATIONS = 20_000
"""Applications that are held at most until they go to their table; otherwise they do at the full hour."""

LOOSE = 250
"""Parts of a day after which they are put together; those of a day that is over are, however few."""

PAUSE_SECONDS = 1.0
"""Between questions for events, once all were read."""

BACKOFF_SECONDS = (1.0, 60.0)
"""Wait after a first failure, doubled with each further one, and the longest wait."""

CLOCKS = 60_000
"""Milliseconds that the clocks of scheduler and recorder may differ, before an hour is taken for full."""

COMPLETED_SHARE = 100
"""The list of applications that have ended is asked for so rarely that it takes one part of so many of the
time: it has those of three days, each time."""

COMPLETED_SLACK = 600_000 * NANOS
"""Nanoseconds by which an application may be later in that list than one that ended after it."""

log = logging.getLogger(__name__)


class Session:
    """content: of the state that it goes on from.

    cut_off: a save was cut off, so that there is more in the state of memory than was saved: what was saved
    last is what to go on from.
    """

    def __init__(
        self, sources: Sources, measures: Measures, ledger: Ledger, content: Mapping[str, Any]
    ) -> None:
        self._sources, self._measures, self._ledger = sources, measures, ledger
        self._saved: dict[str, Any] = {
            **{"applications": [], "submitted": {}, "summaries": {}, "completed": 0, "loose": {}},
            **content,
        }
        self._applications = Applications(sources.cluster, self._saved["submitted"])
        for row in self._saved["applications"]:
            self._applications.name(row["application"], row["workflow"], row["namespace"])
        callbacks = self._applications.workflow_of, sources.machines.type_of
        self.profiler = (
            Profiler.resumed(content["profiler"], *callbacks)
            if "profiler" in content
            else Profiler(sources.cluster, *callbacks)
        )
        self.follower = Follower(sources, self._applications, self.profiler)
        self._saved_at = sources.clock()
        self.cut_off = False
        self._full = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._hour = sources.now() // HOUR
        self._ask_completed_at = sources.clock()

    @property
    def behind_events(self) -> int:
        """Events that the scheduler has told and that were not read."""
        return self.follower.behind

    @property
    def behind_seconds(self) -> float:
        """Since all events were read."""
        return self.follower.behind_seconds

    @property
    def saved_age_seconds(self) -> float:
        """Since what is known was saved."""
        return self._sources.clock() - self._saved_at

    @property
    def held_intervals(self) -> int:
        """Intervals in memory that are to be saved."""
        return self.profiler.given_out

    @property
    def running(self) -> int:
        """Allocations that there are."""
        return self.profiler.running_allocations

    async def run(self) -> None:
        """Follow and save for as long as this is awaited. Raises Superseded."""
        tasks = [asyncio.create_task(part) for part in (self._follow(), self._keep())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self) -> None:
        shortest, longest = BACKOFF_SECONDS
        wait = shortest
        while True:
            self._measures.looked()
            if self.profiler.given_out >= HELD:
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            try:
                more = await self.follower.step()
            except scheduler.FAILURES as error:
                self._measures.failed("scheduler", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, longest)
                continue
            wait = shortest
            if self.profiler.given_out >= ROWS:
                self._full.set()
            await asyncio.sleep(0 if more else PAUSE_SECONDS)

    async def _keep(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(SAVE_SECONDS):
                    await self._full.wait()
            self._full.clear()
            await self.save()
            await self.tidy()

    async def save(self) -> None:
        """Save what is known, as often as it takes. Raises Superseded."""
        async with self._one_at_a_time:
            read = await self._look_for_summaries()
            last_end = await self._ask_for_completed()
            if self.follower.read_until and not self.profiler.needs_seed:
                self.profiler.advance(self.follower.read_until - CLOCKS)
            # Nothing is awaited between these: what is taken belongs to the state.
            self.cut_off = True
            profile = self.profiler.take()
            profiler = orjson.Fragment(orjson.dumps(self.profiler.state(), default=list))
            for usage in profile.usages:
                self._applications.use(usage)
            submitted = self._applications.submitted
            rows = [record.row() for record in self._applications.take()]
            self._measures.say(profile.says)
            for gap in profile.gaps:
                log.warning("a gap", extra=fields(**vars(gap)))
            with TemporaryDirectory(dir=self._sources.folder) as folder:
                additions = await asyncio.to_thread(
                    tables.parts_of,
                    self._sources.cluster,
                    self._ledger.number + 1,
                    profile.intervals,
                    profile.gaps,
                    Path(folder),
                )
                content = {
                    "profiler": profiler,
                    "applications": [*self._saved["applications"], *rows],
                    "submitted": submitted,
                    "summaries": read,
                    "completed": last_end,
                    "loose": tables.counted(self._saved["loose"], additions),
                }
                await self._complete(content, additions)
            self.cut_off = False
            self._measures.intervals.inc(len(profile.intervals))
            self._measures.gaps.inc(len(profile.gaps))

    async def tidy(self) -> None:
        """Put applications to their table, and parts of days together, if it is time. Raises Superseded."""
        async with self._one_at_a_time:
            hour = self._sources.now() // HOUR
            full = hour != self._hour
            try:
                applications = self._saved["applications"]
                if applications and (full or len(applications) >= APPLICATIONS):
                    await self._put_applications(applications)
                for table, day in self._due(full):
                    await self._join(table, day)
            except (*bucket.FAILURES, duckdb.Error) as error:
                # Nothing was changed: it is time again after the next save.
                self._measures.failed("bucket", error)
            else:
                self._hour = hour

    async def _put_applications(self, rows: Sequence[Mapping[str, Any]]) -> None:
        with TemporaryDirectory(dir=self._sources.folder) as folder:
            additions = await asyncio.to_thread(
                tables.with_applications,
                self._sources.bucket,
                self._sources.cluster,
                [Application.of_row(row) for row in rows],
                Path(folder),
            )
            await self._complete({**self._saved, "applications": []}, additions)

    async def _join(self, table: str, day: date) -> None:
        loose = {key: n for key, n in self._saved["loose"].items() if key != tables.loose_key(table, day)}
        with TemporaryDirectory(dir=self._sources.folder) as folder:
            addition = await asyncio.to_thread(
                tables.joined,
                self._sources.bucket,
                TABLES[table],
                day,
                self._sources.cluster,
                self._ledger.number + 1,
                Path(folder),
            )
            await self._complete({**self._saved, "loose": loose}, [addition] if addition else [])
        self._measures.joined.inc()

    def _due(self, full_hour: bool) -> list[tuple[str, date]]:
        """Tables and days whose parts are to be put together."""
        an_hour_ago = places.day_of(self._sources.now() - HOUR)
        due = []
        for key, count in sorted(self._saved["loose"].items()):
            table, day = tables.loose_part(key)
            if count >= LOOSE or (full_hour and count > 1 and day < an_hour_ago):
                due.append((table, day))
        return due

    async def _complete(self, content: dict[str, Any], additions: Sequence[Addition]) -> None:
        """Save this, as often as it takes. Raises Superseded."""
        step = await asyncio.to_thread(self._ledger.step, content, additions)
        wait, longest = BACKOFF_SECONDS
        while True:
            self._measures.looked()
            try:
                await asyncio.to_thread(self._ledger.complete, step)
            except bucket.FAILURES as error:
                self._measures.failed("bucket", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, longest)
            else:
                break
        self._saved, self._saved_at = content, self._sources.clock()
        self._measures.parts.inc(len(additions))
        self._measures.bytes.inc(sum(addition.file.stat().st_size for addition in additions))

    async def _look_for_summaries(self) -> dict[str, list[str]]:
        """Take summaries that were not read; the objects that were."""
        today = places.day_of(self._sources.now())
        read = summary_objects.kept(self._saved["summaries"], today)
        try:
            new_objects = await asyncio.to_thread(lambda: list(self._sources.summaries.new(read, today)))
        except bucket.FAILURES as error:
            self._measures.failed("bucket", error)
            return read
        for summary_object in new_objects:
            read.setdefault(summary_object.day, []).append(summary_object.name)
            self._take_all(summary_object.summaries)
        self._measures.summary_objects.inc(len(new_objects))
        return read

    async def _ask_for_completed(self) -> int:
        """Take applications that have ended; when the last one did, in nanoseconds since 1970."""
        last_end: int = self._saved["completed"]
        start = self._sources.clock()
        if start < self._ask_completed_at:
            return last_end
        try:
            answers = await self._sources.scheduler.completed()
            ends = [int(answer.get("finishedTime") or 0) for answer in answers]
        except (*scheduler.FAILURES, TypeError, AttributeError) as error:
            self._measures.failed("scheduler", error)
            return last_end
        new = [answer for answer, at in zip(answers, ends, strict=True) if at > last_end - COMPLETED_SLACK]
        self._take_all(completed(new, self._sources.cluster))
        end = self._sources.clock()
        self._ask_completed_at = end + COMPLETED_SHARE * (end - start)
        return max([last_end, *ends])

    def _take_all(self, summaries: Iterable[Summary]) -> None:
        sentences: list[str] = []
        for summary in summaries:
            sentences += summary.says
            if summary.record is not None:
                self._applications.add(summary.record)
        self._measures.say(sentences)
