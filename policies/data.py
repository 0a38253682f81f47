"""What holds data: protected, kept, and nobody else's."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from policies.pack.documents import Statement, statements
from policies.pack.objects import containers, where
from policies.pack.resource import Resource, SecretText, leaves, mapping, sequence, text
from policies.pack.rule import Parameters, Subject, Violations
from policies.pack.types import (
    BUCKET,
    BUCKET_LIFECYCLE,
    BUCKET_POLICY,
    BUCKET_VERSIONING,
    CONFIG_MAP,
    DATABASES,
    KEY,
    LAUNCH_TEMPLATE,
    RELEASE,
    REPOSITORY,
    ROLE_POLICY,
    SECRET,
    STATEFUL_SET,
    WORKLOADS,
)

DATA = Subject("data", "What holds data: protected, kept, and nobody else's")

HOLD_DATA = (BUCKET, KEY, REPOSITORY, *DATABASES)


@DATA.rule(
    "data-protected",
    *HOLD_DATA,
    severity="critical",
    why="A change that replaces or deletes one is an update like any other, until its data is gone.",
    references=("https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",),
    but=[],
)
def data_protected(resource: Resource, parameters: Parameters) -> Violations:
    """What holds data is protected from being deleted."""
    if not resource.protected and not any(
        fnmatchcase(resource.name, pattern) for pattern in parameters["but"]
    ):
        yield (
            f"{resource.kind} {resource.name} holds data and can be deleted: protect it (`protection: true`)."
        )


@DATA.rule(
    "no-forced-deletion",
    BUCKET,
    REPOSITORY,
    severity="critical",
    why="With it, a bucket or repository is deleted with all that is in it; without, AWS refuses.",
    references=("https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html",),
    correction=lambda inputs, _: {
        key: inputs[key] for key in inputs if key not in ("forceDestroy", "forceDelete")
    },
)
def no_forced_deletion(resource: Resource, _: Parameters) -> Violations:
    """Nothing is deleted with data in it."""
    field = "forceDestroy" if resource.type == BUCKET else "forceDelete"
    if resource.get(field) is True:
        yield f"{resource.kind} {resource.name} is deleted with all that is in it: set {field} to false."


@DATA.rule(
    "key-deletion-window",
    KEY,
    severity="high",
    why="What a deleted key encrypted is lost for good; these days are the time to notice.",
    references=("https://docs.aws.amazon.com/kms/latest/developerguide/deleting-keys.html",),
    at_least_days=30,
)
def key_deletion_window(key: Resource, parameters: Parameters) -> Violations:
    """The deletion of a key takes long enough to notice."""
    days = key.get("deletionWindowInDays", 30)
    if isinstance(days, int | float) and days < parameters["at_least_days"]:
        least = parameters["at_least_days"]
        yield f"Key {key.name} is gone {days} days after its deletion: set deletionWindowInDays to {least}."


@DATA.rule(
    "bucket-versioned",
    BUCKET_VERSIONING,
    severity="medium",
    why="An object that is overwritten or deleted by mistake is gone otherwise.",
    references=("https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",),
)
def bucket_versioned(versioning: Resource, _: Parameters) -> Violations:
    """A bucket that keeps versions goes on doing so."""
    if versioning.get("versioningConfiguration.status", "Enabled") != "Enabled":
        yield f"Bucket {versioning.name} stops keeping versions: set its status to Enabled."


@DATA.rule(
    "log-objects-kept",
    BUCKET_LIFECYCLE,
    severity="medium",
    why="A job's failure is looked into weeks later, an incident after months.",
    references=("docs/settings.md",),
    buckets=["*-job-logs", "*-system-logs", "*-event-logs"],
    at_least_days=30,
)
def log_objects_kept(lifecycle: Resource, parameters: Parameters) -> Violations:
    """Logs in buckets are kept for as long as they are needed."""
    if not any(fnmatchcase(lifecycle.name, pattern) for pattern in parameters["buckets"]):
        return
    least = parameters["at_least_days"]
    for rule in sequence(lifecycle.get("rules")):
        days = mapping(mapping(rule).get("expiration")).get("days")
        if isinstance(days, int | float) and days < least:
            yield f"{lifecycle.name} deletes logs after {days} days: keep them for {least} at the least."


@DATA.rule(
    "bucket-of-this-environment",
    ROLE_POLICY,
    severity="high",
    why="What runs here could read or change another environment's data.",
    references=("docs/decisions/0007-identity-and-isolation.md",),
    environments=["test", "dev", "staging", "prod"],
    granted=[],
)
def bucket_of_this_environment(policy: Resource, parameters: Parameters) -> Violations:
    """Identities reach buckets of other environments only where that is granted."""
    own = _environment(policy.urn)
    for statement in statements(policy):
        if not statement.allows or not any(action.lower().startswith("s3:") for action in statement.actions):
            continue
        for name in _buckets(statement):
            others = [
                other for other in parameters["environments"] if other in name.split("-") and other != own
            ]
            if own and own not in name.split("-") and others and not _granted(name, parameters):
                yield (
                    f"Statement {statement.name} of {policy.name} reaches {name}, which is of "
                    f"{others[0]}: grant it "
                    "in policies/configuration.yaml, or leave it out."
                )


def _environment(urn: str) -> str:
    """Environment of a URN's stack, `urn:pulumi:<stack>::...`."""
    return urn.removeprefix("urn:pulumi:").partition("::")[0].partition(".")[0]


