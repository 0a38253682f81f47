"""What is there to query, of a cluster of the laptop: section by section of docs/operations/metrics.md."""

import re

import pytest

from moka.collectors import labels
from tests.support.collectors import ORIGIN, SECONDS
from tests.support.laptop_archer import ENDED_JOBS
from tests.support.laptop_metrics import JOB, NAMESPACE, TIER

QUEUE = f"root.acme.{NAMESPACE}.tier{TIER}"
OF_JOB = {"application": JOB, "namespace": NAMESPACE, "tier": str(TIER), "queue": QUEUE}


def test_every_series_says_whose_it_is(laptop):
    nameless = laptop.query('count by (__name__, job) ({__name__=~".+",__name__!~"ALERTS.*",cluster=""})')

    assert [series["metric"] for series in nameless] == []
    assert laptop.query("count by (environment, cluster, region) (up)")[0]["metric"] == ORIGIN


def test_no_label_is_left_of_how_it_came(laptop):
    names = laptop.get("labels")["data"]

    assert [
        name for name in names if re.match("exported_|k8s_|service_|server_|net_|http_|url_|otel_", name)
    ] == []
    assert set(labels.PROMOTED) - {"container", "role", "organization", "project"} <= set(names)


@pytest.mark.parametrize(
    ("series", "limit"),
    [("metrics_spark_driver_.*", 14), ("metrics_executor_.*", 10)],
    ids=["the driver's own", "its executors', added up"],
)
def test_an_application_makes_few_series(laptop, series, limit):
    answer = laptop.query(f'{{__name__=~"{series}",application="{JOB}"}}')

    assert 0 < len(answer) <= limit
    for one in answer:
        assert OF_JOB.items() <= one["metric"].items()


def test_a_job_is_known_by_its_state_from_the_first_moment_to_the_last(laptop):
    states = {
        series["metric"]["application"]: series["metric"]["state"]
        for series in laptop.query("moka_spark_application_state_info")
    }

    # Archer's have its job's id and the attempt's number in their names.
    ended_jobs = {name for name in states if name.startswith(tuple(f"{job}-" for job in ENDED_JOBS))}
    assert len(ended_jobs) == len(ENDED_JOBS)
    assert states == dict.fromkeys(ended_jobs, "COMPLETED") | {
        JOB: "RUNNING",
        "second": "RUNNING",
        "third": "RUNNING",
        "waiting": "SUBMITTED",
        "short": "COMPLETED",
        "wrong": "FAILED",
    }
    [created] = laptop.query(f'moka_spark_application_created_seconds{{application="{JOB}"}}')
    assert created["metric"]["queue"] == QUEUE


def test_what_a_driver_takes_of_its_node_is_its_applications(laptop):
    [driver] = laptop.query(
        f'container_memory_working_set{{application="{JOB}",role="driver",container="spark-kubernetes-driver"}}'
    )

    assert OF_JOB.items() <= driver["metric"].items()


def test_only_the_cards_of_the_host_are_counted(laptop):
    cards = {series["metric"]["interface"] for series in laptop.query("k8s_node_network_io")}

    assert cards == {"eth0"}


def test_every_target_is_read(laptop):
    # Nothing is at the addresses that simulated machines give: of other drivers, and of pods for a moment.
    down = laptop.query(
        'up{job!~"drivers|executors|event-logs",instance!~"100[.]64[.].*"} == 0 '
        f'or up{{application="{JOB}"}} == 0'
    )

    assert [series["metric"] for series in down] == []
    assert len(laptop.query('up{job="opentelemetry-scraper"}')) == 2


def test_each_target_is_read_by_one_of_the_shards(laptop):
    # Read by two, it would have twice as many samples.
    often = laptop.query(f"max by (job, instance) (count_over_time(up[1m])) > {1.5 * 60 / SECONDS}")

    assert [one["metric"] for one in often] == []


def test_nothing_comes_twice_or_out_of_order(laptop):
    for refused in ("out_of_order_samples_total", "too_old_samples_total", "duplicate_samples_total"):
        assert not laptop.query(f"prometheus_tsdb_{refused} > 0"), refused


def test_nothing_is_lost_on_the_way(laptop):
    # What the gateway could not send, it sends back; who drops something is an edge.
    assert not laptop.query(
        '{__name__=~"otelcol_exporter_(send|enqueue)_failed_metric_points_total",'
        'job!="opentelemetry-gateway"} > 0'
    )


def test_no_collector_asks_for_what_it_may_not_see(laptop):
    for name, process in laptop.processes.items():
        assert "forbidden" not in process.log.read_text(), name


def test_every_rule_can_be_evaluated(laptop):
    groups = laptop.get("rules")["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]

    assert {rule["name"] for rule in rules} > {"QueueStarved", "LogsLost", "moka_pod_addresses"}
    assert [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] == "err"] == []


NOT_THERE = {
    "kube_deployment_spec_replicas",  # kwok's pods have no Deployment
    # Of the day before, which nobody reports there.
    "moka_usage_workflows_judged",
    "moka_usage_workflows_successful",
}
"""What the laptop has none of."""

AT_THE_FIRST_EVENT = {
    "kube_pod_container_status_last_terminated_reason",
    "kube_pod_container_status_waiting_reason",
    "kube_pod_status_unschedulable",
    "moka_archer_worker_amounts_behind_seconds",
    "moka_archer_worker_warnings_total",
    "moka_ui_gateway_logins_total",
    "otelcol_exporter_enqueue_failed_metric_points_total",
    "otelcol_exporter_send_failed_metric_points_total",
}
"""Metrics that are not there before there is something to count."""

METRIC = re.compile(
    r"\b(?:moka|kube|yunikorn|spark|fluentbit|log|metrics|otelcol|prometheus|traefik|workqueue)_\w+"
)


def test_alerts_stand_on_series_that_are_there(laptop):
    names = set(laptop.get("label/__name__/values")["data"])
    missing = {
        (rule["name"], name)
        for group in laptop.get("rules")["data"]["groups"]
        for rule in group["rules"]
        for name in METRIC.findall(rule["query"])
        if name not in names
    }

    assert {name for _, name in missing} <= NOT_THERE | AT_THE_FIRST_EVENT
