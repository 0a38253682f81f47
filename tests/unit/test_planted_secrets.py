"""The finder of planted secrets finds what is planted, and nothing else."""

import base64
import gzip
import html
import json
import shlex
import urllib.parse

import pytest
import yaml

from tests.support.planted_secrets import PLANTED, leaks

WRITTEN = {
    "as it is": lambda text: text.encode(),
    "in JSON": lambda text: json.dumps({"a": text}).encode(),
    "in JSON within JSON": lambda text: json.dumps(json.dumps([text])).encode(),
    "in YAML": lambda text: yaml.safe_dump({"a": text}, width=20).encode(),
    "in a URL": lambda text: urllib.parse.urlencode({"a": text}).encode(),
    "in HTML": lambda text: html.escape(text).encode(),
    "for a shell": lambda text: shlex.quote(text).encode(),
    "in an expression": lambda text: repr(text.encode()).encode(),
    "in hex": lambda text: text.encode().hex().encode(),
    "in base64": lambda text: base64.b64encode(text.encode()),
    "in base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()),
    "in base64 behind a name": lambda text: base64.b64encode(f"AWS:{text}".encode()),
    "in base64 behind another": lambda text: base64.b64encode(f"me:x{text}".encode()),
    "in base64 of base64": lambda text: base64.b64encode(b"x" + base64.b64encode(text.encode())),
    "in a file that is compressed": lambda text: gzip.compress(text.encode()),
    "in a release of Helm": lambda text: base64.b64encode(
        base64.b64encode(gzip.compress(json.dumps({"config": {"a": text}, "manifest": "-" * 99}).encode()))
    ),
}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("secret", PLANTED, ids=lambda secret: secret.kind)
def test_a_secret_is_found_however_it_is_written(written, secret):
    content = WRITTEN[written](secret.value)
    if not content.startswith(b"\x1f\x8b"):
        content = b"text before " + content + b" and after"

    assert [leak.kind for leak in leaks(content, "here")] == [secret.kind]


def test_what_is_no_secret_is_not_found():
    content = json.dumps({"digest": "sha256:" + "0123456789abcdef" * 4, "url": "https://hooks.example.com"})

    assert not [*leaks(content.encode() + gzip.compress(b"much ado"), "here")]
