"""Prometheus' own promtool judges the alerts: when each fires, what is just below, and when it is over."""

import subprocess

import pytest
import yaml

from localcloud import tools
from moka.observability.alerts import ALERTS
from moka.observability.rule import as_yaml

LENGTH, CHANGE, BEFORE, AFTER = 240, 90, 80, 230
"""Minutes: of a test, until what is wrong ends, and when it is looked at."""
A, MASTER = 'cluster="a"', 'cluster="a",role="Master"'
QUEUE = f'{A},queue="root.acme.etl.tier1"'
JOB = f'{A},namespace="jobs",application="etl",queue="root.acme.etl.tier1",tier="1"'
SUBMIT = "spark_application_submit_latency_seconds_histogram_bucket"
NODE = f'{A},node="n"'
FLUENT = f"log_metric_counter_%s{{{NODE}}}"
ROOM = f'fluentbit_output_chunk_available_capacity_percent{{{NODE},name="drivers"}}'
OUT = f'fluentbit_output_proc_records_total{{{NODE},name="%s"}}'
LOGINS = f'moka_ui_gateway_logins_total{{{A},outcome="%s"}}'
COLLECTOR = f'{A},job="opentelemetry-gateway",pod="g-0"'


def constant(value):
    """A series that stays, a sample a minute."""
    return f"{value}x{LENGTH}"


def then(first, second):
    """This until the change, then that."""
    return f"{first}x{CHANGE} {second}x{LENGTH}"


def then_only(minute, value):
    """A series that begins late."""
    return f"_x{minute} {value}x{LENGTH}"


def growing(a_minute, minutes=LENGTH):
    """A counter that grows, and then stays."""
    return f"0+{a_minute}x{minutes} {a_minute * minutes}x{LENGTH}"


def vcores(**amounts):
    """Cores of a queue by state, in thousandths."""
    return {
        f'yunikorn_queue_resource{{{QUEUE},resource="vcore",state="{state}"}}': values
        for state, values in amounts.items()
    }


def masters(lost, excluded=0, workers=10):
    return {
        f"metrics_LostWorkerCount_Value{{{MASTER}}}": lost,
        f"metrics_ExcludedWorkerCount_Value{{{MASTER}}}": constant(excluded),
        f"metrics_WorkerCount_Value{{{MASTER}}}": constant(workers),
    }


