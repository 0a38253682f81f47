"""What Prometheus reads of the allocator, and of the day that it reports."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from moka.metric_prefixes import USAGE_REPORT
from moka.usage.report.metrics import Gauge, Samples
from services.allocator.day import DayReport
from services.allocator.desk import PlanStanding
from services.allocator.failure import Failure
from services.allocator.night import Night
from services.common.metrics import Metrics

SAID = 5
"""Sentences that are a metric: the log has all."""

LONGEST = 300
"""Characters of one."""

RESULTS = ("proposed", "applied", "waits", "failed")


class Measures:
    """Counts, and what came of the last attempts. Times are seconds since 1970, 0 where there was none."""

    def __init__(self, metrics: Metrics, started: datetime) -> None:
        self._plan = self._success = self._failure = self._in_force = self._day = 0.0
        self._gap = math.nan
        self._attempts = metrics.counter("attempts", "Plans of nights that were made, or not.", ("result",))
        for result in RESULTS:
            self._attempts.labels(result)
        self._refused = metrics.counter("refused", "What Archer refused, by its word for why.", ("kind",))
        self._workflows = metrics.counter(
            "workflows_proposed", "Workflows that nobody told of, new or measured to be otherwise."
        )
        self._sentences = metrics.labelled_gauge(
            "says", "Why the last plan waits for a person, or was not made; 1.", ("result", "sentence")
        )
        self._failing = metrics.labelled_gauge(
            "failing", "1 while the last attempt failed, by what failed and why.", ("of", "why")
        )
        self._seconds = metrics.labelled_gauge(
            "plan_seconds", "That the last plan took, by phase.", ("phase",)
        )
        for name, description, value in (
            ("started_seconds", "When this began to run.", started.timestamp),
            ("last_plan_seconds", "When the last plan was proposed.", lambda: self._plan),
            ("last_success_seconds", "When the last attempt came to a plan.", lambda: self._success),
            ("last_failure_seconds", "When the last attempt failed.", lambda: self._failure),
            (
                "in_force_seconds",
                "When the plan that is in force took effect; 0 where the settings hold.",
                lambda: self._in_force,
            ),
            ("plan_gap_ratio", "By which part a better plan might be better.", lambda: self._gap),
            ("report_day_seconds", "When the day began that was reported last.", lambda: self._day),
        ):
            metrics.gauge(name, description, value)
        self._report = ReportGauges()
        metrics.registry.register(self._report)

    def show_standing(self, standing: PlanStanding) -> None:
        """What Archer has; the last plan counts as made, also before this program started."""
        self._in_force = standing.since.timestamp() if standing.plan else 0.0
        if standing.last_plan is not None:
            self._plan = max(self._plan, standing.last_plan.proposed.timestamp())
            self._success = max(self._success, self._plan)

    def show_night(self, night: Night, now: datetime) -> None:
        """A plan was made, or was there."""
        self._clear_failure("plan")
        self._show_sentences(night.result or "", night.says)
        self._plan = max(self._plan, night.proposed.timestamp())
        self._success = now.timestamp()
        self._gap = math.nan if night.gap is None else night.gap
        for phase, seconds in night.seconds.items():
            self._seconds.labels(phase).set(seconds)
        for kind in night.refused:
            self._refused.labels(kind).inc()
        self._workflows.inc(night.workflows)
        if night.result is not None:
            self._attempts.labels(night.result).inc()

    def show_report(self, day: DayReport) -> None:
        """A day was reported."""
        self._clear_failure("report")
        self._day = datetime.combine(day.day, time(), UTC).timestamp()
        self._report.samples = day.samples

    def show_failure(self, of: str, failure: Failure, now: datetime) -> None:
        """No plan, or no report, was made."""
        self._clear_failure(of)
        self._failing.labels(of, failure.why).set(1)
        if of == "plan":
            self._show_sentences("failed", failure.says)
            self._failure = now.timestamp()
            self._attempts.labels("failed").inc()

    def _clear_failure(self, of: str) -> None:
        self._failing.remove_by_labels({"of": of})

    def _show_sentences(self, result: str, sentences: Sequence[str]) -> None:
        """Only of the last attempt."""
        self._sentences.clear()
        for sentence in sentences[:SAID]:
            self._sentences.labels(result, sentence[:LONGEST]).set(1)


class ReportGauges(Collector):
    """The numbers of a report as `moka usage report --metrics` writes them; nothing before there is one."""

    def __init__(self) -> None:
        self.samples: Mapping[Gauge, Samples] = {}

    def collect(self) -> Iterable[Metric]:
        """All of them."""
        for gauge, values in self.samples.items():
            family = GaugeMetricFamily(
                f"{USAGE_REPORT}{gauge.name}", gauge.help, labels=("target", *gauge.labels)
            )
            for labels, value in sorted(values.items()):
                family.add_metric(labels, value)
            if values:
                yield family
