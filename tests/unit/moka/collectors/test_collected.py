"""What is collected by name, against pages that programs gave."""

from collections import Counter

from moka.collectors.collected import DRIVER, EXECUTORS, SOURCES
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