CREATED, STATE = (f"moka_spark_application_{name}{{{JOB}%s}}" for name in ("created_seconds", "state_info"))
WAIT = f"moka_driver_finalizer_longest_wait_seconds{{{A}}}"
LEFT_OUT = f"moka_queue_keeper_amounts_left_out{{{A}}}"
KEEPER_BEHIND = f"moka_queue_keeper_behind_seconds{{{A}}}"
KEEPERS = f'kube_deployment_spec_replicas{{{A},deployment="queue-keeper"}}'
RECORDER = f"moka_usage_recorder_%s{{{A}}}"
RECORDERS = f'kube_deployment_spec_replicas{{{A},deployment="usage-recorder"}}'
SUCCESS, STARTED, IN_FORCE = (
    f"moka_allocator_{name}_seconds{{{A}}}" for name in ("last_success", "started", "in_force")
)
FAILING = f'moka_allocator_failing{{{A},of="plan",why="archer"}}'
ALLOCATORS = f'kube_deployment_spec_replicas{{{A},deployment="allocator"}}'
BY_ITSELF = f"moka_plans_by_itself{{{A}}}"
BEHIND = f'moka_event_log_uploader_behind_seconds{{{A},application="etl"}}'
DEPTH = f'workqueue_depth{{{A},name="sparkapplication"}}'
SCAN, INTERVAL = (f"moka_history_gate_scan_{name}_seconds{{{A}}}" for name in ("age", "interval"))
OPEN = f"moka_history_gate_oldest_open_seconds{{{A}}}"
NOT_JOINED = f"moka_history_gate_join_failures_total{{{A}}}"
CERTIFICATE = f'traefik_tls_certs_not_after{{{A},cn="ui"}}'
FAILED = f'otelcol_exporter_send_failed_metric_points_total{{{A},job="opentelemetry-agent",pod="a-0"}}'
SENT_BACK = f"otelcol_exporter_send_failed_metric_points_total{{{COLLECTOR}}}"
SIZE, CAPACITY = (f"otelcol_exporter_queue_{name}{{{COLLECTOR}}}" for name in ("size", "capacity"))
PODS = f'moka_pods{{{A},node="n",namespace="jobs",host_network="false"}}'
UNLISTED = f"moka_history_gate_unlisted_share{{{A}}}"
AGENT = (
    f"container_memory_working_set{{{NODE},"
    'namespace="kube-system",pod="aws-node-x",container="aws-eks-nodeagent"}'
)
ADDRESSES, MOST_SERIES = (f"moka_{name}{{{A}}}" for name in ("pod_addresses", "store_series"))
STORE = f'{A},job="prometheus"'
BLOCKS = f"prometheus_tsdb_storage_blocks_bytes{{{STORE}}}"
ROOM_OF_STORE = f"prometheus_tsdb_retention_limit_bytes{{{STORE}}}"
SERIES = f"prometheus_tsdb_head_series{{{STORE}}}"
UP = 'up{cluster="a",job="%s"}'
OF_NLB = f'{A},job="aws-load-balancer-controller",controller="service"'
NLB = f"controller_runtime_reconcile_%s{{{OF_NLB}}}"
NLB_MADE = f'controller_runtime_reconcile_total{{{OF_NLB},result="success"}}'
DAY = 86_400
THERE = f"moka_archer{{{A}}}"
OLDEST = f'moka_archer_worker_oldest_seconds{{{A},state="%s"}}'
WAITS = f'moka_archer_worker_waiting_seconds{{{A},tier="%s"}}'
SILENT = f"moka_archer_%sdatabase_silent_seconds{{{A}}}"
REQUESTS = f'moka_archer_requests_total{{{A},operation="get_job",status="%s"}}'
REQUEST = f'moka_archer_request_seconds_bucket{{{A},le="%s"}}'
OF_CLUSTER = f'moka_archer_worker_%s{{{A},target="b"}}'
OF_WORKER = f'moka_archer_worker_%s{{{A},pod="w-0"}}'
WARNINGS = f'moka_archer_worker_warnings_total{{{A},target="b",what="not submitted"}}'
ENDED = f'moka_archer_worker_attempts_total{{{A},reason="%s"}}'
OF_DAY = f'moka_usage_workflows_%s{{{A},target="b",tier="1"}}'
OF_KEEPER = f"moka_archer_keeper_%s{{{A}}}"


def above(series, limit, least=1):
    """Cases of an alert on more than this."""
    return ({series: constant(limit + least)}, {series: constant(limit)}, {series: then(limit + least, 0)})


