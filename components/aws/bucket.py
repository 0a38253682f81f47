"""S3 buckets as the platform wants every one of them: private, encrypted, TLS only, tidied up."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from components.aws.policy import document


@dataclass(frozen=True, kw_only=True)
class Expiry:
    """Objects under `prefix` are deleted `days` days after they were written."""

    prefix: str
    days: int


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    """What differs between buckets.

    name: bucket name, unique in AWS; a change replaces the bucket.
    kms_key_arn: key that encrypts every object.
    versioned: keep what an object was before it was overwritten or deleted.
    expiries: what may go, and when; nothing by default.
    retain: keep the bucket and what is in it when the stack lets go of it; otherwise both go.
    """

    name: str
    kms_key_arn: pulumi.Input[str]
    versioned: bool = False
    expiries: tuple[Expiry, ...] = ()
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Bucket(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Bucket`.

    Makes: s3.Bucket, BucketPublicAccessBlock, BucketServerSideEncryptionConfiguration, BucketPolicy,
    BucketVersioning where it is versioned, and BucketLifecycleConfiguration where something expires.
    Outputs: `arn`, `name`; both known only once the policy is in place, so that nobody writes before it.
    """

    arn: pulumi.Output[str]
    name: pulumi.Output[str]

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Bucket", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

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
        aws.s3.BucketServerSideEncryptionConfiguration(
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
            ],
            opts=child,
        )
        policy = aws.s3.BucketPolicy(name, bucket=bucket.id, policy=bucket.arn.apply(tls_only), opts=child)
        if args.versioned:
            aws.s3.BucketVersioning(
                name, bucket=bucket.id, versioning_configuration={"status": "Enabled"}, opts=child
            )
        if args.expiries:
            aws.s3.BucketLifecycleConfiguration(
                name, bucket=bucket.id, rules=[_rule(expiry) for expiry in args.expiries], opts=child
            )

        self.arn = pulumi.Output.all(bucket.arn, policy.id).apply(lambda made: made[0])
        self.name = pulumi.Output.all(bucket.id, policy.id).apply(lambda made: made[0])
        self.register_outputs({"arn": self.arn, "name": self.name})


def tls_only(bucket_arn: str) -> str:
    """Bucket policy (JSON) that denies every request not made over TLS."""
    return document(
        [
            {
                "Sid": "DenyInsecureTransport",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [bucket_arn, f"{bucket_arn}/*"],
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ]
    )


def _rule(expiry: Expiry) -> aws.s3.BucketLifecycleConfigurationRuleArgs:
    return aws.s3.BucketLifecycleConfigurationRuleArgs(
        id=f"expire-{expiry.prefix.strip('/') or 'all'}",
        status="Enabled",
        filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=expiry.prefix),
        expiration=aws.s3.BucketLifecycleConfigurationRuleExpirationArgs(days=expiry.days),
    )
