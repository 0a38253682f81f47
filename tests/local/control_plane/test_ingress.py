"""Real Traefik, as its own service account, leads to the gateway, and that to a driver's UI."""

from itertools import count
from threading import Event, Thread

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.control_plane import stand_ins
from localcloud.control_plane.pod_network import SERVES
from localcloud.control_plane.stand_ins import charts, deployments
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.errors import Refusal
from moka import catalog
from moka.components.kubernetes import traefik
from moka.components.kubernetes.ui_gateway import JOB_NAMESPACE_RIGHTS
from moka.names import UI_GATEWAY
from moka.pages import UI_PORT
from tests.local.control_plane.test_ui_gateway import ARGUMENTS, DOMAIN, ask
from tests.support.http_server import http_server
from tests.support.roles import bound_role
from tests.support.simulated_operator import Application, define

HOME, JOBS = "ingress", "live"
NUMBERS = count(1)
"""Of drivers: a pod's address is its own."""

LABELS = {"app.kubernetes.io/name": UI_GATEWAY}


@pytest.fixture(scope="module")
def pages(plane, api, eventually):
    """URL of Traefik, with the gateway behind it; both find what they need by their own accounts."""
    define(api)
    namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (HOME, JOBS)]
    api.apply_all(namespaces)
    api.apply_all([*rights(), *gateway()])
    [deployment] = [thing for thing in gateway() if thing["kind"] == "Deployment"]
    assert deployments.apply(plane, deployment, REPOSITORY)
    args = traefik.TraefikArgs(catalog=catalog.read(), namespace=HOME, tls=False)
    values = args.catalog.release_values("traefik", "traefik", traefik.values(args))
    release = Release(name="traefik", namespace=HOME, chart="traefik", values=values)
    assert charts.apply(plane, release)
    url = charts.ingress_url(plane)
    eventually(lambda: ask(url, f"none.{JOBS}.{DOMAIN}")[2] != "404 page not found\n")
    yield url
    charts.remove(plane, HOME, "traefik")
    deployments.remove(plane, HOME, UI_GATEWAY)


def rights():
    account = traefik.ACCOUNT
    cluster = bound_role(account, HOME, traefik.CLUSTER_RIGHTS, HOME)
    for thing in cluster:
        thing["kind"] = f"Cluster{thing['kind']}"
        thing["metadata"] = {"name": account}
    cluster[1]["roleRef"]["kind"] = "ClusterRole"
    return [
        *bound_role(account, HOME, traefik.RIGHTS, HOME),
        *cluster,
        *bound_role(UI_GATEWAY, JOBS, JOB_NAMESPACE_RIGHTS, HOME),
    ]


def gateway():
    """The gateway's objects; kwok pretends to be its pods, and its program runs in their place."""
    metadata = {"name": UI_GATEWAY, "namespace": HOME, "labels": LABELS}
    container = {
        "name": UI_GATEWAY,
        "image": "example.invalid/ui-gateway",
        "args": [*ARGUMENTS, f"--namespace={JOBS}"],
        "ports": [{"name": "http", "containerPort": 8080}],
    }
    template = {
        "metadata": {"labels": LABELS},
        "spec": {"serviceAccountName": UI_GATEWAY, "containers": [container]},
    }
    backend = {"service": {"name": UI_GATEWAY, "port": {"name": "http"}}}
    rule = {
        "host": f"*.{JOBS}.{DOMAIN}",
        "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
    }
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {
                "selector": LABELS,
                "ports": [{"name": "http", "port": 8080, "targetPort": "http"}],
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {"replicas": 2, "selector": {"matchLabels": LABELS}, "template": template},
        },
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": metadata,
            "spec": {"ingressClassName": traefik.INGRESS_CLASS, "rules": [rule]},
        },
    ]


@pytest.fixture
def driver(api, eventually, pages):
    """Run a driver whose UI answers as a function of a path says; ask its address."""
    servers = []

    def run(answer):
        server = http_server(lambda method, path, body: (200, answer(path)))
        port = server.__enter__()
        servers.append(server)
        job = Application(api, JOBS, "RUNNING", phase="Running")
        api.merge(job.pod_path, {"metadata": {"annotations": {SERVES: f"{UI_PORT}={port}"}}})
        address = f"100.64.45.{next(NUMBERS)}"
        status = {"podIP": address, "podIPs": [{"ip": address}]}
        api.merge(f"{job.pod_path}/status", {"status": status})
        host = f"{job.name}.{JOBS}.{DOMAIN}"
        eventually(lambda: ask(pages, host)[0] == 200)
        return lambda path: ask(f"{pages}{path}", host)

    yield run
    for server in servers:
        server.__exit__(None, None, None)


def test_the_ui_of_a_driver_is_reached_by_its_host(driver):
    ask_ui = driver(lambda path: f"live {path}")

    assert ask_ui("/jobs/?id=1") == (200, None, "live /jobs/?id=1")


def test_a_host_that_no_page_has_is_unknown(pages):
    assert ask(pages, f"a.b.c.{DOMAIN}")[0] == 404
    assert ask(pages, "example.com")[0] == 404


def test_it_may_not_read_what_is_secret_elsewhere(pages, api):
    controller = api.as_account(HOME, traefik.ACCOUNT)

    assert controller.list(f"/api/v1/namespaces/{HOME}/secrets") == []
    with pytest.raises(Refusal, match="forbidden"):
        controller.list(f"/api/v1/namespaces/{JOBS}/secrets")
    with pytest.raises(Refusal, match="forbidden"):
        controller.list("/api/v1/secrets")


def test_a_request_that_is_open_when_the_controller_goes_is_answered(plane, driver):
    asked, go_on = Event(), Event()

    def answer(path):
        if path == "/slow":
            asked.set()
            assert go_on.wait(20)
        return path

    ask_ui = driver(answer)
    answers = []
    client = Thread(target=lambda: answers.append(ask_ui("/slow")))
    client.start()
    assert asked.wait(20)
    controller = plane.process(f"{HOME}.traefik")
    leaving = Thread(target=controller.stop)
    leaving.start()
    go_on.set()
    client.join()
    leaving.join()

    assert answers == [(200, None, "/slow")]
    stand_ins.resume(plane)
