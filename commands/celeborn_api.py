"""Celeborn's REST API, asked through the API server of its cluster, so that no port has to be forwarded.

Source: apache/celeborn v0.7.0, openapi/openapi-client, and WorkerStatusManager.scala for the states.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.celeborn.configuration import MASTER_HTTP_PORT, WORKER_HTTP_PORT

MASTERS = "app.kubernetes.io/name=celeborn,app.kubernetes.io/role=master"

NORMAL, LEAVING, EMPTY = "Normal", "InDecommissionThenIdle", "Idle"
"""States of a worker: it takes data; it takes no more, and waits for what it has; it has none."""

ID = ("host", "rpcPort", "pushPort", "fetchPort", "replicatePort")
"""What a worker is known by."""


class Unanswered(Exception):
    """Why Celeborn could not be asked, or would not."""


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A worker, as the masters know it.

    pod: its name. identity: what the masters know it by. state: see above, or another on its way out.
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
        # A second of loading, for those who ask.
        from kubernetes import client, config

        self.namespace = namespace
        self._api = config.new_client_from_config(context=context)  # type: ignore[no-untyped-call]
        self._core = client.CoreV1Api(self._api)

    def masters(self) -> list[str]:
        """Names of the masters' pods."""
        listed = self._core.list_namespaced_pod(self.namespace, label_selector=MASTERS, _request_timeout=30)
        return sorted(str(pod.metadata.name) for pod in listed.items if pod.metadata)

    def ask(self, pod: str, port: int, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What a pod answers, from JSON; posted to when there is a body. Raises Unanswered."""
        from urllib3.exceptions import HTTPError

        request = self._api.param_serialize(
            method="GET" if body is None else "POST",
            resource_path=f"/api/v1/namespaces/{self.namespace}/pods/{pod}:{port}/proxy{path}",
            header_params={"Accept": "application/json", "Content-Type": "application/json"},
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            answer = self._api.call_api(*request, _request_timeout=30)
            text = answer.read().decode()
        except HTTPError as error:
            raise Unanswered(f"cannot ask {pod} ({error})") from None
        if answer.status != 200:
            raise Unanswered(f"{pod} answers {answer.status} to {path}: {text.strip()[:300]}")
        return json.loads(text)


class Celeborn:
    """Celeborn on one cluster."""

    def __init__(self, pods: Pods) -> None:
        self._pods = pods

    def leader(self) -> str:
        """Pod of the master that leads. Raises Unanswered when no master names one."""
        reasons = []
        masters = self._pods.masters()
        for pod in masters:
            try:
                found = leader_of(self._pods.ask(pod, MASTER_HTTP_PORT, "/api/v1/masters"))
            except Unanswered as error:
                reasons.append(str(error))
                continue
            if found:
                return found
            reasons.append(f"{pod} knows no leader")
        if not masters:
            reasons.append(f"namespace {self._pods.namespace} has no masters")
        raise Unanswered(f"Celeborn has no leader to ask: {'; '.join(reasons)}")

    def workers(self) -> dict[str, Worker]:
        """Workers that the masters know, by pod."""
        return workers_of(self._pods.ask(self.leader(), MASTER_HTTP_PORT, "/api/v1/workers"))

    def send(self, event: str, workers: Iterable[Worker]) -> None:
        """Tell workers of an event, such as DECOMMISSIONTHENIDLE, by way of the leader."""
        body = {"eventType": event, "workers": [dict(worker.identity) for worker in workers]}
        answer = self._pods.ask(self.leader(), MASTER_HTTP_PORT, "/api/v1/workers/events", body)
        if not answer.get("success"):
            raise Unanswered(f"Celeborn refused: {answer.get('message')}")

    def applications(self, worker: Worker) -> list[str]:
        """Ids of the applications whose data a worker has."""
        answer = self._pods.ask(worker.pod, WORKER_HTTP_PORT, "/api/v1/applications")
        return sorted(answer.get("applications") or [])


def leader_of(answer: Mapping[str, Any]) -> str | None:
    """Pod of the leader that a master names; it may name one without an address, which is none."""
    address = (answer.get("leader") or {}).get("address") or ""
    return address.partition(".")[0] or None


def workers_of(answer: Mapping[str, Any]) -> dict[str, Worker]:
    """Workers of a master's answer, by pod."""
    found: Sequence[Mapping[str, Any]] = answer.get("workers") or []
    each = [
        Worker(
            pod=data["host"].partition(".")[0],
            identity={key: data[key] for key in ID},
            state=data.get("workerState") or NORMAL,
            zone=_zone(data.get("networkLocation")),
        )
        for data in found
    ]
    return {worker.pod: worker for worker in sorted(each, key=lambda worker: worker.pod)}


def _zone(location: str | None) -> str | None:
    return None if location in (None, "/default-rack") else str(location).lstrip("/")
