"""Who sends a request, and what a way of proving it has to offer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from moka.queues.problems import USER
from moka.submission.rights import Principal

Way = Literal["proxy", "oidc", "iam"]


class Unauthenticated(Exception):
    """A request that does not prove who sends it; in a sentence that its sender may read."""


class Unverified(Exception):
    """Who would verify a request does not answer; in a sentence that its sender may read."""


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


LONGEST_NAME = 256

ARN = "arn:"
"""Names and groups that begin so are those of IAM: no issuer and no proxy may give them to anybody."""


def checked(name: str) -> str:
    """A name that YuniKorn takes for a user, as it is that of jobs. Raises Unauthenticated."""
    if len(name) > LONGEST_NAME or not USER.fullmatch(name):
        raise Unauthenticated(
            f"{name[:60]!r} cannot be a user of YuniKorn, which begins with a letter, followed by letters, "
            "digits and :#/_.@- only: choose another claim or header for names."
        )
    return name


def of_people(name: str, groups: Iterable[object], way: Way) -> Sender:
    """Somebody by a name and groups that are not of IAM. Raises Unauthenticated."""
    if name.lower().startswith(ARN):
        raise Unauthenticated(f"{name[:60]!r} is a name of IAM, which only IAM can prove: send its token.")
    printable_groups = (group for group in groups if isinstance(group, str) and group.isprintable())
    return Sender(
        Principal(
            checked(name), frozenset(group for group in printable_groups if not group.lower().startswith(ARN))
        ),
        way,
    )


class Authenticator(Protocol):
    """Tells who sends a request."""

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who sends a request with these headers (names in lower case).

        Raises Unauthenticated and Unverified.
        """
