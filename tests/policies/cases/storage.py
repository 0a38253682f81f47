from policies.pack.types import (
    BUCKET,
    BUCKET_BLOCK,
    BUCKET_ENCRYPTION,
    BUCKET_LIFECYCLE,
    BUCKET_LOGGING,
    BUCKET_OWNERSHIP,
    BUCKET_POLICY,
    DATABASES,
    FILE_SYSTEM,
    KEY,
    REGISTRY_POLICY,
    REPOSITORY,
    REPOSITORY_POLICY,
    REPOSITORY_TEMPLATE,
    STORAGE_CLASS,
    VOLUME,
)
from tests.policies.cases.case import Case, a, document, failing, passing, urn

CLOSED = {
    "blockPublicAcls": True,
    "blockPublicPolicy": True,
    "ignorePublicAcls": True,
    "restrictPublicBuckets": True,
}
KEY_ARN = "arn:aws:kms:us-east-1:444455556666:key/dd22ca0b"
TLS_ONLY = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "s3:*",
    "Resource": ["arn:aws:s3:::acme-prod-logs", "arn:aws:s3:::acme-prod-logs/*"],
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"


def of_bucket(type: str, name: str = "logs", inputs: dict | None = None):
    return a(type, inputs, name, reads={"bucket": urn(BUCKET, name)})


def companion(rule: str, type: str) -> list[Case]:
    """Of a rule that every bucket has a resource of a type."""
    return [
        passing(rule, a(BUCKET, {}, "logs"), of_bucket(type)),
        passing(rule, a(BUCKET, {}, "scratch"), but=["scratch"]),
        failing(rule, a(BUCKET, {}, "logs"), a(BUCKET, {}, "staging"), of_bucket(type), says="staging"),
    ]


def encryption(algorithm: str | None, **key: str) -> dict:
    settings = {"sseAlgorithm": algorithm, **key} if algorithm else key
    return {"rules": [{"applyServerSideEncryptionByDefault": settings}]}


def allowing(principal: object, **more: object) -> str:
    return document(
        {"Sid": "Use", "Effect": "Allow", "Principal": principal, "Action": "kms:Decrypt", **more}
    )


def only_for(operator: str, key: str, value: object) -> dict:
    return {"Condition": {operator: {key: value}}}


def denying(**changes: object) -> dict:
    return {"policy": document({**TLS_ONLY, **changes})}


