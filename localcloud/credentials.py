"""The credentials of a control plane: made at its first start, kept with it, readable by their owner only."""

import base64
import ipaddress
import json
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = timedelta(days=3650)

# First address of the Services' range, which is the API server's own, and where all of it listens.
ADDRESSES = ("127.0.0.1", "172.20.0.1")
NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


@dataclass(frozen=True)
class User:
    """A user whom the API server knows by a token."""

    name: str
    group: str = ""


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

    def token(self, user: str) -> str:
        """Bearer token of a user, by the name in `USERS`."""
        return self.token_file(user).read_text().strip()

    def token_file(self, user: str) -> Path:
        """The file that holds a user's token only."""
        return self.folder / f"{user}.token"

    def make(self) -> None:
        """Make them unless they exist; what an interrupted call leaves is not taken for them."""
        if self.folder.is_dir():
            return
        unfinished = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700, parents=True)
        for name, content in _files().items():
            write_private(unfinished / name, content)
        unfinished.rename(self.folder)


def write_private(path: Path, content: str) -> None:
    """Write a file, in one step, that only its owner can read at any moment."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.touch(mode=0o600)
    unfinished.chmod(0o600)
    unfinished.write_text(content)
    unfinished.replace(path)


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
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("moka laptop cloud", authority_key, None, authority_key)
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = _certificate("kube-apiserver", server_key, authority, authority_key)
    tokens = {user: secrets.token_hex(32) for user in USERS}
    return {
        "ca.crt": authority.public_bytes(Encoding.PEM).decode(),
        "server.crt": server.public_bytes(Encoding.PEM).decode(),
        "server.key": _pem(server_key),
        "service-accounts.key": _pem(ec.generate_private_key(ec.SECP256R1())),
        "tokens.csv": token_list(tokens),
        **{f"{user}.token": token for user, token in tokens.items()},
    }


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    """A certificate; of an authority, when it has no issuer but itself."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    # Clocks of virtual machines lag behind after a pause.
    now = datetime.now(UTC) - timedelta(hours=1)
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
        .add_extension(_key_usage(authority=issuer is None), critical=True)
    )
    if issuer is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False).add_extension(
            x509.SubjectAlternativeName(list(_alternative_names())), critical=False
        )
    return builder.sign(issuer_key, SHA256())


def _alternative_names() -> Iterable[x509.GeneralName]:
    yield from (x509.DNSName(name) for name in NAMES)
    yield from (x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES)


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
