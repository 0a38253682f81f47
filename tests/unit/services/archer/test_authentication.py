"""Who sends a request: by an issuer of OpenID Connect, a proxy's certificate, or the laptop's STS."""

import asyncio
import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections import Counter
from urllib.parse import parse_qs, quote, urlsplit

import aiohttp
import pytest
from aiohttp import web
from joserfc import jwt

from localcloud.loopback import free_port
from moka.submission.configuration import OidcWay, ProxyWay
from moka.submission.rights import Principal
from services.archer.authentication.iam import IamAuthenticator
from services.archer.authentication.oidc import OidcAuthenticator
from services.archer.authentication.principal import Peer, Sender, Unauthenticated, Unverified
from services.archer.authentication.proxy import ProxyAuthenticator
from services.archer.authentication.sender_cache import SenderCache
from services.archer.authentication.ways import Ways
from services.common.issuer import IssuerKeys
from tests.support.iam_token import authorization, presigned
from tests.support.loops import run_apart
from tests.support.oidc_issuer import KEYS, OidcIssuer

NOBODY = Peer("10.0.0.1")
PROXY = Peer("10.0.0.2", frozenset({"proxy.acme.example"}))


def refused(work):
    """The sentence with which somebody is refused."""
    with pytest.raises(Unauthenticated) as error:
        run_apart(work())
    return str(error.value)


def token(issuer, key=KEYS[0], header=None, **changes):
    now = int(time.time())
    claims = {
        "iss": issuer.url,
        "sub": "1",
        "aud": "archer",
        "iat": now,
        "exp": now + 300,
        "preferred_username": "ann",
        "groups": ["data"],
    }
    claims = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode(header or {"alg": "RS256", "kid": "key-1"}, claims, key)


async def by_oidc(make, asks=1):
    """The sender by a token, as often as it is asked; and the issuer."""
    async with OidcIssuer({}, {}) as issuer, aiohttp.ClientSession() as session:
        way = OidcAuthenticator(
            OidcWay(issuer=issuer.url, audience="archer"), IssuerKeys(issuer.url, session)
        )
        headers = {"authorization": f"Bearer {make(issuer)}"}
        for _ in range(asks):
            sender = await way.sender(headers, NOBODY)
        return sender, issuer


def test_a_token_of_the_issuer_says_who_sends_it():
    sender, issuer = run_apart(by_oidc(token, asks=20))

    assert (sender.principal.name, sender.principal.groups) == ("ann", {"data"})
    assert issuer.asked.count("/jwks") == 1


def test_a_token_that_was_proved_is_believed_until_it_expires_and_not_longer_than_so_long():
    now = [1000.0]
    sender = Sender(Principal("ann"), "oidc")
    remembered = SenderCache(60.0, lambda: now[0])
    remembered.keep("short", sender, 1010.0)
    remembered.keep("long", sender, 9000.0)

    def believed():
        return [token for token in ("short", "long") if remembered.of(token)]

    assert believed() == ["short", "long"]
    now[0] = 1010.0
    assert believed() == ["long"]
    now[0] = 1060.0
    assert believed() == []


def hmac_token(issuer):
    """A token that a library believes which takes the public key for a secret."""
    claims = {"iss": issuer.url, "aud": "archer", "sub": "1", "exp": int(time.time()) + 300}
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "kid": "key-1"}, claims)]
    signed = b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    signature = hmac.digest(KEYS[0].as_pem(private=False), signed, "sha256")
    return (signed + b"." + urlsafe_b64encode(signature).rstrip(b"=")).decode()


WRONG_TOKENS = {
    "another audience": lambda issuer: token(issuer, aud="portal"),
    "no audience": lambda issuer: token(issuer, aud=None),
    "another issuer": lambda issuer: token(issuer, iss="https://evil.example"),
    "expired": lambda issuer: token(issuer, exp=int(time.time()) - 3600),
    "without an end": lambda issuer: token(issuer, exp=None),
    "not yet": lambda issuer: token(issuer, nbf=int(time.time()) + 3600),
    "another key of that name": lambda issuer: token(issuer, key=KEYS[1]),
    "an unknown key": lambda issuer: token(issuer, header={"alg": "RS256", "kid": "../../key"}),
    "HMAC by the public key": lambda issuer: hmac_token(issuer),
    "alg none": lambda issuer: "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
    "no token": lambda issuer: "x",
    "a long one": lambda issuer: "x" * 100_000,
    "a name that is none": lambda issuer: token(issuer, preferred_username="ann\nroot"),
    "a list for a name": lambda issuer: token(issuer, preferred_username=["ann"]),
    "no name": lambda issuer: token(issuer, preferred_username=None),
}


