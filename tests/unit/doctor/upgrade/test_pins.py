from doctor.upgrade import pins
from moka import catalog
from moka.addon_versions import ADDON_VERSIONS
from tests.support.aws_stubs import lines


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
