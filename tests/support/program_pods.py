"""Pods in whose place programs run on the laptop: with the labels, annotations and ports of the real ones.

Nobody schedules them. Their address is where the program really listens, so discovery by Kubernetes finds it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from localcloud.control_plane.api import Api, Object, path_of


@dataclass(frozen=True, kw_only=True)
class ProgramPod:
    """A pod, and where its program listens.

    labels: beside the name. metrics: port and path, where it is scraped by annotations. ports: by name.
    """

    name: str
    namespace: str
    address: str
    labels: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[int, str] | None = None
    ports: Mapping[str, int] = field(default_factory=dict)

    def manifest(self) -> Object:
        """The object."""
        annotations = {}
        if self.metrics:
            port, path = self.metrics
            annotations = {
                "prometheus.io/scrape": "true",
                "prometheus.io/port": str(port),
                "prometheus.io/path": path,
            }
        ports = [{"name": name, "containerPort": port} for name, port in self.ports.items()]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": self.name,
                "namespace": self.namespace,
                "labels": {"app.kubernetes.io/name": self.name, **self.labels},
                "annotations": annotations,
            },
            "spec": {
                "schedulerName": "none",
                "containers": [{"name": self.name, "image": self.name, "ports": ports}],
            },
        }

    def run(self, api: Api) -> None:
        """Make it, as running at its address."""
        path = path_of(self.manifest())
        api.apply(path, self.manifest())
        put_at(api, path, self.address, phase="Running")


def put_at(api: Api, path: str, address: str, **status: str) -> None:
    """Have a pod be at an address of the laptop."""
    api.merge(f"{path}/status", {"status": {**status, "podIP": address, "podIPs": [{"ip": address}]}})


@contextmanager
def page(file: Path, address: str) -> Iterator[int]:
    """A program that has nothing but a page of metrics, whatever is asked for -> its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            # Read anew: a test may change it.
            self.wfile.write(file.read_bytes())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer((address, 0), Handler)
    Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
