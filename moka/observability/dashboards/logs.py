"""Logs on their way to S3: Fluent Bit's, by output, and event logs."""

from moka.observability.panel import Dashboard, Panel, Row

BY_OUTPUT = "sum by (cluster, name) (rate(fluentbit_output_%s_total{$scope}[5m]))"
LOST = "sum by (cluster) (increase(log_metric_counter_%s{$scope}[1h]))"

FLOW = Row(
    title="Logs of pods and hosts",
    panels=(
        Panel(
            title="Bytes read",
            unit="Bps",
            queries={"{{cluster}}": "sum by (cluster) (rate(fluentbit_input_bytes_total{$scope}[5m]))"},
        ),
        Panel(
            title="Bytes sent, by output",
            unit="Bps",
            note="Outputs to S3 count what is in their files, uploaded or not. `unknown` is for pods that "
            "kubelets did not know of.",
            queries={"{{cluster}} {{name}}": BY_OUTPUT % "proc_bytes"},
        ),
        Panel(
            title="Objects that came to S3, a second",
            unit="ops",
            queries={"{{cluster}}": "sum by (cluster) (rate(log_metric_counter_uploaded{$scope}[5m]))"},
        ),
        Panel(
            title="Room for what waits, least",
            unit="percentunit",
            note="Below 90% the second buffer is in use: logs are late.",
            queries={
                "{{cluster}} {{name}}": "min by (cluster, name) "
                "(fluentbit_output_chunk_available_capacity_percent{$scope}) / 100"
            },
        ),
        Panel(
            title="Nodes with the least room",
            unit="percentunit",
            kind="bargauge",
            queries={
                "{{cluster}} {{node}} {{name}}": "bottomk(10, "
                "fluentbit_output_chunk_available_capacity_percent{$scope}) / 100"
            },
        ),
        Panel(
            title="Uploads that are tried again, a second",
            unit="ops",
            queries={
                "{{cluster}} {{name}} retries": BY_OUTPUT % "retries",
                "{{cluster}} {{name}} errors": BY_OUTPUT % "errors",
            },
        ),
        Panel(
            title="Lost, in an hour",
            unit="short",
            width=12,
            queries={
                "{{cluster}} chunks evicted": LOST % "logs_evicted",
                "{{cluster}} files given up": LOST % "logs_quarantined",
                "{{cluster}} files that stopped": LOST % "file_stopped",
            },
        ),
        Panel(
            title="Uploads that failed, and waits for room, in an hour",
            unit="short",
            width=12,
            queries={
                "{{cluster}} uploads": LOST % "put_failed",
                "{{cluster}} waits for room": LOST % "store_full",
            },
        ),
    ),
)

EVENT_LOGS = Row(
    title="Event logs",
    panels=(
        Panel(
            title="The one that is furthest behind",
            unit="s",
            queries={"{{cluster}}": "max by (cluster) (moka:event_logs:behind_seconds{$scope})"},
        ),
        Panel(
            title="Bytes uploaded",
            unit="Bps",
            queries={"{{cluster}}": "sum by (cluster) (moka:event_logs:bytes_rate{$scope})"},
        ),
        Panel(
            title="Events that drivers dropped, a second",
            unit="ops",
            queries={"{{cluster}}": "sum by (cluster) (moka:events:dropped_rate{$scope})"},
        ),
    ),
)

DASHBOARD = Dashboard(name="logs", title="moka / Logs", rows=(FLOW, EVENT_LOGS))
