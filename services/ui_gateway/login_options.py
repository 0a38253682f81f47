"""Arguments of the program for its login; without `--issuer` there is none."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
import boto3
from botocore.config import Config

from moka.pages import login_host
from services.ui_gateway.access import Access
from services.ui_gateway.hosts import Hosts
from services.ui_gateway.issuer import SCOPES, Client
from services.ui_gateway.login import LoginSettings
from services.ui_gateway.login_secret import KeptSecret

NEEDED = ("client_id", "secret_name", "secret_region")


@dataclass(frozen=True)
class LoginOptions:
    """A login. secret_name, secret_region: of the secret in Secrets Manager."""

    settings: LoginSettings
    client: Client
    secret_name: str
    secret_region: str

    def kept_secret(self) -> KeptSecret:
        """The secret, not read yet."""
        config = Config(connect_timeout=3, read_timeout=5)
        manager = boto3.client("secretsmanager", region_name=self.secret_region, config=config)
        return KeptSecret(manager, self.secret_name)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--issuer", help="URL of the OpenID Connect issuer; without it there is no login")
    parser.add_argument("--client-id", help="of this gateway at the issuer")
    parser.add_argument("--secret-name", help="secret with client_secret and session_keys")
    parser.add_argument("--secret-region", help="region of that secret")
    parser.add_argument("--scopes", default=SCOPES, help="that are asked for, with spaces between")
    parser.add_argument("--groups-claim", default="groups", help="claim of the ID token with a user's groups")
    parser.add_argument("--hours", type=int, default=8, help="until one has to log in again")
    parser.add_argument("--viewers", action="append", default=[], help="<job namespace>=<group> (repeatable)")
    parser.add_argument(
        "--operators", action="append", default=[], help="group that sees everything (repeatable)"
    )
    parser.add_argument(
        "--for-operators", action="append", default=[], help="host of a page for operators only (repeatable)"
    )


def login(options: argparse.Namespace, hosts: Hosts) -> LoginOptions | None:
    """The login; None for none. Raises ValueError for arguments that do not fit each other."""
    if options.issuer is None:
        if options.for_operators or options.viewers or options.operators:
            raise ValueError("who sees what needs a login; add --issuer")
        return None
    if missing := [name for name in NEEDED if getattr(options, name) is None]:
        raise ValueError(f"--issuer needs --{missing[0].replace('_', '-')}")
    if options.scheme != "https":
        raise ValueError("a login needs --scheme https: browsers keep its cookies with TLS only")
    host = login_host(hosts.domain)
    settings = LoginSettings(
        host=host,
        hosts=hosts,
        access=Access(_viewers(options.viewers), options.operators, options.for_operators),
        groups_claim=options.groups_claim,
        hours=options.hours,
    )
    client = Client(options.issuer, options.client_id, f"https://{host}/callback", options.scopes)
    return LoginOptions(settings, client, options.secret_name, options.secret_region)


def login_session() -> aiohttp.ClientSession:
    """For requests to the issuer."""
    return aiohttp.ClientSession(trust_env=True, cookie_jar=aiohttp.DummyCookieJar())


def _viewers(arguments: Sequence[str]) -> dict[str, frozenset[str]]:
    viewers: dict[str, frozenset[str]] = {}
    for text in arguments:
        namespace, equals, group = text.partition("=")
        if not equals or not namespace or not group:
            raise ValueError(f"{text!r} names no viewers; write <job namespace>=<group>")
        viewers[namespace] = viewers.get(namespace, frozenset()) | {group}
    return viewers
