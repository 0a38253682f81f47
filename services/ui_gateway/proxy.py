"""Passes a request on to a page and its response back, as they come. Nothing of a login reaches a page."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from services.ui_gateway.hosts import normal

CONNECT_SECONDS = 3.0
READ_SECONDS = 60.0
CONNECTIONS_A_PAGE = 16
QUEUE_SECONDS = 30.0
"""How long a request waits for one of these connections, and then for its connection to be made."""

HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers of one connection (RFC 9110, 7.6.1)."""

# A driver is the tenant's code: it would keep a session that it is shown.
NOT_SENT = HOP_BY_HOP | {"authorization", "cookie", "content-length", "expect", "forwarded", "host"}
# And it could end the sessions of all clusters, whose cookies have their common domain.
NOT_RETURNED = HOP_BY_HOP | {"set-cookie", "set-cookie2", "clear-site-data"}


class ProxyRefusal(Exception):
    """Nothing listens at the page's address."""


class Unreachable(Exception):
    """The page did not answer in time, or with nonsense."""


class Proxy:
    """A client of pages, an asynchronous context manager."""

    async def __aenter__(self) -> "Proxy":
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            trust_env=True,
            cookie_jar=aiohttp.DummyCookieJar(),
            connector=aiohttp.TCPConnector(limit=0, limit_per_host=CONNECTIONS_A_PAGE),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=QUEUE_SECONDS, sock_connect=CONNECT_SECONDS, sock_read=READ_SECONDS
            ),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def pass_on(self, request: web.Request, server: str, scheme: str) -> web.StreamResponse:
        """The response of a page to a request for it.

        server: `http://10.0.0.1:4040`. scheme: that people use.
        Raises ProxyRefusal or Unreachable, as long as nothing has been sent back.
        """
        url = URL(f"{server}{request.raw_path}", encoded=True)
        headers = sent(request.headers, request.host, request.remote or "", scheme)
        try:
            response = await self._session.request(
                request.method, url, headers=headers, allow_redirects=False
            )
        except aiohttp.ClientConnectorError as error:
            refused = isinstance(error.os_error, ConnectionRefusedError)
            raise (ProxyRefusal if refused else Unreachable)(str(error)) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable(str(error) or type(error).__name__) from error
        async with response:
            back = web.StreamResponse(
                status=response.status,
                reason=response.reason,
                headers=returned(response.headers, request.host, url.host or ""),
            )
            await back.prepare(request)
            try:
                async for chunk in response.content.iter_any():
                    await back.write(chunk)
            except (aiohttp.ClientError, ConnectionError, TimeoutError):
                # Half a page must not look like a whole one.
                if request.transport is not None:
                    request.transport.abort()
            return back


def sent(headers: Mapping[str, str], host: str, client: str, scheme: str) -> CIMultiDict[str]:
    """Headers for a page, of those of a request; the client is whom the ingress controller says."""
    forwarded = {
        "Host": host,
        "X-Forwarded-For": headers.get("X-Forwarded-For", client),
        "X-Forwarded-Host": host,
        "X-Forwarded-Proto": scheme,
    }
    page_headers = _without(headers, NOT_SENT)
    for name in [name for name in page_headers if name.lower().startswith("x-forwarded-")]:
        page_headers.popall(name, None)
    page_headers.update(forwarded)
    return page_headers


def returned(headers: Mapping[str, str], host: str, server: str) -> CIMultiDict[str]:
    """Headers for the browser, of those of a page; `host` of the request, and `server` that was asked."""
    browser_headers = _without(headers, NOT_RETURNED)
    if "Location" in browser_headers:
        browser_headers["Location"] = relative(browser_headers["Location"], {normal(host), normal(server)})
    return browser_headers


def relative(location: str, hosts: set[str | None]) -> str:
    """A redirect to one of these hosts without scheme, host and port, which a UI gets wrong behind TLS."""
    try:
        parts = urlsplit(location)
        host = parts.hostname
    except ValueError:
        return "/"
    if host is None or host not in hosts:
        return location
    path = "/" + re.sub(r"\A[/\\]+", "", parts.path)
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{path}{query}{fragment}"


def _without(headers: Mapping[str, str], names: frozenset[str]) -> CIMultiDict[str]:
    """Headers without these, and without those that the connection's own header names."""
    values = CIMultiDict(headers)
    connection_headers = {
        name.strip().lower() for text in values.getall("Connection", []) for name in text.split(",")
    }
    return CIMultiDict(
        (name, value) for name, value in values.items() if name.lower() not in names | connection_headers
    )
