"""The History Server's pods, as what stands before them sees them."""

import hashlib
from collections.abc import Sequence

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

CONNECT_SECONDS = 2.0
CHUNK = 64 * 1024

ASKING = aiohttp.ClientTimeout(total=30.0, sock_connect=CONNECT_SECONDS)
"""Of questions that nobody waits for."""

HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""Headers of one connection (RFC 9110, section 7.6.1)."""

NOT_SENT_ON = HOP_BY_HOP | {"content-length", "accept-encoding"}
NOT_SENT_BACK = HOP_BY_HOP | {"content-length", "content-encoding"}
"""Content is unpacked on its way; the way in packs it for browsers."""


class Unreachable(Exception):
    """No pod answers."""


class Servers:
    """Pods of the History Server. urls: of each, `http://<host>:<port>`."""

    def __init__(self, session: aiohttp.ClientSession, urls: Sequence[str]) -> None:
        self._session = session
        self._urls = urls

    @property
    def urls(self) -> Sequence[str]:
        """Of all pods, whether they answer or not."""
        return self._urls

    def in_order(self, key: str) -> list[str]:
        """The pods, the one of a key first: an application is read by one of them, and stays with it when
        another comes or goes (rendezvous hashing)."""
        return sorted(self._urls, key=lambda url: hashlib.sha256(f"{url} {key}".encode()).digest())

    async def get(self, path: str, key: str) -> tuple[int, str]:
        """Status and text of a page, of the pod of a key. Raises Unreachable."""
        for url in self.in_order(key):
            try:
                async with self._session.get(url + path) as response:
                    return response.status, await response.text(errors="replace")
            except aiohttp.ClientConnectionError:
                continue
        raise Unreachable

    async def status(self, url: str, path: str, timeout: aiohttp.ClientTimeout = ASKING) -> int | None:
        """Status of a page of a pod; None where it does not answer in time."""
        try:
            async with self._session.get(url + path, allow_redirects=False, timeout=timeout) as response:
                await response.read()
                return response.status
        except (aiohttp.ClientError, TimeoutError):
            return None

    async def texts(self, path: str) -> dict[str, str]:
        """A page of each pod that shows it, by the pod's URL."""
        texts = {}
        for url in self._urls:
            try:
                async with self._session.get(url + path, timeout=ASKING) as response:
                    if response.status == 200:
                        texts[url] = await response.text(errors="replace")
            except (aiohttp.ClientError, TimeoutError):
                continue
        return texts

    async def pass_on(self, request: web.Request, key: str) -> web.StreamResponse:
        """What the pod of a key says to a request. Raises Unreachable, before anything is sent."""
        headers = CIMultiDict(
            (name, value) for name, value in request.headers.items() if name.lower() not in NOT_SENT_ON
        )
        for url in self.in_order(key):
            try:
                answer = await self._session.request(
                    request.method,
                    URL(url + request.raw_path, encoded=True),
                    headers=headers,
                    allow_redirects=False,
                )
            except aiohttp.ClientConnectionError:
                continue
            async with answer:
                return await _send(request, answer)
        raise Unreachable


def session() -> aiohttp.ClientSession:
    """A session for them: a log takes as long as it takes, a pod that is gone is not waited for."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def _send(request: web.Request, answer: aiohttp.ClientResponse) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, reason=answer.reason)
    for name, value in answer.headers.items():
        if name.lower() not in NOT_SENT_BACK:
            response.headers.add(name, value)
    await response.prepare(request)
    if request.method != "HEAD":
        async for chunk in answer.content.iter_chunked(CHUNK):
            await response.write(chunk)
    await response.write_eof()
    return response