# Alert -> series on which it fires, those just below it, and those that recover.
CASES = {
    "QueueStarved": (
        vcores(pending=constant(1000), allocated=constant(8999), guaranteed=constant(10000)),
        vcores(pending=constant(1000), allocated=constant(9000), guaranteed=constant(10000)),
        vcores(pending=then(1000, 0), allocated=constant(0), guaranteed=constant(10000)),
    ),
    "Tier1Waits": (
        {CREATED % "": constant(0), STATE % ',state="SUBMITTED"': constant(1)},
        {CREATED % "": constant(0), STATE % ',state="RUNNING"': constant(1)},
        {CREATED % "": constant(0), STATE % ',state="RUNNING"': then("_", 1)},
    ),
    "SchedulerDown": (
        {UP % "kube-state-metrics": constant(1), UP % "yunikorn": constant(0)},
        {UP % "kube-state-metrics": constant(1), UP % "yunikorn": constant(1)},
        {UP % "kube-state-metrics": constant(1), UP % "yunikorn": then(0, 1)},
    ),
    "QueuesBehind": above(KEEPER_BEHIND, 300),
    "AmountsLeftOut": above(LEFT_OUT, 0),
    "QueueKeeperDown": (
        {KEEPERS: constant(1), UP % "queue-keeper": constant(0)},
        {KEEPERS: constant(1), UP % "queue-keeper": constant(1)},
        {KEEPERS: constant(1), UP % "queue-keeper": then(0, 1)},
    ),
    "UsageBehind": above(RECORDER % "behind_seconds", 300),
    "UsageGap": (
        {RECORDER % "gaps_total": growing(1)},
        {RECORDER % "gaps_total": constant(1)},
        {RECORDER % "gaps_total": growing(1, minutes=CHANGE)},
    ),
    "UsageRecorderDown": (
        {RECORDERS: constant(1), UP % "usage-recorder": constant(0)},
        {RECORDERS: constant(1), UP % "usage-recorder": constant(1), RECORDER % "standing_by": constant(0)},
        # It is there, and may not write.
        {RECORDERS: constant(1), UP % "usage-recorder": constant(1), RECORDER % "standing_by": then(1, 0)},
    ),
    # The clock of a test begins at 0. One that never made a plan has 0 for its last.
    "NoPlan": (
        {SUCCESS: constant(0), STARTED: constant(-2 * DAY)},
        {SUCCESS: constant(60), STARTED: constant(-2 * DAY)},
        {SUCCESS: then(-2 * DAY, 60), STARTED: constant(1)},
    ),
    "AllocatorFails": above(FAILING, 0),
    "AllocatorDown": (
        {ALLOCATORS: constant(1), UP % "allocator": constant(0)},
        {ALLOCATORS: constant(1), UP % "allocator": constant(1)},
        {ALLOCATORS: constant(1), UP % "allocator": then(0, 1)},
    ),
    "PlanOld": (
        {IN_FORCE: constant(-7 * DAY), BY_ITSELF: constant(1)},
        {IN_FORCE: constant(-7 * DAY)},
        {IN_FORCE: then(-7 * DAY, 60), BY_ITSELF: constant(1)},
    ),
    "FinalizersStuck": (
        {WAIT: constant(901)},
        {WAIT: constant(900)},
        {WAIT: then(901, 0)},
    ),
    "OperatorBacklog": (
        {DEPTH: constant(501)},
        {
            DEPTH: constant(500),
            f'{SUBMIT}{{{A},le="60"}}': growing(5),
            f'{SUBMIT}{{{A},le="+Inf"}}': growing(5),
        },
        {DEPTH: then(501, 0)},
    ),
    "CelebornWorkerLost": (masters(constant(1)), masters(constant(0)), masters(then(1, 0))),
    "CelebornWorkersLost": (masters(constant(3)), masters(constant(1), 1), masters(then(3, 0))),
    # It is not there before it counts.
    "LogsLost": (
        {FLUENT % "logs_evicted": then_only(AFTER - 5, 1)},
        {FLUENT % "logs_evicted": constant(7), FLUENT % "logs_quarantined": constant(1)},
        {FLUENT % "logs_quarantined": growing(1, minutes=CHANGE)},
    ),
    "LogsLate": ({ROOM: constant(89)}, {ROOM: constant(90)}, {ROOM: then(89, 100)}),
    "LogsNotUploaded": (
        # Records are "sent" as soon as they are in the output's file, whether S3 answers or not.
        {FLUENT % "put_failed": growing(1), FLUENT % "uploaded": constant(5), OUT % "drivers": growing(1)},
        {FLUENT % "put_failed": growing(1), FLUENT % "uploaded": growing(1)},
        {FLUENT % "put_failed": growing(1, minutes=CHANGE)},
    ),
    "LogsUnknown": (
        {OUT % "unknown": growing(1)},
        {OUT % "unknown": constant(1), OUT % "drivers": growing(1)},
        {OUT % "unknown": growing(1, minutes=CHANGE)},
    ),
    "LogsStopped": (
        {FLUENT % "file_stopped": then_only(AFTER - 5, 1)},
        {FLUENT % "file_stopped": constant(1)},
        {f"fluentbit_input_multiline_truncated_total{{{NODE}}}": growing(1, minutes=CHANGE)},
    ),
    "EventLogLate": ({BEHIND: constant(61)}, {BEHIND: constant(60)}, {BEHIND: then(61, 5)}),
    "HistoryScanSlow": (
        {SCAN: constant(361), INTERVAL: constant(30)},
        {SCAN: constant(360), INTERVAL: constant(30)},
        {SCAN: then(361, 30), INTERVAL: constant(30)},
    ),
    "HistoryListLost": (
        {UNLISTED: constant(0.21)},
        {UNLISTED: constant(0.2)},
        {UNLISTED: then(1, 0)},
    ),
    "EventLogsNotJoined": (
        {OPEN: constant(1501), NOT_JOINED: constant(0)},
        {OPEN: constant(1500), NOT_JOINED: constant(3)},
        {OPEN: constant(60), NOT_JOINED: growing(1, minutes=CHANGE)},
    ),
    # The clock of a test begins at 0.
    "CertificateNearItsEnd": (
        {CERTIFICATE: constant(21 * DAY)},
        {CERTIFICATE: constant(21 * DAY + 4 * 3600)},
        {CERTIFICATE: then(21 * DAY, 90 * DAY)},
    ),
    "AddressesLow": (
        {PODS: constant(81), ADDRESSES: constant(112)},
        {PODS: constant(80), ADDRESSES: constant(112)},
        {PODS: then(81, 80), ADDRESSES: constant(112)},
    ),
    "PolicyAgentsGrow": (
        {AGENT: constant(2**30 + 1)},
        {AGENT: constant(2**30), AGENT.replace("aws-eks-nodeagent", "aws-node"): constant(2**31)},
        {AGENT: then(2**31, 2**25)},
    ),
    "LoadBalancersFail": (
        {NLB % "errors_total": growing(1)},
        {NLB % "errors_total": growing(1), NLB_MADE: growing(1)},
        {NLB % "errors_total": growing(1, minutes=CHANGE)},
    ),
    "GatewayDown": (
        {UP % "ui-gateway": constant(0)},
        {UP % "ui-gateway": constant(0), 'up{cluster="a",job="ui-gateway",pod="b"}': constant(1)},
        {UP % "ui-gateway": then(0, 1)},
    ),
    # It is there and not ready, or it is not there at all.
    **{
        alert: (
            {THERE: constant(1)},
            {THERE: constant(1), UP % job: constant(1)},
            {THERE: constant(1), UP % job: then(0, 1)},
        )
        for alert, job in {
            "ArcherDown": "archer",
            "ArcherWorkersDown": "archer-worker",
            "ArcherKeeperDown": "archer-keeper",
        }.items()
    },
    "ArcherDatabaseAway": (
        {SILENT % "": constant(2), SILENT % "worker_": constant(61)},
        {SILENT % "": constant(60), SILENT % "worker_": constant(60)},
        {SILENT % "": then(61, 2)},
    ),
    "ArcherFails": (
        {REQUESTS % "2xx": growing(979), REQUESTS % "5xx": growing(11)},
        {REQUESTS % "2xx": growing(9900), REQUESTS % "5xx": growing(99)},
        {REQUESTS % "2xx": growing(900), REQUESTS % "5xx": growing(100, minutes=CHANGE)},
    ),
    "ArcherSlow": (
        {REQUEST % "1.0": growing(98), REQUEST % "2.5": growing(100), REQUEST % "+Inf": growing(100)},
        {REQUEST % "1.0": growing(99.5), REQUEST % "2.5": growing(100), REQUEST % "+Inf": growing(100)},
        {
            REQUEST % "1.0": growing(90),
            REQUEST % "2.5": f"0+100x{CHANGE} {100 * CHANGE + 90}+90x{LENGTH}",
            REQUEST % "+Inf": f"0+100x{CHANGE} {100 * CHANGE + 90}+90x{LENGTH}",
        },
    ),
    "ArcherTier1Waits": (
        {WAITS % 1: constant(301)},
        {WAITS % 1: constant(300), WAITS % 2: constant(3600)},
        {WAITS % 1: then(301, "_")},
    ),
    "ArcherQueueOld": (
        {WAITS % 3: constant(3601)},
        {WAITS % 3: constant(3600), WAITS % 1: constant(9999)},
        {WAITS % 2: then(3601, 10)},
    ),
    "ArcherClaimsStuck": above(OLDEST % "submitting", 300),
    "ArcherNotFollowed": above(OF_CLUSTER % "unfollowed", 0),
    "ArcherStatusLate": above(OF_WORKER % "status_lag_seconds", 60),
    "ArcherWatchSilent": above(OF_WORKER % "watch_idle_seconds", 300),
    "ArcherClusterFails": (
        {WARNINGS: growing(13)},
        {WARNINGS: growing(12)},
        {WARNINGS: growing(13, minutes=CHANGE)},
    ),
    "AmountsBehind": above(OF_CLUSTER % "amounts_behind_seconds", 600),
    # Now and then it is tried.
    "ArcherBreakerOpen": (
        {OF_CLUSTER % "breaker_open": f"{'1 1 0 ' * (LENGTH // 3)}1"},
        {OF_CLUSTER % "breaker_open": constant(0)},
        {OF_CLUSTER % "breaker_open": then(1, 0)},
    ),
    "ArcherAttemptsLost": (
        {ENDED % "succeeded": growing(88), ENDED % "driver lost": growing(12)},
        {ENDED % "succeeded": growing(90), ENDED % "driver lost": growing(9)},
        {ENDED % "succeeded": growing(9), ENDED % "namespace deleted": growing(2, minutes=CHANGE)},
    ),
    "ArcherNotKept": above(OF_KEEPER % "round_age_seconds", 3 * 3600),
    "ArcherMonthMissing": (
        {OF_KEEPER % "months_ahead": constant(0)},
        {OF_KEEPER % "months_ahead": constant(1)},
        {OF_KEEPER % "months_ahead": then(0, 3)},
    ),
    "ArcherHistoryLate": above(OF_KEEPER % "months_due", 0),
    "SlosMissed": (
        {OF_DAY % "successful": constant(8), OF_DAY % "judged": constant(9)},
        {OF_DAY % "successful": constant(9), OF_DAY % "judged": constant(10)},
        {OF_DAY % "successful": then(8, 9), OF_DAY % "judged": constant(10)},
    ),
    "MetricsLost": (
        {FAILED: growing(10)},
        {FAILED: constant(10), SENT_BACK: growing(10)},
        {FAILED: growing(10, minutes=CHANGE)},
    ),
    "LoginIssuerAway": (
        {LOGINS % "issuer-away": growing(1)},
        {LOGINS % "issuer-away": constant(1), LOGINS % "refused": growing(1)},
        {LOGINS % "issuer-away": growing(1, minutes=CHANGE)},
    ),
    "CollectorQueueFull": (
        {SIZE: constant(81), CAPACITY: constant(100)},
        {SIZE: constant(80), CAPACITY: constant(100)},
        {SIZE: then(81, 0), CAPACITY: constant(100)},
    ),
    "ScrapeRefused": (
        {UP % "celeborn": constant(0)},
        {UP % "celeborn": constant(1), UP % "executors": constant(0)},
        {UP % "celeborn": then(0, 1)},
    ),
    "KubeStateMetricsDown": (
        # Another cluster of the same store is read.
        {"moka_cluster{cluster='a'}": constant(1), 'up{cluster="b",job="kube-state-metrics"}': constant(1)},
        {UP % "kube-state-metrics": constant(1), "moka_cluster{cluster='a'}": constant(1)},
        {UP % "kube-state-metrics": then(0, 1)},
    ),
    "StoreNearlyFull": (
        {BLOCKS: constant(91), ROOM_OF_STORE: constant(100)},
        {BLOCKS: constant(90), ROOM_OF_STORE: constant(100)},
        {BLOCKS: then(91, 50), ROOM_OF_STORE: constant(100)},
    ),
    "StoreTooManySeries": (
        {SERIES: constant(81), MOST_SERIES: constant(100)},
        {SERIES: constant(80), MOST_SERIES: constant(100)},
        {SERIES: then(81, 50), MOST_SERIES: constant(100)},
    ),
}


