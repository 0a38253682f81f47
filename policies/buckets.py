"""Buckets: closed, encrypted, logged, tidied up."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from policies.pack.corrections import setting
from policies.pack.documents import Statement, statements
from policies.pack.resource import Resource, at, fully_known, sequence, text
from policies.pack.rule import Parameters, Severity, StackViolations, Violations
from policies.pack.types import (
    BUCKET,
    BUCKET_BLOCK,
    BUCKET_ENCRYPTION,
    BUCKET_LIFECYCLE,
    BUCKET_LOGGING,
    BUCKET_OWNERSHIP,
    BUCKET_POLICY,
)
from policies.storage import STORAGE

S3_GUIDE = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-best-practices.html"
BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
FALSE = ("false", False, ["false"], [False])


@STORAGE.rule(
    "bucket-not-public",
    BUCKET_BLOCK,
    severity="critical",
    why="One policy or list by mistake, and everybody reads what jobs wrote.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/s3-controls.html#s3-8", S3_GUIDE),
    correction=setting(**dict.fromkeys(BLOCKS, True)),
)
def bucket_not_public(block: Resource, _: Parameters) -> Violations:
    """Buckets cannot be made public."""
    for name in BLOCKS:
        if block.get(name, False) is False:
            yield f"The bucket of {block.name} can be made public: set {name} to true."


def _accompanied_buckets(resources: Sequence[Resource], companion: str) -> set[str]:
    """URNs of the buckets that have a resource of a type."""
    return {
        urn
        for resource in resources
        if resource.type == companion
        for urn in resource.reads.get("bucket", ())
    }


def _companion_rule(
    name: str, companion: str, *, severity: Severity, lacks: str, why: str, reference: str, doc: str
) -> None:
    """A rule that every bucket has a resource of another type."""

    def check(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
        buckets = _accompanied_buckets(resources, companion)
        for bucket in resources:
            if bucket.type == BUCKET and bucket.urn not in buckets and bucket.name not in parameters["but"]:
                kind = companion.rpartition(":")[2]
                yield bucket, f"Bucket {bucket.name} {lacks}: add a {kind}."

    check.__doc__ = doc
    STORAGE.stack_rule(
        name, BUCKET, companion, severity=severity, why=why, references=(reference, S3_GUIDE), but=[]
    )(check)


_companion_rule(
    "bucket-has-public-block",
    BUCKET_BLOCK,
    severity="critical",
    lacks="can be made public",
    why="A bucket without it depends on the account's settings, which nobody sees here.",
    reference="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
    doc="Every bucket has a block of public access.",
)
_companion_rule(
    "bucket-has-policy",
    BUCKET_POLICY,
    severity="high",
    lacks="takes requests without TLS",
    why="Without a policy nothing refuses plain HTTP, or principals of other environments.",
    reference="https://docs.aws.amazon.com/securityhub/latest/userguide/s3-controls.html#s3-5",
    doc="Every bucket has a policy.",
)
_companion_rule(
    "bucket-has-lifecycle",
    BUCKET_LIFECYCLE,
    severity="low",
    lacks="keeps unfinished uploads for ever",
    why="Parts of uploads that broke off are not listed, and are paid for.",
    reference="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html",
    doc="Every bucket has a lifecycle.",
)
_companion_rule(
    "bucket-has-encryption",
    BUCKET_ENCRYPTION,
    severity="high",
    lacks="leaves its encryption to S3's default",
    why="S3's own keys decrypt for whoever may read; a key of ours has to allow it, too.",
    reference="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-encryption.html",
    doc="Every bucket says how it is encrypted.",
)
_companion_rule(
    "bucket-has-ownership",
    BUCKET_OWNERSHIP,
    severity="medium",
    lacks="leaves the ownership of objects open",
    why="With access lists, an object may belong to whoever wrote it, and policies do not reach it.",
    reference="https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html",
    doc="Every bucket says who owns its objects.",
)


@STORAGE.stack_rule(
    "bucket-has-access-log",
    BUCKET,
    BUCKET_LOGGING,
    severity="low",
    why="After a leak nobody can say who read what.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/s3-controls.html#s3-9",),
)
def bucket_has_access_log(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Every bucket has its requests logged, but for the bucket of these logs."""
    logging_buckets = _accompanied_buckets(resources, BUCKET_LOGGING)
    targets = {
        urn for log in resources if log.type == BUCKET_LOGGING for urn in log.reads.get("targetBucket", ())
    }
    for bucket in resources:
        if bucket.type == BUCKET and bucket.urn not in logging_buckets | targets:
            yield bucket, f"Requests to bucket {bucket.name} are not logged: add a BucketLogging."


