"""A Grafana of the cluster's own, and where any other finds the dashboards."""

import json

import pytest
import yaml

from moka.components.kubernetes.dashboards import Dashboards, DashboardsArgs
from moka.components.kubernetes.grafana import Grafana, GrafanaArgs, QueriedStore
from moka.observability.files import dashboard_files

MIB = 2**20


@pytest.fixture
def deployed(deploy, catalog):
    def run(store):
        def program():
            files = dashboard_files()
            dashboards = Dashboards("spark-a-dashboards", DashboardsArgs(namespace="monitoring", files=files))
            args = GrafanaArgs(
                catalog=catalog,
                namespace="monitoring",
                dashboards=dashboards.config_map,
                files=files,
                store=store,
            )
            Grafana("spark-a-grafana", args)

        return deploy(program)

    return run


@pytest.fixture
def grafana(deployed):
    return deployed(QueriedStore(url="http://prometheus.monitoring:9090"))


def config_map(recorded, name):
    [found] = [
        one for one in recorded.inputs("kubernetes:core/v1:ConfigMap") if one["metadata"]["name"] == name
    ]
    return found


def pod(recorded):
    [deployment] = recorded.inputs("kubernetes:apps/v1:Deployment")
    return deployment["spec"]["template"]["spec"]


def environment(recorded):
    [container] = pod(recorded)["containers"]
    return {one["name"]: one["value"] for one in container["env"]}


def test_a_grafana_elsewhere_finds_the_dashboards_by_the_label_of_its_sidecar(grafana):
    dashboards = config_map(grafana, "grafana-dashboards")

    assert dashboards["metadata"]["labels"] == {"grafana_dashboard": "1"}
    assert all(json.loads(text)["panels"] for text in dashboards["data"].values())


def test_kubernetes_takes_the_dashboards_with_room_for_as_many_again(grafana):
    data = config_map(grafana, "grafana-dashboards")["data"]

    assert sum(len(name) + len(text.encode()) for name, text in data.items()) < MIB / 2


def test_the_dashboards_are_where_grafana_looks_for_them(grafana):
    [provider] = yaml.safe_load(config_map(grafana, "grafana")["data"]["dashboards.yaml"])["providers"]
    [container] = pod(grafana)["containers"]
    folders = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume.get("configMap", {}).get("name") for volume in pod(grafana)["volumes"]}

    assert volumes[folders[provider["options"]["path"]]] == "grafana-dashboards"


def test_it_asks_the_clusters_own_store_without_a_signature(grafana):
    [source] = yaml.safe_load(config_map(grafana, "grafana")["data"]["sources.yaml"])["datasources"]

    assert source["url"] == "http://prometheus.monitoring:9090"
    assert "sigV4Auth" not in source["jsonData"]
    assert "GF_AUTH_SIGV4_AUTH_ENABLED" not in environment(grafana)


def test_it_signs_what_it_asks_of_a_managed_store(deployed):
    grafana = deployed(
        QueriedStore(url="https://aps-workspaces.us-east-1.amazonaws.com/workspaces/ws-1", region="us-east-1")
    )

    [source] = yaml.safe_load(config_map(grafana, "grafana")["data"]["sources.yaml"])["datasources"]
    assert (source["jsonData"]["sigV4Auth"], source["jsonData"]["sigV4Region"]) == (True, "us-east-1")
    assert environment(grafana)["GF_AUTH_SIGV4_AUTH_ENABLED"] == "true"


def test_nobody_reaches_it_over_the_network_as_it_asks_for_no_login(grafana):
    [policy] = grafana.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")

    assert environment(grafana)["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert policy["spec"]["policyTypes"] == ["Ingress"]
    assert not policy["spec"].get("ingress")


def test_it_has_no_password_and_no_key_of_kubernetes(grafana):
    assert environment(grafana)["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert pod(grafana)["automountServiceAccountToken"] is False
    [container] = pod(grafana)["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
