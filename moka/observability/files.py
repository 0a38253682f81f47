"""Dashboards and rules as files, by name: what is deployed is what is written."""

from moka.observability import recordings, rule
from moka.observability.alerts import ALERTS
from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import as_json


def dashboard_files() -> dict[str, str]:
    """A file for each dashboard, for Grafana."""
    return {f"moka-{dashboard.name}.json": as_json(dashboard) for dashboard in DASHBOARDS}


def rule_files() -> dict[str, str]:
    """Files of rules for Prometheus: alerts, and what dashboards ask for in place of thousands of series."""
    return {
        "moka.rules.yaml": rule.as_yaml(ALERTS),
        "moka-recordings.rules.yaml": recordings.as_yaml(recordings.RECORDINGS),
    }
