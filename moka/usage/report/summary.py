"""A report as a few lines for a terminal."""

from collections.abc import Iterator

from moka.usage.report.model import ClusterReport, Report
from moka.usage.report.pictures import number, tier_name

SHOWN = 10
"""Changes of a cluster that are shown."""


def as_text(report: Report) -> str:
    """What one looks at first; the page and the document have the rest."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    cost = "" if report.usd is None else f": ${report.usd:,.2f} of machines in use"
    yield f"{report.environment}, {report.day}{cost}"
    for says in report.says:
        yield f"  {says}"
    for cluster in report.clusters:
        yield from ["", *_cluster(cluster)]


def _cluster(one: ClusterReport) -> Iterator[str]:
    cost = "" if one.cost.usd is None else f", ${one.cost.usd:,.2f}"
    yield f"{one.name}: {number(one.use.hours.instances)} machine-hours of {one.machine}{cost}"
    if one.use.share is not None and one.use.busiest is not None and one.use.peak_share is not None:
        yield (
            f"  {one.use.share:.0%} of its capacity, {one.use.peak_share:.0%} in the busiest hour, "
            f"{one.use.busiest:02}:00 UTC"
        )
    for tier in one.slos:
        if tier.share is not None:
            verdict = "met" if tier.met else "missed"
            yield (
                f"  {tier_name(tier.tier)}: {tier.successful} of {tier.judged} workflows within their SLO, "
                f"{tier.share:.0%}: {verdict}"
            )
    if one.balance:
        yield f"  {one.balance.says}"
    for advice in one.recommendations[:SHOWN]:
        what = f"split into {advice.into}" if advice.into else f"{advice.action} by {advice.machines}"
        yield f"  {advice.name}: {what}. {advice.says}"
    if (rest := len(one.recommendations) - SHOWN) > 0:
        yield f"  and {rest} more to change: the page has them"
    for gap in one.unknown:
        yield f"  Not known from {gap.began} to {gap.ended}: {gap.says}"
    for says in one.says:
        yield f"  {says}"
