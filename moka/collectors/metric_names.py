"""What is collected, by name: relabeling keeps these, dashboards and alerts ask for them, series are counted.

A name is as in the store: as its program has it, and underscores for dots in what collectors measure.
"""

from collections.abc import Mapping

from moka import metric_prefixes
from moka.collectors.source import Source, histogram, prefixed

SPARK = "the pages of a driver of Spark 4.1.4: tests/support/expositions/spark-*.prom"
KUBELET = (
    "https://github.com/open-telemetry/opentelemetry-collector-contrib/blob/v0.149.0/receiver/"
    "kubeletstatsreceiver/documentation.md"
)
HOST = (
    "https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/v0.149.0/receiver/"
    "hostmetricsreceiver/internal/scraper"
)
OBJECTS = "https://github.com/kubernetes/kube-state-metrics/tree/v2.20.0/docs/metrics"
YUNIKORN = "https://github.com/apache/yunikorn-core/tree/v1.8.0/pkg/metrics"
OPERATOR = "https://github.com/kubeflow/spark-operator/blob/v2.5.2/pkg/common/metrics.go"
CELEBORN = "https://github.com/apache/celeborn/blob/v0.7.0/assets/grafana/celeborn-dashboard.json"
FLUENT_BIT = "https://docs.fluentbit.io/manual/administration/monitoring"
TELEMETRY = "https://opentelemetry.io/docs/collector/internal-telemetry/"

DRIVER = Source(
    per="application",
    page=SPARK,
    metrics=prefixed(
        "metrics_spark_driver_",
        "DAGScheduler_job_activeJobs_Value",
        *prefixed("DAGScheduler_stage_", "failedStages_Value", "runningStages_Value", "waitingStages_Value"),
        *prefixed("appStatus_tasks_", "completedTasks_Count", "failedTasks_Count", "killedTasks_Count"),
        *prefixed("jvm_heap_", "used_Value", "max_Value"),
        "LiveListenerBus_queue_appStatus_numDroppedEvents_Count",
        "LiveListenerBus_queue_eventLog_numDroppedEvents_Count",
        *prefixed(
            "ExecutorAllocationManager_executors_",
            "numberAllExecutors_Value",
            "numberTargetExecutors_Value",
            "numberMaxNeededExecutors_Value",
        ),
    ),
)

EXECUTORS = Source(
    per="application",
    page=SPARK,
    metrics=prefixed(
        "metrics_executor_",
        *("activeTasks", "maxTasks", "memoryUsed_bytes", "maxMemory_bytes", "diskUsed_bytes"),
        *("totalDuration_seconds_total", "totalGCTime_seconds_total"),
        *("totalShuffleRead_bytes_total", "totalShuffleWrite_bytes_total", "JVMHeapMemory_bytes"),
    ),
)

UPLOADER = Source(
    per="application",
    page="services/event_log_uploader/endpoint.py",
    metrics=prefixed(
        metric_prefixes.EVENT_LOG_UPLOADER,
        *("behind_seconds", "puts_total", "uploaded_bytes_total", "failures_total"),
        *("credentials_failures_total", "dropped_files_total"),
    ),
)

YUNIKORN_QUEUES = Source(
    per="queue", page=YUNIKORN, metrics=("yunikorn_queue_app", "yunikorn_queue_resource")
)

YUNIKORN_SCHEDULER = Source(
    per="cluster",
    page=YUNIKORN,
    metrics=(
        *prefixed(
            "yunikorn_scheduler_",
            *("application_submission_total", "application_total"),
            *("container_allocation_attempt_total", "node"),
        ),
        *histogram(
            "yunikorn_scheduler_scheduling_latency_milliseconds",
            "yunikorn_scheduler_trypreemption_latency_milliseconds",
        ),
    ),
)

