"""What a login keeps secret: the client's secret, and the keys that sessions are encrypted with."""

import asyncio
import base64
import binascii
import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from services.common.logs import fields

KEY_BYTES = 32
"""Of A256GCM."""

REFRESH_SECONDS, RETRY_SECONDS = 300.0, 10.0

SETTLED_SECONDS = 2 * REFRESH_SECONDS
"""After which every replica has read a new value, and can open what the others seal with its first key."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoginSecret:
    """A value of the secret.

    client_secret: of the client at the issuer. session_keys: the newest first, 32 bytes each.
    since: when the value was put, in seconds since 1970.
    """

    client_secret: str = field(repr=False)
    session_keys: tuple[bytes, ...] = field(repr=False)
    since: float = 0.0

    def sealing_key(self, now: float) -> bytes:
        """The key to encrypt with: the newest, once every replica has it."""
        settled = now - self.since >= SETTLED_SECONDS
        return self.session_keys[0 if settled or len(self.session_keys) == 1 else 1]


def parsed(text: str, since: float) -> LoginSecret:
    """The value of the secret, JSON. Raises ValueError, which never says what is in it."""
    try:
        value = json.loads(text)
        client_secret, keys = value["client_secret"], value["session_keys"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            'the secret has to be JSON: {"client_secret": "...", "session_keys": ["..."]}'
        ) from None
    if not isinstance(client_secret, str) or not client_secret:
        raise ValueError("client_secret of the secret has to be a text")
    if not isinstance(keys, list) or not keys:
        raise ValueError("session_keys of the secret has to be a list of keys, the newest first")
    return LoginSecret(client_secret, tuple(_key(key) for key in keys), since)


def _key(text: object) -> bytes:
    try:
        key = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(
            f"a key in session_keys of the secret is not {KEY_BYTES} bytes in base64; make one with "
            "`openssl rand -base64 32`"
        )
    return key


class KeptSecret:
    """The secret as Secrets Manager last had it; `value` is None until it was read once.

    manager: client of boto3, whose calls block. name: of the secret.
    """

    def __init__(self, manager: Any, name: str) -> None:
        self._manager = manager
        self._name = name
        self.value: LoginSecret | None = None

    async def run(self) -> None:
        """Read it for ever: a new value is in use within minutes, without a restart."""
        while True:
            read = await self.read()
            await asyncio.sleep(REFRESH_SECONDS if read else RETRY_SECONDS)

    async def read(self) -> bool:
        """Read it once -> whether that went well; the former value stays where it did not."""
        try:
            answer = await asyncio.to_thread(self._manager.get_secret_value, SecretId=self._name)
            since = answer["CreatedDate"].timestamp() if "CreatedDate" in answer else time.time()
            self.value = parsed(answer.get("SecretString", ""), since)
        except (BotoCoreError, ClientError, ValueError) as error:
            log.error("reading the login's secret failed", extra=fields(secret=self._name, error=error))
            return False
        return True
