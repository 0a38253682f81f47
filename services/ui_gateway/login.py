"""The login before pages: at the issuer, once, on a host of its own, and from there to the host of each page.

A page's host has a session of its own, which the login's host gives out by a ticket: a cookie for all hosts
would go to hosts below the domain that are not ours, and any of them could set it.
"""

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from services.common.groups import groups
from services.common.issuer import IssuerAway, IssuerRefusal
from services.common.logs import fields
from services.common.metrics import Metrics
from services.ui_gateway import texts
from services.ui_gateway.access import Access, User, not_shown
from services.ui_gateway.hosts import Application, Hosts, Page, normal
from services.ui_gateway.issuer import Issuer
from services.ui_gateway.login_secret import KeptSecret
from services.ui_gateway.responses import html, plain, redirect, retry
from services.ui_gateway.sealing import Seal
from services.ui_gateway.sessions import (
    BROWSER,
    HOST_SECONDS,
    SESSION,
    Session,
    browser,
    fingerprint,
    forget,
    keep,
    new_browser,
    session,
)

OWN = "/.moka/"
"""Paths below it are the gateway's on every host: Spark, YuniKorn and Celeborn have none that begin so."""

LOGIN_SECONDS, TICKET_SECONDS = 600.0, 60.0
"""How long a login may take at the issuer, and the way back to the page's host."""

