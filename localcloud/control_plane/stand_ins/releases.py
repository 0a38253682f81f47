"""Helm releases of charts whose programs run here, kept with the control plane."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from localcloud.files import write_private

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A release as the stack deployed it.

    chart: the chart's name, or where it comes from: a repository and name, or an oci:// URL.
    rendered: whether Helm has rendered the chart and its objects are there; else it is only recorded.
    """

    name: str
    namespace: str
    chart: str
    version: str = ""
    values: Values = field(default_factory=dict)
    rendered: bool = False

    @property
    def chart_name(self) -> str:
        """The chart's name, without where it comes from."""
        return self.chart.rstrip("/").rsplit("/", 1)[-1]

    @property
    def key(self) -> str:
        """Its name among the cluster's releases."""
        return f"{self.namespace}.{self.name}"

    @property
    def labels(self) -> dict[str, str]:
        """Labels that charts put on their objects."""
        return {
            "app.kubernetes.io/name": self.chart_name,
            "app.kubernetes.io/instance": self.name,
            "app.kubernetes.io/managed-by": "Helm",
        }

    @property
    def annotations(self) -> dict[str, str]:
        """With these Helm takes over objects made in a chart's place, once it renders the chart."""
        return {
            "meta.helm.sh/release-name": self.name,
            "meta.helm.sh/release-namespace": self.namespace,
        }


@dataclass(frozen=True)
class Releases:
    """The releases of one control plane, a file each."""

    folder: Path

    def __iter__(self) -> Iterator[Release]:
        for path in sorted(self.folder.glob("*.json")):
            try:
                record = json.loads(path.read_text())
            except FileNotFoundError:  # Another that is deleted at the same time.
                continue
            yield Release(**record)

    def find(self, namespace: str, name: str) -> Release | None:
        """The release of this name, if there is one."""
        return next((r for r in self if (r.namespace, r.name) == (namespace, name)), None)

    def keep(self, release: Release) -> None:
        """Write a release down, in place of its previous version."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        write_private(self._path(release), json.dumps(asdict(release), indent=2))

    def drop(self, release: Release) -> None:
        """Remove a release."""
        self._path(release).unlink(missing_ok=True)

    def _path(self, release: Release) -> Path:
        return self.folder / f"{release.key}.json"


def merge(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> Values:
    """A chart's defaults with a release's values over them, as Helm does it: null removes a default."""
    result = dict(defaults)
    for key, value in values.items():
        default = result.get(key)
        if isinstance(default, Mapping) and isinstance(value, Mapping):
            result[key] = merge(default, value)
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; None where there is none."""
    value: Any = values
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def format_scalar(value: Any) -> str:
    """A scalar as a chart's template prints it: Helm reads every number as a float."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and abs(value) >= 1e6:
        mantissa, exponent = f"{value:.15e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{exponent}"
    return str(value)
