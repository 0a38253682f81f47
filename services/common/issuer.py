"""An issuer of OpenID Connect: what it says of itself, and the keys that it signs with."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aiohttp
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

ALGORITHMS = ("RS256", "PS256", "ES256")
"""Of tokens: by the issuer's own keys. `none`, and HMAC by the client's secret, prove nothing."""

SECONDS = 10.0
METADATA_SECONDS = 3600.0
KEYS_SECONDS = 60.0
"""The issuer is asked no more often than that for keys, whoever sends tokens with unknown ones."""

AWAY_SECONDS = 86_400.0
"""For so long keys hold that cannot be asked for anew, as the issuer is away."""

PAUSE_SECONDS = 5.0
"""After the issuer did not answer, it is left in peace for so long."""

LEEWAY_SECONDS = 60
"""That clocks may differ."""

LARGEST = 1 << 20
"""Bytes of an answer."""


class IssuerAway(Exception):
    """The issuer does not answer, or not as OpenID Connect has it."""


class IssuerRefusal(Exception):
    """The issuer refuses the code, or a token is not for this purpose."""


class IssuerKeys:
    """An issuer and its keys.

    issuer: URL, as in `iss`. endpoints: names in its metadata that have to be URLs.
    clock: seconds since 1970.
    """

    def __init__(
        self,
        issuer: str,
        session: aiohttp.ClientSession,
        endpoints: Sequence[str] = ("jwks_uri",),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.issuer = issuer
        self._session = session
        self._endpoints = endpoints
        self._clock = clock
        self._metadata: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._away_until = 0.0
        self._fetching = asyncio.Lock()

    async def claims(self, token: str, **required: Any) -> Mapping[str, Any]:
        """Claims of a token of this issuer, verified (OpenID Connect Core 1.0, 3.1.3.7).

        required: what claims have to be, as joserfc's registry takes it. Raises IssuerAway and IssuerRefusal.
        """
        try:
            try:
                claims = jwt.decode(token, await self._key_set(), algorithms=list(ALGORITHMS)).claims
            except InvalidKeyIdError:
                claims = jwt.decode(token, await self._key_set(new=True), algorithms=list(ALGORITHMS)).claims
            self._registry(required).validate(claims)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            # Of a header that is JSON, but not as a token has it, joserfc also raises errors of Python.
            raise IssuerRefusal(str(error) if isinstance(error, JoseError) else "it is no token") from None
        return claims

    async def metadata(self) -> dict[str, Any]:
        """What the issuer says of itself (OpenID Connect Discovery 1.0). Raises IssuerAway."""
        now = self._clock()
        if self._metadata is None or now - self._metadata[0] > METADATA_SECONDS:
            url = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
            metadata = await self._answer(url)
            if metadata.get("issuer") != self.issuer:
                raise IssuerAway(f"{url} is of issuer {metadata.get('issuer')!r}")
            start = f"{self.issuer.partition('://')[0]}://"
            for name in self._endpoints:
                if not str(metadata.get(name)).startswith((start, "https://")):
                    raise IssuerAway(f"{url} has no {name} with https")
            self._metadata = now, metadata
        return self._metadata[1]

    async def request_json(self, method: str, url: str, **options: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer. Raises IssuerAway."""
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        try:
            async with self._session.request(
                method, url, timeout=timeout, allow_redirects=False, **options
            ) as response:
                body = await _bounded_body(response.content)
                answer = json.loads(body) if body else {}
                status = response.status
        except ValueError:
            status, answer = response.status, {}
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise IssuerAway(f"{url} does not answer: {error or type(error).__name__}") from error
        return status, answer if isinstance(answer, dict) else {}

    def _registry(self, required: Mapping[str, Any]) -> JWTClaimsRegistry:
        return JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self.issuer},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            **required,
        )

    async def _key_set(self, *, new: bool = False) -> KeySet:
        now = self._clock()
        limit = KEYS_SECONDS if new else METADATA_SECONDS
        if self._keys is None or now - self._keys[0] > limit:
            # Of many that come at once with an unknown key, one asks.
            async with self._fetching:
                if self._keys is None or now - self._keys[0] > limit:
                    await self._fetch(now)
        assert self._keys is not None, "_fetch has them, or raises"
        return self._keys[1]

    async def _fetch(self, now: float) -> None:
        """Have keys. Raises IssuerAway where there are none that still hold."""
        try:
            self._keys = now, await self._fetched()
        except IssuerAway:
            if self._keys is None or now - self._keys[0] > AWAY_SECONDS:
                raise

    async def _fetched(self) -> KeySet:
        """The keys as they are now. Raises IssuerAway, without asking if it has just been away."""
        if (now := self._clock()) < self._away_until:
            raise IssuerAway(f"{self.issuer} did not answer a moment ago")
        try:
            answer = await self._answer((await self.metadata())["jwks_uri"])
        except IssuerAway:
            self._away_until = now + PAUSE_SECONDS
            raise
        keys = [key for key in answer.get("keys", []) if key.get("kty") in ("RSA", "EC")]
        try:
            return KeySet.import_key_set({"keys": keys})
        except (JoseError, ValueError) as error:
            raise IssuerAway(f"the issuer's keys are none: {error}") from None

    async def _answer(self, url: str) -> dict[str, Any]:
        status, answer = await self.request_json("GET", url)
        if status != 200:
            raise IssuerAway(f"{url} answers {status}")
        return answer


async def _bounded_body(content: aiohttp.StreamReader) -> bytes:
    body = b""
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > LARGEST:
            raise IssuerAway(f"the issuer's answer has more than {LARGEST} bytes")
    return body
