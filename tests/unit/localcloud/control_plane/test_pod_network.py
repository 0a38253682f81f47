"""Requests to pods, whose machines are simulated, come to what runs in their place."""

import urllib.error
import urllib.request
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest

from localcloud.control_plane import pod_network
from localcloud.control_plane.pod_network import Destinations, Handler, Nowhere, served
from tests.support import http_server


def pod(name="gateway-7d9c-x1", address="100.64.0.7", phase="Running", **annotations):
    return {
        "metadata": {
            "name": name,
            "namespace": "ingress",
            "annotations": annotations,
            "labels": {"app": "gateway"},
            "ownerReferences": [{"kind": "ReplicaSet", "name": "gateway-7d9c"}],
        },
        "spec": {"containers": [{"name": "c", "ports": [{"name": "http", "containerPort": 8080}]}]},
        "status": {"phase": phase, "podIP": address},
    }


SERVICE = {"spec": {"selector": {"app": "gateway"}, "ports": [{"port": 80, "targetPort": "http"}]}}
CHARTS = {("yunikorn", "yunikorn-service", 9080): "http://127.0.0.1:45200"}
PROGRAMS = {"ingress/gateway": "http://127.0.0.1:45000"}


class FakeApi:
    """Of an API server with these pods and one Service, `gateway.ingress`."""

    def __init__(self, *pods):
        self.pods = pods

    def list(self, path, fieldSelector="", labelSelector=""):
        field, _, address = fieldSelector.partition("=")
        return [pod for pod in self.pods if not field or pod["status"]["podIP"] == address]

    def get(self, path):
        return SERVICE if path == "/api/v1/namespaces/ingress/services/gateway" else None


@pytest.fixture
def destinations(monkeypatch):
    monkeypatch.setattr(pod_network.deployments, "addresses", lambda plane: PROGRAMS)
    monkeypatch.setattr(pod_network.charts, "service_url", lambda plane, *where: CHARTS.get(where))
    return lambda *pods: Destinations(FakeApi(*pods), None)


def test_a_pods_port_is_that_of_the_program_of_its_deployment(destinations):
    assert destinations(pod()).port("100.64.0.7", 8080) == 45000


def test_a_service_of_a_chart_leads_to_what_runs_in_place_of_its_pods(destinations):
    assert destinations().port("yunikorn-service.yunikorn", 9080) == 45200
    with pytest.raises(Nowhere, match="there is no Service"):
        destinations().port("yunikorn-service.yunikorn", 9889)


def test_a_pod_says_by_annotation_what_else_runs_in_its_place():
    driver = pod(**{"localcloud/serves": "4040=45123 7090=45124"})

    assert served(driver, 4040, {}) == 45123
    assert served(driver, 7090, {}) == 45124


@pytest.mark.parametrize(
    "name", ["gateway.ingress", "gateway.ingress.svc", "gateway.ingress.svc.cluster.local"]
)
def test_a_service_is_found_by_its_names_and_leads_to_the_port_of_its_pods(destinations, name):
    assert destinations(pod()).port(name, 80) == 45000


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("100.64.0.8", 8080, "no pod that runs has the address 100.64.0.8"),
        ("100.64.0.7", 9090, "nothing runs in place of pod ingress/gateway-7d9c-x1, port 9090"),
        ("other.ingress", 80, "there is no Service other.ingress"),
        ("gateway", 80, "there is no Service gateway"),
        ("gateway.ingress", 81, "no pod that runs serves port 81"),
    ],
)
def test_what_runs_nowhere_is_said(destinations, host, port, words):
    with pytest.raises(Nowhere, match=words):
        destinations(pod()).port(host, port)


def test_a_pod_that_has_ended_serves_nothing(destinations):
    with pytest.raises(Nowhere):
        destinations(pod(phase="Succeeded")).port("100.64.0.7", 8080)


@pytest.fixture
def served_by():
    """Start a handler on a port of its own; the port."""
    with ExitStack() as stack:
        yield lambda handler: stack.enter_context(http_server.served(handler))


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked, without a length where the path says so."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.answer(body)

    def do_GET(self):
        self.answer(b"")

    def answer(self, body):
        text = f"{self.command} {self.path} {self.headers['Host']} ".encode() + body
        self.send_response(302 if "moved" in self.path else 200)
        self.send_header("Location", "/elsewhere")
        if "endless" not in self.path:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format, *arguments):
        pass


@pytest.fixture
def through(served_by):
    """Requests through the pod network to a program; it runs in place of 100.64.0.7."""
    port = served_by(Echo)

    def find(host, _):
        if host != "100.64.0.7":
            raise Nowhere(f"no pod that runs has the address {host}")
        return port

    handler = type("H", (Handler,), {"destinations": SimpleNamespace(port=find)})
    proxy = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{served_by(handler)}"})

    class AsItIs(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    return urllib.request.build_opener(proxy, AsItIs).open


@pytest.mark.parametrize("path", ["/jobs/?id=1", "/endless", "/"])
def test_a_request_arrives_as_it_was_sent_to_the_pod(through, path):
    with through(f"http://100.64.0.7:4040{path}") as answer:
        assert answer.read() == f"GET {path} 100.64.0.7:4040 ".encode()


def test_a_body_is_passed_on(through):
    with through("http://100.64.0.7:4040/", data=b"content") as answer:
        assert answer.read().endswith(b"content")


def test_a_redirect_is_the_clients_to_follow(through):
    with pytest.raises(urllib.error.HTTPError) as moved:
        through("http://100.64.0.7:4040/moved")

    assert (moved.value.code, moved.value.headers["Location"]) == (302, "/elsewhere")


def test_an_address_without_a_pod_is_a_bad_gateway_that_says_why(through):
    with pytest.raises(urllib.error.HTTPError) as refusal:
        through("http://100.64.0.9:4040/")

    assert refusal.value.code == 502
    assert b"no pod that runs has the address 100.64.0.9" in refusal.value.read()