def _buckets(statement: Statement) -> Iterator[str]:
    for arn in statement.resources:
        if ":s3:::" in arn:
            yield arn.partition(":s3:::")[2].partition("/")[0]


def _granted(bucket: str, parameters: Parameters) -> bool:
    return any(fnmatchcase(bucket, pattern) for pattern in parameters["granted"])


@DATA.rule(
    "bucket-shared-as-granted",
    BUCKET_POLICY,
    severity="critical",
    why="Another account's administrators decide who in it uses what they were given.",
    references=("docs/decisions/0007-identity-and-isolation.md",),
    accounts=[],
)
def bucket_shared_as_granted(policy: Resource, parameters: Parameters) -> Violations:
    """Buckets are open to other accounts only where that is granted."""
    own = {account for statement in statements(policy) for account in _accounts(statement.resources)}
    for statement in statements(policy):
        for account in sorted(_accounts(statement.principals) - own) if statement.allows else ():
            if account not in parameters["accounts"] and not _names_environment_roles(statement):
                yield (
                    f"Statement {statement.name} of {policy.name} lets account {account} in: grant it in "
                    "policies/configuration.yaml, or leave it out."
                )


def _accounts(names: Sequence[str]) -> set[str]:
    return {found for name in names for found in re.findall(r"(?<![0-9])[0-9]{12}(?![0-9])", name)}


def _names_environment_roles(statement: Statement) -> bool:
    """Whether it lets roles of one path in only, as grants of the settings do."""
    patterns = [str(value) for keys in statement.condition.values() for value in _values(keys)]
    return any(":role/" in pattern for pattern in patterns)


def _values(keys: Any) -> Iterator[Any]:
    for value in mapping(keys).values():
        yield from value if isinstance(value, list) else (value,)


@DATA.rule(
    "claims-outlive-pods",
    STATEFUL_SET,
    severity="high",
    why="What masters agreed on, and event logs of drivers, would go with a deleted StatefulSet.",
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention",
    ),
    may_delete=["celeborn-*"],
)
def claims_outlive_pods(workload: Resource, parameters: Parameters) -> Violations:
    """The volumes of a StatefulSet outlive it, but for those that only cache."""
    retention = workload.get("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "Retain")
    excepted = any(fnmatchcase(workload.object_name, pattern) for pattern in parameters["may_delete"])
    if retention == "Delete" and not excepted:
        yield f"{where(workload)} takes its volumes along: set whenDeleted to Retain."


# Secrets in plain.

NAMES = re.compile(
    r"(?i)(^|[_.\-/]|(?<=[a-z]))(password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credential|client[_-]?secret)s?$"
)
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
PUBLIC = re.compile(r"^(sha(256|512)[:-].*|[0-9a-f]{32,128}|[\w-]+(\.[\w-]+)+)$")
"""Digests and names: long, and nobody's secret."""


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
                yield f"{container.name}.env.{text(mapping(entry).get('name'))}", mapping(entry).get("value")
            for index, argument in enumerate(sequence(container.get("args"))):
                yield f"{container.name}.args.{index}", argument
    elif resource.type == RELEASE:
        yield from leaves(resource.get("values", {}))
    else:
        yield from leaves(resource.get("data", resource.get("environment", resource.get("value", {}))))


def _secret(path: str, value: str, bits: float) -> str:
    """What sort of secret a value seems to be; empty where it is none."""
    for name, shape in SHAPES.items():
        if shape.search(value):
            return name
    key = (
        path.rpartition(".")[2]
        if not path.rpartition(".")[2].isdigit()
        else path.rpartition(".")[0].rpartition(".")[2]
    )
    if NAMES.search(key) and not REFERENCE.match(value) and len(value) >= 6:
        return "what its name calls a secret"
    if RANDOM.match(value) and not PUBLIC.match(value) and entropy(value) >= bits:
        return "a random text"
    return ""


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
                yield (
                    f"Secret {secret.object_name} has {path} in plain in the state: pass "
                    "pulumi.Output.secret(...)."
                )


@DATA.rule(
    "user-data-without-secrets",
    LAUNCH_TEMPLATE,
    severity="critical",
    why="Whoever may describe launch templates, and whatever runs on the node, reads user data.",
    references=("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html",),
)
def user_data_without_secrets(template: Resource, _: Parameters) -> Violations:
    """User data holds no secret."""
    import base64
    import binascii

    content = text(template.get("userData"))
    try:
        decoded = base64.b64decode(content, validate=True).decode(errors="replace")
    except binascii.Error:
        decoded = content
    for name, shape in SHAPES.items():
        if shape.search(decoded):
            yield f"User data of {template.name} has {name}: let the node ask for it by its role."
