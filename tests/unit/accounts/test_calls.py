"""The table against what the laptop's plugin calls for the same types."""

import pytest

from accounts.permissions.table import ROWS
from localcloud.plugins.aws.table import Call, Kind
from localcloud.plugins.aws.tables import kind_of

S3_ACTIONS = {
    "DeleteBucketEncryption": "PutEncryptionConfiguration",
    "DeleteBucketLifecycle": "PutLifecycleConfiguration",
    "DeleteBucketOwnershipControls": "PutBucketOwnershipControls",
    "DeleteBucketTagging": "PutBucketTagging",
    "DeletePublicAccessBlock": "PutBucketPublicAccessBlock",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "GetBucketLifecycleConfiguration": "GetLifecycleConfiguration",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "PutBucketEncryption": "PutEncryptionConfiguration",
    "PutBucketLifecycleConfiguration": "PutLifecycleConfiguration",
    "PutPublicAccessBlock": "PutBucketPublicAccessBlock",
}
"""Operation of S3 -> action that it takes, where they have different names.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
"""

NOT_NEEDED = {
    "logs:DeleteRetentionPolicy": "log groups always have a retention",
    "logs:PutLogGroupDeletionProtection": "the program does not set it",
    "iam:DeleteRolePermissionsBoundary": "roles keep their boundary: it is denied",
    "s3:PutBucketAcl": "no bucket of the program has an ACL: their owner is enforced",
}
"""What the plugin can call and the provider, or the program, does not."""

TYPES = [row for row in ROWS if "/get" not in row.type]


def operations(kind: Kind) -> set[str]:
    """The operations of a row of the plugin, as far as they are data, as AWS names them."""
    steps = [kind.create, *kind.delete, *(read.call for read in kind.reads)]
    steps += [step for change in kind.changes for step in (change.step, change.removal)]
    steps += [kind.tags.put, kind.tags.remove, kind.tags.read_call] if kind.tags else []
    names = [step.operation for step in steps if isinstance(step, Call)]
    return {"".join(word.capitalize() for word in name.split("_")) for name in names}


PREFIXES = {"amp": "aps"}
"""Service of botocore -> of actions, where they differ."""


def action(service: str, operation: str) -> str:
    name = S3_ACTIONS.get(operation, operation) if service == "s3" else operation
    name = name.replace("Db", "DB") if service == "rds" else name
    return f"{PREFIXES.get(service, service)}:{name}"


@pytest.mark.parametrize("row", TYPES, ids=lambda row: row.type)
def test_what_the_laptop_calls_for_a_type_is_in_its_row(row):
    kind = kind_of(row.type)
    called = {action(kind.service, operation) for operation in operations(kind)}

    assert called - row.actions(retain=False) - NOT_NEEDED.keys() == set()


def test_what_is_left_out_is_called_and_in_no_row():
    called = {
        action(kind.service, operation)
        for kind in (kind_of(row.type) for row in TYPES)
        for operation in operations(kind)
    }

    assert NOT_NEEDED.keys() <= called
    assert not NOT_NEEDED.keys() & {name for row in ROWS for name in row.actions(retain=False)}
