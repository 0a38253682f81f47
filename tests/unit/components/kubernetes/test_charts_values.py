"""Helm takes unknown keys in silence; these tests do not, where the charts' own values are at hand."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import jsonschema
import pytest
import yaml

from components.kubernetes.catalog import merged
from components.kubernetes.cluster_autoscaler import ClusterAutoscaler, ClusterAutoscalerArgs
from components.kubernetes.fluent_bit import FluentBit, FluentBitArgs
from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from components.kubernetes.kube_state_metrics import KubeStateMetrics, KubeStateMetricsArgs
from components.kubernetes.load_balancer_controller import LoadBalancerController, LoadBalancerControllerArgs
from components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs
from components.kubernetes.queues import QueueTree
from components.kubernetes.spark_operator import SparkOperator, SparkOperatorArgs
from components.kubernetes.yunikorn import YuniKorn, YuniKornArgs
from policies.cadvisor import scanning_pods

CHARTS = Path(os.environ.get("MOKA_CHARTS") or Path(__file__).parents[5] / "shared" / "charts")
HELM = Path(__file__).parents[4] / ".local" / "bin" / "helm"

# Keys that templates read and `values.yaml` leaves out.
UNLISTED = {
    "kube-state-metrics": {"priorityClassName"},
    "opentelemetry-collector": {"ports.prometheus"},  # the chart's ports are by any name
}
# What a chart passes on as it is, to Kubernetes or to its program.
PASSED_ON = {"extraArgs", "nodeSelector", "podSecurityContext", "resources", "securityContext"}

RELEASES = [
    "aws-load-balancer-controller",
    "cluster-autoscaler",
    "fluent-bit",
    "ingress-nginx",
    "kube-state-metrics",
    "opentelemetry-agent",
    "opentelemetry-gateway",
    "spark-operator",
    "yunikorn",
]
EVERY_NODE = {"fluent-bit", "opentelemetry-agent"}


@pytest.fixture
def releases(deploy, catalog):
    """Every release of the platform, by name."""
    where = {"catalog": catalog, "namespace": "somewhere"}

    def program():
        ClusterAutoscaler(
            "a", ClusterAutoscalerArgs(**where, cluster="a", version="1.34", region="us-east-1")
        )
        LoadBalancerController(
            "a", LoadBalancerControllerArgs(**where, cluster="a", vpc_id="vpc-1", region="us-east-1")
        )
        FluentBit(
            "a",
            FluentBitArgs(
                **where,
                cluster="a",
                job_namespaces=["jobs"],
                job_logs_bucket="job-logs",
                system_logs_bucket="system-logs",
                region="us-east-1",
            ),
        )
        IngressNginx("a", IngressNginxArgs(**where, subnet_ids=["subnet-1"]))
        KubeStateMetrics("a", KubeStateMetricsArgs(**where))
        OpenTelemetry("a", OpenTelemetryArgs(**where, cluster="a", remote_write="https://metrics.example"))
        SparkOperator(
            "a",
            SparkOperatorArgs(**where, job_namespaces=["jobs"], ui_domain="example", ingress_class="nginx"),
        )
        YuniKorn("a", YuniKornArgs(**where, queues=QueueTree(), job_namespaces=["jobs"]))

    made = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return {release["name"]: release for release in made}


def test_every_file_of_values_is_a_release_and_every_chart_is_used(releases, catalog):
    assert sorted(releases) == RELEASES == sorted(catalog.values)
    assert {release["chart"] for release in releases.values()} == set(catalog.charts)


@pytest.mark.parametrize("name", sorted(set(RELEASES) - EVERY_NODE))
def test_its_pods_are_on_system_nodes(releases, name):
    values = releases[name]["values"]
    selectors = dict(found(values, "nodeSelector"))

    assert selectors
    assert all(selector == {"moka.dev/role": "system"} for selector in selectors.values())


@pytest.mark.parametrize("name", sorted(EVERY_NODE))
def test_its_pods_are_on_every_node(releases, name):
    values = releases[name]["values"]

    assert values["tolerations"] == [{"operator": "Exists"}]
    assert not dict(found(values, "nodeSelector"))


@pytest.mark.parametrize("name", RELEASES)
def test_its_chart_knows_every_key(releases, name):
    chart = chart_at_hand(releases[name]["chart"])
    known = yaml.safe_load((chart / "values.yaml").read_text())

    unknown = set(unknown_keys(releases[name]["values"], known)) - UNLISTED.get(chart.name, set())

    assert not unknown


@pytest.mark.parametrize("name", ["opentelemetry-agent", "opentelemetry-gateway"])
def test_its_values_fit_the_schema_of_its_chart(releases, name):
    chart = chart_at_hand(releases[name]["chart"])
    schema = yaml.safe_load((chart / "values.schema.json").read_text())
    defaults = yaml.safe_load((chart / "values.yaml").read_text())

    jsonschema.Draft202012Validator(schema).validate(merged(defaults, releases[name]["values"]))


@pytest.mark.parametrize("name", RELEASES)
def test_its_chart_at_hand_is_the_pinned_one(releases, name, catalog):
    chart = chart_at_hand(releases[name]["chart"])

    pinned = catalog.charts[chart.name].version
    assert yaml.safe_load((chart / "Chart.yaml").read_text())["version"] == pinned


@pytest.mark.parametrize("name", RELEASES)
def test_what_its_chart_makes_of_them_runs_no_scan_of_referenced_memory(releases, name, tmp_path):
    chart = chart_at_hand(releases[name]["chart"])
    if not (chart / "templates").is_dir() or not HELM.exists():
        pytest.skip("it takes Helm and the chart's templates, which a folder in MOKA_CHARTS would have")
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(releases[name]["values"]))

    told = subprocess.run(
        [HELM, "template", name, chart, "--values", tmp_path / "values.yaml"],
        capture_output=True,
        text=True,
        check=True,
    )

    made = [each for each in yaml.safe_load_all(told.stdout) if each]
    assert made
    assert not [violation for each in made for violation in scanning_pods(each["kind"], each)]


def test_a_key_that_a_chart_does_not_know_is_found():
    known = {"controller": {"workers": 10, "labels": {}}, "list": []}

    written = {"controller": {"worker": 20, "labels": {"any": 1}}, "list": [1], "batchScheduler": {}}

    assert list(unknown_keys(written, known)) == ["controller.worker", "batchScheduler"]


def chart_at_hand(name: str) -> Path:
    """Folder of a chart; skips the test where there is none."""
    if not (CHARTS / name / "values.yaml").is_file():
        pytest.skip(f"chart {name} is not at hand: name a folder of charts in MOKA_CHARTS")
    return CHARTS / name


def unknown_keys(written: Mapping, known: Mapping, above: str = "") -> Iterator[str]:
    """Paths in `written` that are not in `known`; below an empty or missing default anything goes."""
    for key, value in written.items():
        if key not in known:
            yield above + key
        elif key not in PASSED_ON and isinstance(value, Mapping) and known[key]:
            yield from unknown_keys(value, known[key], f"{above}{key}.")


def found(values: Mapping, wanted: str, above: str = "") -> Iterator[tuple[str, object]]:
    """Every value of a key, wherever it is, by path."""
    for key, value in values.items():
        if key == wanted:
            yield above + key, value
        elif isinstance(value, Mapping):
            yield from found(value, wanted, f"{above}{key}.")
