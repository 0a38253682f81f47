"""The numbers of a report as metrics: gauges of the last day, in Prometheus' text form.

https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format. A cluster is `target`, as
collectors say with `cluster` where a series is from.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from moka.metric_prefixes import USAGE_REPORT
from moka.usage.report.model import Report


class Gauge(NamedTuple):
    """A metric. help: what it is, and its unit. labels: besides `target`."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


DAY = Gauge("day_seconds", "When the reported day began, since 1970.")
KNOWN = Gauge("known_ratio", "Share of the day of which something is known.")
CAPACITY = Gauge("capacity", "What jobs can have: machines, vcores or GiB.", ("resource",))
HOURS = Gauge("hours", "What was in use, times hours: machines, vcores or GiB.", ("tier", "resource"))
SHARE = Gauge("share_ratio", "Share of the capacity that was in use.", ("tier",))
PEAK = Gauge("peak_ratio", "Share of the capacity that was in use in the busiest hour.")
IDLE = Gauge("idle_ratio", "Share of a full machine's other resource that lies idle.", ("binds",))
JUDGED = Gauge("workflows_judged", "Workflows with an SLO, and runs that are judged.", ("tier",))
SUCCESSFUL = Gauge("workflows_successful", "Of them those with enough runs in time.", ("tier",))
RUNS = Gauge("runs_judged", "Runs that are judged.", ("tier",))
IN_TIME = Gauge("runs_in_time", "Of them those in time.", ("tier",))
KINDS = Gauge("kind_hours", "Machines times hours, by what became of them.", ("kind",))
COST = Gauge("cost_usd", "What machines in use cost.", ("tier",))
ADVICE = Gauge("recommendations", "Changes that are recommended.", ("of", "action"))

GAUGES = (
    *(DAY, KNOWN, CAPACITY, HOURS, SHARE, PEAK, IDLE),
    *(JUDGED, SUCCESSFUL, RUNS, IN_TIME, KINDS, COST, ADVICE),
)

RESOURCES = ("instances", "vcores", "memory_gib")

Samples = Mapping[tuple[str, ...], float]
"""Values of `target` and a gauge's labels -> value."""


def samples(report: Report) -> dict[Gauge, dict[tuple[str, ...], float]]:
    """The values of each gauge."""
    values: dict[Gauge, dict[tuple[str, ...], float]] = {gauge: {} for gauge in GAUGES}
    for gauge, labels, value in _samples(report):
        values[gauge][labels] = values[gauge].get(labels, 0.0) + value
    return values


def _samples(report: Report) -> Iterator[tuple[Gauge, tuple[str, ...], float]]:
    day = datetime.fromisoformat(report.day).replace(tzinfo=UTC).timestamp()
    for cluster in report.clusters:
        name = cluster.name
        yield DAY, (name,), day
        yield KNOWN, (name,), cluster.use.known / 24
        if cluster.capacity is not None:
            for resource in RESOURCES:
                yield CAPACITY, (name, resource), getattr(cluster.capacity, resource)
        for use in cluster.use.tiers:
            for resource in RESOURCES:
                yield HOURS, (name, str(use.tier), resource), getattr(use.hours, resource)
            if use.share is not None:
                yield SHARE, (name, str(use.tier)), use.share
        if cluster.use.peak_share is not None:
            yield PEAK, (name,), cluster.use.peak_share
        if cluster.balance is not None:
            yield IDLE, (name, cluster.balance.binds), cluster.balance.idle
        for tier in cluster.slos:
            yield JUDGED, (name, str(tier.tier)), tier.judged
            yield SUCCESSFUL, (name, str(tier.tier)), tier.successful
            yield RUNS, (name, str(tier.tier)), tier.runs
            yield IN_TIME, (name, str(tier.tier)), tier.in_time
        for kind in cluster.kinds:
            yield KINDS, (name, kind.kind), kind.hours.instances
        for by, usd in cluster.cost.by_tier.items():
            yield COST, (name, by), usd
        for advice in cluster.recommendations:
            yield ADVICE, (name, advice.of, advice.action), 1.0


def as_metrics(report: Report) -> str:
    """In the text form; nothing of a gauge that has no value."""
    return "".join(_text(gauge, values) for gauge, values in samples(report).items() if values)


def _text(gauge: Gauge, values: Samples) -> str:
    name = f"{USAGE_REPORT}{gauge.name}"
    lines = [
        f"{name}{{{_labels(('target', *gauge.labels), labels)}}} {value:.10g}"
        for labels, value in sorted(values.items())
    ]
    return "\n".join([f"# HELP {name} {gauge.help}", f"# TYPE {name} gauge", *lines]) + "\n"


def _labels(names: Iterable[str], values: Iterable[str]) -> str:
    """Names of clusters, tiers and kinds have nothing that would be escaped."""
    return ",".join(f'{name}="{value}"' for name, value in zip(names, values, strict=True))
