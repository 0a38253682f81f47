"""An account and region as the doctor sees it, and the requests that it sends there."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.parsers import ResponseParserError

from moka.names import ENVIRONMENT_TAG
from moka.partition import partition
from stacks.settings import Environment
from stacks.settings.cluster import Cluster
from stacks.settings.foundation import Foundation

Clients = Callable[[str, str], Any]
"""(service, region) -> boto3's client."""

DENIAL_CODES = frozenset(
    {
        "403",
        "AccessDenied",
        "AccessDeniedException",
        "AuthorizationError",
        "Forbidden",
        "UnauthorizedOperation",
    }
)

FAILURES = (ClientError, BotoCoreError, HTTPClientError, ResponseParserError)

# Where the prefix of a service's permissions is not its name in boto3.
PERMISSION_PREFIXES = {"service-quotas": "servicequotas"}

CLIENT_CONFIG = Config(
    connect_timeout=5,
    read_timeout=30,
    max_pool_connections=32,
    retries={"mode": "standard", "total_max_attempts": 3},
)


class NoAnswer(Exception):
    """AWS did not answer a request.

    code: AWS's own, empty where nothing came back.
    reason: why, without a full stop.
    denied: for lack of a permission.
    """

    def __init__(self, code: str, reason: str, denied: bool = False) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.denied = denied


@dataclass(frozen=True, kw_only=True, eq=False)
class Place:
    """A foundation of an environment, and the account that is asked about it.

    name: of the foundation.
    clients: with the credentials that `up` has there.
    today: the day, of UTC, that it is asked about.
    """

    name: str
    settings: Environment
    clients: Clients
    today: date

    @property
    def foundation(self) -> Foundation:
        """Its settings."""
        return self.settings.foundations[self.name]

    @property
    def account(self) -> str:
        """Account id."""
        return self.foundation.account

    @property
    def region(self) -> str:
        """Region."""
        return self.foundation.region

    @property
    def partition(self) -> str:
        """Partition of the region: `aws`, or that of China or the US government."""
        return partition(self.region)

    @property
    def home(self) -> bool:
        """Whether the environment's home cluster stands here."""
        return self.settings.home_foundation == self.name

    @property
    def clusters(self) -> dict[str, Cluster]:
        """Clusters that stand here."""
        return self.settings.clusters_of(self.name)

    def cluster_name(self, name: str) -> str:
        """Name of a cluster in EKS."""
        return self.settings.eks_name(name)

    def owns(self, tags: list[dict[str, str]] | None) -> bool:
        """Whether tags are those of a resource of this environment."""
        return any(
            tag["Key"] == ENVIRONMENT_TAG and tag["Value"] == self.settings.environment for tag in tags or []
        )

    def own_vpcs(self) -> set[str]:
        """Ids of the VPCs of this environment. Raises NoAnswer."""
        vpcs = self.items("ec2", "describe_vpcs", "Vpcs")
        return {vpc["VpcId"] for vpc in vpcs if self.owns(vpc.get("Tags"))}

    def ask(self, service: str, operation: str, **parameters: Any) -> Any:
        """AWS's answer to one request. Raises NoAnswer."""
        return self.ask_in(self.region, service, operation, **parameters)

    def ask_in(self, region: str, service: str, operation: str, **parameters: Any) -> Any:
        """The same, of another region."""
        return ask(self.clients(service, region), service, operation, **parameters)

    def find(self, service: str, operation: str, missing: str, **parameters: Any) -> Any:
        """AWS's answer; None where its error code begins with `missing`. Raises NoAnswer."""
        try:
            return self.ask(service, operation, **parameters)
        except NoAnswer as error:
            if error.code.startswith(missing):
                return None
            raise

    def items(self, service: str, operation: str, key: str, **parameters: Any) -> Iterator[Any]:
        """All items of an answer that comes in pages. Raises NoAnswer."""
        client = self.clients(service, self.region)
        try:
            for page in client.get_paginator(operation).paginate(**parameters):
                yield from page[key]
        except FAILURES as error:
            raise _no_answer(client, service, operation, error) from None


@dataclass(frozen=True)
class SessionClients:
    """The clients of a boto3 session, which itself must not be used by two threads at once."""

    session: boto3.Session
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, service: str, region: str) -> Any:
        """The client of a service in a region."""
        with self._lock:
            if (service, region) not in self._clients:
                make_client: Any = self.session.client
                client = make_client(service, region_name=region, config=CLIENT_CONFIG)
                self._clients[service, region] = client
            return self._clients[service, region]


def ask(client: Any, service: str, operation: str, **parameters: Any) -> Any:
    """A client's answer. Raises NoAnswer."""
    try:
        return getattr(client, operation)(**parameters)
    except FAILURES as error:
        raise _no_answer(client, service, operation, error) from None


def _no_answer(client: Any, service: str, operation: str, error: Exception) -> NoAnswer:
    name = client.meta.method_to_api_mapping[operation]
    if not isinstance(error, ClientError):
        unreadable = isinstance(error, ResponseParserError)
        reason = "the answer cannot be read" if unreadable else _sentence(str(error))
        return NoAnswer("", f"{service} {name}: {reason}")
    code = str(error.response["Error"].get("Code", ""))
    message = str(error.response["Error"].get("Message", ""))
    if message.lstrip().startswith("<"):
        return NoAnswer("", f"{service} {name}: the answer is HTTP status {code}, without a reason")
    if code in DENIAL_CODES:
        permission = f"{PERMISSION_PREFIXES.get(service, service)}:{name}"
        return NoAnswer(code, f"it needs the permission {permission}", denied=True)
    return NoAnswer(code, f"{service} {name}: {code}, {_sentence(message)}" if message else f"{name}: {code}")


def _sentence(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
