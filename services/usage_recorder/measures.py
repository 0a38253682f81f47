"""What Prometheus reads of a recorder."""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from services.common.logs import fields
from services.common.metrics import Metrics
from services.usage_recorder.sources import Sources

SAID = 20
"""Sentences that are logged at a time: the others are counted."""

log = logging.getLogger(__name__)


class Work(Protocol):
    """What a recorder is at."""

    @property
    def behind_events(self) -> int:
        """Events that the scheduler has told and that were not read."""

    @property
    def behind_seconds(self) -> float:
        """Since all events were read."""

    @property
    def saved_age_seconds(self) -> float:
        """Since what is known was saved."""

    @property
    def held_intervals(self) -> int:
        """Intervals in memory that are to be saved."""

    @property
    def running(self) -> int:
        """Allocations that there are."""


class Measures:
    """Counts, and what a recorder is at.

    work: of the session that records; None while another recorder does.
    """

    def __init__(self, metrics: Metrics, sources: Sources) -> None:
        self.work: Work | None = None
        self._clock = sources.clock
        self._last_look = sources.clock()
        self.intervals = metrics.counter("intervals", "Intervals saved.")
        self.gaps = metrics.counter("gaps", "Gaps saved: times of which nothing is known.")
        self.parts = metrics.counter("parts", "Parts of tables written.")
        self.bytes = metrics.counter("bytes", "Bytes of them.")
        self.joined = metrics.counter("days_joined", "Days whose parts were put together.")
        self.summary_objects = metrics.counter("summary_objects", "Objects of summaries read.")
        self._oddities = metrics.counter("oddities", "Sentences about what was told and cannot be.")
        self._failures = metrics.counter("failures", "Requests that failed, and are repeated.", ("of",))
        for source in ("bucket", "scheduler"):
            self._failures.labels(source)

        def of(value: Callable[[Work], float]) -> Callable[[], float]:
            return lambda: 0.0 if self.work is None else value(self.work)

        metrics.gauge("behind_events", "Events told that were not read.", of(lambda work: work.behind_events))
        metrics.gauge("behind_seconds", "Since all events were read.", of(lambda work: work.behind_seconds))
        metrics.gauge(
            "saved_age_seconds", "Since what is known was saved.", of(lambda work: work.saved_age_seconds)
        )
        metrics.gauge(
            "held_intervals", "Intervals that are to be saved.", of(lambda work: work.held_intervals)
        )
        metrics.gauge("running", "Allocations that there are.", of(lambda work: work.running))
        metrics.gauge(
            "standing_by", "Whether another recorder does the work.", lambda: float(self.work is None)
        )

    def looked(self) -> None:
        """Tell that it works."""
        self._last_look = self._clock()

    @property
    def silent_seconds(self) -> float:
        """Since it last told so."""
        return self._clock() - self._last_look

    def failed(self, of: str, error: BaseException) -> None:
        """Tell of a failure of the bucket or the scheduler."""
        self._failures.labels(of).inc()
        log.warning("a request failed", extra=fields(of=of, error=error))

    def say(self, sentences: Sequence[str]) -> None:
        """Tell what is strange."""
        self._oddities.inc(len(sentences))
        for sentence in sentences[:SAID]:
            log.warning(sentence)
