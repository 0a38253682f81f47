"""What a dashboard is: rows of panels, each a question to the store with a title, a unit and a legend."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SCOPE = "$scope"
"""Stands in a selector for the environments and clusters that are chosen on the dashboard."""

Kind = Literal["timeseries", "stat", "table", "bargauge"]

Unit = Literal[
    "short",
    "percentunit",
    "s",
    "bytes",
    "Bps",
    "cores",
    "cpm",
    "ops",
    "dateTimeFromNow",
    "currencyUSD",
]
"""As Grafana calls them; `cores` and what else it does not know is written after the number:
https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts"""

COLUMNS = 24
"""Of Grafana's grid."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel.

    queries: legend -> PromQL; a legend has labels as `{{cluster}}`.
    width: of 24 columns. note: what else is worth knowing, shown on the panel's corner.
    """

    title: str
    unit: Unit
    queries: Mapping[str, str]
    kind: Kind = "timeseries"
    width: int = 8
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Panels below a heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """Something that is chosen on the dashboard.

    metric: whose values of the label are there to choose from, with what selects its series.
    several: more than one can be chosen, and all are at first.
    """

    label: str
    metric: str
    several: bool = True


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """A dashboard.

    name: part of its address, which links keep: never to be changed.
    variables: besides environment and cluster.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    variables: tuple[Variable, ...] = ()

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All of them, row by row."""
        return tuple(panel for row in self.rows for panel in row.panels)
