"""What a mirror of charts and images holds: a copy a row, from where, to where, and what it has to be."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from moka.catalog import Catalog, mirror_name
from moka.machines.instance_types import Architecture

ARCHITECTURES: frozenset[str] = frozenset(get_args(Architecture))
"""Of nodes: an image that lacks one of them is not copied."""


@dataclass(frozen=True, kw_only=True)
class ImageCopy:
    """An image to copy, all of it, so that its digest stays.

    source: `repository:tag`, or `repository@digest` where it is pinned by that.
    target: `repository:tag` in the mirror.
    digest: that it has to have, where it is known.
    """

    source: str
    target: str
    digest: str | None

    @property
    def line(self) -> str:
        """As the plan shows it."""
        return f"image  {self.source} -> {self.target}"


@dataclass(frozen=True, kw_only=True)
class ChartCopy:
    """A chart to copy, as its package.

    target: `oci://` folder of the mirror that it is pushed to.
    digest: of the package, where it is known.
    """

    chart: str
    version: str
    repository: str
    target: str
    digest: str | None

    @property
    def line(self) -> str:
        """As the plan shows it."""
        return f"chart  {self.chart} {self.version} of {self.repository} -> {self.target}/{self.chart}"


def image_copies(catalog: Catalog, mirror: str) -> Iterator[ImageCopy]:
    """Every image of the catalog, once."""
    public = [reference for pin in catalog.charts.values() for reference in pin.pulls]
    public += [image.reference for image in catalog.images.values()]
    for reference in dict.fromkeys(public):
        tagged, _, digest = reference.partition("@")
        repository = tagged.rpartition(":")[0]
        yield ImageCopy(
            source=f"{repository}@{digest}" if digest else tagged,
            target=mirror_name(tagged, mirror),
            digest=digest or None,
        )


def chart_copies(catalog: Catalog, mirror: str) -> Iterator[ChartCopy]:
    """Every chart of the catalog."""
    for pin in catalog.charts.values():
        yield ChartCopy(
            chart=pin.name,
            version=pin.version,
            repository=pin.repository,
            target=f"oci://{mirror}/charts",
            digest=pin.digest,
        )


def digest_of(content: bytes) -> str:
    """Digest of a manifest, or of a chart's package."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def missing_architectures(manifest: bytes) -> frozenset[str]:
    """Architectures of nodes that an image, by its manifest as the registry has it, does not exist for.

    All of them, where it is no list of images: it is then for one, and does not say for which.
    """
    listed: list[Mapping[str, Any]] = json.loads(manifest).get("manifests") or []
    platforms = [entry.get("platform") or {} for entry in listed]
    return ARCHITECTURES - {p.get("architecture") for p in platforms if p.get("os") == "linux"}
