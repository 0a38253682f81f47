import pytest

from components.kubernetes.opentelemetry import OpenTelemetry, OpenTelemetryArgs


def releases(deploy, catalog, **changes):
    def program():
        args = OpenTelemetryArgs(catalog=catalog, namespace="monitoring", cluster="spark-a", **changes)
        OpenTelemetry("spark-a-opentelemetry", args)

    releases = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return {release["name"]: release["values"] for release in releases}


def test_agents_send_to_the_gateway(deploy, catalog):
    values = releases(deploy, catalog)

    exporter = values["opentelemetry-agent"]["alternateConfig"]["exporters"]["otlp"]
    assert exporter["endpoint"] == f"{values['opentelemetry-gateway']['fullnameOverride']}.monitoring:4317"


def test_there_is_an_agent_on_every_node(deploy, catalog):
    agent = releases(deploy, catalog)["opentelemetry-agent"]

    assert agent["mode"] == "daemonset"
    assert agent["tolerations"] == [{"operator": "Exists"}]
    assert "nodeSelector" not in agent


def test_every_metric_says_which_cluster_it_is_of(deploy, catalog):
    config = releases(deploy, catalog)["opentelemetry-gateway"]["alternateConfig"]

    [named] = config["processors"]["resource"]["attributes"]
    assert (named["key"], named["value"]) == ("k8s.cluster.name", "spark-a")
    assert "resource" in config["service"]["pipelines"]["metrics"]["processors"]


def test_metrics_can_be_read_from_the_gateway_when_they_are_written_nowhere(deploy, catalog):
    config = releases(deploy, catalog)["opentelemetry-gateway"]["alternateConfig"]

    assert config["service"]["pipelines"]["metrics"]["exporters"] == ["prometheus"]


def test_metrics_are_written_to_the_endpoint_that_is_named(deploy, catalog):
    config = releases(deploy, catalog, remote_write="https://metrics.example/write")["opentelemetry-gateway"][
        "alternateConfig"
    ]

    assert config["service"]["pipelines"]["metrics"]["exporters"] == ["prometheusremotewrite"]
    assert config["exporters"]["prometheusremotewrite"]["endpoint"] == "https://metrics.example/write"


@pytest.mark.parametrize("release", ["opentelemetry-agent", "opentelemetry-gateway"])
def test_pipelines_name_only_what_is_configured(deploy, catalog, release):
    config = releases(deploy, catalog)[release]["alternateConfig"]

    for pipeline in config["service"]["pipelines"].values():
        for kind, names in pipeline.items():
            assert set(names) <= set(config[kind]), kind
