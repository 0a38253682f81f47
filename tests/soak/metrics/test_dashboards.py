"""Every query of every dashboard, asked of the store of a laptop: a panel without data is a failure."""

from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import expression
from tests.support.laptop_metrics import JOB, NAMESPACE

CHOICES = {"application": JOB, "namespace": NAMESPACE, "environment": ".*", "cluster": ".*", "queue": ".*"}

# Panel -> why a laptop has nothing to show there.
NOTHING_THERE = {}


def chosen(query):
    """A query as Grafana sends it."""
    for variable, value in CHOICES.items():
        query = query.replace(f"${variable}", value)
    return query


def without_data(laptop):
    """Dashboard, panel and legend of each query that has no answer."""
    return {
        f"{dashboard.name}: {panel.title}: {legend}"
        for dashboard in DASHBOARDS
        for panel in dashboard.panels
        for legend, text in panel.queries.items()
        if not laptop.query(chosen(expression(text)))
    }


def test_every_panel_shows_something_but_those_of_which_there_is_nothing(laptop):
    # Recordings come once a minute.
    laptop.until("moka:applications:states")

    assert without_data(laptop) == set(NOTHING_THERE)
