"""The issuer of identities: OpenID Connect with the authorization code flow and PKCE."""

import hashlib
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

ALGORITHMS = ("RS256", "PS256", "ES256")
"""Of ID tokens: by the issuer's own keys. `none`, and HMAC by the client's secret, prove nothing."""

SECONDS = 10.0
METADATA_SECONDS = 3600.0
KEYS_SECONDS = 60.0
"""The issuer is asked no more often than that for keys, whoever sends tokens with unknown ones."""

LEEWAY_SECONDS = 60
"""That clocks may differ."""

LARGEST = 1 << 20
"""Bytes of an answer."""


class IssuerAway(Exception):
    """The issuer does not answer, or not as OpenID Connect has it."""


class Refused(Exception):
    """The issuer refuses the code, or its token is not for this login."""


@dataclass(frozen=True)
class Client:
    """What the issuer knows this gateway as.

    issuer: URL, as in `iss`. client_id: there. redirect_uri: where it sends browsers back to.
    """

    issuer: str
    client_id: str
    redirect_uri: str


class Issuer:
    """A client of the issuer. clock: seconds since 1970."""

    def __init__(
        self, client: Client, session: aiohttp.ClientSession, clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._session = session
        self._clock = clock
        self._metadata: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def authorization_url(self, *, state: str, nonce: str, verifier: str) -> str:
        """Where a browser is sent to log in. Raises IssuerAway."""
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_uri,
            "scope": "openid profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge(verifier),
            "code_challenge_method": "S256",
        }
        url: str = (await self._known())["authorization_endpoint"]
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"

    async def end_session_url(self, back: str) -> str | None:
        """Where a browser is sent to log out of the issuer, too; None where it has no such place."""
        url = (await self._known()).get("end_session_endpoint")
        query = {"client_id": self._client.client_id, "post_logout_redirect_uri": back}
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}" if isinstance(url, str) else None

    async def claims(self, code: str, *, secret: str, nonce: str, verifier: str) -> Mapping[str, Any]:
        """Claims of the ID token that a code is changed for, verified. Raises IssuerAway and Refused."""
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
        url = (await self._known())["token_endpoint"]
        status, answer = await self._asked("POST", url, data=form, headers={"Authorization": credentials})
        if 400 <= status < 500:
            raise Refused(f"the issuer refuses the code: {answer.get('error', status)}")
        if status != 200:
            raise IssuerAway(f"the issuer answers {status} to a code")
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise Refused("the issuer gave no ID token")
        return await self._verified(token, nonce)

    async def _verified(self, token: str, nonce: str) -> Mapping[str, Any]:
        """OpenID Connect Core 1.0, 3.1.3.7."""
        try:
            try:
                claims = jwt.decode(token, await self._key_set(), algorithms=list(ALGORITHMS)).claims
            except InvalidKeyIdError:
                claims = jwt.decode(token, await self._key_set(new=True), algorithms=list(ALGORITHMS)).claims
            self._registry(nonce).validate(claims)
        except (JoseError, ValueError) as error:
            raise Refused(f"the ID token is not for this login: {error}") from None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if several else self._client.client_id) != self._client.client_id:
            raise Refused("the ID token is another client's")
        return claims

    def _registry(self, nonce: str) -> JWTClaimsRegistry:
        return JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self._client.issuer},
            aud={"essential": True, "value": self._client.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )

    async def _known(self) -> dict[str, Any]:
        """What the issuer says of itself (OpenID Connect Discovery 1.0)."""
        now = self._clock()
        if self._metadata is None or now - self._metadata[0] > METADATA_SECONDS:
            url = f"{self._client.issuer.rstrip('/')}/.well-known/openid-configuration"
            metadata = await self._answer(url)
            if metadata.get("issuer") != self._client.issuer:
                raise IssuerAway(f"{url} is of issuer {metadata.get('issuer')!r}")
            start = f"{self._client.issuer.partition('://')[0]}://"
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not str(metadata.get(name)).startswith((start, "https://")):
                    raise IssuerAway(f"{url} has no {name} with https")
            self._metadata = now, metadata
        return self._metadata[1]

    async def _key_set(self, *, new: bool = False) -> KeySet:
        now = self._clock()
        limit = KEYS_SECONDS if new else METADATA_SECONDS
        if self._keys is None or now - self._keys[0] > limit:
            answer = await self._answer((await self._known())["jwks_uri"])
            keys = [key for key in answer.get("keys", []) if key.get("kty") in ("RSA", "EC")]
            try:
                self._keys = now, KeySet.import_key_set({"keys": keys})
            except (JoseError, ValueError) as error:
                raise IssuerAway(f"the issuer's keys are none: {error}") from None
        return self._keys[1]

    async def _answer(self, url: str) -> dict[str, Any]:
        status, answer = await self._asked("GET", url)
        if status != 200:
            raise IssuerAway(f"{url} answers {status}")
        return answer

    async def _asked(self, method: str, url: str, **options: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer."""
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        try:
            async with self._session.request(
                method, url, timeout=timeout, allow_redirects=False, **options
            ) as response:
                body = await _bounded(response.content)
                answer = json.loads(body) if body else {}
                status = response.status
        except ValueError:
            status, answer = response.status, {}
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise IssuerAway(f"{url} does not answer: {error or type(error).__name__}") from error
        return status, answer if isinstance(answer, dict) else {}


def challenge(verifier: str) -> str:
    """RFC 7636, 4.2."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


async def _bounded(content: aiohttp.StreamReader) -> bytes:
    body = b""
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > LARGEST:
            raise IssuerAway(f"the issuer's answer has more than {LARGEST} bytes")
    return body
