"""Pods in whose place programs run on the laptop: with the labels, annotations and ports of the real ones.

They are on a simulated node. Their address is where the program really listens, so discovery by Kubernetes
finds it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from localcloud.control_plane.api import Api, Object, path_of
from tests.support.application_load import until
from tests.support.http_server import Handler, served

PATIENCE = 240


@dataclass(frozen=True, kw_only=True)
class ProgramPod:
    """A pod, and where its program listens.

    node: that it is on. labels: beside the name. metrics: port and path that are scraped by annotations.
    ports: by name.
    """

    name: str
    namespace: str
    address: str
    node: str
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
                "nodeName": self.node,
                "containers": [{"name": self.name, "image": self.name, "ports": ports}],
            },
        }


def run(api: Api, pods: Sequence[ProgramPod]) -> None:
    """Make pods, and have each be where its program listens once it runs."""
    api.apply_all(pod.manifest() for pod in pods)
    for pod in pods:
        path = path_of(pod.manifest())
        until(lambda path=path: phase(api, path) == "Running", f"{path} runs", PATIENCE)
        put_at(api, path, pod.address)


def phase(api: Api, path: str) -> str:
    """Phase of a pod; empty before it is there."""
    return str(((api.get(path) or {}).get("status") or {}).get("phase", ""))


def put_at(api: Api, path: str, address: str) -> None:
    """Have a running pod be at an address of the laptop."""
    api.merge(f"{path}/status", {"status": {"podIP": address, "podIPs": [{"ip": address}]}})


@contextmanager
def page(file: Path, address: str) -> Iterator[int]:
    """A program that has nothing but a page of metrics, whatever is asked for -> its port."""

    class Page(Handler):
        def do_GET(self) -> None:
            # Read anew: a test may change it.
            self.reply(200, file.read_bytes(), "text/plain; version=0.0.4")

    with served(Page, address) as port:
        yield port