def aborting(**more: object) -> dict:
    return {
        "rules": [{"id": "uploads", "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7}, **more}]
    }


def encrypted_by(kind: str, **key: str) -> dict:
    return {"encryptionConfigurations": [{"encryptionType": kind, **key}]}


CASES: list[Case] = [
    passing("bucket-not-public", a(BUCKET_BLOCK, CLOSED)),
    *(failing("bucket-not-public", a(BUCKET_BLOCK, {**CLOSED, name: False}), says=name) for name in CLOSED),
    failing("bucket-not-public", a(BUCKET_BLOCK, {"bucket": "acme-prod-logs"})),
    #
    *companion("bucket-has-public-block", BUCKET_BLOCK),
    *companion("bucket-has-policy", BUCKET_POLICY),
    *companion("bucket-has-lifecycle", BUCKET_LIFECYCLE),
    *companion("bucket-has-encryption", BUCKET_ENCRYPTION),
    *companion("bucket-has-ownership", BUCKET_OWNERSHIP),
    #
    passing(
        "bucket-has-access-log",
        a(BUCKET, {}, "logs"),
        a(BUCKET, {}, "access-logs"),
        a(BUCKET_LOGGING, reads={"bucket": urn(BUCKET, "logs"), "targetBucket": urn(BUCKET, "access-logs")}),
    ),
    failing("bucket-has-access-log", a(BUCKET, {}, "logs"), says="logs"),
    #
    passing("bucket-encrypted", a(BUCKET_ENCRYPTION, encryption("aws:kms", kmsMasterKeyId=KEY_ARN))),
    passing("bucket-encrypted", a(BUCKET_ENCRYPTION, encryption("AES256"), "main-access-logs")),
    failing("bucket-encrypted", a(BUCKET_ENCRYPTION, encryption("AES256")), says="S3's keys"),
    failing("bucket-encrypted", a(BUCKET_ENCRYPTION, encryption(None)), says="S3's keys"),
    failing("bucket-encrypted", a(BUCKET_ENCRYPTION, encryption("aws:kms")), says="AWS's key"),
    failing(
        "bucket-encrypted",
        a(BUCKET_ENCRYPTION, encryption("aws:kms", kmsMasterKeyId="alias/aws/s3")),
        says="AWS's key",
    ),
    #
    passing("bucket-tls-only", a(BUCKET_POLICY, denying())),
    passing("bucket-tls-only", a(BUCKET_POLICY, denying(Principal={"AWS": "*"}, Action=["s3:*"]))),
    failing("bucket-tls-only", a(BUCKET_POLICY, {"policy": document()})),
    failing("bucket-tls-only", a(BUCKET_POLICY, denying(Effect="Allow"))),
    failing("bucket-tls-only", a(BUCKET_POLICY, denying(Action="s3:GetObject"))),
    failing(
        "bucket-tls-only", a(BUCKET_POLICY, denying(Principal={"AWS": "arn:aws:iam::444455556666:role/a"}))
    ),
    failing(
        "bucket-tls-only",
        a(
            BUCKET_POLICY,
            denying(
                Condition={
                    "Bool": {"aws:SecureTransport": "false"},
                    "StringEquals": {"aws:PrincipalAccount": "444455556666"},
                }
            ),
        ),
    ),
    #
    passing(
        "policy-names-principals", a(KEY, {"policy": allowing({"AWS": "arn:aws:iam::444455556666:root"})})
    ),
    passing(
        "policy-names-principals",
        a(KEY, {"policy": allowing("*", **only_for("StringEquals", "kms:CallerAccount", "444455556666"))}),
    ),
    passing("policy-names-principals", a(BUCKET_POLICY, denying())),
    failing("policy-names-principals", a(KEY, {"policy": allowing("*")}), says="Use"),
    failing("policy-names-principals", a(BUCKET_POLICY, {"policy": allowing({"AWS": "*"})})),
    failing("policy-names-principals", a(REPOSITORY_POLICY, {"policy": allowing({"AWS": ["*"]})})),
    failing("policy-names-principals", a(REGISTRY_POLICY, {"policy": allowing("*")})),
    failing("policy-names-principals", a(REPOSITORY_TEMPLATE, {"repositoryPolicy": allowing("*")})),
    failing("policy-names-principals", a(QUEUE_POLICY, {"policy": allowing("*")})),
    failing(
        "policy-names-principals",
        a(
            KEY,
            {
                "policy": document(
                    {"Effect": "Allow", "NotPrincipal": {"AWS": "444455556666"}, "Action": "kms:Decrypt"}
                )
            },
        ),
        says="number 1",
    ),
    *(
        failing("policy-names-principals", a(KEY, {"policy": allowing("*", **condition)}))
        for condition in (
            only_for("StringNotEquals", "kms:CallerAccount", "444455556666"),
            only_for("StringEqualsIfExists", "kms:CallerAccount", "444455556666"),
            only_for("StringLike", "kms:CallerAccount", "*"),
            only_for("StringLike", "aws:SourceArn", ["arn:aws:s3:::acme-prod-logs", "*"]),
            only_for("Null", "aws:PrincipalArn", "false"),
            only_for("Bool", "aws:SecureTransport", "true"),
        )
    ),
    #
    passing(
        "bucket-owner-enforced", a(BUCKET_OWNERSHIP, {"rule": {"objectOwnership": "BucketOwnerEnforced"}})
    ),
    failing("bucket-owner-enforced", a(BUCKET_OWNERSHIP, {"rule": {"objectOwnership": "ObjectWriter"}})),
    #
    passing("uploads-aborted", a(BUCKET_LIFECYCLE, aborting(status="Enabled"))),
    failing("uploads-aborted", a(BUCKET_LIFECYCLE, {"rules": [{"id": "old", "expiration": {"days": 30}}]})),
    failing("uploads-aborted", a(BUCKET_LIFECYCLE, aborting(status="Disabled"))),
    #
    passing("volume-encrypted", a(VOLUME, {"encrypted": True})),
    passing("volume-encrypted", a(DATABASES[0], {"storageEncrypted": True})),
    failing("volume-encrypted", a(VOLUME, {"size": 100}), says="Volume"),
    failing("volume-encrypted", a(FILE_SYSTEM), says="FileSystem"),
    failing("volume-encrypted", a(DATABASES[0], {"storageEncrypted": False}), says="storageEncrypted"),
    #
    passing(
        "storage-class-encrypted",
        a(STORAGE_CLASS, {"provisioner": "ebs.csi.aws.com", "parameters": {"encrypted": "true"}}),
    ),
    passing("storage-class-encrypted", a(STORAGE_CLASS, {"provisioner": "kubernetes.io/no-provisioner"})),
    failing("storage-class-encrypted", a(STORAGE_CLASS, {"provisioner": "ebs.csi.aws.com"})),
    failing(
        "storage-class-encrypted",
        a(STORAGE_CLASS, {"provisioner": "kubernetes.io/aws-ebs", "parameters": {"encrypted": "false"}}),
    ),
    #
    passing(
        "volumes-wait-for-pods",
        a(STORAGE_CLASS, {"provisioner": "ebs.csi.aws.com", "volumeBindingMode": "WaitForFirstConsumer"}),
    ),
    passing("volumes-wait-for-pods", a(STORAGE_CLASS, {"provisioner": "efs.csi.aws.com"})),
    failing("volumes-wait-for-pods", a(STORAGE_CLASS, {"provisioner": "ebs.csi.aws.com"})),
    #
    passing("key-enabled", a(KEY, {"description": "data"})),
    failing("key-enabled", a(KEY, {"isEnabled": False}), says="disabled"),
    #
    passing("key-rotates", a(KEY, {"enableKeyRotation": True})),
    passing("key-rotates", a(KEY, {"customerMasterKeySpec": "RSA_4096"})),
    failing("key-rotates", a(KEY, {"description": "data"})),
    #
    passing("repository-tags-immutable", a(REPOSITORY, {"imageTagMutability": "IMMUTABLE"})),
    failing("repository-tags-immutable", a(REPOSITORY, {"name": "spark"})),
    failing(
        "repository-tags-immutable",
        a(
            REPOSITORY_TEMPLATE,
            {
                "imageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
                "imageTagMutabilityExclusionFilters": [{"filter": "latest", "filterType": "WILDCARD"}],
            },
        ),
    ),
    #
    passing("repository-scanned", a(REPOSITORY, {"imageScanningConfiguration": {"scanOnPush": True}})),
    failing("repository-scanned", a(REPOSITORY, {"imageScanningConfiguration": {"scanOnPush": False}})),
    #
    passing("repository-encrypted", a(REPOSITORY, encrypted_by("KMS", kmsKey=KEY_ARN))),
    failing("repository-encrypted", a(REPOSITORY, encrypted_by("AES256"))),
    failing("repository-encrypted", a(REPOSITORY, encrypted_by("KMS"))),
    failing("repository-encrypted", a(REPOSITORY_TEMPLATE, {"prefix": "ghcr.io"})),
]
