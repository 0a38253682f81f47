"""Metrics that pages name: each is collected, and the page of a service has all of its metrics."""

import re

import pytest

from localcloud.cloud import REPOSITORY
from moka.collectors.metric_names import SOURCES
from tests.support.command_line import pages

COLLECTED = {metric for source in SOURCES.values() for metric in source.metrics}

HISTOGRAM = re.compile(r"_(?:bucket|count|sum)$")
"""Ends of the series of a histogram, which pages name without."""

PAGES = [page for page in pages() if "decisions" not in page.parts]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_metric_of_ours_that_a_page_names_is_collected(page):
    named = set(re.findall(r"`((?:moka|log_metric_counter)_[a-z_]+)[`{]", page.read_text()))

    assert named - COLLECTED - {HISTOGRAM.sub("", metric) for metric in COLLECTED} == set()


@pytest.mark.parametrize(
    ("page", "prefix"),
    [
        ("event-logs", "moka_event_log_uploader_"),
        ("history", "moka_history_gate_"),
        ("ingress", "moka_ui_gateway_"),
        ("logs", "log_metric_counter_"),
    ],
)
def test_the_page_of_a_service_has_all_of_its_metrics(page, prefix):
    text = (REPOSITORY / "docs" / "operations" / f"{page}.md").read_text()
    metrics = [HISTOGRAM.sub("", metric) for metric in COLLECTED if metric.startswith(prefix)]

    def named(metric: str) -> bool:
        """By its name, or by the end of it after dots: `..._open_logs`."""
        ends = re.findall(r"`\.\.\.(_[a-z_]+)`", text)
        return f"`{metric}`" in text or any(metric.endswith(end) for end in ends)

    assert len(metrics) > 3
    assert sorted({metric for metric in metrics if not named(metric)}) == []


def test_the_page_on_metrics_has_all_numbers_of_the_settings():
    text = (REPOSITORY / "docs" / "operations" / "metrics.md").read_text()

    assert [metric for metric in SOURCES["settings"].metrics if f"`{metric}`" not in text] == []
