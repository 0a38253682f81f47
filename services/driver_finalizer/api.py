"""The Kubernetes API, as the controller's service account may use it."""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

MOUNTED = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where Kubernetes puts a pod's service account."""

SECONDS = 20.0
"""For an answer."""


class ApiError(Exception):
    """The API server refused.

    status: of HTTP.
    """

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@dataclass(frozen=True)
class ServiceAccount:
    """What a pod is given to reach the API server.

    folder: with `token`, which is renewed there, `ca.crt` and `namespace`.
    server: URL of the API server.
    """

    folder: Path
    server: str

    @classmethod
    def of_pod(cls, folder: Path, environment: Mapping[str, str] = os.environ) -> "ServiceAccount":
        """As Kubernetes tells a pod's containers. Raises ValueError outside of a pod."""
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
        """Bearer token, as it is now."""
        return (self.folder / "token").read_text().strip()

    @property
    def namespace(self) -> str:
        """Of the pod."""
        return (self.folder / "namespace").read_text().strip()


class Api:
    """Few requests, each answered or refused; to be entered before it is used."""

    def __init__(self, account: ServiceAccount) -> None:
        self._account = account
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Api":
        trusted = ssl.create_default_context(cafile=self._account.authority)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusted), timeout=aiohttp.ClientTimeout(total=SECONDS)
        )
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
            return await self._ask("GET", path, params=query)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    async def patch(self, path: str, operations: list[dict[str, Any]]) -> dict[str, Any]:
        """Change an object by a JSON patch. Raises ApiError: 422 where a test of the patch does not hold."""
        return await self._ask(
            "PATCH", path, json=operations, headers={"Content-Type": "application/json-patch+json"}
        )

    async def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        assert self._session is not None, "the API is used before it is entered"
        headers = {"Authorization": f"Bearer {self._account.token}", **options.pop("headers", {})}
        url = f"{self._account.server}{path}"
        async with self._session.request(method, url, headers=headers, **options) as answer:
            if answer.status >= 400:
                raise ApiError(answer.status, f"{answer.status} for {method} {path}: {await _said(answer)}")
            found: dict[str, Any] = await answer.json()
            return found


async def _said(answer: aiohttp.ClientResponse) -> str:
    """What the API server gives as its reason."""
    text = await answer.text()
    try:
        return str((await answer.json())["message"])
    except (ValueError, KeyError, TypeError, aiohttp.ContentTypeError):
        return text.strip()[:200]
