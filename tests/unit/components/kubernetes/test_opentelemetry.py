import re

import pytest

from moka.collectors.sending import CloudWatch, Otlp, RemoteWrite, workspace_url
from moka.components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs

ROLES = ("agent", "gateway", "scraper")
WORKSPACE = "arn:aws:aps:eu-west-1:111122223333:workspace/ws-0a1b"


def recorded(deploy, catalog, **changes):
    def program():
        args = OpenTelemetryArgs(
            catalog=catalog,
            namespace="monitoring",
            nodes_namespace="monitoring-nodes",
            origin={"environment": "prod", "cluster": "spark-a", "region": "us-east-1"},
            job_namespaces=["spark-jobs"],
            storage_class="gp3",
            **changes,
        )
        OpenTelemetry("spark-a-opentelemetry", args)

    return deploy(program)


def releases(deploy, catalog, **changes):
    inputs = recorded(deploy, catalog, **changes).inputs("kubernetes:helm.sh/v3:Release")
    return {release["name"].removeprefix("opentelemetry-"): release["values"] for release in inputs}


@pytest.fixture
def configs(deploy, catalog):
    """Role -> configuration of its collector."""
    return {role: values["alternateConfig"] for role, values in releases(deploy, catalog).items()}


@pytest.mark.parametrize("role", ["agent", "scraper"])
def test_edges_send_to_the_gateway_in_order_from_a_queue_on_disk(configs, role):
    exporter = configs[role]["exporters"]["otlp"]

    assert exporter["endpoint"] == "opentelemetry-gateway.monitoring:4317"
    assert exporter["sending_queue"]["num_consumers"] == 1
    assert exporter["sending_queue"]["storage"] in configs[role]["service"]["extensions"]
    assert exporter["retry_on_failure"]["max_elapsed_time"] == 0, "only the queue's size bounds an outage"


def test_a_request_of_an_edge_fits_what_the_gateway_takes(configs):
    mib = configs["gateway"]["receivers"]["otlp"]["protocols"]["grpc"]["max_recv_msg_size_mib"]

    for role in ("agent", "scraper"):
        items = configs[role]["exporters"]["otlp"]["sending_queue"]["batch"]["max_size"]
        assert items * 1024 < mib * 2**20 / 4, "a point of 1 KiB is one with forty long labels"


def test_the_gateway_keeps_nothing_that_it_could_lose(configs):
    [exporter] = configs["gateway"]["exporters"].values()

    assert exporter["sending_queue"] == {"enabled": False}
    assert configs["gateway"]["service"]["pipelines"]["metrics"]["processors"] == ["memory_limiter"]


def seconds(text):
    return int(text.removesuffix("s"))


def test_a_gateway_answers_before_an_edge_gives_up(configs):
    [exporter] = configs["gateway"]["exporters"].values()
    tries = seconds(exporter["retry_on_failure"]["max_elapsed_time"])

    assert seconds(exporter["timeout"]) + tries < seconds(configs["agent"]["exporters"]["otlp"]["timeout"])


def test_what_remote_write_does_not_take_goes_back_to_the_edge_which_keeps_it(deploy, catalog):
    values = releases(deploy, catalog, destination=RemoteWrite(url="https://metrics.example/write"))
    [exporter] = values["gateway"]["alternateConfig"]["exporters"].values()
    patience = seconds(values["agent"]["alternateConfig"]["exporters"]["otlp"]["timeout"])

    # Its own tries end before; what its timeout ends, it calls permanent, and the edge would drop it.
    assert seconds(exporter["retry_on_failure"]["max_elapsed_time"]) < patience < seconds(exporter["timeout"])
    assert values["gateway"]["command"]["extraArgs"] == [
        "--feature-gates=exporter.prometheusremotewritexporter.RetryOn429"
    ]


def test_there_is_an_agent_on_every_node(deploy, catalog):
    agent = releases(deploy, catalog)["agent"]

    assert agent["mode"] == "daemonset"
    assert agent["tolerations"] == [{"operator": "Exists"}]
    assert "nodeSelector" not in agent


