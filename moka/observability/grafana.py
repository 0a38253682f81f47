"""Dashboards as Grafana reads them.

https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from moka.observability.panel import COLUMNS, SCOPE, Dashboard, Kind, Panel, Row, Unit, Variable

SCHEMA_VERSION = 39
"""Of Grafana 10.4 to 11.0; later ones migrate it as they load it, in DashboardMigrator.ts of their pages."""

TAG = "moka"
HEIGHT = 8
STAT_HEIGHT = 4
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
CHOSEN = 'environment=~"$environment",cluster=~"$cluster"'

OWN_UNITS: dict[Unit, str] = {"cores": "suffix: cores"}

ORIGIN = (
    Variable(label="environment", metric="up"),
    Variable(label="cluster", metric='up{environment=~"$environment"}'),
)


def as_json(dashboard: Dashboard) -> str:
    """The text of a file; equal dashboards give equal text."""
    return json.dumps(model(dashboard), indent=1) + "\n"


def model(dashboard: Dashboard) -> dict[str, Any]:
    """Grafana's model of a dashboard."""
    return {
        "uid": f"moka-{dashboard.name}",
        "title": dashboard.title,
        "tags": [TAG],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "links": [_link_to_the_others()],
        "templating": {"list": [_data_source(), *map(_variable, (*ORIGIN, *dashboard.variables))]},
        "panels": list(_grid(dashboard.rows)),
    }


def expression(text: str) -> str:
    """A query of a dashboard, as Grafana sends it once what is chosen is filled in."""
    return text.replace(SCOPE, CHOSEN)


def _link_to_the_others() -> dict[str, Any]:
    return {
        "title": "Dashboards",
        "type": "dashboards",
        "tags": [TAG],
        "asDropdown": True,
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
        "icon": "external link",
        "tooltip": "",
        "url": "",
    }


def _data_source() -> dict[str, Any]:
    return {"name": "datasource", "label": "store", "type": "datasource", "query": "prometheus"}


def _variable(variable: Variable) -> dict[str, Any]:
    query = f"label_values({expression(variable.metric)}, {variable.label})"
    several: dict[str, Any] = {
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }
    return {
        "name": variable.label,
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": query, "refId": variable.label},
        "refresh": 2,
        "sort": 1,
        **(several if variable.several else {}),
    }


def _grid(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Headings and panels, from left to right and down, each with a number of its own."""
    number, top = 1, 0
    for row in rows:
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"x": 0, "y": top, "w": COLUMNS, "h": 1},
            "panels": [],
        }
        number, top, left, height = number + 1, top + 1, 0, 0
        for panel in row.panels:
            if left + panel.width > COLUMNS:
                top, left, height = top + height, 0, 0
            yield _panel(panel, number) | {
                "gridPos": {"x": left, "y": top, "w": panel.width, "h": _height(panel)}
            }
            number, left, height = number + 1, left + panel.width, max(height, _height(panel))
        top += height


def _height(panel: Panel) -> int:
    return STAT_HEIGHT if panel.kind == "stat" else HEIGHT


def _panel(panel: Panel, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.note,
        "datasource": SOURCE,
        "fieldConfig": {
            "defaults": {"unit": OWN_UNITS.get(panel.unit, panel.unit), "min": 0, **_drawing(panel.kind)},
            "overrides": [],
        },
        "options": OPTIONS[panel.kind],
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": SOURCE,
                "expr": expression(text),
                "legendFormat": legend or "__auto",
                # A table and a gauge are of now, and cost one look, not one for each point of time.
                "instant": panel.kind != "timeseries",
                "range": panel.kind == "timeseries",
                "format": "table" if panel.kind == "table" else "time_series",
            }
            for place, (legend, text) in enumerate(panel.queries.items())
        ],
    }


def _drawing(kind: Kind) -> dict[str, Any]:
    return {"custom": {"fillOpacity": 10, "showPoints": "never"}} if kind == "timeseries" else {}


_LAST = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}}

OPTIONS: dict[Kind, dict[str, Any]] = {
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "stat": {**_LAST, "colorMode": "value", "graphMode": "none", "textMode": "auto"},
    "bargauge": {**_LAST, "orientation": "horizontal", "displayMode": "basic"},
    "table": {"showHeader": True},
}
