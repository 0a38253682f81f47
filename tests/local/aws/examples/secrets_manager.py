"""Secrets Manager: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    TAGS,
    Bases,
    Changes,
    Console,
    Example,
    resource_policy,
)

BASES: Bases = {"secret": lambda w: ("aws:secretsmanager/secret:Secret", {"name": "stands/secret"})}

EXAMPLES = [
    Example(
        "aws:secretsmanager/secret:Secret",
        lambda w: {
            "name": "one/secret",
            "description": "of one",
            "recoveryWindowInDays": 0,
            "policy": resource_policy("secretsmanager:GetSecretValue"),
            "tags": TAGS,
        },
        lambda w: {
            "description": "of another",
            "policy": resource_policy("secretsmanager:DescribeSecret"),
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "another/secret"},
    ),
    Example(
        "aws:secretsmanager/secretVersion:SecretVersion",
        lambda w: {"secretId": w.secret, "secretString": "first", "versionStages": ["AWSCURRENT", "tried"]},
        lambda w: {"versionStages": ["AWSCURRENT", "approved"]},
        lambda w: {"secretString": "second"},
    ),
]


def change_description(console: Console, resource: Resource) -> None:
    console.client("secretsmanager").update_secret(SecretId=resource.id, Description="by hand")


def put_stage(console: Console, resource: Resource) -> None:
    secret, _, version = resource.id.rpartition("|")
    console.client("secretsmanager").update_secret_version_stage(
        SecretId=secret, VersionStage="by-hand", MoveToVersionId=version
    )


CHANGES_BY_HAND: Changes = {
    "aws:secretsmanager/secret:Secret": change_description,
    "aws:secretsmanager/secretVersion:SecretVersion": put_stage,
}
