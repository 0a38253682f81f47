import pytest

from moka.catalog import read
from moka.components.kubernetes.chart import Chart, ChartArgs


def release(deploy, catalog, **changes):
    usual = {
        "catalog": catalog,
        "chart": "kube-state-metrics",
        "release": "kube-state-metrics",
        "namespace": "metrics",
    }
    stack = deploy(lambda: Chart("spark-a-ksm", ChartArgs(**{**usual, **changes})))
    [release] = stack.inputs("kubernetes:helm.sh/v3:Release")
    return release


def test_a_release_is_called_as_asked_for_and_pinned_to_the_catalog(deploy, catalog):
    inputs = release(deploy, catalog)

    assert inputs["name"] == "kube-state-metrics"
    assert inputs["version"] == catalog.charts["kube-state-metrics"].version
    assert inputs["repositoryOpts"] == {"repo": catalog.charts["kube-state-metrics"].repository}


def test_what_fails_is_rolled_back(deploy, catalog):
    inputs = release(deploy, catalog)

    assert inputs["atomic"] is True
    assert inputs["cleanupOnFail"] is True


def test_the_crds_of_a_chart_come_with_it(deploy, catalog):
    assert release(deploy, catalog)["skipCrds"] is False


def test_with_a_mirror_no_repository_is_asked(deploy):
    inputs = release(deploy, read(mirror="registry.example"))

    assert inputs["chart"] == "oci://registry.example/charts/kube-state-metrics"
    assert "repositoryOpts" not in inputs


def test_values_of_the_program_are_over_those_of_the_file(deploy, catalog):
    inputs = release(deploy, catalog, values={"replicas": 2})

    assert inputs["values"]["replicas"] == 2
    assert inputs["values"]["nodeSelector"] == {"moka.dev/role": "system"}


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({}, 600),
        ({"chart": "fluent-bit", "release": "fluent-bit"}, 1800),
    ],
)
def test_a_release_has_the_time_in_which_a_daemon_set_comes_to_every_node(deploy, catalog, changes, seconds):
    assert release(deploy, catalog, **changes)["timeout"] == seconds


def test_a_release_tells_its_namespace_once_it_is_there(deploy, catalog):
    outputs = []

    def program():
        args = ChartArgs(catalog=catalog, chart="fluent-bit", release="fluent-bit", namespace="logs")
        chart = Chart("logs", args)
        chart.namespace.apply(outputs.append)
        chart.name.apply(outputs.append)

    deploy(program)

    assert sorted(outputs) == ["fluent-bit", "logs"]
