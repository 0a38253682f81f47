"""What is collected by name, against pages that programs gave."""

import ast
from collections import Counter
from datetime import UTC, datetime

import pytest

from localcloud.cloud import REPOSITORY
from moka.collectors.metric_names import DRIVER, EXECUTORS, SOURCES
from services.allocator.measures import Measures
from services.common.metrics import Metrics
from tests.support.expositions import samples


def test_a_driver_has_all_that_is_kept_of_it_once_each():
    page = Counter(metric for metric, _, _ in samples("spark-driver"))

    assert {metric: page[metric] for metric in DRIVER.metrics} == dict.fromkeys(DRIVER.metrics, 1)


def test_of_what_a_driver_tells_one_metric_of_twenty_is_kept():
    assert len(samples("spark-driver")) > 20 * len(DRIVER.metrics)


def test_every_executor_has_a_series_of_each_metric_that_is_added_up():
    page = samples("spark-executors")
    executors = {labels["executor_id"] for _, labels, _ in page if "executor_id" in labels}

    for metric in EXECUTORS.metrics:
        of = {labels["executor_id"] for name, labels, _ in page if name == metric}
        assert of == executors, metric


def test_no_metric_is_of_two_programs():
    metrics = [metric for source in SOURCES.values() for metric in source.metrics]

    assert [metric for metric, count in Counter(metrics).items() if count > 1] == []


def registered(service, folder):
    """Metrics that a service registers, as its page has them."""
    suffixes = {
        "counter": ("_total",),
        "gauge": ("",),
        "labelled_gauge": ("",),
        "histogram": ("_bucket", "_count", "_sum"),
    }
    for path in (REPOSITORY / "services" / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name("metrics"), attr=kind), args=[ast.Constant(name), *_]
                ):
                    yield from (f"moka_{service}_{name}{suffix}" for suffix in suffixes[kind])


@pytest.mark.parametrize(
    ("service", "folder"),
    [
        *(
            (name, name)
            for name in ("driver_finalizer", "queue_keeper", "ui_gateway", "history_gate", "usage_recorder")
        ),
        ("archer", "archer/service"),
        ("archer_worker", "archer/worker"),
        ("archer_keeper", "archer/keeper"),
    ],
)
def test_every_metric_of_a_service_of_ours_is_collected_and_no_other(service, folder):
    assert set(registered(service, folder)) == set(SOURCES[service.replace("_", "-")].metrics)


def test_every_metric_of_the_allocator_is_collected_and_no_other():
    metrics = Metrics("allocator")
    Measures(metrics, datetime.now(UTC))

    pages = {
        family.name for family in metrics.registry.collect() if not family.name.startswith("moka_usage_")
    }
    collected = {metric.removesuffix("_total") for metric in SOURCES["allocator"].metrics}
    assert pages == collected
