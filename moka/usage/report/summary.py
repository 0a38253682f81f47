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
    for sentence in report.says:
        yield f"  {sentence}"
    for cluster in report.clusters:
        yield from ["", *_cluster(cluster)]


def _cluster(cluster: ClusterReport) -> Iterator[str]:
    cost = "" if cluster.cost.usd is None else f", ${cluster.cost.usd:,.2f}"
    yield f"{cluster.name}: {number(cluster.use.hours.instances)} machine-hours of {cluster.machine}{cost}"
    if (
        cluster.use.share is not None
        and cluster.use.busiest is not None
        and cluster.use.peak_share is not None
    ):
        yield (
            f"  {cluster.use.share:.0%} of its capacity, {cluster.use.peak_share:.0%} in the busiest hour, "
            f"{cluster.use.busiest:02}:00 UTC"
        )
    for tier in cluster.slos:
        if tier.share is not None:
            verdict = "met" if tier.met else "missed"
            yield (
                f"  {tier_name(tier.tier)}: {tier.successful} of {tier.judged} workflows within their SLO, "
                f"{tier.share:.0%}: {verdict}"
            )
    if cluster.balance:
        yield f"  {cluster.balance.says}"
    for advice in cluster.recommendations[:SHOWN]:
        change = f"split into {advice.into}" if advice.into else f"{advice.action} by {advice.machines}"
        yield f"  {advice.name}: {change}. {advice.says}"
    if (rest := len(cluster.recommendations) - SHOWN) > 0:
        yield f"  and {rest} more to change: the page has them"
    for gap in cluster.unknown:
        yield f"  Not known from {gap.began} to {gap.ended}: {gap.says}"
    for sentence in cluster.says:
        yield f"  {sentence}"
