"""Who sends a request, and what a way of proving it has to offer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from moka.submission.rights import Principal

Way = Literal["proxy", "oidc", "iam"]


class Unauthenticated(Exception):
    """A request that does not prove who sends it; in a sentence that its sender may read."""


@dataclass(frozen=True)
class Peer:
    """The other end of a connection.

    address: for people. certificate_names: subject alternative names of the client's certificate, which the
    server has verified; none without one.
    """

    address: str
    certificate_names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Sender:
    """Who sends a request, and how that was proved."""

    principal: Principal
    way: Way


class Authenticator(Protocol):
    """Tells who sends a request."""

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who sends a request with these headers (names in lower case). Raises Unauthenticated."""
