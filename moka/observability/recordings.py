"""What is computed once a minute, as dashboards that ask for it would read the series of thousands of pods.

Names are `moka:<of what>:<what>`: https://prometheus.io/docs/practices/rules/. Each keeps the labels by which
dashboards choose, and none that comes and goes with an application.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from moka.metric_prefixes import EVENT_LOG_UPLOADER

ORIGIN = "environment, cluster"
OF_QUEUE = f"by ({ORIGIN}, namespace, queue, tier)"
STATE = "moka_spark_application_state_info"
BEGUN = f'{STATE}{{state=~"RUNNING|SUCCEEDING|COMPLETED|FAILING|FAILED"}}'
OF_JOBS = 'application!=""'


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A series that is computed from others; `labels` are those that it has."""

    name: str
    expression: str
    labels: tuple[str, ...] = ("environment", "cluster", "namespace", "queue", "tier")

    def as_rule(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        return {"record": self.name, "expr": self.expression}


RECORDINGS = (
    Recording(
        name="moka:applications:states",
        expression=f"count by ({ORIGIN}, namespace, queue, tier, state) ({STATE})",
        labels=("environment", "cluster", "namespace", "queue", "tier", "state"),
    ),
    Recording(
        name="moka:applications:longest_wait_seconds",
        expression=f"max {OF_QUEUE} (time() - moka_spark_application_created_seconds "
        f"unless on (cluster, namespace, application) {BEGUN})",
    ),
    Recording(
        name="moka:applications:attempts",
        expression=f"sum {OF_QUEUE} (moka_spark_application_submission_attempts)",
    ),
    Recording(name="moka:pods:cpu_usage", expression=f"sum {OF_QUEUE} (container_cpu_usage{{{OF_JOBS}}})"),
    Recording(
        name="moka:pods:memory_bytes",
        expression=f"sum {OF_QUEUE} (container_memory_working_set{{{OF_JOBS}}})",
    ),
    Recording(
        name="moka:executors:active_tasks", expression=f"sum {OF_QUEUE} (metrics_executor_activeTasks)"
    ),
    Recording(
        name="moka:tasks:failed_rate",
        expression=f"sum {OF_QUEUE} (rate(metrics_spark_driver_appStatus_tasks_failedTasks_Count[5m]))",
    ),
    Recording(
        name="moka:events:dropped_rate",
        expression=f"sum by ({ORIGIN}) (rate("
        "metrics_spark_driver_LiveListenerBus_queue_eventLog_numDroppedEvents_Count[5m]))",
        labels=("environment", "cluster"),
    ),
    *(
        Recording(
            name=f"moka:event_logs:{name}",
            expression=f"{how} by ({ORIGIN}) ({expression})",
            labels=("environment", "cluster"),
        )
        for name, how, expression in (
            ("behind_seconds", "max", f"{EVENT_LOG_UPLOADER}behind_seconds"),
            ("uploaders", "count", f"{EVENT_LOG_UPLOADER}behind_seconds"),
            ("puts_rate", "sum", f"rate({EVENT_LOG_UPLOADER}puts_total[5m])"),
            ("bytes_rate", "sum", f"rate({EVENT_LOG_UPLOADER}uploaded_bytes_total[5m])"),
            ("failures_rate", "sum", f"rate({EVENT_LOG_UPLOADER}failures_total[5m])"),
            ("dropped_files", "sum", f"{EVENT_LOG_UPLOADER}dropped_files_total"),
            (
                "credentials_failures_rate",
                "sum",
                f"rate({EVENT_LOG_UPLOADER}credentials_failures_total[5m])",
            ),
        )
    ),
    Recording(
        name="moka:pods:unschedulable",
        expression=f"sum by ({ORIGIN}, namespace) (kube_pod_status_unschedulable)",
        labels=("environment", "cluster", "namespace"),
    ),
    Recording(
        name="moka:containers:waiting",
        expression=f"sum by ({ORIGIN}, namespace, reason) (kube_pod_container_status_waiting_reason)",
        labels=("environment", "cluster", "namespace", "reason"),
    ),
    Recording(
        name="moka:containers:restarts",
        expression=f"sum by ({ORIGIN}, namespace, container) "
        "(increase(kube_pod_container_status_restarts_total[1h]))",
        labels=("environment", "cluster", "namespace", "container"),
    ),
    Recording(
        name="moka:drivers:last_ends",
        expression=f"sum by ({ORIGIN}, namespace, reason) "
        '(kube_pod_container_status_last_terminated_reason{reason!="Completed"})',
        labels=("environment", "cluster", "namespace", "reason"),
    ),
)


def as_yaml(recordings: Iterable[Recording]) -> str:
    """A file of rules: one group, evaluated once a minute."""
    group = {
        "name": "moka-recordings",
        "interval": "1m",
        "rules": [recording.as_rule() for recording in recordings],
    }
    return yaml.safe_dump({"groups": [group]}, sort_keys=False, width=1000)
