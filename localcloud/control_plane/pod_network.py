"""`python -m localcloud.control_plane.pod_network`: leads requests to pods to what runs in their place.

The machines are simulated, and nothing listens at the addresses of their pods. Programs in place of pods have
this as their HTTP proxy, and the API server as the kubelets of the machines: a request to a pod's address, or
to a Service's name, and a port that is forwarded, go to the loopback port of the program that stands in for
the pod. A pod that something else runs for says so in its annotation `localcloud/serves`, such as
`4040=45123`: its port, and the one on 127.0.0.1.
"""

import argparse
import http.client
import ipaddress
import json
import shutil
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from localcloud.cloud import Cloud
from localcloud.control_plane import kubelet, pod_identity, socks
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import charts, deployments
from localcloud.errors import Refusal

SERVES = "localcloud/serves"
"""Annotation of a pod: `<port>=<port on 127.0.0.1>`, several with spaces between."""

HEALTH = "/healthz"
SECONDS = 60.0
HOP_BY_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "transfer-encoding",
        "upgrade",
    )
)


class Nowhere(OSError):
    """Nothing runs at an address; the message says why."""


class Destinations:
    """Where on 127.0.0.1 that is, what has an address of the cluster."""

    def __init__(self, api: Api, plane: ControlPlane) -> None:
        self._api = api
        self._plane = plane

    def port(self, host: str, port: int) -> int:
        """The port of 127.0.0.1 for a pod's address, or a Service's name, and its port. Raises Nowhere."""
        if _is_address(host):
            pods = self._api.list("/api/v1/pods", fieldSelector=f"status.podIP={host}")
            pod = next(filter(_runs, pods), None)
            if pod is None:
                raise Nowhere(f"no pod that runs has the address {host}")
        else:
            name, _, rest = host.partition(".")
            of_chart = charts.service_url(self._plane, rest.partition(".")[0], name, port)
            if of_chart is not None:
                return urlsplit(of_chart).port or port
            pod, port = self._behind(host, port)
        return served(pod, port, self._programs())

    def port_of_pod(self, namespace: str, name: str, port: int) -> int:
        """The port of 127.0.0.1 for a pod's port. Raises Nowhere."""
        try:
            pod = self._api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")
        except Refusal as refusal:
            raise Nowhere(str(refusal)) from None
        if pod is None or not _runs(pod):
            raise Nowhere(f"no pod {namespace}/{name} runs")
        return served(pod, port, self._programs())

    def _behind(self, host: str, port: int) -> tuple[Object, int]:
        """A pod of a Service, and the port that the Service's is there."""
        name, _, rest = host.partition(".")
        namespace = rest.partition(".")[0]
        service = self._api.get(f"/api/v1/namespaces/{namespace}/services/{name}") if namespace else None
        if service is None:
            raise Nowhere(f"there is no Service {host}")
        selector = ",".join(f"{key}={value}" for key, value in service["spec"].get("selector", {}).items())
        pods = self._api.list(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector)
        pod = next(filter(_runs, pods), None)
        target = next(
            (p.get("targetPort", port) for p in service["spec"]["ports"] if p["port"] == port), None
        )
        if pod is None or target is None:
            raise Nowhere(f"no pod that runs serves port {port} of Service {host}")
        return pod, target if isinstance(target, int) else _port_number(pod, target)

    def _programs(self) -> Mapping[str, str | None]:
        return deployments.addresses(self._plane)


def served(pod: Object, port: int, programs: Mapping[str, str | None]) -> int:
    """The port of 127.0.0.1 that a pod's port is. Raises Nowhere.

    programs: namespace and name of a Deployment -> URL of the program in place of its pods.
    """
    metadata = pod["metadata"]
    pairs = (pair.partition("=") for pair in metadata.get("annotations", {}).get(SERVES, "").split())
    ports = {int(own): int(local_port) for own, _, local_port in pairs}
    if port in ports:
        return ports[port]
    url = next((programs.get(f"{metadata['namespace']}/{name}") for name in _deployments(metadata)), None)
    if url is None or port not in _ports(pod, "http"):
        raise Nowhere(f"nothing runs in place of pod {metadata['namespace']}/{metadata['name']}, port {port}")
    local_port = urlsplit(url).port
    assert local_port is not None, "programs have a port of their own"
    return local_port


