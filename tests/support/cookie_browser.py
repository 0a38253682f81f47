"""A browser before a gateway, as far as logins go: cookies by host, and redirects."""

from http.cookies import SimpleCookie
from urllib.parse import urlsplit

import aiohttp

HTML = {"Accept": "text/html,*/*"}


class CookieBrowser:
    """Keeps cookies of each host apart, as browsers do with those that begin with __Host-.

    uis: the gateway that answers for all hosts but the issuer's.
    """

    def __init__(self, uis):
        self._uis = uis
        self.cookies = {}
        self.set_cookies = []
        self.visited = []

    async def get(self, url, **headers):
        """Status, headers and body; no redirect is followed."""
        parts = urlsplit(url)
        self.visited.append(url)
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        if parts.scheme == "http":
            async with (
                aiohttp.ClientSession() as session,
                session.get(url, allow_redirects=False) as response,
            ):
                return response.status, response.headers, await response.read()
        kept = self.cookies.setdefault(parts.netloc, {})
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in kept.items())} if kept else {}
        answer = await self._uis.ask(parts.netloc, path, **{**HTML, **cookie, **headers})
        for text in answer[1].getall("Set-Cookie", []):
            self.set_cookies.append(text)
            for name, morsel in SimpleCookie(text).items():
                if morsel["max-age"] == "0":
                    kept.pop(name, None)
                else:
                    kept[name] = morsel.value
        return answer

    async def open(self, url, until=None):
        """The page that an address leads to in the end; or the address with `until`, not visited."""
        for _ in range(12):
            answer = await self.get(url)
            if answer[0] != 302:
                return answer
            url = answer[1]["Location"]
            if until and until in url:
                return url
        raise AssertionError(f"redirected for ever: {self.visited}")
