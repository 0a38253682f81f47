"""Tokens of OpenID Connect: `Authorization: Bearer <JWT>`."""

from collections.abc import Mapping

from moka.submission.configuration import OidcWay
from services.archer.authentication.principal import (
    Peer,
    Sender,
    Unauthenticated,
    Unverified,
    of_people,
)
from services.archer.authentication.sender_cache import SenderCache
from services.common.groups import groups
from services.common.issuer import IssuerAway, IssuerKeys, IssuerRefusal

BEARER = "bearer "

LONGEST = 16 * 1024
"""Characters of a token."""

REMEMBERED_SECONDS = 60.0
"""For so long a token is believed again whose key the issuer may have withdrawn meanwhile."""


class OidcAuthenticator:
    """Believes tokens of an issuer that are for Archer."""

    def __init__(self, way: OidcWay, keys: IssuerKeys) -> None:
        self._way = way
        self._keys = keys
        self._sender_cache = SenderCache(REMEMBERED_SECONDS)

    def takes(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has such a token."""
        return headers.get("authorization", "").lower().startswith(BEARER)

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who the token says. Raises Unauthenticated and Unverified."""
        token = headers["authorization"][len(BEARER) :].strip()
        if len(token) > LONGEST:
            raise Unauthenticated("The token is too long to be valid: get a new one from the issuer.")
        if sender := self._sender_cache.of(token):
            return sender
        try:
            claims = await self._keys.claims(
                token, aud={"essential": True, "value": self._way.audience}, nbf={"essential": False}
            )
        except IssuerRefusal as error:
            raise Unauthenticated(
                f"The token is refused: {error}; get a new one from {self._keys.issuer} for "
                f"{self._way.audience}."
            ) from None
        except IssuerAway as error:
            raise Unverified(f"No token can be verified now: {error}; try again in a minute.") from None
        name = claims.get(self._way.name_claim)
        if not isinstance(name, str):
            raise Unauthenticated(f"The token has no claim {self._way.name_claim} with a name.")
        sender = of_people(name, groups(claims, self._way.groups_claim), "oidc")
        self._sender_cache.keep(token, sender, claims["exp"])
        return sender
