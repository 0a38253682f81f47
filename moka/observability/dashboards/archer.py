"""Archer: jobs that wait and for how long, its service, its workers by cluster, its keeper.

What the database knows of all jobs is told by every worker alike, so it is read as the most that any says.
"""

from moka.metric_prefixes import ARCHER as SERVICE
from moka.metric_prefixes import ARCHER_KEEPER as KEEPER
from moka.metric_prefixes import ARCHER_WORKER as WORKER
from moka.observability.panel import Dashboard, Panel, Row, Unit


def _panel(title: str, unit: Unit, query: str, by: str = "", note: str = "") -> Panel:
    """`query` has the labels by which it is grouped as `BY`: the cluster, and those named."""
    labels = ("cluster", *by.split())
    legend = " ".join(f"{{{{{label}}}}}" for label in labels)
    return Panel(
        title=title,
        unit=unit,
        note=note,
        queries={legend: query.replace("BY", f"by ({', '.join(labels)})")},
    )


REQUEST_SECONDS = f"rate({SERVICE}request_seconds_%s{{$scope}}[5m])"


def _quantile(quantile: float) -> str:
    return f"histogram_quantile({quantile}, sum by (cluster, le) ({REQUEST_SECONDS % 'bucket'}))"


JOBS = Row(
    title="Jobs",
    panels=(
        _panel("Jobs by state and tier", "short", f"max BY ({WORKER}jobs{{$scope}})", "state tier"),
        _panel(
            "Oldest job that waits, by tier",
            "s",
            f"max BY ({WORKER}waiting_seconds{{$scope}})",
            "tier",
            note="For its application, since its attempt could have begun.",
        ),
        _panel("Oldest job in each state", "s", f"max BY ({WORKER}oldest_seconds{{$scope}})", "state"),
        _panel(
            "Submissions, a minute",
            "cpm",
            f"sum BY (rate({SERVICE}submissions_total{{$scope}}[5m])) * 60",
            "outcome",
        ),
        _panel(
            "Attempts that ended, a minute",
            "cpm",
            f"sum BY (rate({WORKER}attempts_total{{$scope}}[5m])) * 60",
            "reason",
        ),
        _panel(
            "Status is behind",
            "s",
            f"max BY ({WORKER}status_lag_seconds{{$scope}})",
            note="Since the oldest thing was told by a cluster that is not in the database.",
        ),
    ),
)

REQUESTS = Row(
    title="Service",
    panels=(
        _panel(
            "Requests, a second",
            "ops",
            f"sum BY (rate({SERVICE}requests_total{{$scope}}[5m]))",
            "operation status",
        ),
        Panel(
            title="Time of a request",
            unit="s",
            queries={"{{cluster}} p50": _quantile(0.5), "{{cluster}} p99": _quantile(0.99)},
        ),
        _panel(
            "Requests for each second of work",
            "ops",
            f"sum BY ({REQUEST_SECONDS % 'count'}) / sum BY ({REQUEST_SECONDS % 'sum'})",
        ),
        _panel("Requests that wait for a job", "short", f"sum BY ({SERVICE}waits{{$scope}})"),
        Panel(
            title="The database is silent",
            unit="s",
            queries={
                f"{{{{cluster}}}} {process}": f"max by (cluster) ({prefix}database_silent_seconds{{$scope}})"
                for process, prefix in (("service", SERVICE), ("worker", WORKER))
            },
        ),
    ),
)

CLUSTERS = Row(
    title="Workers, by cluster",
    panels=(
        _panel(
            "What went wrong with a cluster, a minute",
            "cpm",
            f"sum BY (rate({WORKER}warnings_total{{$scope}}[5m])) * 60",
            "target what",
        ),
        Panel(
            title="Clusters that take no jobs",
            unit="short",
            queries={
                "{{target}} is left alone": f"max by (cluster, target) ({WORKER}breaker_open{{$scope}})",
                "{{target}} is cordoned": f"max by (cluster, target) ({WORKER}cordoned{{$scope}})",
            },
        ),
        _panel(
            "Clusters without the queues of the plan",
            "s",
            f"max BY ({WORKER}amounts_behind_seconds{{$scope}})",
            "target",
        ),
        _panel("Namespaces that nobody follows", "short", f"max BY ({WORKER}unfollowed{{$scope}})", "target"),
        _panel("Namespaces that a worker follows", "short", f"sum BY ({WORKER}leases{{$scope}})", "pod"),
        _panel("Longest silence of a watch", "s", f"max BY ({WORKER}watch_idle_seconds{{$scope}})"),
    ),
)

KEPT = Row(
    title="Keeper",
    panels=(
        Panel(
            title="Months",
            unit="short",
            queries={
                "{{cluster}} ahead": f"max by (cluster) ({KEEPER}months_ahead{{$scope}})",
                "{{cluster}} that should be in S3": f"max by (cluster) ({KEEPER}months_due{{$scope}})",
            },
        ),
        _panel("Since a round came to its end", "s", f"max BY ({KEEPER}round_age_seconds{{$scope}})"),
        _panel(
            "Rounds that failed, an hour", "short", f"sum BY (increase({KEEPER}failures_total{{$scope}}[1h]))"
        ),
    ),
)

DASHBOARD = Dashboard(name="archer", title="moka / Archer", rows=(JOBS, REQUESTS, CLUSTERS, KEPT))
