"""The issuer of identities: OpenID Connect with the authorization code flow and PKCE."""

import hashlib
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp

from services.common.issuer import IssuerAway, IssuerKeys, IssuerRefusal

SCOPES = "openid profile"

ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True)
class Client:
    """What the issuer knows this gateway as.

    issuer: URL, as in `iss`. client_id: there. redirect_uri: where it sends browsers back to. scopes: that
    are asked for, with spaces between.
    """

    issuer: str
    client_id: str
    redirect_uri: str
    scopes: str = SCOPES


class Issuer:
    """A client of the issuer. clock: seconds since 1970."""

    def __init__(
        self, client: Client, session: aiohttp.ClientSession, clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._issuer = IssuerKeys(client.issuer, session, ENDPOINTS, clock)

    async def authorization_url(self, *, state: str, nonce: str, verifier: str) -> str:
        """Where a browser is sent to log in. Raises IssuerAway."""
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_uri,
            "scope": self._client.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge(verifier),
            "code_challenge_method": "S256",
        }
        url: str = (await self._issuer.metadata())["authorization_endpoint"]
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"

    async def end_session_url(self, back: str) -> str | None:
        """Where a browser is sent to log out of the issuer, too; None where it has no such place."""
        url = (await self._issuer.metadata()).get("end_session_endpoint")
        query = {"client_id": self._client.client_id, "post_logout_redirect_uri": back}
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}" if isinstance(url, str) else None

    async def claims(self, code: str, *, secret: str, nonce: str, verifier: str) -> Mapping[str, Any]:
        """Claims of the ID token that a code is changed for, verified.

        Raises IssuerAway and IssuerRefusal.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._client.redirect_uri,
            "code_verifier": verifier,
        }
        # RFC 6749, 2.3.1: both are encoded as in a form before they are an Authorization.
        credentials = aiohttp.encode_basic_auth(
            quote(self._client.client_id, safe=""), quote(secret, safe="")
        )
        url = (await self._issuer.metadata())["token_endpoint"]
        status, answer = await self._issuer.request_json(
            "POST", url, data=form, headers={"Authorization": credentials}
        )
        if 400 <= status < 500:
            raise IssuerRefusal(f"the issuer refuses the code: {answer.get('error', status)}")
        if status != 200:
            raise IssuerAway(f"the issuer answers {status} to a code")
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise IssuerRefusal("the issuer gave no ID token")
        return await self._verified_claims(token, nonce)

    async def _verified_claims(self, token: str, nonce: str) -> Mapping[str, Any]:
        """OpenID Connect Core 1.0, 3.1.3.7."""
        try:
            claims = await self._issuer.claims(
                token,
                aud={"essential": True, "value": self._client.client_id},
                nonce={"essential": True, "value": nonce},
            )
        except IssuerRefusal as error:
            raise IssuerRefusal(f"the ID token is not for this login: {error}") from None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if several else self._client.client_id) != self._client.client_id:
            raise IssuerRefusal("the ID token is another client's")
        return claims


def challenge(verifier: str) -> str:
    """RFC 7636, 4.2."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