@pytest.mark.parametrize("make", WRONG_TOKENS.values(), ids=WRONG_TOKENS)
def test_any_other_token_is_refused_and_not_repeated_in_the_answer(make):
    tokens = []

    def kept(issuer):
        tokens.append(make(issuer))
        return tokens[0]

    said = refused(lambda: by_oidc(kept))

    assert said.endswith(".")
    assert len(tokens[0]) < 10 or tokens[0] not in said


def test_new_keys_of_the_issuer_are_learned_and_its_old_ones_hold_while_it_is_away():
    now = [time.time()]

    async def work():
        async with OidcIssuer({}, {}) as issuer, aiohttp.ClientSession() as session:
            keys = IssuerKeys(issuer.url, session, clock=lambda: now[0])
            way = OidcAuthenticator(OidcWay(issuer=issuer.url, audience="archer"), keys)

            async def ask(key, kid):
                made = token(issuer, key, {"alg": "RS256", "kid": kid}, exp=int(now[0]) + 86_000)
                return await way.sender({"authorization": f"Bearer {made}"}, NOBODY)

            await ask(KEYS[0], "key-1")
            issuer.published = [KEYS[1]]
            now[0] += 61
            await ask(KEYS[1], "key-2")
            asked = len(issuer.asked)
            for _ in range(50):
                with pytest.raises(Unauthenticated):
                    await ask(KEYS[0], "key-3")
            # Tokens with unknown keys do not have the issuer asked each time.
            assert len(issuer.asked) == asked
            await issuer.go_away()
            now[0] += 7200
            return await ask(KEYS[1], "key-2")

    assert run_apart(work()).principal.name == "ann"


def test_headers_of_the_proxy_are_believed_by_its_certificate_only():
    way = ProxyAuthenticator(ProxyWay(certificate_name="proxy.acme.example"))
    headers = {"x-forwarded-user": "ann", "x-forwarded-groups": "data, ml,"}

    sender = run_apart(way.sender(headers, PROXY))

    assert (sender.principal.name, sender.principal.groups) == ("ann", {"data", "ml"})
    for peer in (NOBODY, Peer("10.0.0.3", frozenset({"other.acme.example"}))):
        assert "proxy.acme.example" in refused(lambda peer=peer: way.sender(headers, peer))
    assert refused(lambda: way.sender({"x-forwarded-groups": "data"}, PROXY))


def test_who_says_nothing_or_two_things_is_refused():
    ways = Ways([ProxyAuthenticator(ProxyWay(certificate_name="proxy.acme.example"))])

    assert "does not identify its sender" in refused(lambda: ways.sender({}, PROXY))
    assert "does not identify its sender" in refused(
        lambda: Ways([]).sender({"authorization": "Bearer x"}, NOBODY)
    )


async def by_iam(endpoint, url, clock=time.time):
    async with aiohttp.ClientSession() as session:
        way = IamAuthenticator("test", endpoint, session, clock)
        headers = authorization(url)
        assert way.takes(headers)
        return await way.sender(headers, NOBODY)


def test_sts_says_who_signed_a_request(laptop_aws):
    sender = run_apart(by_iam(laptop_aws, presigned(laptop_aws)))

    assert sender.principal.name.startswith("arn:aws:sts::123456789012:")


WRONG_URLS = {
    "another host": lambda sts: presigned("http://127.0.0.1:1"),
    "a host that begins so": lambda sts: presigned(sts).replace("/?", ".evil.example/?", 1),
    "a user before the host": lambda sts: presigned(sts).replace("http://", "http://x@", 1),
    "another path": lambda sts: presigned(sts).replace("/?", "/other?", 1),
    "another action": lambda sts: presigned(sts, query="Action=GetSessionToken&Version=2011-06-15"),
    "another parameter": lambda sts: presigned(sts) + "&Policy=x",
    "an action twice": lambda sts: presigned(sts) + "&Action=AssumeRole",
    "a fragment": lambda sts: presigned(sts) + "#x",
    "no environment": lambda sts: presigned(sts, headers={}),
    "nothing signed": lambda sts: f"{sts}/?Action=GetCallerIdentity&Version=2011-06-15",
    "no date": lambda sts: presigned(sts).replace("X-Amz-Date=2", "X-Amz-Date=x", 1),
    "no URL": lambda sts: "x",
    "a file": lambda sts: "file:///etc/passwd",
    "a long one": lambda sts: presigned(sts) + "&x=" + "y" * 20_000,
}


