"""Every query of every dashboard, asked of what a cluster of the laptop really made."""

import pytest

from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import expression
from tests.support.laptop_metrics import JOB

CHOICES = {"application": JOB, "environment": ".*", "cluster": ".*", "namespace": ".*", "queue": ".*"}


def chosen(query):
    """A query as Grafana sends it."""
    for variable, value in CHOICES.items():
        query = query.replace(f"${variable}", value)
    return query


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda dashboard: dashboard.name)
def test_no_panel_is_empty(laptop, dashboard):
    empty = {
        (panel.title, text)
        for panel in dashboard.panels
        for text in panel.queries.values()
        if not laptop.query(chosen(expression(text)))
    }

    assert empty == set()
