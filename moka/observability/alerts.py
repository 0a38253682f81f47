"""The alerts, a row each. Metrics are called as their programs call them.

YuniKorn 1.8: apache/yunikorn-core: pkg/metrics/{queue,scheduler}.go. Spark Operator 2.5:
kubeflow/spark-operator: pkg/common/metrics.go. Celeborn 0.7: apache/celeborn: docs/monitoring.md.
Fluent Bit 5.1: https://docs.fluentbit.io/manual/administration/monitoring, and what it counts of its own log
(charts-values/fluent-bit/pipeline.yaml). Traefik 3:
https://doc.traefik.io/traefik/observability/metrics/overview/. Collectors: their own telemetry.
`moka_cluster`, `moka_archer`, `moka_plans_by_itself`, `moka_pod_addresses`, `moka_store_series` are of the
settings: moka/observability/limits.py.
"""

from moka.metric_prefixes import ALLOCATOR, ARCHER
from moka.metric_prefixes import ARCHER_KEEPER as KEEPER
from moka.metric_prefixes import ARCHER_WORKER as WORKER
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

LOAD_BALANCER_RECONCILES = (
    'controller_runtime_reconcile_%s{job="aws-load-balancer-controller",controller="service"}'
)
LOAD_BALANCER_SUCCESSES = LOAD_BALANCER_RECONCILES.replace("}", ',result="success"}') % "total"

NODE = "by (cluster, node)"


def risen(counter: str, grouping: str, time: str) -> str:
    """A counter that rose in this time, or is new: Fluent Bit's begin with the first that they count."""
    return (
        f"sum {grouping} (increase({counter}[{time}])) > 0 "
        f"or sum {grouping} ({counter} unless {counter} offset {time}) > 0"
    )


def growth(counter: str, window: str) -> str:
    """By how much a counter grew, in clusters where it did; it is there from the beginning.

    window: such as `[20m] offset 20m`.
    """
    return f"sum by (cluster) (increase({counter}{window})) > 0"


def no_archer(job: str) -> str:
    """A home cluster where nothing of this job of Archer's is read, be it there or not."""
    return f'moka_archer unless on (cluster) (up{{job="{job}"}} == 1)'


