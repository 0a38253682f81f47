"""The trace of a job, which several programs write: its id is the job's, so that each knows it.

Whoever sees the job's end writes down its way, from its events in the database; what a program did for it is
below that, and is sent when it is done.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any
from uuid import UUID

import asyncpg
from opentelemetry import trace
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from moka.submission.configuration import Configuration
from moka.submission.job_id import id_text, submitted_at
from moka.submission.states import State
from services.archer import tracing as otlp
from services.archer.database.pool import Away, Pool
from services.archer.tracing import OFF, Tracing, identity
from services.common.logs import fields

GATHER_SECONDS = 1.0
"""In which jobs end whose ways are read at once."""

END_SECONDS = 2.0
"""For a program that ends to write what it has."""

MOST = 500
"""Jobs whose ways are read at once."""

MOST_WAITING = 10_000
"""Ended jobs whose ways are not read yet, beyond which some get none."""

BAD_ENDS = frozenset({State.FAILED, State.LOST})

JOBS = """
SELECT id, name, queue, tier, workflow, cluster, state, reason, attempts, ended FROM jobs
WHERE id = ANY($1::uuid[]) AND ended IS NOT NULL
"""

EVENTS = """
SELECT job, at, state, attempt, reason FROM events WHERE job = ANY($1::uuid[]) ORDER BY job, number
"""

log = logging.getLogger(__name__)


@asynccontextmanager
async def tracing(service: str, configuration: Configuration) -> AsyncIterator[Tracing]:
    """Traces of one of the programs, where the configuration has them."""
    place = configuration.traces
    if place is None:
        yield OFF
        return
    async with otlp.tracing(service, place.endpoint, place.share, configuration.environment) as spans:
        yield spans


class JobTraces:
    """Writes what is known of jobs into their traces."""

    def __init__(self, pool: Pool, tracing: Tracing) -> None:
        self._pool = pool
        self._tracing = tracing
        self._ended_jobs: set[UUID] = set()
        self._wake = asyncio.Event()

    def span(
        self, name: str, job: UUID, kind: SpanKind = SpanKind.INTERNAL, **attributes: Any
    ) -> AbstractContextManager[Span]:
        """What is done for a job, in its trace, with a link to the span of the request for which it is."""
        span_context = trace.get_current_span().get_span_context()
        return self._tracing.tracer.start_as_current_span(
            name,
            trace.set_span_in_context(trace.NonRecordingSpan(self._root(job))),
            kind,
            {"moka.job": id_text(job), **_span_attributes(attributes)},
            [Link(span_context)] if span_context.is_valid else [],
        )

    def ended(self, jobs: Iterable[UUID]) -> None:
        """Jobs may have ended: those that have get their way into their trace, from the database."""
        sampled_jobs = {job for job in jobs if self._tracing.keeps(job.int)}
        if sampled_jobs and len(self._ended_jobs) < MOST_WAITING:
            self._ended_jobs |= sampled_jobs
            self._wake.set()

    async def run(self) -> None:
        """Write for ever, and once more when the program ends."""
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(GATHER_SECONDS)
                await self.write()
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self.write()

    async def write(self) -> None:
        """Write the ways of the jobs that are known to have ended; without the database, none."""
        self._wake.clear()
        while self._ended_jobs:
            jobs = [self._ended_jobs.pop() for _ in range(min(MOST, len(self._ended_jobs)))]
            try:
                rows = await self._pool.fetch(JOBS, jobs)
                events = await self._pool.fetch(EVENTS, jobs)
            except Away as error:
                log.warning("jobs have no trace", extra=fields(jobs=len(jobs), error=error))
                continue
            by_job = {job: list(group) for job, group in groupby(events, lambda event: event["job"])}
            for row in rows:
                self._write(row, by_job.get(row["id"], []))

    def _write(self, row: asyncpg.Record, events: list[asyncpg.Record]) -> None:
        job: UUID = row["id"]
        attributes = {
            name: row[name] for name in ("queue", "tier", "workflow", "cluster", "attempts", "reason")
        }
        with identity(self._root(job)):
            root = self._tracing.tracer.start_span(
                f"job {row['name']}",
                trace.set_span_in_context(trace.INVALID_SPAN),
                attributes={
                    "moka.job": id_text(job),
                    **_span_attributes({**attributes, "state": row["state"]}),
                },
                start_time=_nanoseconds(submitted_at(job)),
            )
        if row["state"] in BAD_ENDS:
            root.set_status(Status(StatusCode.ERROR, row["reason"]))
        inside = trace.set_span_in_context(root)
        for (state, attempt, reason, began), ended in _stays(events):
            self._tracing.tracer.start_span(
                state,
                inside,
                attributes=_span_attributes({"attempt": attempt, "reason": reason}),
                start_time=_nanoseconds(began),
            ).end(_nanoseconds(ended))
        root.end(_nanoseconds(row["ended"]))

    def _root(self, job: UUID) -> SpanContext:
        """The span of a job as a whole."""
        flags = TraceFlags(TraceFlags.SAMPLED if self._tracing.keeps(job.int) else TraceFlags.DEFAULT)
        return SpanContext(job.int, job.int & (1 << 64) - 1, is_remote=True, trace_flags=flags)


def _stays(
    events: Iterable[asyncpg.Record],
) -> Iterator[tuple[tuple[str, int, str, datetime], datetime]]:
    """State, attempt, reason and begin of each of a job's stays in a state, with its end."""
    stays = (next(group) for _, group in groupby(events, lambda event: (event["state"], event["attempt"])))
    for stay, following in pairwise(stays):
        yield (stay["state"], stay["attempt"], stay["reason"], stay["at"]), following["at"]


def _span_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by their names in spans, without those that are not known."""
    return {f"moka.{name}": value for name, value in attributes.items() if value is not None}


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
