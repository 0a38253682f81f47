"""An issuer of OpenID Connect on loopback: strict with its clients, and wrong where a test tells it to be."""

import time
from base64 import b64decode
from secrets import token_urlsafe
from urllib.parse import unquote, urlencode

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import RSAKey

from localcloud.loopback import free_port
from services.ui_gateway.issuer import challenge

KEYS = [RSAKey.generate_key(2048, {"kid": f"key-{number}", "use": "sig"}) for number in (1, 2)]


class OidcIssuer:
    """Logs everybody in as `user`, without a question, for as long as the context lasts.

    clients: id -> secret. user: claims of whoever comes.
    claims: of the next ID tokens, instead of the right ones; None leaves one out.
    published: keys that it shows. signing: sees the claims, makes the ID token.
    broken: what it answers with instead of anything right.
    """

    def __init__(self, clients, user, clock=time.time):
        self.clients = clients
        self.user = user
        self.claims = {}
        self.published = [KEYS[0]]
        self.signing = lambda claims: jwt.encode({"alg": "RS256", "kid": "key-1"}, claims, KEYS[0])
        self.broken = None
        self.asked = []
        self._clock = clock
        self._codes = {}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    async def __aenter__(self):
        application = web.Application(middlewares=[self._noting])
        application.add_routes(
            [
                web.get("/.well-known/openid-configuration", self._metadata),
                web.get("/jwks", self._jwks),
                web.get("/authorize", self._authorize),
                web.post("/token", self._token),
            ]
        )
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_):
        await self.go_away()

    async def go_away(self):
        """It listens no more."""
        await self._runner.cleanup()

    @web.middleware
    async def _noting(self, request, handler):
        self.asked.append(request.path)
        return self.broken() if self.broken else await handler(request)

    async def _metadata(self, _):
        return web.json_response(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
                "end_session_endpoint": f"{self.url}/end",
            }
        )

    async def _jwks(self, _):
        return web.json_response({"keys": [key.as_dict(private=False) for key in self.published]})

    async def _authorize(self, request):
        query = request.query
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        assert query["client_id"] in self.clients
        code = token_urlsafe()
        self._codes[code] = dict(query)
        raise web.HTTPFound(f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}")

    async def _token(self, request):
        form = await request.post()
        # A code is good once, whoever comes with it.
        query = self._codes.pop(form["code"], None)
        name, _, secret = (
            b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode().partition(":")
        )
        if self.clients.get(unquote(name)) != unquote(secret):
            return web.json_response({"error": "invalid_client"}, status=401)
        if (
            query is None
            or query["client_id"] != unquote(name)
            or query["redirect_uri"] != form["redirect_uri"]
            or query["code_challenge"] != challenge(form["code_verifier"])
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        now = int(self._clock())
        right = {
            "iss": self.url,
            "aud": query["client_id"],
            "nonce": query["nonce"],
            "iat": now,
            "exp": now + 300,
        }
        claims = {**right, **self.user, **self.claims}
        token = self.signing({name: value for name, value in claims.items() if value is not None})
        return web.json_response({"access_token": "x", "token_type": "Bearer", "id_token": token})
