"""The login of the gateway to UIs: what its program is told of it, and what it may read for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from moka.components.aws.policy import Statement
from moka.login_secret import secret_arn


@dataclass(frozen=True, kw_only=True)
class GatewayLogin:
    """What differs between environments.

    issuer: URL of the OpenID Connect issuer.
    client_id: of the environment there.
    secret, region, account: name of the secret in Secrets Manager, and where it is.
    secret_key_arn: key that encrypts it; None for AWS's own.
    scopes: that are asked for, `openid` among them.
    groups_claim: of the ID token.
    hours: until one has to log in again.
    viewers: job namespace -> groups that see its jobs; all who have logged in, where it has none.
    operators: groups that see everything.
    for_operators: hosts of pages that nobody else sees.
    """

    issuer: str
    client_id: str
    secret: str
    region: str
    account: str
    secret_key_arn: str | None = None
    scopes: Sequence[str]
    groups_claim: str
    hours: int
    viewers: Mapping[str, Sequence[str]]
    operators: Sequence[str]
    for_operators: Sequence[str]

    @property
    def issuer_port(self) -> int:
        """TCP port of the issuer."""
        return urlsplit(self.issuer).port or 443


def arguments(login: GatewayLogin) -> list[str]:
    """Of the program."""
    return [
        f"--issuer={login.issuer}",
        f"--client-id={login.client_id}",
        f"--secret-name={login.secret}",
        f"--secret-region={login.region}",
        f"--scopes={' '.join(login.scopes)}",
        f"--groups-claim={login.groups_claim}",
        f"--hours={login.hours}",
        *(
            f"--viewers={namespace}={group}"
            for namespace in sorted(login.viewers)
            for group in sorted(login.viewers[namespace])
        ),
        *(f"--operators={group}" for group in sorted(login.operators)),
        *(f"--for-operators={host}" for host in sorted(login.for_operators)),
    ]


def permissions(login: GatewayLogin) -> list[Statement]:
    """To read the secret, and nothing else of Secrets Manager."""
    arn = secret_arn(login.region, login.account, login.secret)
    statements = [Statement(sid="LoginSecret", actions=("secretsmanager:GetSecretValue",), resources=[arn])]
    if login.secret_key_arn:
        by = {"StringEquals": {"kms:ViaService": f"secretsmanager.{login.region}.amazonaws.com"}}
        key = Statement(
            sid="LoginSecretKey", actions=("kms:Decrypt",), resources=[login.secret_key_arn], conditions=by
        )
        statements.append(key)
    return statements
