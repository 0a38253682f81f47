from dataclasses import replace

import pytest
import yaml

from doctor.upgrade import pins
from moka import catalog
from moka.addon_versions import ADDON_VERSIONS
from tests.support.aws_stubs import lines
from tests.support.chart_rendering import chart_at_hand

CATALOG = catalog.read()


def test_add_ons_of_the_version_are_looked_for_as_pinned(place):
    addons = [
        {"addonName": name, "addonVersions": [{"addonVersion": version}]}
        for name, version in ADDON_VERSIONS["1.35"].items()
    ]
    parameters = {"kubernetesVersion": "1.35", "owners": ["aws"]}
    stubbed = {"eks": [("describe_addon_versions", parameters, {"addons": addons})]}

    assert lines(lambda place: pins.addons(place, "1.35"), place(stubbed=stubbed)) == [
        f"ok main EKS offers all {len(addons)} add-ons as pinned for Kubernetes 1.35."
    ]


def test_a_version_without_pins_is_a_problem_that_names_the_files_to_change(place):
    assert "cluster-autoscaler-1.99" not in catalog.read().images

    assert lines(lambda place: pins.addons(place, "1.99"), place()) == [
        "problem main No add-ons are pinned for Kubernetes 1.99, so no settings can name it. Add a row to "
        "moka/addon_versions.py, of what `aws eks describe-addon-versions --kubernetes-version 1.99` lists."
    ]
    assert lines(lambda place: pins.autoscaler(place, "1.99"), place()) == [
        "problem main No image of the autoscaler is pinned for Kubernetes 1.99. Add cluster-autoscaler-1.99 "
        "to charts-values/charts.yaml, of the same minor version."
    ]


def test_an_environment_without_an_autoscaler_needs_no_image_of_it(place):
    def batch(written):
        written["clusters"]["spark-a"]["profile"] = "batch"
        for group in written["clusters"]["spark-a"]["node_groups"].values():
            group["minimum"] = group["maximum"]
            group.pop("spot", None)

    assert lines(lambda place: pins.autoscaler(place, "1.99"), place(batch)) == []


@pytest.fixture
def pinned(monkeypatch):
    """Have these charts pinned, with what they allow."""

    def pin(**allowed):
        charts = {name: replace(CATALOG.charts[name], kube_version=text) for name, text in allowed.items()}
        monkeypatch.setattr(catalog, "read", lambda: replace(CATALOG, charts=charts))

    return pin


def test_a_chart_that_excludes_the_version_stands_in_the_way(place, pinned):
    pinned(yunikorn=">=1.24.0-0, <1.36.0-0", traefik="")

    assert lines(lambda place: pins.charts(place, "1.36"), place()) == [
        "problem main Chart yunikorn 1.8.0 allows Kubernetes >=1.24.0-0, <1.36.0-0, and Helm would refuse "
        "EKS's 1.36. Pin a version of it in charts-values/charts.yaml that allows 1.36, and deploy that "
        "before the upgrade.",
        "ok main 1 of 2 charts as pinned allow Kubernetes 1.36.",
    ]


def test_what_a_chart_allows_and_nobody_knows_is_not_called_fine(place, pinned):
    pinned(yunikorn=None)

    assert lines(lambda place: pins.charts(place, "1.36"), place()) == [
        "not checked main Which versions of Kubernetes yunikorn allows is not known here. Look at "
        "`kubeVersion` of its Chart.yaml, and write it to charts-values/charts.yaml."
    ]


@pytest.mark.parametrize(
    ("allowed", "version", "takes"),
    [
        ("", "1.36", True),
        (">=1.21.0-0", "1.36", True),
        (">= 1.21-0 < 1.36-0", "1.35", True),
        (">=1.21.0-0, <1.36.0-0", "1.36", False),
        (">=1.37.0-0", "1.36", False),
        # Helm takes no pre-release by it, and every version of EKS is one.
        (">=1.21.0", "1.36", False),
        (None, "1.36", None),
        ("^1.21.0-0", "1.36", None),
        (">=1.21.0-0 || <1.19.0-0", "1.36", None),
    ],
)
def test_ranges_are_read_as_helm_reads_them_or_not_at_all(allowed, version, takes):
    assert pins.allows(allowed, version) is takes


@pytest.mark.parametrize("name", CATALOG.charts)
def test_charts_are_pinned_with_what_they_allow(name):
    chart = yaml.safe_load((chart_at_hand(name) / "Chart.yaml").read_text())

    assert chart["version"] == CATALOG.charts[name].version
    assert chart.get("kubeVersion", "") == CATALOG.charts[name].kube_version