@pytest.fixture(scope="module")
def promtool():
    """Prometheus' checker; made the first time."""
    tools.build(["promtool"])
    return tools.path("promtool")


def run(promtool, folder, *arguments):
    return subprocess.run(
        [promtool, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def firing(name, series, minute, count):
    """A test of promtool: how many alerts of a name fire at a minute."""
    return {
        "name": f"{name} at {minute}",
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0)',
                "eval_time": f"{minute}m",
                "exp_samples": [{"labels": "{}", "value": count}],
            }
        ],
    }


def test_prometheus_takes_the_rules(promtool, tmp_path):
    (tmp_path / "moka.rules.yaml").write_text(as_yaml(ALERTS))

    checked = run(promtool, tmp_path, "check", "rules", "moka.rules.yaml")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"SUCCESS: {len(ALERTS)} rules found" in checked.stdout


def test_every_alert_fires_when_it_should_and_only_then(promtool, tmp_path):
    # A file each: every rule of a file is evaluated in every case of it.
    for alert in ALERTS:
        (tmp_path / f"{alert.name}.rules.yaml").write_text(as_yaml([alert]))
        wrong, below, recovered = CASES[alert.name]
        tests = [
            firing(alert.name, series, minute, count)
            for series, minute, count in (
                (wrong, AFTER, 1),
                (below, AFTER, 0),
                (recovered, BEFORE, 1),
                (recovered, AFTER, 0),
            )
        ]
        cases = {
            "rule_files": [f"{alert.name}.rules.yaml"],
            "evaluation_interval": "1m",
            "tests": tests,
        }
        (tmp_path / f"{alert.name}.yaml").write_text(yaml.safe_dump(cases, width=1000))

    judged = run(promtool, tmp_path, "test", "rules", *(f"{alert.name}.yaml" for alert in ALERTS))

    assert judged.returncode == 0, judged.stdout + judged.stderr


def test_every_alert_has_cases():
    assert sorted(CASES) == sorted(alert.name for alert in ALERTS)
