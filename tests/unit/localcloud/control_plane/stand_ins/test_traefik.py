"""Traefik runs on the laptop as its chart would run it."""

from pathlib import Path

import pytest

from localcloud.control_plane.stand_ins import traefik
from localcloud.control_plane.stand_ins.processes import Surroundings
from localcloud.control_plane.stand_ins.releases import Release, merge
from moka.components.kubernetes.traefik import Traefik, TraefikArgs
from tests.support.chart_rendering import manifests

PORTS = {"web": 20001, "websecure": 20002, "traefik": 20003, "metrics": 20004}
AROUND = Surroundings(
    Path("/plane/kubeconfig"), 20000, PORTS, account=Path("/account"), pods={"HTTP_PROXY": "http://p"}
)


@pytest.fixture
def release(deploy, catalog):
    def make(tls=False):
        args = TraefikArgs(catalog=catalog, namespace="ingress", tls=tls)
        [inputs] = deploy(lambda: Traefik("a", args)).inputs("kubernetes:helm.sh/v3:Release")
        return inputs

    return make


def recorded(inputs):
    return Release(name="traefik", namespace="ingress", chart="traefik", values=inputs["values"])


@pytest.fixture
def command(monkeypatch, release):
    monkeypatch.setattr(traefik.tools, "path", lambda name: Path("/tools") / name)
    return traefik.command(recorded(release()), AROUND)


def test_it_listens_on_loopback_only(command):
    addresses = [
        flag.partition("=")[2]
        for flag in command.argv
        if flag.startswith("--entryPoints") and ".address" in flag
    ]

    assert sorted(addresses) == [f"127.0.0.1:{port}" for port in sorted(PORTS.values())]


def test_it_is_its_own_service_account_and_reaches_pods_by_the_pod_network(command):
    assert "--providers.kubernetesingress.token=/account/token" in command.argv
    assert "--providers.kubernetesingress.endpoint=https://127.0.0.1:20000" in command.argv
    assert command.environment == {"HTTP_PROXY": "http://p"}


@pytest.mark.parametrize("tls", [True, False])
def test_its_flags_are_those_of_the_chart(release, tls):
    inputs = release(tls)
    [deployment] = [thing for thing in manifests(inputs) if thing["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    flags = set(traefik.flags(merge(traefik.DEFAULTS, inputs["values"])))

    assert {flag.lower() for flag in flags} <= {flag.lower() for flag in container["args"]}


def test_where_the_chart_is_not_rendered_its_account_and_class_are_there(release):
    account, ingress_class = traefik.objects(recorded(release()))

    assert account["metadata"]["namespace"] == "ingress"
    assert ingress_class["metadata"]["name"] == "traefik"
