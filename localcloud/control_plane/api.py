"""Requests to the API server of a control plane, in plain data."""

import json
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any
from urllib.parse import urlencode

import urllib3

from localcloud.cloud import RUN
from localcloud.errors import Refusal

Object = dict[str, Any]

FIELD_MANAGER = "moka-laptop-cloud"

# Most requests at a time, on a connection each.
CONNECTIONS = 16


class Api:
    """Requests by path, with objects as dictionaries.

    Raises Refusal where the API server refuses or cannot be reached.
    """

    def __init__(self, endpoint: str, authority: str, token: str) -> None:
        """`authority` is the certificate (PEM) of the authority that signed the server's."""
        self._endpoint = endpoint
        self._headers = {"Authorization": f"Bearer {token}"}
        self._pool = urllib3.PoolManager(
            maxsize=CONNECTIONS, block=True, ca_cert_data=authority, timeout=60, retries=urllib3.Retry(2)
        )

    def as_account(self, namespace: str, name: str) -> "Api":
        """The same API server, as a service account, for the hour that its token lives."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        token = self.create(path, {"kind": "TokenRequest", "spec": {}})["status"]["token"]
        api = copy(self)
        api._headers = {"Authorization": f"Bearer {token}"}
        return api

    def get(self, path: str, **query: str) -> Object | None:
        """An object or a list; None where there is none."""
        return self._request("GET", path, query, absent_ok=True)

    def list(self, path: str, **query: str) -> list[Object]:
        """The objects of a list."""
        listing = self.get(path, **query)
        return list(listing["items"]) if listing else []

    def create(self, path: str, manifest: Object, **query: str) -> Object:
        """Create an object in the list at this path."""
        return self._request("POST", path, query, manifest) or {}

    def apply(self, path: str, manifest: Object) -> Object:
        """Server-side apply of the object at this path, also over fields of other managers."""
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        return (
            self._request("PATCH", path, query, manifest, content_type="application/apply-patch+yaml") or {}
        )

    def apply_all(self, manifests: Iterable[Object]) -> None:
        """Apply objects, one after another, at the paths of their kinds and names."""
        for manifest in manifests:
            self.apply(path_of(manifest), manifest)

    def merge(self, path: str, change: Object) -> Object | None:
        """Change some fields of the object at this path; None where there is none."""
        return self._request("PATCH", path, {}, change, True, content_type="application/merge-patch+json")

    def delete(self, path: str, **options: Any) -> Object | None:
        """Delete the object at this path; None where there is none."""
        return self._request("DELETE", path, {}, options or None, absent_ok=True)

    def follow(self, path: str, **query: str) -> Iterator[Object]:
        """Every object of a list, and every object that is made or changed from then on, without end."""
        while True:
            listing = self.get(path, **query) or {"items": [], "metadata": {"resourceVersion": "0"}}
            yield from listing["items"]
            version = listing["metadata"]["resourceVersion"]
            for event in self._watch(path, {**query, "resourceVersion": version}):
                if event["type"] in ("ADDED", "MODIFIED"):
                    yield event["object"]

    def _watch(self, path: str, query: dict[str, str]) -> Iterator[Object]:
        """Events of the objects of a list, until the server ends the watch or has forgotten the version."""
        url = self._url(path, {**query, "watch": "true"})
        try:
            with self._pool.request(
                "GET", url, headers=self._headers, preload_content=False, timeout=3600
            ) as response:
                for line in response:
                    yield json.loads(line)
        except urllib3.exceptions.HTTPError as error:
            raise self._unreachable(error) from error

    def _request(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Object | None = None,
        absent_ok: bool = False,
        content_type: str = "application/json",
    ) -> Object | None:
        content = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": content_type}
        try:
            response = self._pool.request(method, self._url(path, query), body=content, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise self._unreachable(error) from error
        if response.status == 404 and absent_ok:
            return None
        if response.status >= 400:
            raise Refusal(f"The API server refused {method} {path}: {_reason(response.data)}")
        result: Object = json.loads(response.data)
        return result

    def _url(self, path: str, query: dict[str, str]) -> str:
        return f"{self._endpoint}{path}?{urlencode(query)}" if query else f"{self._endpoint}{path}"

    def _unreachable(self, error: Exception) -> Refusal:
        return Refusal(
            f"The API server at {self._endpoint} cannot be reached ({error}): run `{RUN} up` to start it."
        )


def path_of(manifest: Object) -> str:
    """Path of an object, for kinds whose plural is formed with an s, or es after one."""
    version, metadata = manifest["apiVersion"], manifest["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    within = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    kind = manifest["kind"].lower()
    return f"{root}{within}/{kind}{'es' if kind.endswith('s') else 's'}/{metadata['name']}"


def _reason(body: bytes) -> str:
    """The message of a Status object; an API server that is about to end answers in plain text."""
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace").strip()
