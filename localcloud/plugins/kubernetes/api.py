"""A Kubernetes API server over HTTP: a few verbs, persistent connections, errors with reasons."""

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from localcloud.plugins.kubernetes.kinds import Kind
from localcloud.plugins.kubernetes.kubeconfig import Access

if TYPE_CHECKING:
    from urllib3 import HTTPSConnectionPool
    from urllib3.response import BaseHTTPResponse

CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 60
CONNECTIONS = 64

RETRY_STATUSES = frozenset({429, 502, 503, 504})
"""HTTP statuses of a server that is too busy, or about to serve."""


class Unreachable(Exception):
    """No API server answers."""


class ApiError(Exception):
    """The API server refused.

    status: of HTTP. reason: Kubernetes' word for it. details: `kind`, `name`, `causes`.
    """

    def __init__(self, status: int, reason: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.details = details

    @property
    def not_found(self) -> bool:
        """Whether the object, its namespace or its kind does not exist."""
        return self.status == 404


@dataclass
class Api:
    """One API server, for many threads.

    access: its address and credentials.
    """

    access: Access
    kinds: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """An object, or a list of them."""
        return self._request("GET", path, query)

    def find(self, path: str) -> dict[str, Any] | None:
        """An object; None where there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.not_found:
                return None
            raise

    def apply(
        self, path: str, thing: Mapping[str, Any], manager: str, *, force: bool, dry_run: bool
    ) -> dict[str, Any]:
        """Server-side apply: the fields of `thing` become the manager's, with its values. The live object."""
        query = {"fieldManager": manager, "fieldValidation": "Strict", "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        return self._request("PATCH", path, query, thing, "application/apply-patch+yaml")

    def delete(self, path: str, propagation: str) -> dict[str, Any]:
        """Request the deletion of an object, which may have to wait for finalizers."""
        return self._request("DELETE", path, {"propagationPolicy": propagation})

    def watch(
        self, path: str, query: Mapping[str, str], version: str, seconds: float
    ) -> Iterator[dict[str, Any]]:
        """Events of the objects of a list after a version of it, for some seconds."""
        window = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(max(1, int(seconds)))}
        timeout = seconds + CONNECT_TIMEOUT_SECONDS
        response = self._send("GET", path, {**query, **window}, None, None, stream=True, timeout=timeout)
        try:
            rest = b""
            for chunk in response.stream(65536, decode_content=True):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line)
        except _network_errors() as error:
            if "timed out" not in str(error).lower():
                raise Unreachable(self._unreachable(error)) from None
        finally:
            response.close()

    def resource(self, kind: Kind) -> dict[str, Any] | None:
        """How the server serves a kind: its plural `name`, whether `namespaced`; None if it does not."""
        kinds = self.kinds.get(kind.root, {})
        if kind.name not in kinds:
            resources = (self.find(kind.root) or {}).get("resources") or []
            kinds = {resource["kind"]: resource for resource in resources if "/" not in resource["name"]}
            self.kinds[kind.root] = kinds
        return kinds.get(kind.name)

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content: str | None = None,
    ) -> dict[str, Any]:
        response = self._send(method, path, query, body, content)
        answer: dict[str, Any] = json.loads(response.data)
        return answer

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None,
        content: str | None,
        *,
        stream: bool = False,
        timeout: float = READ_TIMEOUT_SECONDS,
    ) -> "BaseHTTPResponse":
        from urllib3 import Timeout

        headers = {"Accept": "application/json"}
        bearer = self.access.bearer()
        if bearer:
            headers["Authorization"] = f"Bearer {bearer}"
        if content:
            headers["Content-Type"] = content
        for pause in (0.2, 0.5, 1, 2, None):
            try:
                response = self._pool.request(
                    method,
                    f"{path}?{urlencode(query)}" if query else path,
                    body=json.dumps(body).encode() if body is not None else None,
                    headers=headers,
                    timeout=Timeout(connect=CONNECT_TIMEOUT_SECONDS, read=timeout),
                    retries=False,
                    redirect=False,
                    preload_content=not stream,
                )
            except _network_errors() as error:
                # A persistent connection may have been closed meanwhile; a closed port is another matter.
                if pause is None or not _is_broken(error):
                    raise Unreachable(self._unreachable(error)) from None
            else:
                if response.status < 400:
                    return response
                if response.status not in RETRY_STATUSES or pause is None:
                    raise _api_error(response)
                response.drain_conn()
            time.sleep(pause)
        raise AssertionError("the last round returns or raises")

    def _unreachable(self, error: BaseException) -> str:
        reason = "no program listens there" if "refused" in str(error) else " ".join(str(error).split())
        return f"The Kubernetes cluster at {self.access.server} cannot be reached: {reason}"

    @cached_property
    def _pool(self) -> "HTTPSConnectionPool":
        from urllib3 import HTTPSConnectionPool

        address = urlsplit(self.access.server)
        return HTTPSConnectionPool(
            address.hostname or "",
            port=address.port or 443,
            maxsize=CONNECTIONS,
            ssl_context=ssl.create_default_context(cadata=self.access.authority),
        )


def _network_errors() -> tuple[type[Exception], ...]:
    from urllib3.exceptions import HTTPError

    return (HTTPError, OSError)


def _is_broken(error: BaseException) -> bool:
    from urllib3.exceptions import ProtocolError, SSLError

    # A certificate that does not fit stays so; a handshake beside many others may be disturbed.
    disturbed = isinstance(error, SSLError) and not isinstance(error.args[0], ssl.SSLCertVerificationError)
    return disturbed or isinstance(error, ProtocolError | ConnectionResetError)


def _api_error(response: "BaseHTTPResponse") -> ApiError:
    try:
        body = json.loads(response.data)
    except ValueError:
        body = {"message": response.data.decode(errors="replace").strip()}
    return ApiError(
        response.status, body.get("reason") or "", body.get("message") or "", body.get("details") or {}
    )
