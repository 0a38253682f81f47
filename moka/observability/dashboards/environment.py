"""All clusters of an environment, for whoever looks first."""

from moka.observability.panel import Dashboard, Panel, Row

VCORES = 'yunikorn_queue_resource{$scope,queue="root",resource="vcore",state="%s"}'
CPU = 'sum by (cluster) (kube_node_status_allocatable{$scope,resource="cpu"})'
ENDED = "sum by (cluster) (rate(spark_application_%s_count{$scope}[5m]))"

NOW = Row(
    title="Now",
    panels=(
        Panel(
            title="Clusters",
            unit="short",
            kind="stat",
            width=4,
            queries={"clusters": "count(count by (cluster) (up{$scope}))"},
        ),
        Panel(
            title="Jobs that run",
            unit="short",
            kind="stat",
            width=4,
            queries={"running": 'sum(moka:applications:states{$scope,state="RUNNING"})'},
        ),
        Panel(
            title="Nodes",
            unit="short",
            kind="stat",
            width=4,
            queries={"nodes": "count(kube_node_info{$scope})"},
        ),
        Panel(
            title="Cores that are allocated",
            unit="percentunit",
            kind="stat",
            width=4,
            queries={"allocated": f"sum({VCORES % 'allocated'}) / 1000 / sum({CPU})"},
        ),
        Panel(
            title="Longest wait of a job",
            unit="s",
            kind="stat",
            width=4,
            queries={"tier {{tier}}": "max by (tier) (moka:applications:longest_wait_seconds{$scope})"},
        ),
        Panel(
            title="Targets that cannot be read",
            unit="short",
            kind="stat",
            width=4,
            queries={"targets": "count(up{$scope}) - sum(up{$scope})"},
        ),
        Panel(
            title="Alerts",
            unit="short",
            kind="table",
            width=24,
            note="Of the store that these panels ask; runbooks are in docs/operations/alerts.md.",
            queries={"": 'ALERTS{alertstate="firing"}'},
        ),
    ),
)

JOBS = Row(
    title="Jobs",
    panels=(
        Panel(
            title="Jobs that run",
            unit="short",
            queries={"{{cluster}}": 'sum by (cluster) (moka:applications:states{$scope,state="RUNNING"})'},
        ),
        Panel(
            title="Jobs that ended, a minute",
            unit="cpm",
            queries={
                "{{cluster}} succeeded": f"{ENDED % 'success'} * 60",
                "{{cluster}} failed": f"{ENDED % 'failure'} * 60",
            },
        ),
        Panel(
            title="Share that succeeded, over an hour",
            unit="percentunit",
            queries={
                "{{cluster}}": "sum by (cluster) (increase(spark_application_success_count{$scope}[1h])) / "
                "(sum by (cluster) (increase(spark_application_success_count{$scope}[1h])) + "
                "sum by (cluster) (increase(spark_application_failure_count{$scope}[1h])))"
            },
        ),
    ),
)

ROOM = Row(
    title="Room",
    panels=(
        Panel(
            title="Cores that jobs wait for",
            unit="cores",
            queries={"{{cluster}}": f"sum by (cluster) ({VCORES % 'pending'}) / 1000"},
        ),
        Panel(
            title="Cores",
            unit="cores",
            queries={
                "{{cluster}} allocated": f"sum by (cluster) ({VCORES % 'allocated'}) / 1000",
                "{{cluster}} there": CPU,
                "{{cluster}} in use": "sum by (cluster) (k8s_node_cpu_usage{$scope})",
            },
        ),
        Panel(
            title="Nodes that are not ready",
            unit="short",
            queries={
                "{{cluster}}": "sum by (cluster) "
                '(kube_node_status_condition{$scope,condition="Ready",status=~"false|unknown"})'
            },
        ),
    ),
)

DASHBOARD = Dashboard(name="environment", title="moka / Environment", rows=(NOW, JOBS, ROOM))