@STORAGE.rule(
    "bucket-encrypted",
    BUCKET_ENCRYPTION,
    severity="high",
    why="With a key of ours, whoever reads needs its permission, and each use of it is logged.",
    references=("https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html",),
    s3_keys_for=["*-access-logs"],
)
def bucket_encrypted(encryption: Resource, parameters: Parameters) -> Violations:
    """Buckets are encrypted with a key of ours."""
    if any(fnmatchcase(encryption.name, pattern) for pattern in parameters["s3_keys_for"]):
        return
    for rule in sequence(encryption.get("rules")):
        key = at(rule, "applyServerSideEncryptionByDefault.kmsMasterKeyId", "")
        if at(rule, "applyServerSideEncryptionByDefault.sseAlgorithm", "AES256") == "AES256":
            yield f"The bucket of {encryption.name} is encrypted with S3's keys: set sseAlgorithm to aws:kms."
        elif key == "" or text(key).endswith("alias/aws/s3"):
            yield f"The bucket of {encryption.name} is encrypted with AWS's key: name one of ours."


@STORAGE.rule(
    "bucket-tls-only",
    BUCKET_POLICY,
    severity="high",
    why="What goes over plain HTTP is read, and changed, on its way.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/s3-controls.html#s3-5", S3_GUIDE),
)
def bucket_tls_only(policy: Resource, _: Parameters) -> Violations:
    """Buckets refuse requests without TLS."""
    if fully_known(policy.get("policy")) and not any(map(_denies_http, statements(policy))):
        yield f"The bucket of {policy.name} takes plain HTTP: deny s3:* where aws:SecureTransport is false."


def _denies_http(statement: Statement) -> bool:
    """Whether a statement refuses everybody all requests without TLS, and asks for nothing else."""
    return (
        statement.content.get("Effect") == "Deny"
        and statement.is_for_everybody
        and bool({"s3:*", "*"} & set(statement.actions))
        and any(resource.endswith("*") for resource in statement.resources)
        and any(statement.condition == {"Bool": {"aws:SecureTransport": value}} for value in FALSE)
    )


@STORAGE.rule(
    "bucket-owner-enforced",
    BUCKET_OWNERSHIP,
    severity="medium",
    why="With access lists, an object may belong to whoever wrote it, and policies do not reach it.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/s3-controls.html#s3-12",),
    correction=setting(rule={"objectOwnership": "BucketOwnerEnforced"}),
)
def bucket_owner_enforced(controls: Resource, _: Parameters) -> Violations:
    """A bucket's owner owns its objects."""
    if controls.get("rule.objectOwnership", "") != "BucketOwnerEnforced":
        yield f"Objects of {controls.name} may belong to others: set objectOwnership to BucketOwnerEnforced."


@STORAGE.rule(
    "uploads-aborted",
    BUCKET_LIFECYCLE,
    severity="low",
    why="Parts of uploads that broke off are not listed, and are paid for; executors that die leave many.",
    references=(
        "https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html",
    ),
)
def uploads_aborted(lifecycle: Resource, _: Parameters) -> Violations:
    """Uploads that broke off are removed."""
    rules = lifecycle.get("rules", [])
    if fully_known(rules) and not any(map(_aborts, sequence(rules))):
        yield f"The bucket of {lifecycle.name} keeps unfinished uploads: add abortIncompleteMultipartUpload."


def _aborts(rule: object) -> bool:
    aborts = isinstance(at(rule, "abortIncompleteMultipartUpload"), Mapping)
    return aborts and at(rule, "status", "Enabled") == "Enabled"
