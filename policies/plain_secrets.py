"""Secrets in plain, by what they look like and by what they are called."""

import base64
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from moka.plain_secrets import entropy, is_called_secret, shape
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

PAIR = re.compile(
    r"""^[\s"'-]*(?:export\s+|-D)?(?:([\w.-]+)["']?\s*[=:]|([\w-]+\.[\w.-]+)\s)\s*["']?([^\s"',;]+)["',;]*\s*$"""
)
"""A line of a file, or an argument: `--password=x`, `password: x`, `spark.some.password x`."""

RANDOM = re.compile(r"^[A-Za-z0-9+/=_-]{32,}$")
CERTIFICATE = base64.b64encode(b"-----BEGIN CERTIFICATE-----")[:28].decode()
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
    if sort := shape(value):
        return sort
    if is_called_secret(name, value) or any(is_called_secret(*pair) for pair in _pairs(value)):
        return "what its name calls a secret"
    value = OPTION.sub("", value)
    if RANDOM.match(value) and not PUBLIC.match(value) and entropy(value) >= bits:
        return "a random text"
    return ""


def _pairs(value: str) -> Iterator[tuple[str, str]]:
    """Names and values in lines of a text."""
    for line in value.splitlines():
        if pair := PAIR.match(line):
            yield pair[1] or pair[2], pair[3]


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
        content = _text_of(text(template.get(field)))
        if reason := shape(content) or _call_name(content):
            yield f"User data of {where(template)} has {reason}: let the node ask for it by its role."


def _call_name(content: str) -> str:
    return "what its name calls a secret" if any(is_called_secret(*pair) for pair in _pairs(content)) else ""


def _text_of(content: str) -> str:
    try:
        return base64.b64decode(content, validate=True).decode(errors="replace")
    except ValueError:
        return content
