"""The API server of a control plane, asked in plain data."""

import base64
import json
from collections.abc import Iterable, Iterator
from copy import copy
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from localcloud.errors import Refusal

Object = dict[str, Any]

MANAGER = "moka-laptop-cloud"
"""Field manager of all that is applied here."""

# Requests that may be under way at once, each on a connection of its own.
CONNECTIONS = 16


class Api:
    """Requests by path, with objects as dictionaries.

    Raises Refusal where the API server refuses or cannot be reached.
    """

    def __init__(self, endpoint: str, authority: str, token: str) -> None:
        """`authority` is the certificate (PEM) that the server's is checked against."""
        self._endpoint = endpoint
        self._headers = {"Authorization": f"Bearer {token}"}
        self._pool = urllib3.PoolManager(
            maxsize=CONNECTIONS, block=True, ca_cert_data=authority, timeout=60, retries=urllib3.Retry(2)
        )

    @classmethod
    def of(cls, kubeconfig: Path) -> "Api":
        """The API server of a kubeconfig that a control plane wrote."""
        known = json.loads(kubeconfig.read_text())
        cluster = known["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        return cls(cluster["server"], authority, known["users"][0]["user"]["token"])

    def as_account(self, namespace: str, name: str) -> "Api":
        """The same API server, as a service account, for the hour that its token lives."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        token = self.create(path, {"kind": "TokenRequest", "spec": {}})["status"]["token"]
        other = copy(self)
        other._headers = {"Authorization": f"Bearer {token}"}
        return other

    def get(self, path: str, **query: str) -> Object | None:
        """An object or a list; None where there is none."""
        return self._ask("GET", path, query, absent_is_fine=True)

    def list(self, path: str, **query: str) -> list[Object]:
        """The objects of a list."""
        found = self.get(path, **query)
        return list(found["items"]) if found else []

    def create(self, path: str, made: Object) -> Object:
        """Create an object in the list at this path."""
        return self._ask("POST", path, {}, made) or {}

    def apply(self, path: str, wanted: Object) -> Object:
        """Make the object at this path be as wanted: server-side apply, over whoever had its fields."""
        query = {"fieldManager": MANAGER, "force": "true"}
        return self._ask("PATCH", path, query, wanted, content="application/apply-patch+yaml") or {}

    def apply_all(self, wanted: Iterable[Object]) -> None:
        """Apply objects, one after another, each where its kind and name say."""
        for one in wanted:
            self.apply(path_of(one), one)

    def merge(self, path: str, change: Object) -> Object | None:
        """Change some fields of the object at this path; None where there is none."""
        return self._ask("PATCH", path, {}, change, True, content="application/merge-patch+json")

    def delete(self, path: str, **options: Any) -> Object | None:
        """Delete the object at this path; None where there is none."""
        return self._ask("DELETE", path, {}, options or None, absent_is_fine=True)

    def follow(self, path: str, **query: str) -> Iterator[Object]:
        """Every object of a list, and then again each time that it is made or changed, without end."""
        while True:
            listed = self.get(path, **query) or {"items": [], "metadata": {"resourceVersion": "0"}}
            yield from listed["items"]
            version = listed["metadata"]["resourceVersion"]
            for event in self._watch(path, {**query, "resourceVersion": version}):
                if event["type"] in ("ADDED", "MODIFIED"):
                    yield event["object"]

    def _watch(self, path: str, query: dict[str, str]) -> Iterator[Object]:
        """What happens to the objects of a list, until the server ends it or has forgotten the version."""
        watching = {**query, "watch": "true"}
        try:
            with self._pool.request(
                "GET", self._url(path, watching), headers=self._headers, preload_content=False, timeout=3600
            ) as answer:
                for line in answer:
                    yield json.loads(line)
        except urllib3.exceptions.HTTPError as error:
            raise self._unreachable(error) from error

    def _ask(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Object | None = None,
        absent_is_fine: bool = False,
        content: str = "application/json",
    ) -> Object | None:
        sent = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": content}
        try:
            answer = self._pool.request(method, self._url(path, query), body=sent, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise self._unreachable(error) from error
        if answer.status == 404 and absent_is_fine:
            return None
        if answer.status >= 400:
            raise Refusal(f"The API server refused to {method} {path}: {_reason(answer.data)}")
        told: Object = json.loads(answer.data)
        return told

    def _url(self, path: str, query: dict[str, str]) -> str:
        return f"{self._endpoint}{path}?{urlencode(query)}" if query else f"{self._endpoint}{path}"

    def _unreachable(self, error: Exception) -> Refusal:
        return Refusal(
            f"The API server at {self._endpoint} cannot be reached ({error}): run `make up` to start it."
        )


def path_of(wanted: Object) -> str:
    """Path of an object, for kinds whose plural is formed with an s."""
    version, metadata = wanted["apiVersion"], wanted["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    within = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    return f"{root}{within}/{wanted['kind'].lower()}s/{metadata['name']}"


def _reason(answer: bytes) -> str:
    """The message of a Status object; of an API server that is about to end, its plain words."""
    try:
        return str(json.loads(answer)["message"])
    except (ValueError, KeyError, TypeError):
        return answer.decode(errors="replace").strip()
