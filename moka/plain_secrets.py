"""Secrets in plain, by what they look like and by what they are called."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import log2
from typing import Any

from moka.mistakes import Mistake

SHAPES: Mapping[str, re.Pattern[str]] = {
    "an access key of AWS": re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a token of GitHub": re.compile(r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})\b"),
    "a token of GitLab": re.compile(r"\bglpat-[\w-]{20,}"),
    "a token of Grafana": re.compile(r"\bgl(sa|c)_[A-Za-z0-9+/_]{32,}"),
    "a token of Pulumi": re.compile(r"\bpul-[0-9a-f]{40}\b"),
    "a token of Slack": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b"),
    "a webhook, which whoever knows it may use,": re.compile(
        r"https://(hooks\.slack\.com/(services|workflows|triggers)/|discord(app)?\.com/api/webhooks/|"
        r"[\w.-]+\.webhook\.office\.com/webhook|events\.pagerduty\.com/integration/)\w[^\s\"']*"
    ),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "a password in an address": re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s:@${}]*:[^/\s:@${}]{4,}@"),
    "a key in an address": re.compile(
        r"(?i)\bhttps?://[^\s?#]+\?([^\s#]*&)?"
        r"(access_token|api[_-]?key|auth|key|password|secret|sig|signature|token|x-amz-signature)=[^\s&#${}]{6,}"
    ),
}
"""What it is -> how it looks; most forms of vendors as in gitleaks/gitleaks: config/gitleaks.toml."""

NAMES = re.compile(
    r"(?i)(^|[_.\-/]|(?<=[a-z]))(password|passwd|passphrase|secret|token|(api|access|private|secret)[_.-]?key|"
    r"credential|client[_-]?secret)s?$"
)
NAME_OF_A_SECRET = re.compile(r"(?i)(existing|pull|tls)[_-]?secrets?$")
"""Keys under which values have the name of a Secret."""

REFERENCE = re.compile(
    r"^(\$\{.*\}|\$\(.*\)|\{\{.*\}\}|arn:aws[\w-]*:.*|/.*|https?://.*|true|false|[\w.-]*/[\w./-]+|\d*)$"
)
RANDOM_PATH = re.compile(r"^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/=]{32,}$")
MUCH = 4.3


def shape(value: str) -> str:
    """What sort of secret a text has in it, by its looks; empty where none."""
    return next((name for name, form in SHAPES.items() if form.search(value)), "")


def is_called_secret(name: str, value: str) -> bool:
    """Whether a name says that its value is a secret, and the value does not say where one is."""
    is_secret = bool(NAMES.search(name)) and not NAME_OF_A_SECRET.search(name)
    return is_secret and len(value) >= 6 and (not REFERENCE.match(value) or _is_random(value))


def _is_random(value: str) -> bool:
    """Whether what could be a path has no word in it: a secret key of AWS is base64, with slashes."""
    return bool(RANDOM_PATH.match(value)) and entropy(value) >= MUCH


def entropy(value: str) -> float:
    """Bits of a character of a text, by how often each occurs (Shannon)."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


def plain_secrets(document: Any) -> Iterator[Mistake]:
    """What looks like a secret in a document that people keep in Git; no value is in what is said."""
    for path, text in _texts(document):
        if kind := shape(text):
            yield Mistake(
                ".".join(path) or "the file",
                f"has {kind} in plain; put it into Secrets Manager or a Secret, name that here, and take "
                "what was in a commit out of use",
            )


def _texts(document: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Texts with their paths, in order. Not by recursion: documents may be deep."""
    rest: list[tuple[tuple[str, ...], Any]] = [((), document)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            rest += [((*path, str(key)), inner) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            rest += [((*path, str(index)), inner) for index, inner in reversed([*enumerate(value)])]
