"""What people try, and what wrong issuers do, to get in: a real gateway before a real issuer."""

import base64
import json
from urllib.parse import urlencode

import pytest
from aiohttp import web
from joserfc import jwt
from joserfc.jwk import OctKey

from services.ui_gateway.sessions import BROWSER, SESSION
from tests.support.cookie_browser import CookieBrowser
from tests.support.login_scenes import CLIENT, CLIENT_SECRET, JOB, LOGIN, played
from tests.support.oidc_issuer import KEYS
from tests.support.ui_pages import DOMAIN


@pytest.mark.parametrize("cut", [0, 30, 60, -1])
def test_a_cookie_that_was_changed_is_none(cut):
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        cookies = place.browser.cookies[f"etl.data.{DOMAIN}"]
        value = cookies[SESSION]
        at = cut % len(value)
        cookies[SESSION] = f"{value[:at]}{'A' if value[at] != 'A' else 'B'}{value[at + 1 :]}"
        return await place.browser.get(f"{JOB}/")

    assert played(scene)[0] == 302


@pytest.mark.parametrize("value", ["", "x", "a.b.c.d.e", "é" * 8, "A" * 5000, '"quoted"'])
def test_a_cookie_of_nonsense_is_none(value):
    async def scene(place):
        return await place.uis.ask(f"etl.data.{DOMAIN}", Cookie=f"{SESSION}={value}", Accept="text/html")

    assert played(scene)[0] == 302


def test_a_session_of_one_host_is_none_of_another():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        stolen = place.browser.cookies[f"etl.data.{DOMAIN}"]
        hosts = (f"other.data.{DOMAIN}", f"login.{DOMAIN}", f"yunikorn.{DOMAIN}")
        place.browser.cookies = {host: dict(stolen) for host in hosts}
        return [await place.browser.get(f"https://{host}/") for host in hosts]

    assert [answer[0] for answer in played(scene)] == [302, 302, 302]


def unsigned(claims):
    parts = ({"alg": "none"}, claims)
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*texts, ""])


