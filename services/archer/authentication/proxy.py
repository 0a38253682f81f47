"""Headers of a trusted proxy, which has a certificate of its own."""

from collections.abc import Mapping

from moka.submission.configuration import ProxyWay
from services.archer.authentication.principal import Peer, Sender, Unauthenticated, of_people


class ProxyAuthenticator:
    """Believes what a proxy says of those who are logged in to it, over its own connection and no other."""

    def __init__(self, way: ProxyWay) -> None:
        self._way = way

    def takes(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has such headers: whoever sends them must be the proxy."""
        return self._way.user_header in headers or self._way.groups_header in headers

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who the proxy says. Raises Unauthenticated."""
        if self._way.certificate_name not in peer.certificate_names:
            raise Unauthenticated(
                f"{self._way.user_header} and {self._way.groups_header} are only for the proxy "
                f"{self._way.certificate_name}, by its certificate: send neither."
            )
        name = headers.get(self._way.user_header, "")
        groups = (group.strip() for group in headers.get(self._way.groups_header, "").split(","))
        return of_people(name, filter(None, groups), "proxy")
