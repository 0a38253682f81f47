"""What an identity may do with the data in a bucket, and with the key that encrypts it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi

from moka import event_logs
from moka.components.aws.policy import Statement

BucketAccess = Literal["read", "log", "add", "keep", "join", "record", "write"]
"""`read`: find and read. `log`: put event logs there as the uploader does, without seeing any. `add`: put
objects there, without seeing any. `keep`: put objects there, and read those whose names are known. `join`:
read event logs, and put those into one object that nobody else does. `record`: find, read, put and delete
what was used. `write`: read, add and delete.
In the order of what they allow to do with a key."""


@dataclass(frozen=True, kw_only=True)
class Actions:
    """IAM actions of an access: on the bucket, on its objects, on the key.

    limited: those actions on objects that are for some of them only: action -> patterns of keys.
    """

    bucket: tuple[str, ...]
    objects: tuple[str, ...]
    key: tuple[str, ...]
    limited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# Putting the parts of a large object together takes decrypting them.
ACTIONS: Mapping[BucketAccess, Actions] = {
    "read": Actions(bucket=("s3:ListBucket",), objects=("s3:GetObject",), key=("kms:Decrypt",)),
    # Each object in one request. Who deletes a marker, or a status, has put what takes its place.
    "log": Actions(
        bucket=(),
        objects=("s3:PutObject", "s3:DeleteObject"),
        key=("kms:GenerateDataKey",),
        limited={
            "s3:PutObject": (
                f"{event_logs.ARCHIVE}{event_logs.FOLDER_PREFIX}*",
                f"{event_logs.HOT}*",
                f"{event_logs.OPEN}*",
            ),
            "s3:DeleteObject": (
                f"{event_logs.ARCHIVE}*/appstatus_*{event_logs.IN_PROGRESS}",
                f"{event_logs.OPEN}*",
            ),
        },
    ),
    "add": Actions(
        bucket=(),
        objects=("s3:PutObject", "s3:AbortMultipartUpload"),
        key=("kms:GenerateDataKey", "kms:Decrypt"),
    ),
    # Each object in one request, by a name that is known.
    "keep": Actions(
        bucket=(),
        objects=("s3:GetObject", "s3:PutObject"),
        key=("kms:GenerateDataKey", "kms:Decrypt"),
    ),
    "join": Actions(
        bucket=("s3:ListBucket",),
        objects=("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"),
        key=("kms:GenerateDataKey", "kms:Decrypt"),
        limited={
            "s3:PutObject": (f"{event_logs.HOT}*",),
            "s3:AbortMultipartUpload": (f"{event_logs.HOT}*",),
            "s3:DeleteObject": (f"{event_logs.OPEN}*",),
        },
    ),
    # Each object in one request, as Fluent Bit sends its own (charts-values/fluent-bit/pipeline.yaml);
    # S3 copies it as who may read the one and put the other.
    "record": Actions(
        bucket=("s3:ListBucket",),
        objects=("s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
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


def bucket_statements(
    data: str,
    access: BucketAccess,
    bucket_arn: pulumi.Input[str],
    key_arn: pulumi.Input[str] | None,
    under: str | Sequence[str] = "",
    openable: bool = False,
) -> list[Statement]:
    """Statements that give an identity this access to a bucket, and to its key for this bucket only.

    data: what the bucket holds, in letters and digits (`EventLogs`); part of the statements' ids.
    key_arn: None where S3's own key encrypts it, which everybody may use who may use the object.
    under: only keys that begin with this, for example `spark-a/`, or with one of these; may hold policy
        variables.
    openable: S3A can open these folders themselves: it asks for their keys without the slash first, and only
        404 tells it to look below (apache/hadoop: S3AFileSystem.s3GetFileStatus). S3 says that to who may
        list that key, so names of other things that begin alike can be listed.
    """
    actions, bucket = ACTIONS[access], pulumi.Output.from_input(bucket_arn)
    folders = [under] if isinstance(under, str) else list(under) or [""]
    unlimited = tuple(action for action in actions.objects if action not in actions.limited)
    statements = [
        *(
            [
                Statement(
                    sid=f"{access.capitalize()}{data}",
                    actions=unlimited,
                    resources=[_objects(bucket, folder, "*") for folder in folders],
                )
            ]
            if unlimited
            else []
        ),
        *(
            Statement(
                sid=f"{action.partition(':')[2]}Of{data}",
                actions=(action,),
                resources=[_objects(bucket, folder, pattern) for folder in folders for pattern in patterns],
            )
            for action, patterns in actions.limited.items()
        ),
    ]
    if key_arn is not None:
        statements.append(
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
            )
        )
    if not actions.bucket:
        return statements
    roots = [folder.removesuffix("/") for folder in folders if folder] if openable else []
    prefixes = [*(f"{folder}*" for folder in folders), *roots]
    prefix = {"StringLike": {"s3:prefix": prefixes}} if any(folders) else {}
    finding = Statement(sid=f"Find{data}", actions=actions.bucket, resources=[bucket], conditions=prefix)
    if not roots:
        return [finding, *statements]
    opening = Statement(
        sid=f"Open{data}", actions=("s3:GetObject",), resources=[_objects(bucket, root, "") for root in roots]
    )
    return [finding, opening, *statements]


def widest_access(accesses: Iterable[BucketAccess]) -> BucketAccess:
    """The access that allows most to do with a key."""
    return max(accesses, key=get_args(BucketAccess).index)


def _objects(bucket: pulumi.Output[str], under: str, pattern: str) -> pulumi.Output[str]:
    return bucket.apply(lambda arn: f"{arn}/{under}{pattern}")