# What the database knows every worker of Archer tells, so the most that any says counts.
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
        name="QueuesBehind",
        expression="moka_queue_keeper_behind_seconds > 300",
        minutes=5,
        severity="warning",
        service="queue-keeper",
        summary="Queues on {{ $labels.cluster }} are not what schedules leave, for "
        "{{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="QueueKeeperDown",
        expression='max by (cluster) (kube_deployment_spec_replicas{deployment="queue-keeper"}) '
        'unless on (cluster) (up{job="queue-keeper"} == 1)',
        minutes=10,
        severity="warning",
        service="queue-keeper",
        summary="Nobody keeps the queues on {{ $labels.cluster }} to what schedules leave.",
    ),
    Alert(
        name="AmountsLeftOut",
        expression="moka_queue_keeper_amounts_left_out > 0",
        minutes=60,
        severity="warning",
        service="queue-keeper",
        summary="The settings of {{ $labels.cluster }} leave no room for {{ $value }} amounts of the plan in "
        "force.",
    ),
    Alert(
        name="UsageBehind",
        expression="moka_usage_recorder_behind_seconds > 300 or moka_usage_recorder_saved_age_seconds > 1200",
        minutes=5,
        severity="warning",
        service="usage-recorder",
        summary="What is used on {{ $labels.cluster }} is not recorded for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="UsageGap",
        expression="increase(moka_usage_recorder_gaps_total[1h]) > 0",
        minutes=0,
        severity="warning",
        service="usage-recorder",
        summary="Of some time of the last hour it is not known what was used on {{ $labels.cluster }}.",
    ),
    Alert(
        name="UsageRecorderDown",
        expression='max by (cluster) (kube_deployment_spec_replicas{deployment="usage-recorder"}) '
        'unless on (cluster) (up{job="usage-recorder"} == 1) '
        # Where it may not write it is started anew every few minutes, and has its gauges from the beginning.
        "or min by (cluster) (min_over_time(moka_usage_recorder_standing_by[20m])) == 1",
        minutes=10,
        severity="warning",
        service="usage-recorder",
        summary="Nobody records what is used on {{ $labels.cluster }}.",
    ),
    Alert(
        name="NoPlan",
        # Of two nights. One that never made any counts from its start.
        expression="time() - max by (cluster) "
        f"(({ALLOCATOR}last_success_seconds != 0) or {ALLOCATOR}started_seconds) > {2 * DAY}",
        minutes=60,
        severity="warning",
        service="allocator",
        summary="No plan was made on {{ $labels.cluster }} for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="AllocatorFails",
        expression=f"max by (cluster, of, why) ({ALLOCATOR}failing) > 0",
        minutes=60,
        severity="warning",
        service="allocator",
        summary="No {{ $labels.of }} is made on {{ $labels.cluster }}: {{ $labels.why }}.",
    ),
    Alert(
        name="AllocatorDown",
        expression='max by (cluster) (kube_deployment_spec_replicas{deployment="allocator"}) '
        'unless on (cluster) (up{job="allocator"} == 1)',
        minutes=60,
        severity="warning",
        service="allocator",
        summary="Nobody makes plans on {{ $labels.cluster }}.",
    ),
    Alert(
        name="PlanOld",
        expression=f"time() - max by (cluster) ({ALLOCATOR}in_force_seconds != 0) > {7 * DAY} "
        "and on (cluster) moka_plans_by_itself",
        minutes=60,
        severity="warning",
        service="allocator",
        summary="The plan in force of {{ $labels.cluster }} is {{ $value | humanizeDuration }} old: those of "
        "the nights wait for a person.",
    ),
    Alert(
        name="FinalizersStuck",
        expression="moka_driver_finalizer_longest_wait_seconds > 900 "
        "or rate(moka_driver_finalizer_failures_total[10m]) > 0.1",
        minutes=10,
        severity="warning",
        service="driver-finalizer",
        summary="The finalizers of ended drivers on {{ $labels.cluster }} are not removed.",
    ),
    Alert(
        name="OperatorBacklog",
        expression='sum by (cluster) (workqueue_depth{name="sparkapplication"}) > 500 or '
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
        expression=f"({risen('log_metric_counter_logs_evicted', NODE, '15m')}) "
        f"or ({risen('log_metric_counter_logs_quarantined', NODE, '15m')})",
        minutes=0,
        severity="critical",
        service="fluent-bit",
        summary="Logs of {{ $labels.node }} on {{ $labels.cluster }} were lost before they reached S3.",
    ),
    Alert(
        name="LogsLate",
        expression=f"min {NODE} "
        '(fluentbit_output_chunk_available_capacity_percent{name=~"drivers|executors"}) < 90',
        minutes=10,
        severity="warning",
        service="fluent-bit",
        summary="Logs of jobs on {{ $labels.node }} of {{ $labels.cluster }} wait on the node for S3.",
    ),
    Alert(
        name="LogsNotUploaded",
        expression=f"({risen('log_metric_counter_put_failed', NODE, '15m')}) unless on (cluster, node) "
        f"({risen('log_metric_counter_uploaded', NODE, '15m')})",
        minutes=5,
        severity="critical",
        service="fluent-bit",
        summary="No log of {{ $labels.node }} on {{ $labels.cluster }} has come to S3 for 15 minutes.",
    ),
    Alert(
        name="LogsUnknown",
        expression=f'sum {NODE} (increase(fluentbit_output_proc_records_total{{name="unknown"}}[15m])) > 0',
        minutes=5,
        severity="warning",
        service="fluent-bit",
        summary="Logs of {{ $labels.node }} on {{ $labels.cluster }} are kept without the name of their job.",
    ),
    Alert(
        name="LogsStopped",
        expression=f"({risen('log_metric_counter_file_stopped', NODE, '1h')}) "
        f"or (sum {NODE} (increase(fluentbit_input_multiline_truncated_total[1h])) > 0)",
        minutes=0,
        severity="warning",
        service="fluent-bit",
        summary="A log on {{ $labels.node }} of {{ $labels.cluster }} has lines that are too long.",
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
        expression="max by (cluster) (moka_history_gate_scan_age_seconds) "
        "> 2 * max by (cluster) (moka_history_gate_scan_interval_seconds) + 300",
        minutes=5,
        severity="warning",
        service="history",
        summary="The last scan of the History Server on {{ $labels.cluster }} was long ago.",
    ),
    Alert(
        name="HistoryListLost",
        expression="max by (cluster) (moka_history_gate_unlisted_share) > 0.2",
        minutes=10,
        severity="warning",
        service="history",
        summary="The History Server of {{ $labels.cluster }} has lost {{ $value | humanizePercentage }} of "
        "its list.",
    ),
    # Of ACM's there is no series: docs/operations/alerts.md.
    Alert(
        name="EventLogsNotJoined",
        # A round a minute joins at 15 minutes of silence: services/history_gate/keeper.py.
        expression="max by (cluster) (moka_history_gate_oldest_open_seconds) > 1500 "
        "or sum by (cluster) (increase(moka_history_gate_join_failures_total[15m])) > 0",
        minutes=5,
        severity="warning",
        service="history",
        summary="Logs of killed drivers are not joined by the history gate of {{ $labels.cluster }}.",
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
        name="AddressesLow",
        # The VPC CNI takes addresses in blocks of 16 (moka/machines/pod_addresses.py).
        expression="sum by (cluster) (16 * ceil("
        'sum by (cluster, node) (moka_pods{host_network="false"}) / 16)) '
        "> 0.85 * max by (cluster) (moka_pod_addresses)",
        minutes=15,
        severity="warning",
        service="network",
        summary="Pods of {{ $labels.cluster }} have taken {{ $value }} addresses: nodes will soon find none.",
    ),
    Alert(
        name="PolicyAgentsGrow",
        expression="count by (cluster) ("
        'container_memory_working_set{namespace="kube-system",container="aws-eks-nodeagent"} > 1024 ^ 3)',
        minutes=30,
        severity="warning",
        service="network",
        summary="On {{ $value }} nodes of {{ $labels.cluster }} the agent of network policies has more than "
        "1 GiB of memory.",
    ),
    Alert(
        name="LoadBalancersFail",
        # Tried again after 1,000 s at the most (kubernetes/client-go: util/workqueue, the default of
        # controllers), so a fault that lasts is in each 20 minutes.
        expression=f"({growth(LOAD_BALANCER_RECONCILES % 'errors_total', '[20m]')}) "
        f"and ({growth(LOAD_BALANCER_RECONCILES % 'errors_total', '[20m] offset 20m')}) "
        f"unless ({growth(LOAD_BALANCER_SUCCESSES, '[20m]')})",
        minutes=5,
        severity="warning",
        service="ingress",
        summary="The load balancer of {{ $labels.cluster }} is not what its Service asks for.",
    ),
    Alert(
        name="GatewayDown",
        expression='max by (cluster) (up{job="ui-gateway"}) == 0',
        minutes=5,
        severity="critical",
        service="ui-gateway",
        summary="Nobody reaches the UIs of jobs on {{ $labels.cluster }}.",
    ),
    Alert(
        name="LoginIssuerAway",
        expression='sum by (cluster) (rate(moka_ui_gateway_logins_total{outcome="issuer-away"}[5m])) > 0',
        minutes=5,
        severity="warning",
        service="ui-gateway",
        summary="Nobody can log in to the pages of {{ $labels.cluster }}: the issuer does not answer.",
    ),
    Alert(
        name="ArcherDown",
        expression=no_archer("archer"),
        minutes=5,
        severity="critical",
        service="archer",
        summary="Nobody takes jobs in {{ $labels.environment }}.",
    ),
    Alert(
        name="ArcherWorkersDown",
        expression=no_archer("archer-worker"),
        minutes=5,
        severity="critical",
        service="archer",
        summary="Nobody brings jobs of {{ $labels.environment }} to clusters, nor follows them.",
    ),
    Alert(
        name="ArcherKeeperDown",
        expression=no_archer("archer-keeper"),
        minutes=60,
        severity="warning",
        service="archer",
        summary="Nobody keeps Archer's database in {{ $labels.environment }} in order.",
    ),
    Alert(
        name="ArcherDatabaseAway",
        # Both ask every few seconds: services/archer/service/surroundings.py, worker/worker.py.
        expression=f"max by (cluster) ({ARCHER}database_silent_seconds) > 60 "
        f"or max by (cluster) ({WORKER}database_silent_seconds) > 60",
        minutes=1,
        severity="critical",
        service="archer",
        summary="Archer's database on {{ $labels.cluster }} has not answered for "
        "{{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherFails",
        expression=f'sum by (cluster) (rate({ARCHER}requests_total{{status="5xx"}}[5m])) '
        f"> 0.01 * sum by (cluster) (rate({ARCHER}requests_total[5m]))",
        minutes=5,
        severity="critical",
        service="archer",
        summary="Archer on {{ $labels.cluster }} answers {{ $value }} requests a second with an error.",
    ),
    Alert(
        name="ArcherSlow",
        expression="histogram_quantile(0.99, sum by (cluster, le) "
        f"(rate({ARCHER}request_seconds_bucket[5m]))) > 1",
        minutes=10,
        severity="warning",
        service="archer",
        summary="One of a hundred requests to Archer on {{ $labels.cluster }} takes "
        "{{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherTier1Waits",
        expression=f'max by (cluster) ({WORKER}waiting_seconds{{tier="1"}}) > 300',
        minutes=2,
        severity="critical",
        service="archer",
        summary="A job of tier 1 has waited at Archer for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherQueueOld",
        expression=f'max by (cluster, tier) ({WORKER}waiting_seconds{{tier!="1"}}) > 3600',
        minutes=15,
        severity="warning",
        service="archer",
        summary="A job of tier {{ $labels.tier }} has waited at Archer for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherClaimsStuck",
        # A claim holds for a minute: services/archer/database/claims.py.
        expression=f'max by (cluster) ({WORKER}oldest_seconds{{state="submitting"}}) > 300',
        minutes=2,
        severity="warning",
        service="archer",
        summary="A job is being submitted since {{ $value | humanizeDuration }}: its worker does not live.",
    ),
    Alert(
        name="ArcherNotFollowed",
        expression=f"max by (cluster, target) ({WORKER}unfollowed) > 0",
        minutes=5,
        severity="critical",
        service="archer",
        summary="{{ $value }} namespaces of {{ $labels.target }} are followed by no worker.",
    ),
    Alert(
        name="ArcherStatusLate",
        expression=f"max by (cluster) ({WORKER}status_lag_seconds) > 60",
        minutes=5,
        severity="warning",
        service="archer",
        summary="Archer's status of some job is {{ $value | humanizeDuration }} behind.",
    ),
    Alert(
        name="ArcherWatchSilent",
        # A bookmark a minute, and 150 s of silence end a watch: services/common/watch.py.
        expression=f"max by (cluster, pod) ({WORKER}watch_idle_seconds) > 300",
        minutes=5,
        severity="warning",
        service="archer",
        summary="{{ $labels.pod }} follows by what it was told {{ $value | humanizeDuration }} ago.",
    ),
    Alert(
        name="ArcherClusterFails",
        expression=f"sum by (cluster, target) (rate({WORKER}warnings_total[10m])) * 60 > 12",
        minutes=10,
        severity="warning",
        service="archer",
        summary="{{ $labels.target }} gives Archer {{ $value }} errors a minute.",
    ),
    Alert(
        name="AmountsBehind",
        expression=f"max by (cluster, target) ({WORKER}amounts_behind_seconds) > 600",
        minutes=5,
        severity="warning",
        service="archer",
        summary="{{ $labels.target }} has not had the queues of the plan in force for "
        "{{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherBreakerOpen",
        # Closed for a moment at each trial.
        expression=f"max by (cluster, target) (max_over_time({WORKER}breaker_open[3m])) > 0",
        minutes=5,
        severity="critical",
        service="archer",
        summary="Archer leaves {{ $labels.target }} alone: its API server does not answer.",
    ),
    Alert(
        name="ArcherAttemptsLost",
        expression=f"sum by (cluster) (increase({WORKER}attempts_total"
        '{reason=~"driver lost|submission failed|application removed|namespace deleted"}[30m])) '
        f"> 0.1 * sum by (cluster) (increase({WORKER}attempts_total[30m]))",
        minutes=10,
        severity="warning",
        service="archer",
        summary="{{ $value }} attempts of the last half hour ended by no fault of their jobs.",
    ),
    Alert(
        name="ArcherNotKept",
        # Three rounds: services/archer/keeper/keeper.py.
        expression=f"max by (cluster) ({KEEPER}round_age_seconds) > {3 * 3600}",
        minutes=5,
        severity="warning",
        service="archer",
        summary="No round of Archer's keeper has come to its end for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="ArcherMonthMissing",
        expression=f"min by (cluster) ({KEEPER}months_ahead) < 1",
        minutes=5,
        severity="critical",
        service="archer",
        summary="Archer's database on {{ $labels.cluster }} has no place for the jobs of next month.",
    ),
    Alert(
        name="ArcherHistoryLate",
        expression=f"max by (cluster) ({KEEPER}months_due) > 0",
        minutes=60,
        severity="warning",
        service="archer",
        summary="{{ $value }} months of jobs are still in Archer's database and should be in S3.",
    ),
    Alert(
        name="SlosMissed",
        # As moka/usage/report/rules.py aims.
        expression="sum by (environment, target, tier) (moka_usage_workflows_successful) < 0.9 * "
        "sum by (environment, target, tier) (moka_usage_workflows_judged)",
        minutes=15,
        severity="warning",
        service="usage",
        summary="Only {{ $value }} workflows of tier {{ $labels.tier }} on {{ $labels.target }} kept to "
        "their SLOs on the last day.",
    ),
    Alert(
        name="MetricsLost",
        # What the gateway could not send, it sends back, and the edges keep.
        expression=" or ".join(
            f"sum by (cluster, job) (rate(otelcol_exporter_{stage}_failed_metric_points_total"
            '{job!="opentelemetry-gateway"}[5m])) > 0'
            for stage in ("send", "enqueue")
        ),
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
        # A cluster is known by its settings, or where these are not recorded by whatever else is read there.
        expression="(moka_cluster or on (cluster) group by (cluster) (up)) "
        'unless on (cluster) (up{job="kube-state-metrics"} == 1) or absent(up)',
        minutes=10,
        severity="critical",
        service="metrics",
        summary="Nothing is known of the objects of {{ $labels.cluster }}: most other alerts are blind.",
    ),
    Alert(
        name="StoreNearlyFull",
        expression="prometheus_tsdb_storage_blocks_bytes > 0.9 * prometheus_tsdb_retention_limit_bytes",
        minutes=60,
        severity="warning",
        service="metrics",
        summary="The store of {{ $labels.cluster }} will drop what is younger than it should.",
    ),
    Alert(
        name="StoreTooManySeries",
        expression="prometheus_tsdb_head_series > on (cluster) 0.8 * max by (cluster) (moka_store_series)",
        minutes=15,
        severity="critical",
        service="metrics",
        summary="The store of {{ $labels.cluster }} has {{ $value }} series, and soon no memory for them.",
    ),
)
