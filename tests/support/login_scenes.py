"""A gateway with a login, the issuer before it, and a browser: what a test of the login plays with."""

import json
import time

import aiohttp

from services.ui_gateway.access import Access
from services.ui_gateway.issuer import Client, Issuer
from services.ui_gateway.login import Login, LoginSettings
from services.ui_gateway.login_secret import LoginSecret
from tests.support.cookie_browser import CookieBrowser
from tests.support.oidc_issuer import OidcIssuer
from tests.support.ui_pages import DOMAIN, Uis, driver_pod, run_apart

JOB = f"https://etl.data.{DOMAIN}"
OTHER_JOB = f"https://etl.science.{DOMAIN}"
LOGIN = f"https://login.{DOMAIN}"
YUNIKORN = f"https://yunikorn.{DOMAIN}"
CLIENT, CLIENT_SECRET = "moka: test", "s/e+c:ret%"
KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
ADA = {"sub": "1", "name": "Ada", "groups": ["analysts", "choir"]}


class Kept:
    def __init__(self, value):
        self.value = value


class Place:
    """A gateway with a login, its issuer and a browser."""

    def __init__(self, user=ADA):
        self.now = time.time()
        self.issuer = OidcIssuer({CLIENT: CLIENT_SECRET, "other": "other"}, user, self.clock)
        self.secret = Kept(LoginSecret(CLIENT_SECRET, (KEY,)))
        self.uis = Uis(
            driver_pod("etl"),
            driver_pod("etl", namespace="science", address="127.1.0.2"),
            login=self._login,
        )
        self.uis._platform = [f"yunikorn.{DOMAIN}=http://127.1.0.1:{self.uis.ui_port}"]

    def clock(self):
        return self.now

    def _login(self, hosts, metrics):
        access = Access(
            viewers={"science": {"scientists"}, "data": ()},
            operators={"platform"},
            for_operators={f"yunikorn.{DOMAIN}"},
        )
        settings = LoginSettings(
            host=f"login.{DOMAIN}", hosts=hosts, access=access, groups_claim="groups", hours=8
        )
        client = Client(self.issuer.url, CLIENT, f"{LOGIN}/callback")
        return Login(settings, Issuer(client, self._session, self.clock), self.secret, metrics, self.clock)

    async def __aenter__(self):
        self._session = aiohttp.ClientSession()
        await self.issuer.__aenter__()
        await self.uis.__aenter__()
        await self.uis.open_ui()
        await self.uis.open_ui("127.1.0.2")
        self.browser = CookieBrowser(self.uis)
        return self

    async def __aexit__(self, *_):
        await self.uis.__aexit__()
        await self.issuer.__aexit__()
        await self._session.close()


def played(scene, user=ADA):
    """What `async def scene(place)` comes to, where the issuer takes everybody for `user`."""

    async def whole():
        async with Place(user) as place:
            return await scene(place)

    return run_apart(whole())


def shown(answer):
    """Path that the page of a job was asked with; the page is the request itself."""
    status, _, body = answer
    assert status == 200, body
    return json.loads(body)["path"]
