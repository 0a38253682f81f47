"""KMS: an example of every type, and how it is changed by hand."""

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

# As CloudWatch Logs asks for it.
FOR_LOGS = resource_policy("kms:*").replace(
    '"arn:aws:iam::123456789012:root"',
    '"arn:aws:iam::123456789012:root", "Service": "logs.us-east-1.amazonaws.com"',
)

BASES: Bases = {
    "key": lambda w: ("aws:kms/key:Key", {"description": "base", "policy": FOR_LOGS}),
    "other_key": lambda w: ("aws:kms/key:Key", {"description": "other base", "policy": FOR_LOGS}),
}

EXAMPLES = [
    Example(
        "aws:kms/key:Key",
        lambda w: {
            "description": "logs",
            "enableKeyRotation": True,
            "deletionWindowInDays": 7,
            "policy": resource_policy("kms:*"),
            "tags": TAGS,
        },
        lambda w: {
            "description": "more logs",
            "enableKeyRotation": False,
            "deletionWindowInDays": 10,
            "policy": resource_policy("kms:Put*"),
            "isEnabled": False,
            "tags": OTHER_TAGS,
        },
        lambda w: {"keyUsage": "SIGN_VERIFY", "customerMasterKeySpec": "RSA_2048"},
    ),
    Example(
        "aws:kms/alias:Alias",
        lambda w: {"name": "alias/mine", "targetKeyId": w.key},
        lambda w: {"targetKeyId": w.other_key},
        lambda w: {"name": "alias/other"},
    ),
]


def change_alias(console: Console, resource: Resource) -> None:
    kms = console.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.update_alias(AliasName=resource.inputs["name"], TargetKeyId=key)


def change_key(console: Console, resource: Resource) -> None:
    kms = console.client("kms")
    kms.update_key_description(KeyId=resource.id, Description="by hand")
    if resource.outputs.get("enableKeyRotation"):
        kms.disable_key_rotation(KeyId=resource.id)


CHANGES_BY_HAND: Changes = {
    "aws:kms/alias:Alias": change_alias,
    "aws:kms/key:Key": change_key,
}
