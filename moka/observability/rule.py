"""An alert, and rules as Prometheus reads them.

https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import yaml

RUNBOOKS = "docs/operations/alerts.md"
"""Where each alert has a section of its name."""

Severity = Literal["warning", "critical"]


@dataclass(frozen=True, kw_only=True)
class Alert:
    """An alert.

    expression: in PromQL; what it yields is what is wrong.
    minutes: for how long it has to be so.
    severity: critical wakes somebody; warning is for the working day.
    service: what it is about.
    summary: a sentence, with labels as `{{ $labels.cluster }}`.
    """

    name: str
    expression: str
    minutes: int
    severity: Severity
    service: str
    summary: str

    @property
    def runbook(self) -> str:
        """Its section, from the top of the repository."""
        return f"{RUNBOOKS}#{self.name.lower()}"

    def as_rule(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        return {
            "alert": self.name,
            "expr": self.expression,
            "for": f"{self.minutes}m",
            "labels": {"severity": self.severity, "service": self.service},
            "annotations": {"summary": self.summary, "runbook_url": self.runbook},
        }


def as_yaml(alerts: Iterable[Alert]) -> str:
    """A file of rules: a group for each service, in the order of the alerts."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for alert in alerts:
        groups.setdefault(alert.service, []).append(alert.as_rule())
    entries = [{"name": f"moka-{service}", "rules": rules} for service, rules in groups.items()]
    return yaml.safe_dump({"groups": entries}, sort_keys=False, width=1000)
