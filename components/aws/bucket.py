"""S3 buckets as the platform wants every one of them: private, encrypted, TLS only, tidied up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.aws.bucket_access import ACTIONS, BucketAccess
from moka.components.aws.policy import document
from moka.components.aws.sharing import PRIVATE, Sharing, sharing_statements
from moka.components.ordering import known_after

CHEAPER_CLASS = "STANDARD_IA"
"""Storage class of what is seldom read: half the price to keep, and billed for 30 days at the least."""

MIN_CHEAPER_DAYS = 30

S3_ACTIONS: Mapping[BucketAccess, tuple[str, ...]] = {
    access: (*actions.bucket, *actions.objects) for access, actions in ACTIONS.items()
}
"""S3 actions of each access."""


@dataclass(frozen=True, kw_only=True)
class Expiry:
    """Objects under `prefix` are deleted `days` days after they were written.

    cheaper_after: days after which they move to a cheaper storage class, where that still pays.
    prefix: of the keys; all of them when empty.
    days: after which an object is deleted.
    """

    prefix: str
    days: int
    cheaper_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Objects under `prefix` that an AWS service writes by itself.

    sid: what it is for, in letters and digits.
    service: for example `logging.s3.amazonaws.com`.
    account_id: account on whose behalf it writes.
    sources: ARN pattern of what it writes about.
    conditions: of writing, condition key -> value that it must equal.
    bucket_actions: what the service tries on the bucket first.
    prefix: of the keys that are written.
    """

    sid: str
    service: str
    prefix: str
    account_id: str
    sources: str
    conditions: tuple[tuple[str, str], ...] = ()
    bucket_actions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    """What differs between buckets.

    name: bucket name, unique in AWS; a change replaces the bucket.
    kms_key_arn: key that encrypts every object; None encrypts with S3's own, for what cannot use another.
    versioned: keep what an object was before it was overwritten or deleted.
    noncurrent_days: days that such former versions are kept.
    locked: nobody deletes a former version, or the bucket, while this is its policy.
    expiries: what is deleted, and when; nothing by default.
    unfinished_days: days after which an upload in parts that was never finished is cleared away.
    sharing: who else may use it, and who never may.
    deliveries: AWS services that write to it.
    access_logs_bucket: bucket that keeps a record of who used this one, under `s3/<name>/`.
    retain: keep the bucket and what is in it when it is removed from the stack; otherwise both are deleted.
    tags: of every AWS resource that is made here.
    """

    name: str
    kms_key_arn: pulumi.Input[str] | None
    versioned: bool = False
    noncurrent_days: int = 7
    locked: bool = False
    expiries: tuple[Expiry, ...] = ()
    unfinished_days: int = 7
    sharing: Sharing = PRIVATE
    deliveries: tuple[Delivery, ...] = ()
    access_logs_bucket: pulumi.Input[str] | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Bucket(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Bucket`.

    Makes: s3.Bucket, BucketPublicAccessBlock, BucketOwnershipControls (no ACLs),
    BucketServerSideEncryptionConfiguration, BucketPolicy, BucketLifecycleConfiguration; BucketVersioning
    where it is versioned, BucketLogging where access is logged.
    Outputs: `arn`, `name`; both known only once encryption and policy are in place, so that nobody writes
    before them.
    """

    arn: pulumi.Output[str]
    name: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Bucket", name, {}, opts)
        # A bucket that is retained stays as it is: private, encrypted and tidied up.
        child = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)

        # The logical name is the bucket's identity in every state out there: never rename it.
        bucket = aws.s3.Bucket(
            name,
            bucket=args.name,
            force_destroy=not args.retain,
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
        )
        aws.s3.BucketPublicAccessBlock(
            name,
            bucket=bucket.id,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=child,
        )
        aws.s3.BucketOwnershipControls(
            name, bucket=bucket.id, rule={"object_ownership": "BucketOwnerEnforced"}, opts=child
        )
        encryption = aws.s3.BucketServerSideEncryptionConfiguration(
            name,
            bucket=bucket.id,
            rules=[
                {
                    "apply_server_side_encryption_by_default": {
                        "sse_algorithm": "aws:kms",
                        "kms_master_key_id": args.kms_key_arn,
                    },
                    "bucket_key_enabled": True,
                }
                if args.kms_key_arn is not None
                else {"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}
            ],
            opts=child,
        )
        policy = aws.s3.BucketPolicy(
            name,
            bucket=bucket.id,
            policy=pulumi.Output.all(bucket.arn, args.kms_key_arn).apply(
                lambda arns: bucket_policy(
                    arns[0], arns[1], args.sharing, args.deliveries, locked=args.locked
                )
            ),
            opts=child,
        )
        if args.versioned:
            aws.s3.BucketVersioning(
                name, bucket=bucket.id, versioning_configuration={"status": "Enabled"}, opts=child
            )
        aws.s3.BucketLifecycleConfiguration(name, bucket=bucket.id, rules=lifecycle(args), opts=child)
        if args.access_logs_bucket is not None:
            aws.s3.BucketLogging(
                name,
                bucket=bucket.id,
                target_bucket=args.access_logs_bucket,
                target_prefix=f"s3/{args.name}/",
                opts=child,
            )

        self.arn = known_after(bucket.arn, policy.id, encryption.id)
        self.name = known_after(bucket.id, policy.id, encryption.id)
        self.register_outputs({"arn": self.arn, "name": self.name})


def bucket_policy(
    bucket_arn: str,
    kms_key_arn: str | None = None,
    sharing: Sharing = PRIVATE,
    deliveries: Sequence[Delivery] = (),
    *,
    locked: bool = False,
) -> str:
    """Bucket policy (JSON): TLS only, no other key than the bucket's, grants and denials of its sharing."""
    resources = [bucket_arn, f"{bucket_arn}/*"]
    tls_only = {
        "Sid": "DenyInsecureTransport",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": resources,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return document(
        [
            tls_only,
            *([_lock(bucket_arn)] if locked else []),
            *(_key_denials(bucket_arn, kms_key_arn) if kms_key_arn else []),
            *sharing_statements(sharing, S3_ACTIONS, "s3:*", resources),
            *(grant for delivery in deliveries for grant in _delivery_grants(bucket_arn, delivery)),
        ]
    )


def _lock(bucket_arn: str) -> dict[str, Any]:
    """Not Object Lock: under a default retention, S3 takes no object without a checksum in its request.

    Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html
    """
    return {
        "Sid": "DenyDeletion",
        "Effect": "Deny",
        "Principal": "*",
        "Action": ["s3:DeleteBucket", "s3:DeleteObjectVersion"],
        "Resource": [bucket_arn, f"{bucket_arn}/*"],
    }


def lifecycle(args: BucketArgs) -> list[aws.s3.BucketLifecycleConfigurationRuleArgsDict]:
    """Rules on what is deleted or moved, and when."""
    unfinished_uploads: aws.s3.BucketLifecycleConfigurationRuleArgsDict = {
        "id": "unfinished-uploads",
        "status": "Enabled",
        "filter": {"prefix": ""},
        "abort_incomplete_multipart_upload": {"days_after_initiation": args.unfinished_days},
    }
    former_versions: aws.s3.BucketLifecycleConfigurationRuleArgsDict = {
        "id": "former-versions",
        "status": "Enabled",
        "filter": {"prefix": ""},
        "noncurrent_version_expiration": {"noncurrent_days": args.noncurrent_days},
        # Of what was deleted a marker stays, which slows lists of its folder, until the object is as old as
        # the other rule has it, unless this says otherwise
        # (https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html).
        "expiration": {"expired_object_delete_marker": True},
    }
    return [
        unfinished_uploads,
        *([former_versions] if args.versioned else []),
        *(_expiry_rule(expiry) for expiry in args.expiries),
    ]


def _expiry_rule(expiry: Expiry) -> aws.s3.BucketLifecycleConfigurationRuleArgsDict:
    rule: aws.s3.BucketLifecycleConfigurationRuleArgsDict = {
        "id": f"expire-{expiry.prefix.strip('/') or 'all'}",
        "status": "Enabled",
        "filter": {"prefix": expiry.prefix},
        "expiration": {"days": expiry.days},
    }
    if expiry.cheaper_after is not None and expiry.days - expiry.cheaper_after >= MIN_CHEAPER_DAYS:
        rule["transitions"] = [{"days": expiry.cheaper_after, "storage_class": CHEAPER_CLASS}]
    return rule


def _key_denials(bucket_arn: str, kms_key_arn: str) -> list[dict[str, Any]]:
    """A request without encryption gets the bucket's; one with another key could lock the owner out."""
    denials = {
        "OtherEncryption": ("StringNotEquals", "s3:x-amz-server-side-encryption", "aws:kms"),
        "OtherKey": ("StringNotEquals", "s3:x-amz-server-side-encryption-aws-kms-key-id", kms_key_arn),
    }
    return [
        {
            "Sid": f"Deny{sid}",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:PutObject",
            "Resource": f"{bucket_arn}/*",
            "Condition": {"Null": {key: "false"}, operator: {key: value}},
        }
        for sid, (operator, key, value) in denials.items()
    ]


def _delivery_grants(bucket_arn: str, delivery: Delivery) -> list[dict[str, Any]]:
    account = {"aws:SourceAccount": delivery.account_id}
    sources = {"ArnLike": {"aws:SourceArn": delivery.sources}}
    allow = {"Effect": "Allow", "Principal": {"Service": delivery.service}}
    write = {
        "Sid": f"{delivery.sid}Write",
        **allow,
        "Action": "s3:PutObject",
        "Resource": f"{bucket_arn}/{delivery.prefix}*",
        "Condition": {"StringEquals": account | dict(delivery.conditions), **sources},
    }
    check = {
        "Sid": f"{delivery.sid}Check",
        **allow,
        "Action": list(delivery.bucket_actions),
        "Resource": bucket_arn,
        "Condition": {"StringEquals": account, **sources},
    }
    return [write, *([check] if delivery.bucket_actions else [])]
