"""In place of a cluster with Celeborn: its API server, and Celeborn's REST API behind it as it is documented.

A stand-in by our reading of openapi/openapi-client and of the states in WorkerStatusManager.scala, v0.7.0: no
Celeborn server is at hand.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

PROXY = re.compile(r"^/api/v1/namespaces/celeborn/pods/(?P<pod>[^/:]+):(?P<port>\d+)/proxy(?P<path>/.*)$")
PORTS = {"rpcPort": 9091, "pushPort": 9092, "fetchPort": 9093, "replicatePort": 9094}


@dataclass
class Stub:
    """Three masters, one of them leading, and workers.

    looks: how often the masters' list is asked for until a worker that drains is empty.
    told: events that arrived, with the workers that they are for.
    deaf: workers do not do as they are told.
    """

    workers: list[str] = field(default_factory=lambda: [f"celeborn-worker-{n}" for n in range(4)])
    leader: str | None = "celeborn-master-1"
    looks: int = 2
    states: dict[str, str] = field(default_factory=dict)
    racks: dict[str, str] = field(default_factory=dict)
    applications: list[str] = field(default_factory=lambda: ["spark-7"])
    told: list[tuple[str, list[str]]] = field(default_factory=list)
    deaf: bool = False
    url: str = ""

    def state(self, worker: str) -> str:
        return self.states.get(worker, "Normal")

    def answer(self, pod: str, port: int, path: str, body: dict | None) -> tuple[int, object]:
        """Status and what is answered."""
        if port == 9096 and path == "/api/v1/applications":
            return 200, {"applications": self.applications if self.state(pod) != "Idle" else []}
        if port != 9098 or not pod.startswith("celeborn-master-"):
            return 503, "no such port"
        if path == "/api/v1/masters":
            # A candidate names a leader that is nobody.
            host = f"{self.leader}.celeborn-master.celeborn.svc.cluster.local:9872" if self.leader else ""
            return 200, {"groupId": "g", "leader": {"id": host, "address": host}}
        if path == "/api/v1/workers":
            return 200, {"workers": self._listed(), "lostWorkers": []}
        if path == "/api/v1/workers/events" and body is not None:
            return self._event(pod, body)
        return 404, "no such path"

    def _listed(self) -> list[dict]:
        listed = [
            {
                "host": f"{worker}.celeborn-worker.celeborn.svc.cluster.local",
                **PORTS,
                "workerState": self.state(worker),
                "networkLocation": self.racks.get(worker, "/default-rack"),
                "slotUsed": 3,
            }
            for worker in self.workers
        ]
        self.looks -= any(self.state(worker) == "InDecommissionThenIdle" for worker in self.workers)
        if self.looks <= 0:
            leaving = [w for w, state in self.states.items() if state == "InDecommissionThenIdle"]
            self.states |= dict.fromkeys(leaving, "Idle")
        return listed

    def _event(self, pod: str, body: dict) -> tuple[int, object]:
        if pod != self.leader:
            return 400, "This operation can only be done from a master that has the LEADER role."
        assert all(set(worker) == {"host", *PORTS} for worker in body["workers"])
        names = [worker["host"].partition(".")[0] for worker in body["workers"]]
        self.told.append((body["eventType"], names))
        new = {"DECOMMISSIONTHENIDLE": "InDecommissionThenIdle", "RECOMMISSION": "Normal"}[body["eventType"]]
        if not self.deaf:
            self.states |= dict.fromkeys(names, new)
        return 200, {"success": True, "message": "handled"}


def pods(names: Sequence[str]) -> dict:
    """A list of pods, as the API server gives it."""
    return {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": name}} for name in names]}


@contextmanager
def served(stub: Stub) -> Iterator[Stub]:
    """The stub behind an address of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(None)

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _reply(self, body: dict | None) -> None:
            at = PROXY.match(self.path)
            if at:
                status, answer = stub.answer(at["pod"], int(at["port"]), at["path"], body)
            else:
                status, answer = 200, pods([f"celeborn-master-{n}" for n in range(3)])
            text = answer if isinstance(answer, str) else json.dumps(answer)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
