"""All ways of proving who sends a request, of which each has one."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from services.archer.authentication.principal import Authenticator, Peer, Sender, Unauthenticated


class Way(Authenticator, Protocol):
    """A way of proving it."""

    def takes(self, headers: Mapping[str, str]) -> bool:
        """Whether a request tries to prove it this way."""


class Ways:
    """The ways that an environment has; without one, nobody is let in."""

    def __init__(self, ways: Sequence[Way]) -> None:
        self._ways = ways

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who sends a request. Raises Unauthenticated, also where it tries two ways at once."""
        fitting = [way for way in self._ways if way.takes(headers)]
        if len(fitting) != 1:
            raise Unauthenticated(
                "This request identifies its sender in several ways: use one."
                if fitting
                else "This request does not identify its sender: send a token, as `archer` does."
            )
        return await fitting[0].sender(headers, peer)
