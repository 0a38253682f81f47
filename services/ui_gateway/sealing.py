"""What a browser keeps for the gateway: encrypted, for one use, and for a time."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwe import JWERegistry
from joserfc.jwk import OctKey
from joserfc.jwt import ClaimsOption, JWTClaimsRegistry

from services.ui_gateway.login_secret import LoginSecret

ALGORITHMS = ("dir", "A256GCM")
HEADER = {"alg": "dir", "enc": "A256GCM"}

LONGEST = 4096
"""Characters; a browser keeps no longer cookie (RFC 6265, 6.1)."""


class Seal:
    """Seals and opens, with the keys of a secret. clock: seconds since 1970."""

    def __init__(self, secret: LoginSecret, clock: Callable[[], float]) -> None:
        self._secret = secret
        self._clock = clock
        self._registry = JWERegistry(algorithms=list(ALGORITHMS))

    def seal(self, use: str, claims: Mapping[str, Any], seconds: float) -> str:
        """A text that only `open` reads, for the same use, and for so long."""
        now = self._clock()
        key = OctKey.import_key(self._secret.sealing_key(now))
        sealed = {**claims, "use": use, "exp": int(now + seconds)}
        return jwt.encode(HEADER, sealed, key, registry=self._registry)

    def open(self, use: str, text: str | None, **required: str) -> dict[str, Any] | None:
        """The claims of a text that was sealed for this use, and has not expired.

        required: what claims must be. None where it is anything else.
        """
        if not text or len(text) > LONGEST:
            return None
        options: dict[str, ClaimsOption] = {
            name: {"essential": True, "value": value} for name, value in {**required, "use": use}.items()
        }
        claims = JWTClaimsRegistry(int(self._clock()), 0, exp={"essential": True}, **options)
        for key in self._secret.session_keys:
            try:
                token = jwt.decode(text, OctKey.import_key(key), registry=self._registry)
                claims.validate(token.claims)
            except (JoseError, ValueError, TypeError, json.JSONDecodeError):
                continue
            return token.claims
        return None
