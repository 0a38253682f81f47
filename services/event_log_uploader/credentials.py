"""Credentials of EKS Pod Identity, and no others: never those of the node.

As in docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html; EKS puts both variables into
every container of a pod (aws/amazon-eks-pod-identity-webhook: pkg/handler/handler.go, init containers too).
"""

import http.client
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from services.event_log_uploader.signature import Credentials

ADDRESS = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

AGENT_ADDRESSES = frozenset({ip_address("169.254.170.23"), ip_address("fd00:ec2::23")})
"""Of the Pod Identity agent; besides them only addresses of the machine itself are asked."""

RENEWED_BEFORE_END = timedelta(minutes=5)
TIMEOUT_SECONDS = 5.0


class NoCredentials(Exception):
    """There are no credentials, with the reason and what to do."""


class PodIdentity:
    """Credentials from the agent of EKS Pod Identity, kept until shortly before they end.

    environment: with the address of the agent and the file with the token that it demands.
    clock: the time, in UTC.
    """

    def __init__(
        self, environment: Mapping[str, str], clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._environment = environment
        self._clock = clock
        self._current: Credentials | None = None

    def credentials(self) -> Credentials:
        """Credentials that hold for some minutes. Raises NoCredentials."""
        if self._current is None or self._clock() >= self._current.expiration - RENEWED_BEFORE_END:
            self._current = self._new_credentials()
        return self._current

    def forget(self) -> None:
        """Ask anew next time: S3 has refused the credentials."""
        self._current = None

    def _new_credentials(self) -> Credentials:
        try:
            address, token_file = self._environment[ADDRESS], self._environment[TOKEN_FILE]
        except KeyError as error:
            raise NoCredentials(
                f"{error} is not set in the environment; give the pod's service account a Pod Identity."
            ) from None
        try:
            # It is renewed in the file.
            token = Path(token_file).read_text().strip()
            status, body = _get(address, token)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise NoCredentials(f"{address} gave no credentials: {error or type(error).__name__}.") from None
        if status != 200:
            text = body.decode(errors="replace").strip()[:200]
            raise NoCredentials(f"{address} answered {status}, not with credentials: {text}")
        return _read(address, body)


def _get(address: str, token: str) -> tuple[int, bytes]:
    url = urlsplit(address)
    if url.scheme != "http" or url.hostname is None or not _may_be_asked(url.hostname):
        raise ValueError("this is not the address of the Pod Identity agent on this node")
    connection = http.client.HTTPConnection(url.hostname, url.port or 80, timeout=TIMEOUT_SECONDS)
    try:
        path = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
        connection.request("GET", path, headers={"Authorization": token})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def _may_be_asked(host: str) -> bool:
    if host == "localhost":
        return True
    address = ip_address(host)
    return address.is_loopback or address in AGENT_ADDRESSES


def _read(address: str, body: bytes) -> Credentials:
    try:
        answer = json.loads(body)
        expiration = datetime.fromisoformat(answer["Expiration"])
        return Credentials(
            access_key=answer["AccessKeyId"],
            secret_key=answer["SecretAccessKey"],
            token=answer["Token"],
            expiration=expiration if expiration.tzinfo else expiration.replace(tzinfo=UTC),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise NoCredentials(
            f"{address} answered without all of the credentials: {type(error).__name__} {error}."
        ) from None
