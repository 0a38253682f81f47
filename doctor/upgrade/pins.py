"""What this repository pins for each Kubernetes version."""

from collections.abc import Iterator

from doctor.account import Place
from doctor.checks.versions import addons_for
from doctor.finding import Finding, ok, problem
from moka import catalog
from moka.addon_versions import ADDON_VERSIONS


def addons(place: Place, version: str) -> Iterator[Finding]:
    """Add-ons are pinned for the version, and EKS offers them so."""
    if version in ADDON_VERSIONS:
        yield from addons_for(place, version)
        return
    yield problem(
        place.name,
        f"No add-ons are pinned for Kubernetes {version}, so no settings can name it.",
        "Add a row to moka/addon_versions.py, of what `aws eks describe-addon-versions --kubernetes-version "
        f"{version}` lists.",
    )


def autoscaler(place: Place, version: str) -> Iterator[Finding]:
    """There is an autoscaler of the version, where a cluster has one: it simulates the scheduler.

    https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler#releases
    """
    if all(cluster.profile != "adhoc" for cluster in place.clusters.values()):
        return
    image = f"cluster-autoscaler-{version}"
    if image in catalog.read().images:
        yield ok(place.name, f"The image of the autoscaler for Kubernetes {version} is pinned.")
    else:
        yield problem(
            place.name,
            f"No image of the autoscaler is pinned for Kubernetes {version}.",
            f"Add {image} to charts-values/charts.yaml, of the same minor version.",
        )