LONGEST_PATH = 1000
"""Characters of a path that a login leads back to; after a longer one, it leads to the first page."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class LoginSettings:
    """What differs between clusters.

    host: of the login itself. scheme: that people use. hosts: all that the gateway answers for.
    access: who sees what. groups_claim: of the ID token. hours: until one has to log in again.
    """

    host: str
    hosts: Hosts
    access: Access
    groups_claim: str
    hours: int
    scheme: str = field(default="https")


class Login:
    """Bars pages, and lets in who has logged in. clock: seconds since 1970."""

    def __init__(
        self,
        settings: LoginSettings,
        issuer: Issuer,
        secret: KeptSecret,
        metrics: Metrics,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._issuer = issuer
        self._secret = secret
        self._clock = clock
        self._logins = metrics.counter("logins", "Logins by how they ended.", ("outcome",))

    def is_at(self, host: str) -> bool:
        """Whether a host is that of the login itself."""
        return normal(host) == self._settings.host

    def barred(self, request: web.Request, target: Application | Page) -> web.Response | None:
        """What is answered instead of a page; None where the user may see it."""
        seal = self._seal()
        if seal is None:
            return _not_ready()
        if request.path.startswith(OWN):
            return self._own_page(request, seal)
        current = self._session(request, seal)
        if current is None:
            return self._login_request(request)
        return None if self._settings.access.sees(current.user, target) else plain(403, not_shown(target))

    async def page(self, request: web.Request) -> web.Response:
        """A page of the login's own host."""
        seal = self._seal()
        pages = {"/": self._home, "/start": self._start, "/callback": self._callback, "/logout": self._logout}
        if request.path not in pages:
            return plain(404, "there is no such page")
        if request.method not in ("GET", "HEAD"):
            return plain(405, "pages are for reading here")
        if seal is None:
            return _not_ready()
        try:
            return await pages[request.path](request, seal)
        except IssuerAway as error:
            log.warning("the issuer is away", extra=fields(error=error))
            self._logins.labels("issuer-away").inc()
            return retry(html(503, texts.login_failed("The issuer does not answer; try again.", self._url())))

    async def _home(self, request: web.Request, seal: Seal) -> web.Response:
        current = self._session(request, seal)
        if current is None:
            return redirect(self._url("/start"))
        return html(200, texts.logged_in(current.user.name, current.user.groups, "/logout"))

    async def _start(self, request: web.Request, seal: Seal) -> web.Response:
        """The way in: to the issuer, or straight on where there is a session."""
        place = self._place(request.query.get("to", self._url()))
        if place is None:
            return plain(400, "write the address of a page of this cluster as `to`")
        way = {"host": place[0], "path": place[1], "for": request.query.get("for", "")}
        current = self._session(request, seal)
        if current is not None:
            return self._onward(way, current, seal)
        browser_id = browser(request) or new_browser()
        nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        # The state is all that is kept of a login: each tab has its own, and replicas need not share any.
        state = {**way, "browser": fingerprint(browser_id), "nonce": nonce, "verifier": verifier}
        url = await self._issuer.authorization_url(
            state=seal.seal("state", state, LOGIN_SECONDS), nonce=nonce, verifier=verifier
        )
        response = redirect(url)
        keep(response, BROWSER, browser_id)
        return response

    async def _callback(self, request: web.Request, seal: Seal) -> web.Response:
        """The way back from the issuer."""
        browser_id = browser(request)
        state = seal.open("state", request.query.get("state"), browser=fingerprint(browser_id or ""))
        secret = self._secret.value
        if browser_id is None or state is None or secret is None:
            return self._failure(400, "It is not of this browser, or took more than 10 minutes.")
        if "code" not in request.query:
            return self._failure(403, f"The issuer says {request.query.get('error', 'nothing')}.")
        try:
            claims = await self._issuer.claims(
                request.query["code"],
                secret=secret.client_secret,
                nonce=state["nonce"],
                verifier=state["verifier"],
            )
        except IssuerRefusal as error:
            log.warning("login refused", extra=fields(error=error))
            return self._failure(
                403, "The issuer's answer is not for this login; the gateway's log says why."
            )
        seconds = self._settings.hours * 3600.0
        current = Session(self._user(claims), self._clock() + seconds)
        self._logins.labels("ok").inc()
        response = self._onward(state, current, seal)
        self._let_in(response, current, self._settings.host, seconds, seal)
        return response

    async def _logout(self, request: web.Request, _: Seal) -> web.Response:
        """The end of the session, unless a page only claims to want an image from here."""
        if request.headers.get("Sec-Fetch-Dest", "document") != "document":
            return plain(403, "open this page to log out")
        try:
            everywhere = await self._issuer.end_session_url(self._url())
        except IssuerAway:
            everywhere = None
        minutes = int(HOST_SECONDS // 60)
        response = html(200, texts.logged_out(minutes, self._url("/start"), everywhere))
        forget(response)
        return response

    def _own_page(self, request: web.Request, seal: Seal) -> web.Response:
        """What the gateway itself has on the host of a page."""
        host, browser_id = normal(request.host) or "", browser(request)
        if request.path == f"{OWN}logout":
            response = redirect(self._url("/logout"))
            forget(response)
            return response
        if request.path != f"{OWN}session":
            return plain(404, "there is no such page")
        ticket = seal.open(
            "ticket", request.query.get("ticket"), host=host, browser=fingerprint(browser_id or "")
        )
        if browser_id is None or ticket is None:
            sentence = "It is not of this browser, or too old. Does the browser keep cookies of this host?"
            return self._failure(400, sentence, f"{self._settings.scheme}://{host}/")
        current = session(ticket)
        response = redirect(f"{self._settings.scheme}://{host}{ticket['path']}")
        seconds = min(HOST_SECONDS, current.until - self._clock())
        self._let_in(response, current, host, seconds, seal)
        return response

    def _login_request(self, request: web.Request) -> web.Response:
        """To log in first: a page is led there, anything else is told so."""
        if request.method != "GET" or "text/html" not in request.headers.get("Accept", ""):
            return plain(401, "log in first: open this page in a browser")
        browser_id = browser(request) or new_browser()
        to = f"{self._settings.scheme}://{normal(request.host)}{request.raw_path}"
        response = redirect(f"{self._url('/start')}?{urlencode({'to': to, 'for': fingerprint(browser_id)})}")
        keep(response, BROWSER, browser_id)
        return response

    def _onward(self, way: dict[str, str], current: Session, seal: Seal) -> web.Response:
        """To the host of the page, with a ticket for the browser that asked there."""
        host, path = way["host"], way["path"]
        if host == self._settings.host:
            return redirect(self._url())
        claims = {**current.claims, "host": host, "path": path, "browser": way["for"]}
        ticket = seal.seal("ticket", claims, TICKET_SECONDS)
        return redirect(f"{self._settings.scheme}://{host}{OWN}session?{urlencode({'ticket': ticket})}")

    def _let_in(
        self, response: web.Response, current: Session, host: str, seconds: float, seal: Seal
    ) -> None:
        sealed = seal.seal("session", {**current.claims, "host": host}, seconds)
        keep(response, SESSION, sealed, seconds)

    def _session(self, request: web.Request, seal: Seal) -> Session | None:
        claims = seal.open("session", request.cookies.get(SESSION), host=normal(request.host) or "")
        return session(claims) if claims else None

    def _user(self, claims: Mapping[str, object]) -> User:
        names = (claims.get(name) for name in ("name", "preferred_username", "email", "sub"))
        items = groups(claims, self._settings.groups_claim)
        user_groups = frozenset(group for group in items if isinstance(group, str))
        name = str(next(name for name in names if name))[:100]
        return User(str(claims["sub"]), name, user_groups & self._settings.access.groups)

    def _place(self, url: str) -> tuple[str, str] | None:
        """Host and path of an address that this gateway answers for; None for any other."""
        if not url.isascii() or not url.isprintable() or set(url) & set(" \\"):
            return None
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        host = normal(parts.netloc)
        served = host == self._settings.host or (host and self._settings.hosts.target(host))
        if host is None or parts.scheme != self._settings.scheme or parts.netloc != host or not served:
            return None
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        return host, path if len(path) <= LONGEST_PATH else "/"

    def _failure(self, status: int, reason: str, again: str = "") -> web.Response:
        self._logins.labels("refused").inc()
        return html(status, texts.login_failed(reason, again or self._url()))

    def _url(self, path: str = "/") -> str:
        return f"{self._settings.scheme}://{self._settings.host}{path}"

    def _seal(self) -> Seal | None:
        secret = self._secret.value
        return Seal(secret, self._clock) if secret else None


def _not_ready() -> web.Response:
    return retry(plain(503, "the login's secret is not known yet; the gateway's log says why"))
