"""Celeborn's REST API, through the API server of its cluster, so that no port has to be forwarded.

Source: apache/celeborn v0.7.0, openapi/openapi-client, and WorkerStatusManager.scala for the states.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.celeborn.configuration import MASTER_HTTP_PORT, WORKER_HTTP_PORT

MASTER_SELECTOR = "app.kubernetes.io/name=celeborn,app.kubernetes.io/role=master"

NORMAL, LEAVING, EMPTY = "Normal", "InDecommissionThenIdle", "Idle"
"""States of a worker: it takes data; it takes no more, and waits for what it has; it has none."""

IDENTITY_FIELDS = ("host", "rpcPort", "pushPort", "fetchPort", "replicatePort")
"""By which the masters identify a worker."""

REQUEST_TIMEOUT_SECONDS = 30


class CelebornError(Exception):
    """Why Celeborn could not be reached, or refused."""


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A worker, as the masters know it.

    pod: its name. identity: what the masters identify it by. state: see above, or another on its way out.
    zone: None where masters tell no zones apart.
    """

    pod: str
    identity: Mapping[str, Any]
    state: str
    zone: str | None


class Pods:
    """Pods of Celeborn on one cluster, by the API server's proxy to them.

    context: of the kubeconfig; by default the current one.
    """

    def __init__(self, context: str | None = None, namespace: str = "celeborn") -> None:
        # Half a second of loading, which only this subcommand needs.
        from kubernetes import client, config

        self.namespace = namespace
        self._api = config.new_client_from_config(context=context)  # type: ignore[no-untyped-call]
        self._core = client.CoreV1Api(self._api)

    def masters(self) -> list[str]:
        """Names of the masters' pods."""
        pods = self._core.list_namespaced_pod(
            self.namespace, label_selector=MASTER_SELECTOR, _request_timeout=REQUEST_TIMEOUT_SECONDS
        )
        return sorted(str(pod.metadata.name) for pod in pods.items if pod.metadata)

    def request(self, pod: str, port: int, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """A pod's answer to a GET, or to a POST if there is a body, read from JSON. Raises CelebornError."""
        from urllib3.exceptions import HTTPError

        parameters = self._api.param_serialize(
            method="GET" if body is None else "POST",
            resource_path=f"/api/v1/namespaces/{self.namespace}/pods/{pod}:{port}/proxy{path}",
            header_params={"Accept": "application/json", "Content-Type": "application/json"},
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            answer = self._api.call_api(*parameters, _request_timeout=REQUEST_TIMEOUT_SECONDS)
            text = answer.read().decode()
        except HTTPError as error:
            raise CelebornError(f"{pod} cannot be reached ({error})") from None
        if answer.status != 200:
            raise CelebornError(f"{pod} answers {answer.status} to {path}: {text.strip()[:300]}")
        return json.loads(text)


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


def leader_of(answer: Mapping[str, Any]) -> str | None:
    """Pod of the leader that a master names; it may name one without an address, which is none."""
    address = (answer.get("leader") or {}).get("address") or ""
    return address.partition(".")[0] or None


def workers_of(answer: Mapping[str, Any]) -> dict[str, Worker]:
    """Workers of a master's answer, by pod."""
    descriptions: Sequence[Mapping[str, Any]] = answer.get("workers") or []
    workers = [
        Worker(
            pod=data["host"].partition(".")[0],
            identity={key: data[key] for key in IDENTITY_FIELDS},
            state=data.get("workerState") or NORMAL,
            zone=_zone(data.get("networkLocation")),
        )
        for data in descriptions
    ]
    return {worker.pod: worker for worker in sorted(workers, key=lambda worker: worker.pod)}


def _zone(location: str | None) -> str | None:
    return None if location in (None, "/default-rack") else str(location).lstrip("/")
