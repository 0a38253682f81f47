"""The dashboards: what Grafana makes of them, and what each query costs and asks for."""

import itertools
import json
import re

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard as GrafanaDashboard

from localcloud.cloud import REPOSITORY
from moka.collectors.metric_names import SOURCES, source_of
from moka.collectors.source import MANY
from moka.observability.alerts import ALERTS
from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import as_json, expression, model
from moka.observability.recordings import RECORDINGS
from tests.support.promql import labels_left, selectors

register_default_plugins()

CONFIG_MAP_BYTES = 2**20
"""https://kubernetes.io/docs/concepts/configuration/configmap/"""

EACH = pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda dashboard: dashboard.name)


def queries(dashboard):
    """Title, legend and query of all that its panels ask."""
    for panel in dashboard.panels:
        for legend, text in panel.queries.items():
            yield panel.title, legend, expression(text)


COLLECTED = {metric for source in SOURCES.values() for metric in source.metrics}
RECORDED = {recording.name: recording for recording in RECORDINGS}
ALL = {"ALERTS"}
"""Some alerts are of no cluster: that something is not there."""


@EACH
def test_a_query_asks_for_what_is_collected_or_recorded(dashboard):
    for title, _, query in queries(dashboard):
        for selector in selectors(query):
            assert selector.metrics(COLLECTED | set(RECORDED)), (
                f"{title}: {selector.name or selector.pattern} is collected by nobody"
            )


@EACH
def test_a_query_asks_in_the_chosen_environments_and_clusters_only(dashboard):
    for title, _, query in queries(dashboard):
        for selector in selectors(query):
            if selector.name not in ALL:
                assert selector.labels.get("environment") == "$environment", title
                assert selector.labels.get("cluster") == "$cluster", title


@EACH
def test_a_query_never_reads_the_series_of_all_applications_or_pods(dashboard):
    for title, _, query in queries(dashboard):
        for selector in selectors(query):
            for metric in selector.metrics(COLLECTED):
                source = source_of(metric)
                if source and source.per in MANY:
                    assert selector.labels.get("application") == "$application", (
                        f"{title}: {metric} has a series for each {source.per}: ask for a recording"
                    )


@EACH
def test_a_legend_names_labels_that_its_query_leaves(dashboard):
    for title, legend, query in queries(dashboard):
        named = set(re.findall(r"{{(\w+)}}", legend))
        if left := labels_left(query):
            assert named <= left, title
        for selector in selectors(query):
            if selector.name in RECORDED:
                assert named <= set(RECORDED[selector.name].labels), title


@EACH
def test_what_a_query_asks_of_a_recording_are_labels_that_it_has(dashboard):
    for title, _, query in queries(dashboard):
        for selector in selectors(query):
            if recording := RECORDED.get(selector.name):
                assert set(selector.labels) <= set(recording.labels), title


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_a_recording_is_of_what_is_collected_and_has_its_labels(recording):
    assert all(selector.metrics(COLLECTED) for selector in selectors(recording.expression))
    assert labels_left(recording.expression) == set(recording.labels)


def test_every_recording_is_looked_at():
    names = {
        selector.name
        for dashboard in DASHBOARDS
        for _, _, query in queries(dashboard)
        for selector in selectors(query)
    }

    assert set(RECORDED) <= names


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_asks_for_what_is_collected(alert):
    for selector in selectors(alert.expression):
        assert selector.metrics(COLLECTED), selector


def test_nothing_is_collected_of_many_and_pods_that_nobody_asks_for():
    texts = [query for dashboard in DASHBOARDS for _, _, query in queries(dashboard)]
    texts += [recording.expression for recording in RECORDINGS]
    texts += [alert.expression for alert in ALERTS]
    queried_metrics = {
        metric for text in texts for selector in selectors(text) for metric in selector.metrics(COLLECTED)
    }
    of_many = {metric for source in SOURCES.values() if source.per in MANY for metric in source.metrics}

    assert of_many - queried_metrics == set()


@EACH
def test_grafana_knows_every_key_of_a_dashboard(dashboard):
    """Its own types, made from its schemas, drop what they do not know."""
    read = GrafanaDashboard.from_json(model(dashboard))

    written = json.loads(json.dumps(read, cls=JSONEncoder))

    assert list(differences(model(dashboard), written)) == []


def differences(ours, written, path="$"):
    """Where a value of ours is missing, or is another."""
    match ours:
        case dict():
            for key, value in ours.items():
                if key in written:
                    yield from differences(value, written[key], f"{path}.{key}")
                else:
                    yield f"{path}.{key} is not known"
        case list() if len(ours) == len(written):
            for place, (one, other) in enumerate(zip(ours, written, strict=True)):
                yield from differences(one, other, f"{path}[{place}]")
        case _ if ours != written:
            yield f"{path} is {written}"


@EACH
def test_panels_stand_side_by_side_within_the_page(dashboard):
    panels = model(dashboard)["panels"]
    cells = [
        (column, line)
        for panel in panels
        for at in [panel["gridPos"]]
        for column, line in itertools.product(
            range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"])
        )
    ]

    assert len(cells) == len(set(cells))
    assert {column for column, _ in cells} <= set(range(24))
    assert len({panel["id"] for panel in panels}) == len(panels)


@EACH
def test_a_dashboard_fits_into_a_config_map_ten_times(dashboard):
    assert len(as_json(dashboard).encode()) < CONFIG_MAP_BYTES / 10


def test_dashboards_have_addresses_and_titles_of_their_own():
    models = [model(dashboard) for dashboard in DASHBOARDS]

    assert len({one["uid"] for one in models}) == len({one["title"] for one in models}) == len(models)
    assert all(re.fullmatch(r"[a-z0-9-]{1,40}", one["uid"]) for one in models)


@pytest.mark.parametrize(
    ("service", "name"),
    [
        *(
            (service, "services")
            for service in (
                *("driver-finalizer", "event-log uploader", "queue-keeper", "ui-gateway", "history-gate"),
                *("usage-recorder", "allocator"),
            )
        ),
        *((program, "archer") for program in ("archer", "archer-worker", "archer-keeper")),
    ],
)
def test_every_metric_of_a_service_of_ours_is_on_its_dashboard(service, name):
    [dashboard] = [dashboard for dashboard in DASHBOARDS if dashboard.name == name]
    asked = set()
    for panel in dashboard.panels:
        for query in panel.queries.values():
            for selector in selectors(expression(query)):
                recording = RECORDED.get(selector.name)
                asked |= (
                    {one.name for one in selectors(recording.expression)} if recording else {selector.name}
                )

    assert set(SOURCES[service].metrics) <= asked


def test_the_page_has_every_dashboard_in_its_order():
    page = (REPOSITORY / "docs" / "operations" / "dashboards.md").read_text()

    named = re.findall(r"^\| (\w+) \|", page, re.MULTILINE)
    assert named[1:] == [dashboard.name for dashboard in DASHBOARDS]
