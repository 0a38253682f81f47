"""The Kubernetes API, as the service account of a pod may use it, or whoever else has credentials."""

import json
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import aiohttp

REQUEST_TIMEOUT_SECONDS = 20.0

COLLECTION_TIMEOUT_SECONDS = 60.0
"""Of a request that deletes many objects: the API server deletes them one after the other, answers after the
last, and what a request that was given up has deleted is deleted."""

Object = Mapping[str, Any]
"""An object of Kubernetes, as JSON."""


class ApiError(Exception):
    """The API server refused a request.

    status: HTTP status of its response.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Credentials(Protocol):
    """How an API server is reached."""

    @property
    def server(self) -> str:
        """URL of the API server."""

    @property
    def authority(self) -> Path:
        """Certificates that the API server's must come from; read when they have changed."""

    @property
    def token(self) -> str:
        """Bearer token, asked for at each request."""


@dataclass(frozen=True)
class ServiceAccount:
    """How a pod reaches the API server.

    folder: with `token`, which is renewed there, `ca.crt` and `namespace`.
    server: URL of the API server.
    """

    folder: Path
    server: str

    @classmethod
    def of_pod(cls, folder: Path, environment: Mapping[str, str] = os.environ) -> "ServiceAccount":
        """From the variables that Kubernetes sets in every container. Raises ValueError outside of a pod."""
        try:
            host, port = environment["KUBERNETES_SERVICE_HOST"], environment["KUBERNETES_SERVICE_PORT"]
        except KeyError as error:
            raise ValueError(
                f"{error} is not set: this runs in a pod, or with a pod's environment."
            ) from None
        return cls(folder, f"https://{f'[{host}]' if ':' in host else host}:{port}")

    @property
    def authority(self) -> Path:
        """Certificates that the API server's must come from."""
        return self.folder / "ca.crt"

    @property
    def token(self) -> str:
        """Bearer token, read anew each time."""
        return (self.folder / "token").read_text().strip()

    @property
    def namespace(self) -> str:
        """Namespace of the pod."""
        return (self.folder / "namespace").read_text().strip()


class Api:
    """A client of the API server, an asynchronous context manager."""

    def __init__(self, account: Credentials) -> None:
        self._account = account
        self._session: aiohttp.ClientSession | None = None
        self._trusted: tuple[str, ssl.SSLContext] | None = None

    async def __aenter__(self) -> "Api":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_SECONDS))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, **query: str) -> dict[str, Any] | None:
        """An object or a list; None when there is none. Raises ApiError."""
        try:
            return await self._request("GET", path, params=query)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    async def stream(self, path: str, quiet_seconds: float, **query: str) -> AsyncIterator[dict[str, Any]]:
        """The events of a watch, as they come, until the API server ends it.

        quiet_seconds: after so long without a byte, the connection is taken for dead: TimeoutError.
        Raises ApiError as well.
        """
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=REQUEST_TIMEOUT_SECONDS, sock_read=quiet_seconds
        )
        async with self._response("GET", path, params=query, timeout=timeout) as response:
            rest = b""
            async for chunk in response.content.iter_any():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield json.loads(line)

    async def patch(self, path: str, operations: list[dict[str, Any]]) -> dict[str, Any]:
        """Change an object by a JSON patch. Raises ApiError: 422 where a test of the patch does not hold."""
        return await self._request(
            "PATCH", path, json=operations, headers={"Content-Type": "application/json-patch+json"}
        )

    async def merge(self, path: str, changes: Object, manager: str) -> dict[str, Any]:
        """Change an object by a merge patch; null takes a key out. Raises ApiError.

        manager: whose the changes are, in the object's `managedFields`.
        """
        return await self._request(
            "PATCH",
            path,
            json=changes,
            params={"fieldManager": manager},
            headers={"Content-Type": "application/merge-patch+json"},
        )

    async def create(self, path: str, item: Object) -> dict[str, Any]:
        """Make an object in a collection. Raises ApiError: 409 where there is one of its name."""
        return await self._request("POST", path, json=item)

    async def delete(self, path: str, uid: str | None = None) -> bool:
        """Delete an object, and have what it owns deleted; False where there is none. Raises ApiError.

        uid: of the object; another of its name is not deleted: 409.
        """
        options: dict[str, Any] = {"propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            await self._request("DELETE", path, json=options)
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    async def delete_collection(self, path: str, **query: str) -> None:
        """Delete the objects of a collection that selectors name. Raises ApiError, and ValueError without."""
        if not query:
            raise ValueError(f"all of {path} would be deleted: name some by selectors")
        options = {"propagationPolicy": "Background"}
        timeout = aiohttp.ClientTimeout(total=COLLECTION_TIMEOUT_SECONDS)
        # The answer has all of them, whole: nobody reads it.
        async with self._response("DELETE", path, params=query, json=options, timeout=timeout):
            pass

    async def _request(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        async with self._response(method, path, **options) as response:
            content: dict[str, Any] = await response.json()
            return content

    @asynccontextmanager
    async def _response(
        self, method: str, path: str, **options: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        assert self._session is not None, "the API is used before it is entered"
        headers = {"Authorization": f"Bearer {self._account.token}", **options.pop("headers", {})}
        url = f"{self._account.server}{path}"
        async with self._session.request(
            method, url, headers=headers, ssl=self._tls(), **options
        ) as response:
            if response.status >= 400:
                reason = await _reason(response)
                raise ApiError(response.status, f"{response.status} for {method} {path}: {reason}")
            yield response

    def _tls(self) -> ssl.SSLContext:
        """Trusts the authority: the same for the same certificates, as connections are kept by it."""
        text = self._account.authority.read_text()
        if self._trusted is None or self._trusted[0] != text:
            self._trusted = text, ssl.create_default_context(cadata=text)
        return self._trusted[1]


async def _reason(response: aiohttp.ClientResponse) -> str:
    """The reason that the API server gives for an error."""
    text = await response.text()
    try:
        return str((await response.json())["message"])
    except (ValueError, KeyError, TypeError, aiohttp.ContentTypeError):
        return text.strip()[:200]
