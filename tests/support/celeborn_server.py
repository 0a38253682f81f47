"""In place of a cluster with Celeborn: its API server, and the REST API of its pods as it is documented.

A stand-in by our reading of openapi/openapi-client and of the states in WorkerStatusManager.scala, v0.7.0: no
Celeborn server is at hand.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from localcloud.control_plane.kubelet import forward
from tests.support.http_server import Handler, http_server, served

PODS = "/api/v1/namespaces/celeborn/pods"
FORWARD = re.compile(PODS + r"/(?P<pod>[^/]+)/portforward\?ports=(?P<port>\d+)$")
PORTS = {"rpcPort": 9091, "pushPort": 9092, "fetchPort": 9093, "replicatePort": 9094}


@dataclass
class CelebornServer:
    """Three masters, one of them leading, and workers.

    polls: requests of the workers' list until a worker that drains is empty.
    avoided: workers of which masters tell applications that they leave, until they register anew.
    events: events that arrived, with the workers that they are for.
    ignores_events: workers keep their state whatever arrives.
    """

    workers: list[str] = field(default_factory=lambda: [f"celeborn-worker-{n}" for n in range(4)])
    leader: str | None = "celeborn-master-1"
    polls: int = 2
    states: dict[str, str] = field(default_factory=dict)
    avoided: set[str] = field(default_factory=set)
    racks: dict[str, str] = field(default_factory=dict)
    applications: list[str] = field(default_factory=lambda: ["spark-7"])
    events: list[tuple[str, list[str]]] = field(default_factory=list)
    ignores_events: bool = False
    url: str = ""

    def state(self, worker: str) -> str:
        return self.states.get(worker, "Normal")

    def answer(self, pod: str, port: int, path: str, body: dict | None) -> tuple[int, object]:
        """Status and body of an answer."""
        if port == 9096 and path == "/api/v1/applications":
            return 200, {"applications": self.applications if self.state(pod) != "Idle" else []}
        if port != 9098 or not pod.startswith("celeborn-master-"):
            return 503, "no such port"
        if path == "/api/v1/masters":
            # A candidate names a leader that is nobody.
            host = f"{self.leader}.celeborn-master.celeborn.svc.cluster.local:9872" if self.leader else ""
            return 200, {"groupId": "g", "leader": {"id": host, "address": host}}
        if path == "/api/v1/workers":
            workers = self._workers()
            avoided = [worker for worker in workers if worker["host"].partition(".")[0] in self.avoided]
            return 200, {"workers": workers, "lostWorkers": [], "decommissioningWorkers": avoided}
        if path == "/api/v1/workers/events" and body is not None:
            return self._event(pod, body)
        return 404, "no such path"

    def _workers(self) -> list[dict]:
        workers = [
            {
                "host": f"{worker}.celeborn-worker.celeborn.svc.cluster.local",
                **PORTS,
                "workerState": self.state(worker),
                "networkLocation": self.racks.get(worker, "/default-rack"),
                "slotUsed": 3,
            }
            for worker in self.workers
        ]
        self.polls -= any(self.state(worker) == "InDecommissionThenIdle" for worker in self.workers)
        if self.polls <= 0:
            leaving = [w for w, state in self.states.items() if state == "InDecommissionThenIdle"]
            self.states |= dict.fromkeys(leaving, "Idle")
        return workers

    def _event(self, pod: str, body: dict) -> tuple[int, object]:
        if pod != self.leader:
            return 400, "This operation can only be done from a master that has the LEADER role."
        assert all(set(worker) == {"host", *PORTS} for worker in body["workers"])
        names = [worker["host"].partition(".")[0] for worker in body["workers"]]
        self.events.append((body["eventType"], names))
        new = {"DECOMMISSIONTHENIDLE": "InDecommissionThenIdle", "RECOMMISSION": "Normal"}[body["eventType"]]
        if not self.ignores_events:
            self.states |= dict.fromkeys(names, new)
            # A worker says that it leaves, and never that it stays after all.
            self.avoided |= set(names) if new != "Normal" else set()
        return 200, {"success": True, "message": "handled"}


def pods(names: Sequence[str]) -> dict:
    """A list of pods, as the API server gives it."""
    return {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": name}} for name in names]}


@contextmanager
def pod_server(celeborn: CelebornServer, pod: str, port: int) -> Iterator[int]:
    """What a pod serves at one of its ports -> where on 127.0.0.1."""

    def answer(method: str, path: str, body: str) -> tuple[int, str]:
        status, reply = celeborn.answer(pod, port, path, json.loads(body) if body else None)
        return status, reply if isinstance(reply, str) else json.dumps(reply)

    with http_server(answer) as here:
        yield here


@contextmanager
def serve(celeborn: CelebornServer) -> Iterator[CelebornServer]:
    """The API server at a URL of its own; ports are forwarded by the laptop's kubelet."""
    with ExitStack() as stack:

        class ApiServer(Handler):
            def do_GET(self) -> None:
                if match := FORWARD.match(self.path):
                    pod, port = match["pod"], int(match["port"])
                    forward(self, pod, [port], lambda _: stack.enter_context(pod_server(celeborn, pod, port)))
                    return
                assert self.path.startswith(f"{PODS}?"), self.path
                self.reply(200, json.dumps(pods([f"celeborn-master-{n}" for n in range(3)])).encode())

        celeborn.url = f"http://127.0.0.1:{stack.enter_context(served(ApiServer))}"
        yield celeborn
