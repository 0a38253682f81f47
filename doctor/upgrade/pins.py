"""What this repository pins for each Kubernetes version."""

import re
from collections.abc import Callable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import Any

from aws_rules.eks.versions import minor
from doctor.account import Place
from doctor.checks.versions import addons_for
from doctor.finding import Finding, not_checked, ok, problem, series
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


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt}

CONDITION = re.compile(r"(>=|<=|>|<)\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-0)?")
"""One condition of a chart's `kubeVersion`; all of them hold, and we read no others:
https://helm.sh/docs/topics/charts/#the-kubeversion-field"""


def charts(place: Place, version: str) -> Iterator[Finding]:
    """The charts as pinned may be installed on the version: Helm refuses what `kubeVersion` excludes."""
    pins = catalog.read().charts.values()
    matches, unknown = [], []
    for pin in pins:
        verdict = allows(pin.kube_version, version)
        if verdict:
            matches.append(pin.name)
        elif verdict is None:
            unknown.append(pin.name)
        else:
            yield problem(
                place.name,
                f"Chart {pin.name} {pin.version} allows Kubernetes {pin.kube_version}, and Helm would refuse "
                f"EKS's {version}.",
                "Pin a version of it in charts-values/charts.yaml that allows "
                f"{version}, and deploy that before the upgrade.",
            )
    if matches:
        yield ok(place.name, f"{len(matches)} of {len(pins)} charts as pinned allow Kubernetes {version}.")
    if unknown:
        yield not_checked(
            place.name,
            f"Which versions of Kubernetes {series(unknown)} allows is not known here.",
            "Look at `kubeVersion` of its Chart.yaml, and write it to charts-values/charts.yaml.",
        )


def allows(kube_version: str | None, version: str) -> bool | None:
    """Whether a chart's range has a version of EKS, such as `1.36`; None where that cannot be told.

    Helm 3 compares what the cluster says, `v1.36.1-eks-1a2b3c4` (helm/helm: pkg/action/action.go,
    pkg/chartutil/compatible.go): a pre-release, which only a condition that ends with `-0` ever takes
    (https://github.com/Masterminds/semver#working-with-prerelease-versions).
    """
    if kube_version is None:
        return None
    conditions = [part for part in re.split(r"\s*,\s*|(?<=\w)\s+", kube_version.strip()) if part]
    matches = [match for condition in conditions if (match := CONDITION.fullmatch(condition))]
    if len(matches) < len(conditions):
        return None
    # Any pre-release is later than `-0`.
    cluster = (1, minor(version), 0, 1)
    return all(_is_met(match, cluster) for match in matches)


def _is_met(condition: re.Match[str], cluster: tuple[int, ...]) -> bool:
    sign, *numbers, prerelease = condition.groups()
    limit = (*(int(number or 0) for number in numbers), 0)
    return bool(prerelease) and COMPARISONS[sign](cluster, limit)
