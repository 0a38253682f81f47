"""The report of the last day, of all clusters: SLOs, use, balance, cost.

moka/usage/report/metrics.py says what each metric is. A cluster is `target`: its report is made elsewhere.
"""

from moka.metric_prefixes import USAGE_REPORT
from moka.observability.panel import Dashboard, Panel, Row, Unit


def _sum(name: str, by: str, selector: str = "") -> str:
    return f"sum by ({by}) ({USAGE_REPORT}{name}{{$scope{selector}}})"


def _panel(title: str, unit: Unit, name: str, by: str = "", selector: str = "", note: str = "") -> Panel:
    """The sum of a metric by cluster, and by these labels."""
    labels = ("target", *by.split())
    return Panel(
        title=title,
        unit=unit,
        note=note,
        queries={" ".join(f"{{{{{label}}}}}" for label in labels): _sum(name, ", ".join(labels), selector)},
    )


def _share(title: str, part: str, of: str, note: str) -> Panel:
    by = "target, tier"
    return Panel(
        title=title,
        unit="percentunit",
        note=note,
        queries={"{{target}} tier {{tier}}": f"{_sum(part, by)} / ({_sum(of, by)} > 0)"},
    )


SLOS = Row(
    title="SLOs of the day",
    panels=(
        _share(
            "Workflows within their SLO",
            "workflows_successful",
            "workflows_judged",
            "Aimed at: 90% of the workflows of a tier. One is within it when 90% of its runs are in time.",
        ),
        _share(
            "Runs in time",
            "runs_in_time",
            "runs_judged",
            "From submission to end within the hours of the SLO; what failed was not.",
        ),
        _panel("Workflows that are judged", "short", "workflows_judged", "tier"),
    ),
)

USE = Row(
    title="Use of the day",
    panels=(
        _panel("Share of the capacity, by tier", "percentunit", "share_ratio", "tier"),
        _panel("Share of the capacity in the busiest hour", "percentunit", "peak_ratio"),
        _panel("Machine-hours, by tier", "short", "hours", "tier", ',resource="instances"'),
        _panel("Machines that there can be", "short", "capacity", selector=',resource="instances"'),
        _panel(
            "Machine-hours by what became of them",
            "short",
            "kind_hours",
            "kind",
            note="Of runs that were submitted on the day: used, preempted, or held by placeholders.",
        ),
        _panel("Known of the day", "percentunit", "known_ratio"),
    ),
)

COST = Row(
    title="Fit and cost",
    panels=(
        _panel(
            "Idle in full machines",
            "percentunit",
            "idle_ratio",
            "binds",
            note="Of vcores where memory binds, and of memory where vcores do.",
        ),
        _panel(
            "Cost of what was in use, by tier",
            "currencyUSD",
            "cost_usd",
            "tier",
            note="On demand, by AWS's prices.",
        ),
        _panel("Changes that are recommended", "short", "recommendations", "of action"),
        Panel(
            title="Day of the report",
            unit="dateTimeFromNow",
            kind="stat",
            width=24,
            queries={"{{target}}": f"max by (target) ({USAGE_REPORT}day_seconds{{$scope}}) * 1000"},
        ),
    ),
)

DASHBOARD = Dashboard(name="usage", title="moka / Usage", rows=(SLOS, USE, COST))
