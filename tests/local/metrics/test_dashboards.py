"""Prometheus' own engine answers every query of every dashboard."""

import subprocess

import pytest
import yaml

from localcloud import tools
from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import expression
from moka.observability.recordings import RECORDINGS, as_yaml
from tests.support.series import cluster_series

MINUTES = 90
CHOICES = {"application": "etl", "environment": ".*", "cluster": ".*", "namespace": ".*", "queue": ".*"}


@pytest.fixture(scope="module")
def promtool():
    """Prometheus' checker; made the first time."""
    tools.build(["promtool"])
    return tools.path("promtool")


def chosen(query):
    """A query as Grafana sends it."""
    for variable, value in CHOICES.items():
        query = query.replace(f"${variable}", value)
    return query


def run(promtool, folder, *arguments):
    return subprocess.run(
        [promtool, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def answers(promtool, folder, series):
    """What promtool says of the queries of all dashboards, over these series, a sample a minute."""
    (folder / "moka.rules.yaml").write_text(as_yaml(RECORDINGS))
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": f"1+1x{MINUTES}"} for name in series],
        "promql_expr_test": [
            {
                # Of a query without an answer, there is nothing to count.
                "expr": f"count(({chosen(expression(text))})) > bool 0",
                "eval_time": f"{MINUTES}m",
                "exp_samples": [{"labels": "{}", "value": 1}],
            }
            for dashboard in DASHBOARDS
            for panel in dashboard.panels
            for text in panel.queries.values()
        ],
    }
    cases = {"rule_files": ["moka.rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    (folder / "cases.yaml").write_text(yaml.safe_dump(cases, width=10_000))
    return run(promtool, folder, "test", "rules", "cases.yaml")


def test_prometheus_takes_the_recordings(promtool, tmp_path):
    (tmp_path / "moka.rules.yaml").write_text(as_yaml(RECORDINGS))

    checked = run(promtool, tmp_path, "check", "rules", "moka.rules.yaml")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"SUCCESS: {len(RECORDINGS)} rules found" in checked.stdout


def test_every_query_of_every_dashboard_has_an_answer(promtool, tmp_path):
    answered = answers(promtool, tmp_path, cluster_series())

    assert answered.returncode == 0, answered.stdout + answered.stderr


def test_a_query_without_its_series_has_none(promtool, tmp_path):
    series = [name for name in cluster_series() if not name.startswith("kube_node_labels")]

    answered = answers(promtool, tmp_path, series)

    assert answered.returncode == 1
    assert "label_moka_dev_role" in answered.stdout + answered.stderr
