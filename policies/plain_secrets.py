"""Secrets in plain, by what they look like and by what they are called."""

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from policies.data import DATA
from policies.pack.objects import containers, where
from policies.pack.resource import Resource, SecretText, at, leaves, sequence, text
from policies.pack.rule import Parameters, Violations
from policies.pack.types import (
    CONFIG_MAP,
    INSTANCE,
    LAUNCH_TEMPLATE,
    RELEASE,
    SECRET,
    WORKLOADS,
)

NAMES = re.compile(
    r"(?i)(^|[_.\-/]|(?<=[a-z]))(password|passwd|passphrase|secret|token|(api|access|private|secret)[_.-]?key|"
    r"credential|client[_-]?secret)s?$"
)
NAME_OF_A_SECRET = re.compile(r"(?i)(existing|pull|tls)[_-]?secrets?$")
"""Keys under which values have the name of a Secret."""

PAIR = re.compile(
    r"""^[\s"'-]*(?:export\s+|-D)?(?:([\w.-]+)["']?\s*[=:]|([\w-]+\.[\w.-]+)\s)\s*["']?([^\s"',;]+)["',;]*\s*$"""
)
"""A line of a file, or an argument: `--password=x`, `password: x`, `spark.some.password x`."""

REFERENCE = re.compile(
    r"^(\$\{.*\}|\$\(.*\)|\{\{.*\}\}|arn:aws[\w-]*:.*|/.*|https?://.*|true|false|[\w.-]*/[\w./-]+|\d*)$"
)
SHAPES: Mapping[str, re.Pattern[str]] = {
    "an access key of AWS": re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a token of GitHub": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
    "a token of Slack": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "a password in an address": re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s:@${}]+:[^/\s:@${}]{4,}@"),
}
RANDOM = re.compile(r"^[A-Za-z0-9+/=_-]{32,}$")
CERTIFICATE = base64.b64encode(b"-----BEGIN CERTIFICATE-----")[:28].decode()
RANDOM_PATH = re.compile(r"^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/=]{32,}$")
MUCH = 4.3
WORDS = r"([a-z]+|[0-9]+)([_-]([a-z]+|[0-9]+))+"
PUBLIC = re.compile(rf"^(sha(256|512)[:-].*|[0-9a-f]{{32,128}}|[\w-]+(\.[\w-]+)+|{WORDS}|{CERTIFICATE}.*)$")
"""Digests, names and certificates: long, and nobody's secret."""

OPTION = re.compile(r"^--?[\w-]+=")


@DATA.rule(
    "no-plain-secrets",
    RELEASE,
    CONFIG_MAP,
    *WORKLOADS,
    "aws:ssm/parameter:Parameter",
    "aws:lambda/function:Function",
    severity="critical",
    why=(
        "Values are in Helm's Secrets, ConfigMaps and variables in everybody's `kubectl get`, and all in "
        "the state."
    ),
    references=("CIS 4.4.1", "CIS 4.4.2", "https://www.pulumi.com/docs/iac/concepts/secrets/"),
    bits=4.3,
    ignored=[],
)
def no_plain_secrets(resource: Resource, parameters: Parameters) -> Violations:
    """No secret is in plain in values, variables or configuration."""
    for path, value in _readable(resource):
        if not isinstance(value, str) or isinstance(value, SecretText) or not value:
            continue
        if any(fnmatchcase(path, pattern) for pattern in parameters["ignored"]):
            continue
        if reason := _secret(path, value, parameters["bits"]):
            yield (
                f"{where(resource)} has {reason} in plain at {path}: take it from a Secret, or mark it as "
                "one."
            )


def _readable(resource: Resource) -> Iterator[tuple[str, Any]]:
    """Paths and values in which people put secrets."""
    if resource.type in WORKLOADS:
        for container in containers(resource):
            for entry in sequence(container.get("env")):
                yield f"{container.name}.env.{text(at(entry, 'name'))}", at(entry, "value")
            for part in ("command", "args"):
                for index, argument in enumerate(sequence(container.get(part))):
                    yield f"{container.name}.{part}.{index}", argument
    elif resource.type == RELEASE:
        yield from leaves(resource.get("values", {}))
    else:
        for field in ("data", "environment", "value"):
            yield from leaves(resource.get(field), field)


def _secret(path: str, value: str, bits: float) -> str:
    """What sort of secret a value seems to be; empty where it is none."""
    key, _, index = path.rpartition(".")
    name = key.rpartition(".")[2] if index.isdigit() else index
    if shape := _shape(value):
        return shape
    if _is_called_secret(name, value) or any(_is_called_secret(*pair) for pair in _pairs(value)):
        return "what its name calls a secret"
    value = OPTION.sub("", value)
    if RANDOM.match(value) and not PUBLIC.match(value) and entropy(value) >= bits:
        return "a random text"
    return ""


def _shape(value: str) -> str:
    return next((name for name, shape in SHAPES.items() if shape.search(value)), "")


def _pairs(value: str) -> Iterator[tuple[str, str]]:
    """Names and values in lines of a text."""
    for line in value.splitlines():
        if pair := PAIR.match(line):
            yield pair[1] or pair[2], pair[3]


def _is_called_secret(name: str, value: str) -> bool:
    is_secret = bool(NAMES.search(name)) and not NAME_OF_A_SECRET.search(name)
    return is_secret and len(value) >= 6 and (not REFERENCE.match(value) or _is_random(value))


def _is_random(value: str) -> bool:
    """Whether what could be a path has no word in it: a secret key of AWS is base64, with slashes."""
    return bool(RANDOM_PATH.match(value)) and entropy(value) >= MUCH


def entropy(value: str) -> float:
    """Bits of a character of a text, by how often each occurs (Shannon)."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


@DATA.rule(
    "secrets-outside",
    SECRET,
    severity="high",
    why="A Secret that the program makes is in its state, and in Git if it is not encrypted there.",
    references=("CIS 4.4.2",),
)
def secrets_outside(secret: Resource, _: Parameters) -> Violations:
    """What is in a Secret is marked as secret."""
    for field in ("data", "stringData"):
        for path, value in leaves(secret.get(field, {})):
            if isinstance(value, str) and value and not isinstance(value, SecretText) and not secret.chart:
                yield (f"{where(secret)} has {path} in plain in the state: pass pulumi.Output.secret(...).")


@DATA.rule(
    "user-data-without-secrets",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="critical",
    why="Whoever may describe launch templates, and whatever runs on the node, reads user data.",
    references=("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html",),
)
def user_data_without_secrets(template: Resource, _: Parameters) -> Violations:
    """User data holds no secret."""
    for field in ("userData", "userDataBase64"):
        content = _decoded(text(template.get(field)))
        if reason := _shape(content) or _called(content):
            yield f"User data of {where(template)} has {reason}: let the node ask for it by its role."


def _called(content: str) -> str:
    return "what its name calls a secret" if any(_is_called_secret(*pair) for pair in _pairs(content)) else ""


def _decoded(content: str) -> str:
    try:
        return base64.b64decode(content, validate=True).decode(errors="replace")
    except ValueError:
        return content