@pytest.mark.parametrize("make", WRONG_URLS.values(), ids=WRONG_URLS)
def test_any_other_request_is_refused_and_never_made(make):
    async def work():
        asked = []

        async def note(request):
            asked.append(request.path_qs)
            return web.Response(text="<Arn>arn:aws:iam::123456789012:user/evil</Arn>")

        port = free_port()
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", note)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        try:
            await by_iam(f"http://127.0.0.1:{port}", make(f"http://127.0.0.1:{port}"))
        finally:
            assert asked == []
            await runner.cleanup()

    assert refused(work).endswith(".")


def test_a_request_that_was_signed_too_long_ago_is_refused(laptop_aws):
    url = presigned(laptop_aws, expires=86_400)

    reason = refused(lambda: by_iam(laptop_aws, url, clock=lambda: time.time() + 961))

    assert "expired" in reason


def test_a_caller_whose_clock_is_slow_by_less_than_a_minute_is_let_in(laptop_aws):
    url = presigned(laptop_aws, expires=60)

    assert run_apart(by_iam(laptop_aws, url, clock=lambda: time.time() + 110))


STS_ANSWERS = {
    "a redirect": (302, ""),
    "a refusal": (403, "<Arn>arn:aws:iam::123456789012:user/ann</Arn>"),
    "two names": (
        200,
        "<Arn>arn:aws:iam::123456789012:user/a</Arn><Arn>arn:aws:iam::123456789012:user/b</Arn>",
    ),
    "no name": (200, "<Arn></Arn>"),
    "much": (200, "x" * 1_000_000),
}


async def by_answer(status, text):
    """The sender where STS answers so."""
    port = free_port()
    application = web.Application()

    async def answer(_):
        return web.Response(status=status, text=text, headers={"Location": "http://127.0.0.1:1/"})

    application.router.add_get("/", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        return await by_iam(f"http://127.0.0.1:{port}", presigned(f"http://127.0.0.1:{port}"))
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(("status", "text"), STS_ANSWERS.values(), ids=STS_ANSWERS)
def test_an_answer_that_names_nobody_lets_nobody_in(status, text):
    assert refused(lambda: by_answer(status, text))


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "<Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error>"),
        (500, "<Error><Code>InternalFailure</Code></Error>"),
        (503, "<Error><Code>ServiceUnavailable</Code></Error>"),
    ],
)
def test_who_asks_while_sts_has_too_much_to_do_may_ask_again(status, text):
    with pytest.raises(Unverified, match=f"answers {status}: try again"):
        run_apart(by_answer(status, text))


ROLE = "arn:aws:iam::123456789012:role/reports"
SESSION = "arn:aws:sts::123456789012:assumed-role/reports/{}"


@pytest.mark.parametrize(
    ("arn", "name", "groups"),
    [
        ("arn:aws:iam::123456789012:user/ann", "arn:aws:iam::123456789012:user/ann", set()),
        (SESSION.format("ann@acme.example"), SESSION.format("ann@acme.example"), {ROLE}),
        (SESSION.format("ann+a=b,c"), SESSION.format("ann#2ba#3db#2cc"), {ROLE}),
        # All pods of a role, and one after its credentials were renewed, are one.
        (SESSION.format("eks-spark-a-reports-0-7d1f9f0a-9f0e-4c1b-8a53-0a2b7c6d5e4f"), ROLE, {ROLE}),
        (SESSION.format("eks-ann"), SESSION.format("eks-ann"), {ROLE}),
        # So they are where an SDK made up the name, as with a web identity.
        (SESSION.format("botocore-session-1700000000"), ROLE, {ROLE}),
        (SESSION.format("aws-sdk-js-session-1700000000000"), ROLE, {ROLE}),
        (SESSION.format("aws-go-sdk-1700000000000000000"), ROLE, {ROLE}),
        (SESSION.format("botocore-session-ann"), SESSION.format("botocore-session-ann"), {ROLE}),
    ],
)
def test_who_signed_has_a_name_that_lasts_and_that_a_user_of_yunikorn_may_have(arn, name, groups):
    sender = run_apart(by_answer(200, f"<Arn>{arn}</Arn>"))

    assert sender.principal == Principal(name, frozenset(groups))


