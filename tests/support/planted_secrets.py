"""Secrets of every kind that are planted before a trial, and the finder that looks for them afterwards.

A value has a core, letters and digits that occur nowhere else: whatever a writer of JSON, YAML, URLs or
shell words makes of the rest, the core stays. What would change it (base64, hex, compression) is looked for.
"""

import base64
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Secret:
    """A secret. kind: what it is, in a report. core: the part of its value by which it is found."""

    kind: str
    value: str
    core: str


FORMS: Mapping[str, str] = {
    "key of AWS": "{core}/+wJalr",
    "session token of AWS": "IQoJ{core}/+==",
    "Pulumi access token": "pul-{core}",
    "Pulumi passphrase": 'un "guessable" {core}',
    "token of GitHub": "github_pat_{core}",
    "client secret of the login": "s/e+c:{core}&t%",
    "session key of the login": "{core}moka2moka2A=",
    "header of the metrics' store": "Basic {core}==",
    "login to a registry": "AWS:{core}",
    "webhook of alerts": "https://hooks.example.com/services/T0/B0/{core}?a=b&c=d",
    "password of a database": "p\"w\\{core}' $x",
    "key of Grafana": "glsa_{core}",
    "shared secret of Spark": "{core}\n",
    "token of somebody who submits": "{core}.planted",
    "secret in a job file": "{core}/aB3dE",
    "private key": "-----BEGIN PRIVATE KEY-----\n{core}\n-----END PRIVATE KEY-----\n",
}
"""Kind -> how its values are written. Quotes, blanks and signs are there for what escapes them."""


def planted(kind: str) -> Secret:
    """The secret of a kind, the same at each call; no file of the project has its value."""
    core = base64.b32encode(sha256(f"planted: {kind}".encode()).digest()).decode()[:32].lower()
    return Secret(kind, FORMS[kind].format(core=core), core)


PLANTED = tuple(planted(kind) for kind in FORMS)


@dataclass(frozen=True)
class Leak:
    """A secret where it must not be."""

    place: str
    kind: str
    encoding: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.encoding} in {self.place}"


def needles(core: str) -> Iterator[tuple[str, bytes]]:
    """What a core looks like in each encoding; in base64, wherever in a longer text it begins."""
    plain = core.encode()
    yield "plain", plain
    yield "hex", plain.hex().encode()
    yield "hex", plain.hex().upper().encode()
    once = tuple(_within_base64(plain))
    for text in once:
        yield "base64", text
        # As a Secret within the Secret of a release.
        for twice in _within_base64(text):
            yield "base64 twice", twice


def _within_base64(plain: bytes) -> Iterator[bytes]:
    """The characters of base64 that come from the text alone, wherever in a group of three it begins."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + plain)
        first = -(-before * 8 // 6)
        last = (before + len(plain)) * 8 // 6
        yield encoded[first:last]


BASE64_OF_GZIP = re.compile(rb"H4sI[A-Za-z0-9+/]{16,}={0,2}")
BASE64_OF_THAT = re.compile(rb"SDRzS[A-Za-z0-9+/]{16,}={0,2}")
"""Of `H4sI`: how Helm keeps a release in a Secret."""


def leaks(content: bytes, place: str, secrets: Iterable[Secret] = PLANTED) -> Iterator[Leak]:
    """The secrets that are in a content, compressed parts included."""
    for how, text in _readings(content):
        for secret in secrets:
            # The first encoding is enough, and the finder is asked of a great deal.
            for encoding, needle in needles(secret.core):
                if needle in text:
                    yield Leak(place, secret.kind, f"{encoding}{how}")
                    break


def _readings(content: bytes) -> Iterator[tuple[str, bytes]]:
    """A content, and what is compressed in it."""
    yield "", content
    if content.startswith(b"\x1f\x8b"):
        yield from _unpacked(content)
    for match in BASE64_OF_GZIP.finditer(content):
        yield from _unpacked(_decoded(match[0]))
    for match in BASE64_OF_THAT.finditer(content):
        yield from _unpacked(_decoded(_decoded(match[0])))


def _decoded(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4))


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        unpacked = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return
    for how, text in _readings(unpacked):
        yield f", compressed{how}", text
