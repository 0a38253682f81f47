"""YuniKorn's REST API, as the recorder asks it (apache/yunikorn-core v1.8.0: pkg/webservice)."""

from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import aiohttp
import orjson

from moka.usage.profiles import ANSWER

SECONDS = 60.0
"""For an answer: a list of all applications has many megabytes."""

PARTITION = "ws/v1/partition/default"

FAILURES = (aiohttp.ClientError, OSError, TimeoutError, ValueError, KeyError)
"""What a question may raise; it is asked again."""


class Scheduler:
    """A client, an asynchronous context manager. url: of the API."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=SECONDS, sock_connect=10),
            # Events come as fast as they are taken: an answer has some megabytes.
            read_bufsize=1 << 20,
            # On the laptop pods are reached by a proxy, which its environment names.
            trust_env=True,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def events(self, start: int) -> dict[str, Any]:
        """Events from an id on. Raises FAILURES."""
        answer: dict[str, Any] = await self._get(f"ws/v1/events/batch?start={start}&count={ANSWER}")
        return answer

    async def active(self) -> list[dict[str, Any]]:
        """Applications that have not ended, with what they have. Raises FAILURES."""
        answer: list[dict[str, Any]] = await self._get(f"{PARTITION}/applications/active")
        return answer

    async def completed(self) -> list[dict[str, Any]]:
        """Applications that have ended in the last three days. Raises FAILURES."""
        answer: list[dict[str, Any]] = await self._get(f"{PARTITION}/applications/completed")
        return answer

    async def application(self, name: str) -> dict[str, Any] | None:
        """An application that has not ended; None where there is none. Raises FAILURES."""
        try:
            answer: dict[str, Any] = await self._get(f"{PARTITION}/application/{quote(name, safe='')}")
        except aiohttp.ClientResponseError as error:
            if error.status == 404:
                return None
            raise
        return answer

    async def _get(self, path: str) -> Any:
        assert self._session is not None, "the scheduler is asked before it is entered"
        async with self._session.get(f"{self._url}/{path}", raise_for_status=True) as response:
            return orjson.loads(await response.read())