def nested_header(issuer):
    """A token whose header is deeper than Python's JSON reads."""
    deep = urlsafe_b64encode(b"[" * 9_000).rstrip(b"=").decode()
    return f"{deep}.e30.eA"


def encrypted(issuer):
    return "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.x.x.x.x"


def of_header(**header):
    def make(issuer):
        parts = (json.dumps({"alg": "RS256", **header}).encode(), b"{}", b"x")
        return b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts).decode()

    return make


ODD_TOKENS = {
    "a deep header": nested_header,
    "encrypted": encrypted,
    "a list for a key's name": of_header(kid=["key-1"]),
    "a number for an algorithm": of_header(alg=1),
    "what must be understood": of_header(kid="key-1", crit=["x"], x=1),
    "its own key": of_header(jwk={"kty": "RSA"}, kid="key-1"),
    "an address of its key": of_header(jku="https://evil.example/jwks", kid="key-1"),
    "not ASCII": lambda issuer: "\xff.\xff.\xff",
    "a name of IAM": lambda issuer: token(
        issuer, preferred_username="arn:aws:sts::123456789012:assumed-role/admin/x"
    ),
}


@pytest.mark.parametrize("make", ODD_TOKENS.values(), ids=ODD_TOKENS)
def test_odd_tokens_are_refused_in_a_sentence(make):
    assert refused(lambda: by_oidc(make)).endswith(".")


def test_groups_of_a_token_that_are_names_of_iam_or_no_text_are_nobodys():
    groups = ["data", "arn:aws:iam::123456789012:role/admin", "a\0b", 7]
    sender, _ = run_apart(by_oidc(lambda issuer: token(issuer, groups=groups)))

    assert sender.principal.groups == {"data"}


def test_of_a_thousand_tokens_with_unknown_keys_that_come_at_once_one_has_the_issuer_asked():
    now = [time.time()]

    async def work():
        async with OidcIssuer({}, {}) as issuer, aiohttp.ClientSession() as session:
            keys = IssuerKeys(issuer.url, session, clock=lambda: now[0])
            way = OidcAuthenticator(OidcWay(issuer=issuer.url, audience="archer"), keys)
            good = {"authorization": f"Bearer {token(issuer, exp=int(now[0]) + 900)}"}
            await way.sender(good, NOBODY)
            now[0] += 61
            wrong = [
                way.sender({"authorization": f"Bearer {of_header(kid=str(number))(issuer)}"}, NOBODY)
                for number in range(1000)
            ]
            *answers, sender = await asyncio.gather(*wrong, way.sender(good, NOBODY), return_exceptions=True)
            return issuer.asked.count("/jwks"), {type(answer) for answer in answers}, sender

    asked, answers, sender = run_apart(work())
    assert asked == 2
    assert answers == {Unauthenticated}
    assert sender.principal.name == "ann"


def test_tokens_that_somebody_makes_up_do_not_have_sts_asked_without_end_and_keep_nobody_out():
    now = [time.time()]

    async def work():
        asked = []

        async def sts(request):
            asked.append(request.query["X-Amz-Credential"])
            known = request.query["X-Amz-Credential"].startswith("KNOWN")
            return web.Response(
                status=200 if known else 403, text="<Arn>arn:aws:iam::123456789012:user/ann</Arn>"
            )

        port = free_port()
        application = web.Application()
        application.router.add_get("/", sts)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        endpoint = f"http://127.0.0.1:{port}"
        url = presigned(endpoint)
        own = parse_qs(urlsplit(url).query)["X-Amz-Credential"][0]

        def by(credential, more=""):
            changed = url.replace(quote(own, safe=""), quote(credential, safe=""))
            return authorization(changed.replace("X-Amz-Signature=", f"X-Amz-Signature={more}"))

        try:
            async with aiohttp.ClientSession() as session:
                way = IamAuthenticator("test", endpoint, session, lambda: now[0])
                await way.sender(by("KNOWN"), NOBODY)
                flood = [way.sender(by(f"MADE-UP-{number}"), NOBODY) for number in range(500)]
                answers = await asyncio.gather(*flood, return_exceptions=True)
                sender = await way.sender(by("KNOWN", "f"), NOBODY)
        finally:
            await runner.cleanup()
        return len(asked), Counter(type(answer) for answer in answers), sender

    asked, answers, sender = run_apart(work())
    assert asked == 101
    assert answers == {Unauthenticated: 99, Unverified: 401}
    assert sender.principal.name.endswith("user/ann")
