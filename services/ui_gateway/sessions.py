"""What a browser has to show: cookies of one host, which no other host can read or set."""

import hashlib
import re
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from services.ui_gateway.access import User

SESSION = "__Host-moka-session"
"""Of a host; a browser takes it from that host only, with TLS, and sends it nowhere else."""

BROWSER = "__Host-moka-browser"
"""A random text: what is on its way through a browser is good in that browser only."""

HOST_SECONDS = 900.0
"""How long a session of a page's host lasts until the login is looked at again, without a word to the user:
so long does a page answer a browser that has logged out."""

_BROWSER = re.compile(r"[A-Za-z0-9_-]{22,64}")


@dataclass(frozen=True)
class Session:
    """A session. until: when its login ends, in seconds since 1970."""

    user: User
    until: float

    @property
    def claims(self) -> dict[str, Any]:
        """What is sealed of it."""
        user = self.user
        return {
            "sub": user.subject,
            "name": user.name,
            "groups": sorted(user.groups),
            "until": int(self.until),
        }


def session(claims: dict[str, Any]) -> Session:
    """The session whose claims were sealed."""
    user = User(claims["sub"], claims["name"], frozenset(claims["groups"]))
    return Session(user, float(claims["until"]))


def browser(request: web.Request) -> str | None:
    """What tells this browser from others, on this host; None where it has nothing yet."""
    value = request.cookies.get(BROWSER, "")
    return value if _BROWSER.fullmatch(value) else None


def new_browser() -> str:
    """For a browser that has nothing yet."""
    return secrets.token_urlsafe(24)


def fingerprint(value: str) -> str:
    """What others may know of it."""
    return urlsafe_b64encode(hashlib.sha256(value.encode()).digest()).rstrip(b"=").decode()


def keep(response: web.Response, name: str, value: str, seconds: float | None = None) -> None:
    """Let the browser keep a value, as long as it runs or for so long."""
    age = None if seconds is None else int(seconds)
    response.set_cookie(name, value, max_age=age, path="/", secure=True, httponly=True, samesite="Lax")


def forget(response: web.Response) -> None:
    """Let the browser forget its session on this host."""
    response.del_cookie(SESSION, path="/", secure=True, httponly=True, samesite="Lax")
