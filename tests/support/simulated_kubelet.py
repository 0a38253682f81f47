"""A kubelet's summary of its node and pods, made up; its form is Kubernetes'.

https://github.com/kubernetes/kubelet/blob/v0.35.0/pkg/apis/stats/v1alpha1/types.go
"""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from localcloud.control_plane.api import Object

PORT = 10250
GIB = 2**30


@contextmanager
def kubelet(
    address: str, node: str, certificate: Path, key: Path, pods: Callable[[], list[Object]]
) -> Iterator[None]:
    """Serve the summary of a node at its address. pods: those of the API server that are on it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/stats/summary" else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(summary(node, pods())).encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer((address, PORT), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def summary(node: str, pods: list[Object]) -> Object:
    """What a kubelet answers to `/stats/summary`."""
    return {
        "node": {
            "nodeName": node,
            **_used(cores=8, memory=32 * GIB),
            "fs": _disk(),
            "network": {"time": _now(), "name": "eth0", "interfaces": [_card("eth0"), _card("eni1234")]},
        },
        "pods": [
            {
                "podRef": {key: pod["metadata"][key] for key in ("name", "namespace", "uid")},
                "containers": [
                    {"name": container["name"], **_used(cores=1, memory=2 * GIB), "rootfs": _disk()}
                    for container in pod["spec"]["containers"]
                ],
            }
            for pod in pods
        ],
    }


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _used(cores: int, memory: int) -> Object:
    return {
        "startTime": "2026-01-01T00:00:00Z",
        "cpu": {
            "time": _now(),
            "usageNanoCores": cores * 10**9,
            "usageCoreNanoSeconds": int(time.monotonic() * cores * 10**9),
        },
        "memory": {"time": _now(), "usageBytes": memory, "workingSetBytes": memory, "availableBytes": memory},
    }


def _disk() -> Object:
    return {"time": _now(), "availableBytes": 60 * GIB, "capacityBytes": 80 * GIB, "usedBytes": 20 * GIB}


def _card(name: str) -> Object:
    bytes_so_far = int(time.monotonic() * 10**6)
    return {"name": name, "rxBytes": bytes_so_far, "rxErrors": 0, "txBytes": bytes_so_far, "txErrors": 0}