def _deployments(metadata: Mapping[str, Any]) -> Iterable[str]:
    """Names of the Deployment that owns a pod, by its ReplicaSet's."""
    for owner in metadata.get("ownerReferences") or ():
        if owner["kind"] == "ReplicaSet":
            yield owner["name"].rpartition("-")[0]


def _ports(pod: Object, name: str) -> list[int]:
    containers = pod["spec"]["containers"]
    return [p["containerPort"] for c in containers for p in c.get("ports") or () if p.get("name") == name]


def _port_number(pod: Object, name: str) -> int:
    ports = _ports(pod, name)
    if not ports:
        raise Nowhere(f"pod {pod['metadata']['name']} has no port {name}")
    return ports[0]


def _runs(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") == "Running"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Handler(BaseHTTPRequestHandler):
    """A forward proxy for HTTP, to 127.0.0.1 only."""

    protocol_version = "HTTP/1.1"
    destinations: Destinations
    plane: ControlPlane

    def do_GET(self) -> None:
        """Pass a request on, and its answer back."""
        url = urlsplit(self.path)
        if not url.hostname:
            self._say_itself()
            return
        try:
            port = self.destinations.port(url.hostname, url.port or 80)
            self._pass_on(port, self.path.partition(url.netloc)[2] or "/")
        except (Nowhere, Refusal, OSError, http.client.HTTPException) as error:
            self._say(502, f"The laptop's pod network: {error}.\n")

    def _say_itself(self) -> None:
        """What is asked of the node: whether it is well, and for the credentials of a pod."""
        if self.path != pod_identity.PATH:
            self._say(200 if self.path == HEALTH else 400, "ok")
            return
        try:
            credentials = pod_identity.credentials(self.plane, self.headers.get("Authorization", ""))
            self._say(200, json.dumps(credentials), "application/json")
        except (pod_identity.NoCredentials, Refusal, OSError) as error:
            self._say(400, f"{error}\n")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_GET

    def _pass_on(self, port: int, target: str) -> None:
        upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        upstream.putrequest(self.command, target, skip_host=True, skip_accept_encoding=True)
        for key, value in _end_to_end(self.headers.items()):
            upstream.putheader(key, value)
        upstream.endheaders(body)
        answer = upstream.getresponse()
        self.send_response_only(answer.status, answer.reason)
        for key, value in _end_to_end(answer.getheaders()):
            self.send_header(key, value)
        if answer.length is None and self.command != "HEAD":
            # Its end is the connection's.
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            shutil.copyfileobj(answer, self.wfile)
        upstream.close()

    def _say(self, status: int, text: str, kind: str = "text/plain") -> None:
        body = text.encode()
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: what is asked for is in the logs of who answers."""


def _end_to_end(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((key, value) for key, value in headers if key.lower() not in HOP_BY_HOP)


class Server(ThreadingHTTPServer):
    """Serves HTTP, and on the same port SOCKS and the kubelets' TLS: their first bytes are no letters."""

    daemon_threads = True
    tls: ssl.SSLContext

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve one connection."""
        first = request.recv(1, socket.MSG_PEEK)
        if first == socks.VERSION:
            socks.serve(request, self._find)
        elif first == kubelet.TLS:
            with self.tls.wrap_socket(request, server_side=True) as secure:
                kubelet.Kubelet(secure, client_address, self)
        else:
            super().finish_request(request, client_address)

    def _find(self, host: str, port: int) -> int | None:
        try:
            return Handler.destinations.port(host, port)
        except (Nowhere, Refusal) as error:
            print(error, flush=True)
            return None


def main() -> int:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    plane = ControlPlane(Cloud(options.home), options.cluster)
    Handler.destinations, Handler.plane = Destinations(plane.api(), plane), plane
    kubelet.Kubelet.find = staticmethod(Handler.destinations.port_of_pod)
    server = Server(("127.0.0.1", options.port), Handler)
    server.tls = kubelet.tls_context(plane.credentials)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
