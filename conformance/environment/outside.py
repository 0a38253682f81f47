"""An environment that is up, as somebody outside of it sees it."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import boto3
from kubernetes import config

from stacks.settings import Environment
from stacks.settings.cluster import Cluster
from stacks.settings.foundation import Foundation

POLL_SECONDS = 2.0

NOT_FOUND, MISTAKES = 404, 400
"""Statuses of HTTP: that of what is not there, and the first of those that refuse."""


class Defect(Exception):
    """What is not as it should be: one sentence."""


@dataclass(frozen=True)
class Outside:
    """One cluster of an environment, by its settings, the outputs of its stacks and the APIs that it has.

    name: of the cluster in the settings. outputs: of all stacks, secrets included.
    """

    settings: Environment
    name: str
    outputs: Mapping[str, Any]

    @property
    def cluster(self) -> Cluster:
        """Its settings."""
        return self.settings.clusters[self.name]

    @property
    def foundation(self) -> Foundation:
        """Settings of the account and region that it is in."""
        return self.settings.foundations[self.cluster.foundation]

    def output(self, layer: str) -> Mapping[str, Any]:
        """What a layer exports of it. Raises Defect."""
        name = f"{layer}/{self.name if layer != 'foundation' else self.cluster.foundation}"
        if name not in self.outputs:
            raise Defect(f"no stack has an output {name}")
        return dict(self.outputs[name])

    @property
    def eks_name(self) -> str:
        """Name of the cluster in EKS."""
        return str(self.output("cluster")["arn"]).rpartition("/")[2]

    def aws(self, service: str) -> Any:
        """A boto3 client in its region, with the credentials at hand."""
        session: Any = boto3.Session(region_name=self.foundation.region)
        return session.client(service)

    @cached_property
    def _api(self) -> Any:
        kubeconfig = json.loads(self.output("cluster")["kubeconfig"])
        return config.new_client_from_config_dict(kubeconfig)  # type: ignore[no-untyped-call]

    def ask(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """An answer of the API server; None where there is no such thing. Raises Defect."""
        request = self._api.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params={"Accept": "application/json", "Content-Type": "application/json"},
            body=body,
            auth_settings=["BearerToken"],
        )
        answer = self._api.call_api(*request, _request_timeout=60)
        content = answer.read()
        if answer.status == NOT_FOUND:
            return None
        if answer.status >= MISTAKES:
            raise Defect(
                f"the API server answers {method} {path} with {answer.status}: {content.decode()[:300]}"
            )
        return json.loads(content)

    def moka(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a subcommand of moka's."""
        command = [sys.executable, "-m", "commands", *arguments]
        return subprocess.run(command, input=text, capture_output=True, text=True)

    def wait(self, what: str, question: Callable[[], Any], minutes: float) -> Any:
        """Ask until there is an answer; that answer. Raises Defect."""
        deadline = time.monotonic() + 60 * minutes
        while not (answer := question()):
            if time.monotonic() > deadline:
                raise Defect(f"{what} did not happen within {minutes:g} minutes")
            time.sleep(POLL_SECONDS)
        return answer


def path_of(kind: str, namespace: str, name: str = "", **query: str) -> str:
    """Path of objects in a namespace: `api/v1/pods`, `apis/apps/v1/deployments`."""
    version, _, plural = kind.rpartition("/")
    path = "/".join(filter(None, [f"/{version}/namespaces/{namespace}/{plural}", name]))
    return f"{path}?{urlencode(query)}" if query else path