COLLECTOR = Source(
    per="cluster",
    page=TELEMETRY,
    metrics=prefixed(
        "otelcol_",
        *("exporter_queue_size", "exporter_queue_capacity"),
        # With or without what says their kind and unit, as the collector's version has it.
        *(
            name + suffix
            for name in (
                *prefixed("exporter_", "sent", "send_failed", "enqueue_failed"),
                *prefixed("receiver_", "accepted", "refused"),
            )
            for suffix in ("_metric_points", "_metric_points_total")
        ),
        *("process_memory_rss", "process_memory_rss_bytes"),
    ),
)

KUBE_STATE_METRICS_OWN = Source(
    per="cluster", page=OBJECTS, metrics=("kube_state_metrics_list_total", "kube_state_metrics_watch_total")
)

APPLICATIONS = Source(
    per="application",
    page="charts-values/kube-state-metrics.yaml",
    metrics=prefixed(
        "moka_spark_application_",
        *("state_info", "created_seconds", "submission_attempts"),
    ),
)

NODE_OBJECTS = Source(
    per="node",
    page=OBJECTS,
    metrics=prefixed(
        "kube_node_",
        *("info", "labels", "status_condition", "status_allocatable", "spec_unschedulable", "spec_taint"),
    ),
)

WORKLOADS = Source(
    per="cluster",
    page=OBJECTS,
    metrics=prefixed(
        "kube_",
        *prefixed("deployment_", "spec_replicas", "status_replicas_available"),
        *prefixed("daemonset_status_", "desired_number_scheduled", "number_ready"),
        *prefixed("statefulset_", "replicas", "status_replicas_ready"),
        "persistentvolumeclaim_info",
        *prefixed("poddisruptionbudget_status_", "pod_disruptions_allowed", "desired_healthy"),
        "resourcequota",
    ),
)

PODS = Source(
    per="pod",
    page=OBJECTS,
    metrics=prefixed(
        "kube_pod_",
        "status_unschedulable",
        *prefixed("container_status_", "restarts_total", "waiting_reason", "last_terminated_reason"),
    ),
)

PODS_OF_NODES = Source(
    per="node",
    page="kube_pod_info, which scrapers add up (opentelemetry-scraper.yaml)",
    metrics=("moka_pods",),
)

NODES = Source(
    per="node",
    page=KUBELET,
    metrics=prefixed(
        "k8s_node_",
        *("cpu_usage", "memory_working_set", "filesystem_available", "filesystem_capacity"),
        *("network_io", "network_errors"),
    ),
)

HOSTS = Source(
    per="node",
    page=HOST,
    metrics=prefixed(
        "system_",
        *("cpu_time", "cpu_load_average_1m", "cpu_load_average_5m", "cpu_load_average_15m"),
        *("memory_usage", "disk_io", "disk_operations", "disk_io_time", "filesystem_usage"),
    ),
)

CONTAINERS = Source(
    per="pod",
    page=KUBELET,
    metrics=prefixed("container_", "cpu_usage", "memory_working_set", "filesystem_usage"),
)

CELEBORN_MEMBERS = Source(
    per="worker",
    page=CELEBORN,
    metrics=(
        *prefixed(
            "metrics_",
            *("WorkerCount_Value", "LostWorkerCount_Value", "ExcludedWorkerCount_Value"),
            *("ShutdownWorkerCount_Value", "AvailableWorkerCount_Value", "IsActiveMaster_Value"),
            *("RegisteredShuffleCount_Value", "ActiveShuffleSize_Value"),
            *("DeviceCelebornFreeBytes_Value", "DeviceCelebornTotalBytes_Value"),
            *("PausePushDataStatus_Value", "PausePushDataAndReplicateStatus_Value"),
            *("PrimaryPushDataTime_Mean", "PrimaryPushDataTime_Max"),
            *("FetchChunkTransferTime_Mean", "FetchChunkTransferTime_Max"),
            *("FlushLocalDataTime_Mean", "FlushLocalDataTime_Max"),
            *("WriteDataFailCount_Count", "ReplicateDataFailCount_Count"),
            *("ShuffleFallbackCount_Value", "ShuffleTotalCount_Value"),
        ),
    ),
)

