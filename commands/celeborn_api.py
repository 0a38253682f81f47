"""Celeborn's REST API, by a port that is forwarded into its pods.

Network policies do not hold a forwarded port: the kubelet of the pod's node has the container runtime connect
inside the pod's network (containerd: sandbox_portforward_linux.go). The API server's proxy to pods connects
from the control plane's network interfaces, which no policy lets in.

Source: apache/celeborn v0.7.0, openapi/openapi-client, and WorkerStatusManager.scala for the states.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any

from moka.celeborn.configuration import MASTER_HTTP_PORT, WORKER_HTTP_PORT

MASTER_SELECTOR = "app.kubernetes.io/name=celeborn,app.kubernetes.io/role=master"

NORMAL, LEAVING, EMPTY = "Normal", "InDecommissionThenIdle", "Idle"
"""States of a worker: it takes data; it takes no more, and waits for what it has; it has none."""

IDENTITY_FIELDS = ("host", "rpcPort", "pushPort", "fetchPort", "replicatePort")
"""By which the masters identify a worker."""

REQUEST_TIMEOUT_SECONDS = 30

FORWARD_RIGHTS = (("", "pods", ("list",)), ("", "pods/portforward", ("get", "create")))
"""Group, resource and verbs that it takes in Celeborn's namespace. A websocket begins with a GET, and from
Kubernetes 1.35 on the API server also asks for `create` (kubernetes/kubernetes#134577)."""


class CelebornError(Exception):
    """Why Celeborn could not be reached, or refused."""


class ForwardingForbidden(Exception):
    """Who asks may not forward ports; no other pod would be any different."""


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A worker, as the masters know it.

    pod: its name. identity: what the masters identify it by. state: see above, or another on its way out.
    zone: None where masters tell no zones apart. avoided: the masters tell running applications that it
    leaves, and do so until it registers anew, even when it is recommissioned (apache/celeborn v0.7.0:
    Master.scala, with each heartbeat of an application; AbstractMetaManager.java).
    """

    pod: str
    identity: Mapping[str, Any]
    state: str
    zone: str | None
    avoided: bool


class Pods:
    """Pods of Celeborn on one cluster, by ports that are forwarded into them.

    context: of the kubeconfig; by default the current one.
    """

    def __init__(self, context: str | None = None, namespace: str = "celeborn") -> None:
        # Half a second of loading, which only this subcommand needs.
        from kubernetes import client, config

        self.namespace = namespace
        self._core = client.CoreV1Api(config.new_client_from_config(context=context))  # type: ignore[no-untyped-call]

    def masters(self) -> list[str]:
        """Names of the masters' pods."""
        pods = self._core.list_namespaced_pod(
            self.namespace, label_selector=MASTER_SELECTOR, _request_timeout=REQUEST_TIMEOUT_SECONDS
        )
        return sorted(str(pod.metadata.name) for pod in pods.items if pod.metadata)

    def request(self, pod: str, port: int, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """A pod's answer to a GET, or to a POST if there is a body, read from JSON.

        Raises CelebornError, and ForwardingForbidden.
        """
        with self._pod_connection(pod, port) as connection:
            connection.request(
                "GET" if body is None else "POST",
                path,
                None if body is None else json.dumps(body),
                {"Accept": "application/json", "Content-Type": "application/json"},
            )
            answer = connection.getresponse()
            text = answer.read().decode()
        if answer.status != 200:
            raise CelebornError(f"{pod} answers {answer.status} to {path}: {text.strip()[:300]}")
        return json.loads(text)

    @contextmanager
    def _pod_connection(self, pod: str, port: int) -> Iterator[HTTPConnection]:
        """A connection to a pod's port.

        Raises CelebornError where there is none, or it ends too early, and ForwardingForbidden.
        """
        from kubernetes.client import ApiException
        from kubernetes.stream import portforward

        try:
            forward = portforward(
                self._core.connect_get_namespaced_pod_portforward, pod, self.namespace, ports=str(port)
            )
        except ApiException as error:
            # The client keeps the answer in the error's cause.
            if getattr(error.__context__, "status_code", None) == HTTPStatus.FORBIDDEN:
                raise ForwardingForbidden(
                    f"You may not forward ports of {pod}: that takes the rights to get and create "
                    f"pods/portforward in namespace {self.namespace}"
                ) from None
            raise CelebornError(f"{pod} cannot be reached ({_message(error)})") from None
        # It stays open for the answer: the client may drop what comes together with a connection's end.
        connection = HTTPConnection(pod, port)
        connection.sock = forward.socket(port)
        connection.sock.settimeout(REQUEST_TIMEOUT_SECONDS)
        try:
            yield connection
        except (OSError, HTTPException) as error:
            raise CelebornError(f"{pod} cannot be reached ({forward.error(port) or error})") from None
        finally:
            connection.close()


class Celeborn:
    """Celeborn on one cluster."""

    def __init__(self, pods: Pods) -> None:
        self._pods = pods

    def leader(self) -> str:
        """Pod of the master that leads. Raises CelebornError when no master names one."""
        reasons = []
        masters = self._pods.masters()
        for pod in masters:
            try:
                leader = leader_of(self._pods.request(pod, MASTER_HTTP_PORT, "/api/v1/masters"))
            except CelebornError as error:
                reasons.append(str(error))
                continue
            if leader:
                return leader
            reasons.append(f"{pod} knows no leader")
        if not masters:
            reasons.append(f"namespace {self._pods.namespace} has no masters")
        raise CelebornError(f"Celeborn has no leader: {'; '.join(reasons)}")

    def workers(self) -> dict[str, Worker]:
        """Workers that the masters know, by pod."""
        return workers_of(self._pods.request(self.leader(), MASTER_HTTP_PORT, "/api/v1/workers"))

    def send(self, event: str, workers: Iterable[Worker]) -> None:
        """Send workers an event, such as DECOMMISSIONTHENIDLE, by way of the leader."""
        body = {"eventType": event, "workers": [dict(worker.identity) for worker in workers]}
        answer = self._pods.request(self.leader(), MASTER_HTTP_PORT, "/api/v1/workers/events", body)
        if not answer.get("success"):
            raise CelebornError(f"Celeborn refused: {answer.get('message')}")

    def applications(self, worker: Worker) -> list[str]:
        """Ids of the applications whose data a worker has."""
        answer = self._pods.request(worker.pod, WORKER_HTTP_PORT, "/api/v1/applications")
        return sorted(answer.get("applications") or [])


def _message(error: Exception) -> str:
    """What the API server says when it forwards no port."""
    body = getattr(error.__context__, "resp_body", None) or b""
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return str(getattr(error, "reason", error))


def leader_of(answer: Mapping[str, Any]) -> str | None:
    """Pod of the leader that a master names; it may name one without an address, which is none."""
    address = (answer.get("leader") or {}).get("address") or ""
    return address.partition(".")[0] or None


def workers_of(answer: Mapping[str, Any]) -> dict[str, Worker]:
    """Workers of a master's answer, by pod."""
    descriptions: Sequence[Mapping[str, Any]] = answer.get("workers") or []
    avoided = [_identity(data) for data in answer.get("decommissioningWorkers") or []]
    workers = [
        Worker(
            pod=data["host"].partition(".")[0],
            identity=_identity(data),
            state=data.get("workerState") or NORMAL,
            zone=_zone(data.get("networkLocation")),
            avoided=_identity(data) in avoided,
        )
        for data in descriptions
    ]
    return {worker.pod: worker for worker in sorted(workers, key=lambda worker: worker.pod)}


def _identity(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in IDENTITY_FIELDS}


def _zone(location: str | None) -> str | None:
    return None if location in (None, "/default-rack") else str(location).lstrip("/")
