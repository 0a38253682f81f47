"""Charts and images, each at one version, and the values of every release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import yaml

FOLDER = Path(__file__).with_name("charts-values")

Values: TypeAlias = Mapping[str, Any]
"""Values of a chart. Those of the program may hold what is not known yet, as Pulumi's outputs: nothing here
looks into them."""

Entry = TypeVar("Entry")


class CatalogError(ValueError):
    """A chart, image or release that does not exist; the message lists those that do."""


@dataclass(frozen=True, kw_only=True)
class ChartPin:
    """A chart at one version.

    repository: URL of the Helm repository.
    kube_version: Kubernetes versions that it allows: `>=1.21.0-0`, empty for any, None where not known.
    digest: `sha256:...` of its published package, where known.
    images: path in its values -> public name of the image, or of its registry.
    pulls: public references of the images that its pods run.
    """

    name: str
    repository: str
    version: str
    kube_version: str | None
    digest: str | None
    images: Mapping[str, str]
    pulls: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image at one version, by tag and, where known, by digest."""

    repository: str
    tag: str
    digest: str | None

    @property
    def reference(self) -> str:
        """As a pod names it."""
        return f"{self.repository}:{self.tag}" + (f"@{self.digest}" if self.digest else "")


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Where Helm gets a chart: `chart` in `repository`, or only `chart`, an `oci://` address."""

    chart: str
    version: str
    repository: str | None


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """Charts and images of a cluster, at the versions of `charts-values/charts.yaml`.

    values: release -> the values of its file in `charts-values/`.
    overrides: release -> an environment's values over those.
    mirror: private registry, host and path, that holds every chart and image under its public name.
    """

    charts: Mapping[str, ChartPin]
    images: Mapping[str, Image]
    values: Mapping[str, Values]
    overrides: Mapping[str, Values] = field(default_factory=dict)
    mirror: str | None = None

    def source(self, chart: str) -> ChartSource:
        """Where to get a chart."""
        pin = _find(self.charts, chart, "chart")
        if self.mirror:
            return ChartSource(
                chart=f"oci://{self.mirror}/charts/{chart}", version=pin.version, repository=None
            )
        return ChartSource(chart=chart, version=pin.version, repository=pin.repository)

    def image(self, name: str) -> str:
        """Reference of an image, as a pod names it."""
        return mirror_name(_find(self.images, name, "image").reference, self.mirror)

    def tag(self, name: str) -> str:
        """Tag of an image, with its digest where known, for a chart that names the repository itself."""
        return _find(self.images, name, "image").reference.partition(":")[2]

    def release_values(self, release: str, chart: str, program: Values) -> dict[str, Any]:
        """Values of a release: its file's, under the program's, under the environment's."""
        images: Values = {}
        for path, public in _find(self.charts, chart, "chart").images.items():
            images = merge_values(images, nest_value(path, mirror_name(public, self.mirror)))
        file = _find(self.values, release, "release")
        return merge_values(images, file, program, self.overrides.get(release, {}))


def read(
    folder: Path = FOLDER, mirror: str | None = None, overrides: Mapping[str, Values] | None = None
) -> Catalog:
    """The catalog in a folder.

    Raises CatalogError when an override is for a release that does not exist.
    """
    pins = yaml.safe_load((folder / "charts.yaml").read_text())
    values = {release: file_values(release, folder) for release in releases(folder)}
    for release in overrides or {}:
        _find(values, release, "release")
    return Catalog(
        charts={name: ChartPin(name=name, **pin) for name, pin in pins["charts"].items()},
        images={name: Image(**pin) for name, pin in pins["images"].items()},
        values=values,
        overrides=overrides or {},
        mirror=mirror,
    )


def releases(folder: Path = FOLDER) -> list[str]:
    """Releases, each of which has a file of values."""
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem != "charts")


def file_values(release: str, folder: Path = FOLDER) -> Values:
    """The values in a release's file."""
    values: Values = yaml.safe_load((folder / f"{release}.yaml").read_text())
    return values


def mirror_name(public: str, mirror: str | None) -> str:
    """Name of an image (or of a registry) in a mirror that keeps all under their public names."""
    return f"{mirror}/{public}" if mirror else public


def merge_values(*layers: Values) -> dict[str, Any]:
    """Values over one another, the last one wins; only mappings are merged, as Helm does it."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            under = result.get(key)
            if isinstance(under, Mapping) and isinstance(value, Mapping):
                value = merge_values(under, value)
            result[key] = value
    return result


def nest_value(path: str, value: Any) -> Values:
    """`a.b` and a value as `{a: {b: value}}`."""
    *parents, key = path.split(".")
    values = {key: value}
    for parent in reversed(parents):
        values = {parent: values}
    return values


def _find(entries: Mapping[str, Entry], name: str, kind: str) -> Entry:
    if name not in entries:
        raise CatalogError(f"charts-values/ has no {kind} {name!r}; it has {', '.join(sorted(entries))}.")
    return entries[name]