FLUENT_BIT_PODS = Source(
    per="node",
    page=FLUENT_BIT,
    metrics=(
        *prefixed("fluentbit_input_", "records_total", "bytes_total", "multiline_truncated_total"),
        *prefixed(
            "fluentbit_output_",
            *("proc_records_total", "proc_bytes_total", "errors_total", "retries_total"),
            *("retries_failed_total", "dropped_records_total", "chunk_available_capacity_percent"),
        ),
        # What its own log says, counted: charts-values/fluent-bit.yaml.
        *prefixed(
            "log_metric_counter_",
            *("logs_evicted", "logs_quarantined", "store_full", "put_failed", "uploaded", "file_stopped"),
        ),
    ),
)

SOURCES: Mapping[str, Source] = {
    "nodes": NODES,
    "hosts": HOSTS,
    "containers": CONTAINERS,
    "node objects": NODE_OBJECTS,
    "workloads": WORKLOADS,
    "pods": PODS,
    "pods of nodes": PODS_OF_NODES,
    "applications": APPLICATIONS,
    "drivers": DRIVER,
    "executors": EXECUTORS,
    "event-log uploader": UPLOADER,
    "queues": YUNIKORN_QUEUES,
    "scheduler": YUNIKORN_SCHEDULER,
    "collectors": COLLECTOR,
    "kube-state-metrics": KUBE_STATE_METRICS_OWN,
    "scrapes": Source(
        per="cluster",
        page="https://prometheus.io/docs/concepts/jobs_instances/",
        metrics=("up",),
    ),
    "spark-operator": Source(
        per="namespace",
        page=OPERATOR,
        metrics=(
            *prefixed(
                "spark_application_",
                *("submit_count", "failed_submission_count", "running_count"),
                *("success_count", "failure_count"),
            ),
            *histogram(
                "spark_application_submit_latency_seconds_histogram",
                "spark_application_start_latency_seconds_histogram",
            ),
            "workqueue_depth",
            *histogram("workqueue_queue_duration_seconds"),
            "controller_runtime_reconcile_errors_total",
        ),
    ),
    "load-balancer-controller": Source(
        per="cluster",
        page="https://book.kubebuilder.io/reference/metrics-reference, as its errors",
        metrics=("controller_runtime_reconcile_total",),
    ),
    "celeborn": CELEBORN_MEMBERS,
    "fluent-bit": FLUENT_BIT_PODS,
    "driver-finalizer": Source(
        per="cluster",
        page="services/driver_finalizer",
        metrics=prefixed(
            metric_prefixes.DRIVER_FINALIZER,
            *(
                "namespaces",
                "held",
                "waiting",
                "longest_wait_seconds",
                "released_total",
                "failures_total",
                "lost_bindings_total",
            ),
        ),
    ),
    "queue-keeper": Source(
        per="cluster",
        page="services/queue_keeper",
        metrics=prefixed(
            metric_prefixes.QUEUE_KEEPER,
            *("behind_seconds", "capacity_share", "written_total", "failures_total"),
            *("plan_revision", "amounts_left_out", "other_settings"),
        ),
    ),
    "usage-recorder": Source(
        per="cluster",
        page="services/usage_recorder/measures.py",
        metrics=prefixed(
            metric_prefixes.USAGE_RECORDER,
            *("behind_events", "behind_seconds", "saved_age_seconds", "held_intervals", "running"),
            *("standing_by", "intervals_total", "gaps_total", "parts_total", "bytes_total"),
            *("days_joined_total", "summary_objects_total", "oddities_total", "failures_total"),
        ),
    ),
    "ui-gateway": Source(
        per="cluster",
        page="services/ui_gateway",
        metrics=(
            *prefixed(
                metric_prefixes.UI_GATEWAY,
                *("requests_total", "questions_failed_total", "links_put_total", "link_failures_total"),
                "logins_total",
                *("drivers", "watch_idle_seconds"),
            ),
            *histogram(f"{metric_prefixes.UI_GATEWAY}request_seconds"),
        ),
    ),
    "archer": Source(
        per="cluster",
        page="services/archer/service",
        metrics=(
            *prefixed(
                metric_prefixes.ARCHER,
                *("requests_total", "submissions_total", "waits", "database_silent_seconds"),
            ),
            *histogram(f"{metric_prefixes.ARCHER}request_seconds"),
        ),
    ),
    "archer-worker": Source(
        per="cluster",
        page="services/archer/worker",
        metrics=prefixed(
            metric_prefixes.ARCHER_WORKER,
            *("jobs", "oldest_seconds", "waiting_seconds", "attempts_total", "status_lag_seconds"),
            *("breaker_open", "cordoned", "warnings_total"),
            *("leases", "unfollowed", "watch_idle_seconds", "database_silent_seconds"),
            "amounts_behind_seconds",
        ),
    ),
    "archer-keeper": Source(
        per="cluster",
        page="services/archer/keeper",
        metrics=prefixed(
            metric_prefixes.ARCHER_KEEPER,
            *("months_ahead", "months_due", "failures_total", "round_age_seconds"),
        ),
    ),
    "allocator": Source(
        per="cluster",
        page="services/allocator/measures.py",
        metrics=prefixed(
            "moka_allocator_",
            *("started_seconds", "last_plan_seconds", "last_success_seconds", "last_failure_seconds"),
            *("in_force_seconds", "attempts_total", "failing", "says", "refused_total"),
            *("workflows_proposed_total", "plan_seconds", "plan_gap_ratio", "report_day_seconds"),
        ),
    ),
    # The allocator has them, too.
    "usage report": Source(
        per="cluster",
        page="moka/usage/report/metrics.py",
        metrics=prefixed(
            metric_prefixes.USAGE_REPORT,
            *("day_seconds", "known_ratio", "capacity", "hours", "share_ratio", "peak_ratio", "idle_ratio"),
            *("workflows_judged", "workflows_successful", "runs_judged", "runs_in_time", "kind_hours"),
            *("cost_usd", "recommendations"),
        ),
    ),
    "history-gate": Source(
        per="cluster",
        page="services/history_gate",
        metrics=prefixed(
            metric_prefixes.HISTORY_GATE,
            *("joined_total", "join_failures_total", "open_logs", "oldest_open_seconds"),
            *("opened_hot_total", "opened_archive_total", "still_running_total", "not_found_total"),
            *("server_errors_total", "being_read"),
            *("scan_age_seconds", "scan_interval_seconds", "hot_logs"),
            *("unlisted_share", "left_out", "relisted_total"),
        ),
    ),
    "ingress": Source(
        per="cluster",
        page="https://doc.traefik.io/traefik/observability/metrics/overview/",
        metrics=(
            *prefixed("traefik_", "tls_certs_not_after", "entrypoint_requests_total", "open_connections"),
            *histogram("traefik_entrypoint_request_duration_seconds"),
        ),
    ),
    "store": Source(
        per="cluster",
        page="https://prometheus.io/docs/prometheus/latest/storage/, and its own page of metrics",
        metrics=(
            "prometheus_tsdb_head_series",
            "prometheus_tsdb_storage_blocks_bytes",
            "prometheus_tsdb_retention_limit_bytes",
            "prometheus_rule_evaluation_failures_total",
            "ALERTS",
        ),
    ),
    "settings": Source(
        per="cluster",
        page="moka/observability/limits.py",
        metrics=(
            *("moka_cluster", "moka_archer", "moka_plans_by_itself"),
            *("moka_pod_addresses", "moka_store_series"),
        ),
    ),
}
"""Everything, by whose it is."""

KEPT_OBJECTS = (
    *NODE_OBJECTS.metrics,
    *WORKLOADS.metrics,
    *PODS.metrics,
    "kube_pod_info",
    *APPLICATIONS.metrics,
)
"""What kube-state-metrics makes: twelve pods of thirteen are of jobs, and come and go."""


def source_of(metric: str) -> Source | None:
    """Whose a metric is; None for one that is not collected."""
    return next((source for source in SOURCES.values() if metric in source.metrics), None)
