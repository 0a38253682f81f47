"""The credentials of a control plane: made at its first start, kept with it, readable by their owner only."""

import base64
import binascii
import hmac
import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

import trustme

from localcloud.files import write_private

# First address of the Services' range, which is the API server's own, and where all of it listens.
ADDRESSES = ("127.0.0.1", "172.20.0.1")
NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


@dataclass(frozen=True)
class User:
    """A user whom the API server knows by a token."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Principal:
    """Who signs in to an API server with an identity of IAM.

    arn: of the role or user. session: name of the role's session; empty for a user.
    """

    arn: str
    session: str = ""


SESSION = "laptop"
"""Session of a role whose credentials are at hand."""


GET_TOKEN_SESSION = "EKSGetTokenAuth"
"""Session in which `aws eks get-token --role-arn` assumes a role (aws/aws-cli:
awscli/customizations/eks/get_token.py)."""


def principal(arn: str, session: str = SESSION) -> Principal:
    """A principal of IAM, by its ARN; users have no sessions."""
    return Principal(arn, session if ":role/" in arn else "")


PRINCIPALS_KEY = "principals.key"
"""File with the key that signs the tokens of principals."""

TOKEN_PREFIX = "k8s-laptop-v1"
"""Beginning of a principal's token; EKS's are `k8s-aws-v1.` and a request to STS that is signed."""

ADMIN = "admin"

USERS = {
    ADMIN: User("kubernetes-admin", "system:masters"),
    "kube-controller-manager": User("system:kube-controller-manager"),
    "kube-scheduler": User("system:kube-scheduler"),
}


@dataclass(frozen=True)
class Credentials:
    """Certificates, keys and tokens of a control plane's programs.

    folder: where they are; for the owner only, as everything in it.
    """

    folder: Path

    @property
    def authority(self) -> Path:
        """Certificate (PEM) of the authority. Its key is thrown away: it signs one certificate, ever."""
        return self.folder / "ca.crt"

    @property
    def serving(self) -> tuple[Path, Path]:
        """Certificate of every server of it, and of its client of etcd, and the key of that (PEM)."""
        return self.folder / "server.crt", self.folder / "server.key"

    def token(self, user: str) -> str:
        """Bearer token of a user, by the name in `USERS`."""
        return self.token_file(user).read_text().strip()

    def token_file(self, user: str) -> Path:
        """The file that holds a user's token only."""
        return self.folder / f"{user}.token"

    def principal_token(self, principal: Principal) -> str:
        """Bearer token by which a principal signs in, whether or not it is let in."""
        about = json.dumps([principal.arn, principal.session]).encode()
        return f"{TOKEN_PREFIX}.{base64.urlsafe_b64encode(about).decode()}.{self._signature(about)}"

    def principal(self, token: str) -> Principal | None:
        """Whose token it is; None where it is no principal's, or of another control plane."""
        claim = principal_of(token)
        valid = claim is not None and hmac.compare_digest(self.principal_token(claim), token)
        return claim if valid else None

    def _signature(self, content: bytes) -> str:
        return hmac.new((self.folder / PRINCIPALS_KEY).read_bytes(), content, "sha256").hexdigest()

    def make(self) -> None:
        """Make them unless they exist; what an interrupted call leaves is not taken for them."""
        if self.folder.is_dir():
            if not (self.folder / PRINCIPALS_KEY).exists():
                write_private(self.folder / PRINCIPALS_KEY, secrets.token_hex(32))
            return
        unfinished = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700, parents=True)
        for name, content in _files().items():
            write_private(unfinished / name, content)
        unfinished.rename(self.folder)


def principal_of(token: str) -> Principal | None:
    """Who a token says that it is of; None for other tokens."""
    prefix, _, rest = token.partition(".")
    if prefix != TOKEN_PREFIX:
        return None
    try:
        return Principal(*json.loads(base64.urlsafe_b64decode(rest.partition(".")[0])))
    except (binascii.Error, ValueError, TypeError):
        return None


def kubeconfig(endpoint: str, authority: Path, token: str, cluster: str) -> str:
    """A kubeconfig for one user of one cluster."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": cluster,
                    "cluster": {
                        "server": endpoint,
                        "certificate-authority-data": base64.b64encode(authority.read_bytes()).decode(),
                    },
                }
            ],
            "users": [{"name": cluster, "user": {"token": token}}],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "current-context": cluster,
        },
        indent=2,
    )


def token_list(tokens: dict[str, str]) -> str:
    """The API server's list of tokens, a line per user: token, user, uid, groups."""
    return "".join(f'{tokens[key]},{user.name},{key},"{user.group}"\n' for key, user in USERS.items())


def _files() -> dict[str, str]:
    """Name -> content of every file."""
    authority = trustme.CA(organization_name="moka laptop cloud")
    server = authority.issue_cert(*NAMES, *ADDRESSES, common_name="kube-apiserver")
    tokens = {user: secrets.token_hex(32) for user in USERS}
    return {
        "ca.crt": authority.cert_pem.bytes().decode(),
        "server.crt": server.cert_chain_pems[0].bytes().decode(),
        "server.key": server.private_key_pem.bytes().decode(),
        # Any key: what it signs is checked with itself.
        "service-accounts.key": authority.issue_cert("service-accounts").private_key_pem.bytes().decode(),
        "tokens.csv": token_list(tokens),
        PRINCIPALS_KEY: secrets.token_hex(32),
        **{f"{user}.token": token for user, token in tokens.items()},
    }
