"""The way of metrics themselves: scrapes, collectors, kube-state-metrics, the store."""

from moka.observability.panel import Dashboard, Panel, Row

POINTS = 'sum by (cluster, job) (rate({__name__=~"otelcol_%s_metric_points(_total)?",$scope}[5m]))'

COLLECTORS = Row(
    title="Collectors",
    panels=(
        Panel(
            title="Targets that cannot be read",
            unit="short",
            queries={
                "{{cluster}} {{job}}": "count by (cluster, job) (up{$scope}) - "
                "sum by (cluster, job) (up{$scope})"
            },
        ),
        Panel(
            title="Points sent, a second",
            unit="ops",
            queries={"{{cluster}} {{job}}": POINTS % "exporter_sent"},
        ),
        Panel(
            title="Points lost or sent back, a second",
            unit="ops",
            queries={
                "{{cluster}} {{job}} not taken": POINTS % "exporter_send_failed",
                "{{cluster}} {{job}} had no room": POINTS % "exporter_enqueue_failed",
                "{{cluster}} {{job}} sent back": POINTS % "receiver_refused",
            },
        ),
        Panel(
            title="Fullest queues",
            unit="percentunit",
            kind="bargauge",
            queries={
                "{{cluster}} {{pod}}": "topk(10, otelcol_exporter_queue_size{$scope} / "
                "otelcol_exporter_queue_capacity{$scope})"
            },
        ),
        Panel(
            title="Memory, at most",
            unit="bytes",
            queries={
                "{{cluster}} {{job}}": "max by (cluster, job) "
                '({__name__=~"otelcol_process_memory_rss(_bytes)?",$scope})'
            },
        ),
        Panel(
            title="Lists and watches of kube-state-metrics, a second",
            unit="ops",
            queries={
                "{{cluster}} lists {{result}}": "sum by (cluster, result) "
                "(rate(kube_state_metrics_list_total{$scope}[5m]))",
                "{{cluster}} watches {{result}}": "sum by (cluster, result) "
                "(rate(kube_state_metrics_watch_total{$scope}[5m]))",
            },
        ),
    ),
)

STORE = Row(
    title="The cluster's own store",
    panels=(
        Panel(
            title="Series",
            unit="short",
            queries={
                "{{cluster}} there": "max by (cluster) (prometheus_tsdb_head_series{$scope})",
                "{{cluster}} at most": "max by (cluster) (moka_store_series{$scope})",
            },
        ),
        Panel(
            title="On disk",
            unit="bytes",
            queries={
                "{{cluster}} there": "max by (cluster) (prometheus_tsdb_storage_blocks_bytes{$scope})",
                "{{cluster}} at most": "max by (cluster) (prometheus_tsdb_retention_limit_bytes{$scope})",
            },
        ),
        Panel(
            title="Rules that could not be evaluated, in an hour",
            unit="short",
            queries={
                "{{cluster}} {{rule_group}}": "sum by (cluster, rule_group) "
                "(increase(prometheus_rule_evaluation_failures_total{$scope}[1h]))"
            },
        ),
    ),
)

DASHBOARD = Dashboard(name="metrics", title="moka / Metrics", rows=(COLLECTORS, STORE))
