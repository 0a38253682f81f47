"""What an identity may do with the data in a bucket, and with the key that encrypts it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi

from components.aws.policy import Statement

Access = Literal["read", "add", "write"]
"""`read`: find and read. `add`: put objects there, without seeing any. `write`: both, and delete."""


@dataclass(frozen=True, kw_only=True)
class Actions:
    """IAM actions of an access: on the bucket, on its objects, on the key."""

    bucket: tuple[str, ...]
    objects: tuple[str, ...]
    key: tuple[str, ...]


# Whoever puts the parts of a large object together has to decrypt them.
ACTIONS: Mapping[Access, Actions] = {
    "read": Actions(bucket=("s3:ListBucket",), objects=("s3:GetObject",), key=("kms:Decrypt",)),
    "add": Actions(
        bucket=(),
        objects=("s3:PutObject", "s3:AbortMultipartUpload"),
        key=("kms:GenerateDataKey", "kms:Decrypt"),
    ),
    "write": Actions(
        bucket=("s3:ListBucket",),
        objects=(
            "s3:GetObject",
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
        ),
        key=("kms:GenerateDataKey", "kms:Decrypt"),
    ),
}


def access(
    data: str,
    kind: Access,
    bucket_arn: pulumi.Input[str],
    key_arn: pulumi.Input[str],
    under: str = "",
) -> list[Statement]:
    """Statements that give an identity this access to a bucket, and to its key for this bucket alone.

    data: what the bucket holds, in letters and digits (`EventLogs`); part of the statements' ids.
    under: only keys that begin with this, for example `spark-a/`; may hold policy variables.
    """
    actions, bucket = ACTIONS[kind], pulumi.Output.from_input(bucket_arn)
    objects = bucket.apply(lambda arn: f"{arn}/{under}*")
    statements = [
        Statement(sid=f"{kind.capitalize()}{data}", actions=actions.objects, resources=[objects]),
        Statement(
            sid=f"KeyOf{data}",
            actions=actions.key,
            resources=[key_arn],
            # S3 names the bucket to the key, or the object where the bucket has no key of its own.
            conditions={
                "StringLike": {
                    "kms:EncryptionContext:aws:s3:arn": bucket.apply(lambda arn: [arn, f"{arn}/*"])
                }
            },
        ),
    ]
    if not actions.bucket:
        return statements
    found = {"StringLike": {"s3:prefix": [f"{under}*"]}} if under else {}
    return [
        Statement(sid=f"Find{data}", actions=actions.bucket, resources=[bucket], conditions=found),
        *statements,
    ]
