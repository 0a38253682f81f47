import pytest

from moka.components.kubernetes import traefik
from moka.components.kubernetes.traefik import Traefik, TraefikArgs


@pytest.fixture
def stack(deploy, catalog):
    def make(tls=True):
        return deploy(lambda: Traefik("a", TraefikArgs(catalog=catalog, namespace="ingress", tls=tls)))

    return make


def release(recorder):
    [inputs] = recorder.inputs("kubernetes:helm.sh/v3:Release")
    return inputs


def test_behind_tls_it_serves_tls_only_and_redirects_the_rest(stack):
    ports = release(stack())["values"]["ports"]

    assert ports["websecure"]["asDefault"] is True
    assert "asDefault" not in ports["web"]
    assert ports["web"]["http"]["redirections"]["entryPoint"] == {
        "to": "websecure",
        "scheme": "https",
        "permanent": True,
    }


def test_without_tls_it_serves_plain_http_and_redirects_nobody(stack):
    ports = release(stack(tls=False))["values"]["ports"]

    assert ports["web"]["asDefault"] is True
    assert "http" not in ports["web"]
    assert "asDefault" not in ports["websecure"]


def test_it_brings_no_custom_resources(stack):
    assert release(stack())["skipCrds"] is True


def test_it_reads_secrets_of_its_own_namespace_only(stack):
    recorder = stack()
    [role] = recorder.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    [cluster_role] = recorder.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")

    assert role["metadata"]["namespace"] == "ingress"
    assert any("secrets" in rule["resources"] for rule in role["rules"])
    assert {kind for rule in cluster_role["rules"] for kind in rule["resources"]} == {
        "ingressclasses",
        "nodes",
    }
    assert release(recorder)["values"]["rbac"] == {"enabled": False}
    assert release(recorder)["values"]["providers"]["kubernetesIngress"]["namespaces"] == ["ingress"]


def test_a_pod_that_goes_serves_until_the_load_balancer_has_left_it(stack):
    deployment = release(stack())["values"]["deployment"]
    leaving = deployment["lifecycle"]["preStop"]["sleep"]["seconds"]

    assert leaving + 30 < deployment["terminationGracePeriodSeconds"]
    assert release(stack())["values"]["ports"]["websecure"]["transport"]["lifeCycle"]["graceTimeOut"] == "30s"


def test_collectors_reach_its_metrics_and_everybody_else_its_pages_only(stack):
    [policy] = stack().inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    pages, metrics = policy["spec"]["ingress"]

    assert "from" not in pages
    assert [port["port"] for port in pages["ports"]] == [8000, 8080, 8443]
    assert [port["port"] for port in metrics["ports"]] == [9100]
    assert metrics["from"][0]["namespaceSelector"]["matchLabels"] == {
        "kubernetes.io/metadata.name": "monitoring"
    }


def test_its_pods_are_those_that_the_load_balancer_sends_to(stack):
    labels = release(stack())["values"]["deployment"]["podLabels"]

    assert labels == {"moka.dev/ingress-controller": traefik.BACKEND.name}