def test_only_agents_are_where_privilege_is_allowed(deploy, catalog):
    inputs = recorded(deploy, catalog).inputs("kubernetes:helm.sh/v3:Release")

    assert {release["name"]: release["namespace"] for release in inputs} == {
        "opentelemetry-agent": "monitoring-nodes",
        "opentelemetry-gateway": "monitoring",
        "opentelemetry-scraper": "monitoring",
    }


@pytest.mark.parametrize("role", ["agent", "scraper"])
def test_every_series_says_where_it_is_from(deploy, catalog, role):
    values = releases(deploy, catalog)[role]
    [processor] = values["alternateConfig"]["processors"]["transform/labels"]["metric_statements"]
    named = dict(re.findall(r'set\(attributes\["(\w+)"\], "\$\{env:(\w+)\}"\)(?! where)', str(processor)))
    env = {variable["name"]: variable.get("value") for variable in values["extraEnvs"]}

    assert {label: env[variable] for label, variable in named.items()} == {
        "environment": "prod",
        "cluster": "spark-a",
        "region": "us-east-1",
    }
    assert (
        values["alternateConfig"]["service"]["pipelines"]["metrics"]["processors"][-1] == "transform/labels"
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_collector_says_of_itself_what_it_lost(configs, role):
    [reader] = configs[role]["service"]["telemetry"]["metrics"]["readers"]

    assert reader["pull"]["exporter"]["prometheus"]["port"] == 8888


@pytest.mark.parametrize("role", ROLES)
def test_pipelines_name_only_what_is_configured(configs, role):
    config = configs[role]

    assert set(config["service"]["extensions"]) == set(config["extensions"])
    for kind in ("receivers", "processors", "exporters"):
        named = {name for pipeline in config["service"]["pipelines"].values() for name in pipeline[kind]}
        assert named == set(config[kind]), kind


def test_metrics_go_to_a_store_of_the_clusters_own_where_no_other_is_named(configs):
    assert configs["gateway"]["exporters"]["otlphttp"]["metrics_endpoint"].startswith(
        "http://prometheus:9090/"
    )


DESTINATIONS = {
    "otlp": (Otlp(endpoint="https://metrics.example", secret="login"), None),
    "remote write": (RemoteWrite(url="https://metrics.example/write"), None),
    "managed prometheus": (
        RemoteWrite(url=workspace_url(WORKSPACE), workspace=WORKSPACE),
        {"service": "aps", "region": "eu-west-1"},
    ),
    "cloudwatch": (CloudWatch(region="us-west-2"), {"service": "monitoring", "region": "us-west-2"}),
}


@pytest.mark.parametrize(("destination", "signing"), DESTINATIONS.values(), ids=DESTINATIONS)
def test_metrics_go_to_the_destination_that_is_named_signed_where_it_is_of_aws(
    deploy, catalog, destination, signing
):
    config = releases(deploy, catalog, destination=destination)["gateway"]["alternateConfig"]

    [name] = config["service"]["pipelines"]["metrics"]["exporters"]
    assert list(config["exporters"]) == [name]
    assert config["extensions"].get("sigv4auth") == signing
    assert ("auth" in config["exporters"][name]) == bool(signing)
    assert set(config["service"]["extensions"]) == set(config["extensions"])


def test_a_workspace_of_managed_prometheus_is_written_to_at_its_own_address():
    assert workspace_url(WORKSPACE) == (
        "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-0a1b/api/v1/remote_write"
    )


def test_a_login_comes_from_a_secret_and_is_in_no_configuration(deploy, catalog):
    values = releases(deploy, catalog, destination=DESTINATIONS["otlp"][0])["gateway"]

    [login] = values["extraEnvs"]
    assert login["valueFrom"]["secretKeyRef"] == {"name": "login", "key": "authorization"}
    assert values["alternateConfig"]["exporters"]["otlphttp"]["headers"] == {
        "authorization": "${env:AUTHORIZATION}"
    }
