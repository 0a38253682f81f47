"""The two requests to S3 that uploading takes: PUT and DELETE of an object, over one connection."""

import http.client
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from moka.partition import domain
from services.event_log_uploader.credentials import NoCredentials, PodIdentity
from services.event_log_uploader.signature import encoded_path, signed_headers

TIMEOUT_SECONDS = 10.0
"""Of each wait for the network."""

CHUNK_BYTES = 256 * 1024


class RequestFailed(Exception):
    """A request to S3 that did not do what it should have, with the reason."""


@dataclass(frozen=True)
class Part:
    """The first `size` bytes of a file, which may grow meanwhile."""

    path: Path
    size: int


Body = bytes | Sequence[Part]
"""Of an object: bytes, or what these parts are one after another. Parts are never in memory as a whole."""


class S3:
    """A bucket of S3.

    region: of the bucket.
    endpoint: `http(s)://host[:port]` in place of AWS's own, with the bucket in the path.
    address: what keys are under.
    """

    def __init__(
        self,
        bucket: str,
        region: str,
        identity: PodIdentity,
        endpoint: str | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        url = urlsplit(endpoint or f"https://{bucket}.s3.{region}.{domain(region)}")
        if url.scheme not in ("http", "https") or url.hostname is None:
            raise ValueError(f"{endpoint!r} is no address of S3; write http(s)://<host>[:<port>].")
        self.address = f"{url.scheme}://{url.netloc}{f'/{bucket}' if endpoint else ''}/"
        self._host = url.netloc
        self._path = f"/{bucket}/" if endpoint else "/"
        self._region, self._identity, self._clock = region, identity, clock
        self._connection = (
            http.client.HTTPSConnection(
                url.netloc, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context()
            )
            if url.scheme == "https"
            else http.client.HTTPConnection(url.netloc, timeout=TIMEOUT_SECONDS)
        )

    def put(self, key: str, body: Body) -> int:
        """Write an object as a whole -> its bytes. Raises RequestFailed, NoCredentials, OSError of a file."""
        size, digest = _measured(body)
        self._request("PUT", key, _chunks(body), size, digest)
        return size

    def delete(self, key: str) -> None:
        """Delete an object, which need not be there. Raises RequestFailed or NoCredentials."""
        self._request("DELETE", key, iter(()), 0, sha256().hexdigest())

    def close(self) -> None:
        """Close the connection until the next request: S3 closes idle ones, when it is unknown."""
        self._connection.close()

    def _request(self, method: str, key: str, chunks: Iterator[bytes], size: int, digest: str) -> None:
        path = encoded_path(f"{self._path}{key}")
        credentials = self._identity.credentials()
        headers = signed_headers(method, self._host, path, digest, self._region, credentials, self._clock())
        try:
            self._connection.request(method, path, chunks, {**headers, "content-length": str(size)})
            response = self._connection.getresponse()
            text = response.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise RequestFailed(f"{method} {key}: {error or type(error).__name__}") from error
        if response.status == 403:
            self._identity.forget()
            raise NoCredentials(f"{method} {key}: 403, {_reason(text)}")
        if not 200 <= response.status < 300:
            raise RequestFailed(f"{method} {key}: {response.status}, {_reason(text)}")


def _measured(body: Body) -> tuple[int, str]:
    """Bytes of a body, and their SHA-256."""
    size, digest = 0, sha256()
    for chunk in _chunks(body):
        size += len(chunk)
        digest.update(chunk)
    return size, digest.hexdigest()


def _chunks(body: Body) -> Iterator[bytes]:
    if isinstance(body, bytes):
        yield body
        return
    for part in body:
        remainder = part.size
        with part.path.open("rb") as file:
            while remainder:
                chunk = file.read(min(remainder, CHUNK_BYTES))
                if not chunk:
                    raise OSError(f"{part.path} is shorter than it was")
                remainder -= len(chunk)
                yield chunk


def _reason(text: str) -> str:
    """The code in S3's XML of an error, or the beginning of what it is instead."""
    _, code, rest = text.partition("<Code>")
    return rest.partition("</Code>")[0] if code else text.strip()[:200] or "without a reason"
