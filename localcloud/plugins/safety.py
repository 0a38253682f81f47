"""A plugin of the laptop cloud refuses to serve whenever anything but the laptop could be meant."""

import ipaddress
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from localcloud.cloud import RUN, Cloud
from localcloud.errors import Refusal

REMEDY = (
    f"for a real stack run `pulumi` without the laptop cloud's environment, for the laptop run `{RUN} up`"
)


def refuse_unless_laptop(environ: Mapping[str, str]) -> None:
    """Raise Refusal unless the state is a laptop cloud's own and AWS is on this machine."""
    home = environ.get("MOKA_CLOUD")
    if not home:
        raise Refusal(
            "This plugin serves a laptop cloud only, and MOKA_CLOUD, which names its folder, "
            f"is not set: {REMEDY}."
        )
    backend = environ.get("PULUMI_BACKEND_URL", "")
    state = Cloud(Path(home).resolve()).state
    if not _inside(backend, state) and not _in_aws_at_hand(backend):
        raise Refusal(
            f"This plugin serves state kept in {state}, or in the laptop's S3, and PULUMI_BACKEND_URL is "
            f"{_masked(backend)}: {REMEDY}."
        )
    services = [name for name in environ if name.startswith("AWS_ENDPOINT_URL_")]
    for name in ("AWS_ENDPOINT_URL", *services):
        value = environ.get(name, "")
        if not loopback(value):
            raise Refusal(
                f"This plugin talks to an AWS on this machine only, and {name} is {_masked(value)}: {REMEDY}."
            )


def loopback(url: str) -> bool:
    """Whether an address (`http://127.0.0.1:5000`) can only be on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not host:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def reachable(url: str) -> bool:
    """Whether a program listens at an address."""
    parts = urlsplit(url)
    port = parts.port or (80 if parts.scheme == "http" else 443)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=5).close()
    except OSError:
        return False
    return True


def _inside(backend: str, folder: Path) -> bool:
    parts = urlsplit(backend)
    if parts.scheme != "file" or parts.netloc or not parts.path.startswith("/"):
        return False
    path = Path(parts.path).resolve()
    return path == folder or folder in path.parents


def _in_aws_at_hand(backend: str) -> bool:
    """Whether state is in the S3 that `AWS_ENDPOINT_URL` names, which is on this machine as all of AWS is.

    SDK 1 knows no such variable; an endpoint or a profile in the URL would go before it.
    Source: gocloud.dev/aws, URLOpener and V2ConfigFromURLParams.
    """
    parts = urlsplit(backend)
    query = parse_qs(parts.query)
    return parts.scheme == "s3" and query.get("awssdk") == ["v2"] and query.keys() <= {"awssdk", "region"}


def _masked(value: str) -> str:
    if not value:
        return "not set"
    # A URL may carry a password.
    parts = urlsplit(value)
    return value.replace(parts.netloc, parts.netloc.rpartition("@")[2]) if "@" in parts.netloc else value
