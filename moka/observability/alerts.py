"""The alerts, a row each. Metrics are called as their programs call them.

YuniKorn 1.8: apache/yunikorn-core: pkg/metrics/{queue,scheduler}.go. Spark Operator 2.5:
kubeflow/spark-operator: pkg/common/metrics.go. Celeborn 0.7: apache/celeborn: docs/monitoring.md.
Fluent Bit 5.1: https://docs.fluentbit.io/manual/administration/monitoring. Traefik 3:
https://doc.traefik.io/traefik/observability/metrics/overview/. Collectors: their own telemetry.
"""

from moka.observability.rule import Alert

DAY = 86_400

VCORES = 'yunikorn_queue_resource{resource="vcore",state="%s"}'
QUEUE = "by (cluster, queue)"
STATE = "moka_spark_application_state_info"
STARTED = f'{STATE}{{state=~"RUNNING|SUCCEEDING|COMPLETED|FAILING|FAILED"}}'
WAITING = (
    'max by (cluster, namespace, queue) (time() - moka_spark_application_created_seconds{tier="1"} '
    f"unless on (cluster, namespace, application) {STARTED})"
)
OPERATOR_LATENCY = "spark_application_submit_latency_seconds_histogram_bucket"

ALERTS = (
    Alert(
        name="QueueStarved",
        expression=f"(sum {QUEUE} ({VCORES % 'pending'}) > 0) and {QUEUE.replace('by', 'on')} "
        f"(sum {QUEUE} ({VCORES % 'allocated'}) < 0.9 * sum {QUEUE} ({VCORES % 'guaranteed'}))",
        minutes=15,
        severity="warning",
        service="yunikorn",
        summary="{{ $labels.queue }} on {{ $labels.cluster }} waits with less than it is guaranteed.",
    ),
    Alert(
        name="Tier1Waits",
        expression=f"{WAITING} > 300",
        minutes=2,
        severity="critical",
        service="yunikorn",
        summary="A job of tier 1 in {{ $labels.queue }} on {{ $labels.cluster }} has waited for "
        "{{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="SchedulerDown",
        expression='count by (cluster) (up{job="kube-state-metrics"}) '
        'unless on (cluster) (up{job="yunikorn"} == 1)',
        minutes=5,
        severity="critical",
        service="yunikorn",
        summary="Nobody places the pods of jobs on {{ $labels.cluster }}.",
    ),
    Alert(
        name="FinalizersStuck",
        expression="moka_driver_finalizer_longest_wait_seconds > 900 "
        "or rate(moka_driver_finalizer_failures_total[10m]) > 0.1",
        minutes=10,
        severity="warning",
        service="driver-finalizer",
        summary="Ended drivers on {{ $labels.cluster }} are not let go.",
    ),
    Alert(
        name="OperatorBacklog",
        expression='sum by (cluster) (workqueue_depth{name="spark-application-controller"}) > 500 or '
        f"histogram_quantile(0.9, sum by (cluster, le) (rate({OPERATOR_LATENCY}[10m]))) > 120",
        minutes=10,
        severity="critical",
        service="spark-operator",
        summary="The Spark Operator on {{ $labels.cluster }} is behind with submitting jobs.",
    ),
    Alert(
        name="CelebornWorkerLost",
        expression='max by (cluster) (metrics_LostWorkerCount_Value{role="Master"} '
        '+ metrics_ExcludedWorkerCount_Value{role="Master"}) > 0',
        minutes=5,
        severity="warning",
        service="celeborn",
        summary="{{ $value }} workers of Celeborn on {{ $labels.cluster }} are lost or excluded.",
    ),
    Alert(
        name="CelebornWorkersLost",
        expression='max by (cluster) (metrics_LostWorkerCount_Value{role="Master"} '
        '+ metrics_ExcludedWorkerCount_Value{role="Master"}) '
        '> 0.2 * max by (cluster) (metrics_WorkerCount_Value{role="Master"})',
        minutes=5,
        severity="critical",
        service="celeborn",
        summary="A fifth of Celeborn's workers on {{ $labels.cluster }} is lost or excluded.",
    ),
    Alert(
        name="LogsLost",
        expression="sum by (cluster, node) (increase(fluentbit_output_retries_failed_total[15m]) "
        "+ increase(fluentbit_output_dropped_records_total[15m])) > 0",
        minutes=0,
        severity="critical",
        service="fluent-bit",
        summary="Logs of {{ $labels.node }} on {{ $labels.cluster }} did not reach S3 and will not.",
    ),
    Alert(
        name="EventLogLate",
        expression="moka_event_log_uploader_behind_seconds > 60",
        minutes=2,
        severity="warning",
        service="event-log-uploader",
        summary="The event log of {{ $labels.application }} on {{ $labels.cluster }} is "
        "{{ $value | humanizeDuration }} behind.",
    ),
    Alert(
        name="HistoryScanSlow",
        expression="moka_history_gate_scan_age_seconds > 2 * moka_history_gate_scan_interval_seconds + 300",
        minutes=5,
        severity="warning",
        service="history",
        summary="The History Server's last scan is {{ $value | humanizeDuration }} old.",
    ),
    Alert(
        name="CertificateNearItsEnd",
        expression=f"traefik_tls_certs_not_after - time() < {21 * DAY}",
        minutes=60,
        severity="warning",
        service="ingress",
        summary="A certificate of {{ $labels.cluster }} ends in {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="MetricsLost",
        # With or without the suffix, as the collector's version has it.
        expression="sum by (cluster, job) (rate("
        '{__name__=~"otelcol_exporter_(send|enqueue)_failed_metric_points(_total)?"}[5m])) > 0',
        minutes=5,
        severity="warning",
        service="metrics",
        summary="{{ $labels.job }} on {{ $labels.cluster }} loses metrics.",
    ),
    Alert(
        name="CollectorQueueFull",
        expression="otelcol_exporter_queue_size > 0.8 * otelcol_exporter_queue_capacity",
        minutes=5,
        severity="critical",
        service="metrics",
        summary="{{ $labels.pod }} on {{ $labels.cluster }} has hardly room for what it cannot send.",
    ),
    Alert(
        name="ScrapeRefused",
        expression='up{job!~"drivers|executors|event-logs"} == 0',
        minutes=10,
        severity="warning",
        service="metrics",
        summary="{{ $labels.job }} on {{ $labels.cluster }} cannot be read.",
    ),
    Alert(
        name="KubeStateMetricsDown",
        expression='absent(up{job="kube-state-metrics"} == 1)',
        minutes=10,
        severity="critical",
        service="metrics",
        summary="Nothing is known of the objects of a cluster: most other alerts are blind.",
    ),
)