WRONG = {
    "another nonce": {"claims": {"nonce": "other"}},
    "no nonce": {"claims": {"nonce": None}},
    "another client": {"claims": {"aud": "other"}},
    "a client beside": {"claims": {"aud": [CLIENT, "other"]}},
    "made for another": {"claims": {"aud": [CLIENT, "other"], "azp": "other"}},
    "another party": {"claims": {"azp": "other"}},
    "another issuer": {"claims": {"iss": "http://127.0.0.1"}},
    "expired": {"claims": {"exp": 1}},
    "never expires": {"claims": {"exp": None}},
    "of the future": {"claims": {"iat": 1 << 40}},
    "nobody": {"claims": {"sub": None}},
    "not signed": {"signing": unsigned},
    "signed by another key": {
        "signing": lambda claims: jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, KEYS[1])
    },
    "signed by an unknown key": {
        "signing": lambda claims: jwt.encode({"alg": "RS256", "kid": "key-2"}, claims, KEYS[1])
    },
    "signed with the public key": {
        "signing": lambda claims: jwt.encode(
            {"alg": "HS256", "kid": "key-1"},
            claims,
            OctKey.import_key(KEYS[0].as_pem(private=False).replace(b"-----", b"")),
        )
    },
    "signed with the client's secret": {
        "signing": lambda claims: jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(CLIENT_SECRET))
    },
    "no token": {"signing": lambda _: None},
    "no JWT": {"signing": lambda _: "x"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_id_token_that_is_not_for_this_login_lets_nobody_in(wrong):
    async def scene(place):
        for name, value in wrong.items():
            setattr(place.issuer, name, value)
        answer = await place.browser.open(f"{JOB}/")
        return answer, place.browser.cookies

    (status, _, body), cookies = played(scene)

    assert status == 403
    assert b"This login failed" in body
    assert not any(SESSION in kept for kept in cookies.values())


def test_a_code_is_good_once():
    async def scene(place):
        callback = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        first = await place.browser.get(callback)
        return first, await place.browser.get(callback)

    first, again = played(scene)

    assert first[0] == 302
    assert again[0] == 403


def test_a_code_of_another_login_is_none_of_this():
    """The verifier and the nonce are those of the state, not of the code."""

    async def scene(place):
        one = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        other = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        code, state = one.split("&state=")[0], other.split("&state=")[1]
        return await place.browser.get(f"{code}&state={state}")

    assert played(scene)[0] == 403


def test_a_login_that_somebody_else_began_is_none():
    async def scene(place):
        callback = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        victim = CookieBrowser(place.uis)
        without = await victim.get(callback)
        victim.cookies[f"login.{DOMAIN}"] = {BROWSER: "v" * 32}
        return without, await victim.get(callback), victim.cookies

    without, other, cookies = played(scene)

    assert (without[0], other[0]) == (400, 400)
    assert SESSION not in cookies[f"login.{DOMAIN}"]


@pytest.mark.parametrize("state", ["", "&state=", "&state=x", "&state=a.b.c.d.e"])
def test_a_state_that_is_not_ours_is_refused_before_the_issuer_is_asked(state):
    async def scene(place):
        await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        before = len(place.issuer.asked)
        answer = await place.browser.get(f"{LOGIN}/callback?code=x{state}")
        return answer[0], len(place.issuer.asked) - before

    assert played(scene) == (400, 0)


def test_a_login_may_take_ten_minutes():
    async def scene(place):
        callback = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        place.now += 601
        return await place.browser.get(callback)

    assert played(scene)[0] == 400


def test_a_session_is_no_state_and_a_state_no_session():
    async def scene(place):
        callback = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        state = callback.split("&state=")[1]
        place.browser.cookies[f"login.{DOMAIN}"][SESSION] = state
        return await place.browser.get(f"{LOGIN}/")

    assert played(scene)[0] == 302


def test_a_ticket_is_good_in_the_browser_that_asked_for_it_only():
    async def scene(place):
        ticket = await place.browser.open(f"{JOB}/", until="/.moka/session")
        thief = CookieBrowser(place.uis)
        without = await thief.get(ticket)
        thief.cookies[f"etl.data.{DOMAIN}"] = {BROWSER: "t" * 32}
        stolen = await thief.get(ticket)
        own = place.browser.cookies
        own[f"other.data.{DOMAIN}"] = dict(own[f"etl.data.{DOMAIN}"])
        elsewhere = await place.browser.get(ticket.replace("etl.data", "other.data"))
        place.now += 61
        return without, stolen, elsewhere, await place.browser.get(ticket), thief.cookies

    without, stolen, elsewhere, late, cookies = played(scene)

    assert [without[0], stolen[0], elsewhere[0], late[0]] == [400, 400, 400, 400]
    assert not any(SESSION in kept for kept in cookies.values())


def test_a_ticket_is_no_session():
    async def scene(place):
        ticket = await place.browser.open(f"{JOB}/", until="/.moka/session")
        place.browser.cookies[f"etl.data.{DOMAIN}"][SESSION] = ticket.split("ticket=")[1]
        return await place.browser.get(f"{JOB}/")

    assert played(scene)[0] == 302


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example/",
        "//evil.example/",
        "/jobs/",
        f"http://etl.data.{DOMAIN}/",
        f"https://etl.data.{DOMAIN}@evil.example/",
        f"https://evil.example\\@etl.data.{DOMAIN}/",
        f"https://etl.data.{DOMAIN}:8443/",
        f"https://etl.data.{DOMAIN}.evil.example/",
        f"https://data.{DOMAIN}/",
        f"https://etl.data.{DOMAIN}/\r\nLocation: https://evil.example/",
        "javascript:alert(1)",
        "https://[",
        "",
    ],
)
def test_a_login_leads_to_pages_of_ours_only(to):
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        return await place.browser.get(f"{LOGIN}/start?{urlencode({'to': to, 'for': 'x'})}")

    status, headers, _ = played(scene)

    assert status == 400
    assert "Location" not in headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/.//evil.example"])
def test_a_path_that_looks_like_a_host_stays_a_path(path):
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        place.now += 901
        return (
            await place.browser.get(f"{JOB}{path}"),
            await place.browser.open(f"{JOB}{path}"),
            place.browser,
        )

    _, _, browser = played(scene)

    assert not any(url.startswith(("https://evil", "//")) for url in browser.visited)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: web.Response(status=500),
        lambda: web.Response(text="<html>"),
        lambda: web.json_response([]),
        lambda: web.json_response(
            dict.fromkeys(
                ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"), "https://other.example/"
            )
        ),
        lambda: web.Response(body=b" " * (2 << 20)),
        lambda: web.Response(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    ],
)
def test_an_issuer_that_is_not_itself_is_said_to_be_away(broken):
    async def scene(place):
        place.issuer.broken = broken
        return await place.browser.open(f"{JOB}/")

    status, headers, body = played(scene)

    assert (status, headers["Retry-After"]) == (503, "5")
    assert b"The issuer does not answer" in body


def test_what_the_issuer_says_instead_of_a_code_is_shown_as_text():
    async def scene(place):
        callback = await place.browser.open(f"{JOB}/", until=f"{LOGIN}/callback")
        state = callback.split("&state=")[1]
        return await place.browser.get(f"{LOGIN}/callback?error=%3Cscript%3E&state={state}")

    status, _, body = played(scene)

    assert status == 403
    assert b"<script>" not in body
    assert b"&lt;script&gt;" in body


def test_no_image_of_a_page_logs_anybody_out():
    async def scene(place):
        await place.browser.open(f"{JOB}/")
        answer = await place.browser.get(f"{LOGIN}/logout", **{"Sec-Fetch-Dest": "image"})
        return answer[0], await place.browser.get(f"{LOGIN}/")

    status, home = played(scene)

    assert status == 403
    assert b"Ada is logged in" in home[2]
