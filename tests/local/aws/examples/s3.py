"""S3: an example of every type, and how it is changed by hand."""

import json
from dataclasses import replace

from localcloud.engine import Resource
from localcloud.plugins.aws.tables.s3 import V2, v2
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    POLICY_FOR_ANYBODY,
    TAGS,
    Bases,
    Changes,
    Console,
    Example,
    resource_policy,
)

LOG_DELIVERY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "logging.s3.amazonaws.com"},
                "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::base-access-logs/*",
            }
        ],
    }
)

BASES: Bases = {
    "bucket": lambda w: ("aws:s3/bucket:Bucket", {"bucket": "base-bucket"}),
    "locked_bucket": lambda w: (
        "aws:s3/bucket:Bucket",
        {"bucket": "base-locked-bucket", "objectLockEnabled": True},
    ),
    "acl_bucket": lambda w: ("aws:s3/bucket:Bucket", {"bucket": "base-acl-bucket"}),
    "acl_ownership": lambda w: (
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        {"bucket": w.acl_bucket, "rule": {"objectOwnership": "BucketOwnerPreferred"}},
    ),
    "acl_allowed": lambda w: (
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        {"bucket": w.acl_ownership, "blockPublicAcls": False},
    ),
    "access_logs": lambda w: ("aws:s3/bucket:Bucket", {"bucket": "base-access-logs"}),
    "access_logs_policy": lambda w: (
        "aws:s3/bucketPolicy:BucketPolicy",
        {"bucket": w.access_logs, "policy": LOG_DELIVERY},
    ),
}

EXAMPLES = [
    Example(
        "aws:s3/bucket:Bucket",
        lambda w: {"bucket": "one-bucket", "tags": TAGS},
        lambda w: {"forceDestroy": True, "tags": OTHER_TAGS},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucket:Bucket",
        lambda w: {
            "bucket": "inline-bucket",
            "acl": "private",
            "versioning": {"enabled": True},
            "website": {"indexDocument": "index.html", "errorDocument": "error.html"},
            "serverSideEncryptionConfiguration": {
                "rule": {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
            },
            "corsRules": [{"allowedMethods": ["GET"], "allowedOrigins": ["*"], "maxAgeSeconds": 60}],
            "lifecycleRules": [
                {
                    "enabled": True,
                    "prefix": "logs/",
                    "expiration": {"days": 90},
                    "transitions": [{"days": 30, "storageClass": "STANDARD_IA"}],
                    "noncurrentVersionExpiration": {"days": 7},
                    "abortIncompleteMultipartUploadDays": 3,
                },
                {"id": "tagged", "enabled": False, "tags": {"keep": "no"}, "expiration": {"days": 1}},
            ],
            "logging": {"targetBucket": w.access_logs_policy, "targetPrefix": "inline/"},
            "policy": resource_policy("s3:GetObject", "arn:aws:s3:::inline-bucket/*"),
        },
        lambda w: {
            "versioning": {"enabled": False},
            "website": {"redirectAllRequestsTo": "https://example.com"},
            "corsRules": [{"allowedMethods": ["PUT"], "allowedOrigins": ["https://example.com"]}],
            "lifecycleRules": [{"id": "all", "enabled": True, "expiration": {"days": 5}}],
            "policy": resource_policy("s3:PutObject", "arn:aws:s3:::inline-bucket/*"),
        },
        label=" with its settings inline",
    ),
    Example(
        "aws:s3/bucket:Bucket",
        lambda w: {
            "bucket": "locked-bucket",
            "objectLockEnabled": True,
            "objectLockConfiguration": {
                "objectLockEnabled": "Enabled",
                "rule": {"defaultRetention": {"mode": "GOVERNANCE", "days": 1}},
            },
        },
        lambda w: {
            "objectLockConfiguration": {
                "objectLockEnabled": "Enabled",
                "rule": {"defaultRetention": {"mode": "GOVERNANCE", "days": 2}},
            },
        },
        label=" with object lock",
    ),
    Example(
        "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration",
        lambda w: {
            "bucket": w.bucket,
            "corsRules": [{"allowedMethods": ["GET"], "allowedOrigins": ["*"], "maxAgeSeconds": 60}],
        },
        lambda w: {"corsRules": [{"allowedMethods": ["PUT"], "allowedOrigins": ["https://example.com"]}]},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketAccelerateConfiguration:BucketAccelerateConfiguration",
        lambda w: {"bucket": w.bucket, "status": "Enabled"},
        lambda w: {"status": "Suspended"},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration",
        lambda w: {
            "bucket": w.locked_bucket,
            "rule": {"defaultRetention": {"mode": "GOVERNANCE", "days": 1}},
        },
        lambda w: {"rule": {"defaultRetention": {"mode": "COMPLIANCE", "days": 2}}},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketAcl:BucketAcl",
        lambda w: {"bucket": w.acl_allowed, "acl": "private"},
        lambda w: {"acl": "public-read"},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        lambda w: {"bucket": w.bucket, "blockPublicAcls": True, "blockPublicPolicy": True},
        lambda w: {"restrictPublicBuckets": True, "ignorePublicAcls": True},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        lambda w: {
            "bucket": w.bucket,
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {
                        "sseAlgorithm": "aws:kms",
                        "kmsMasterKeyId": w.output("key", "arn"),
                    },
                    "bucketKeyEnabled": True,
                }
            ],
        },
        lambda w: {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketPolicy:BucketPolicy",
        lambda w: {
            "bucket": w.bucket,
            "policy": resource_policy("s3:GetObject", f"arn:aws:s3:::{w.bucket}/*"),
        },
        lambda w: {"policy": resource_policy("s3:PutObject", f"arn:aws:s3:::{w.bucket}/*")},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        lambda w: {
            "bucket": w.bucket,
            "rules": [
                {
                    "id": "expire",
                    "status": "Enabled",
                    "filter": {"prefix": "logs/"},
                    "expiration": {"days": 30},
                    "noncurrentVersionExpiration": {"noncurrentDays": 7},
                    "abortIncompleteMultipartUpload": {"daysAfterInitiation": 3},
                },
                {
                    "id": "move",
                    "status": "Enabled",
                    "filter": {"and": {"prefix": "old/", "tags": {"keep": "no"}}},
                    "transitions": [
                        {"days": 30, "storageClass": "STANDARD_IA"},
                        {"days": 90, "storageClass": "GLACIER"},
                    ],
                    "noncurrentVersionTransitions": [{"noncurrentDays": 30, "storageClass": "STANDARD_IA"}],
                    "noncurrentVersionExpiration": {"noncurrentDays": 90, "newerNoncurrentVersions": 3},
                },
            ],
        },
        lambda w: {
            "rules": [
                {
                    "id": "expire",
                    "status": "Disabled",
                    "filter": {"prefix": "logs/"},
                    "expiration": {"days": 60},
                }
            ]
        },
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketVersioning:BucketVersioning",
        lambda w: {"bucket": w.bucket, "versioningConfiguration": {"status": "Enabled"}},
        lambda w: {"versioningConfiguration": {"status": "Suspended"}},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketLogging:BucketLogging",
        lambda w: {
            "bucket": w.bucket,
            "targetBucket": w.access_logs_policy,
            "targetPrefix": "base/",
            "targetObjectKeyFormat": {"partitionedPrefix": {"partitionDateSource": "EventTime"}},
        },
        lambda w: {"targetPrefix": "other/"},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        lambda w: {"bucket": w.bucket, "rule": {"objectOwnership": "BucketOwnerEnforced"}},
        lambda w: {"rule": {"objectOwnership": "BucketOwnerPreferred"}},
        lambda w: {"bucket": "another-bucket"},
    ),
    Example(
        "aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration",
        lambda w: {"bucket": w.bucket, "indexDocument": {"suffix": "index.html"}},
        lambda w: {"errorDocument": {"key": "error.html"}},
        lambda w: {"bucket": "another-bucket"},
    ),
]

EXAMPLES += [
    replace(example, type=v2(example.type.removeprefix("aws:s3/")))
    for example in EXAMPLES
    if example.type.removeprefix("aws:s3/") in V2 and not example.label
]


def change_tags(console: Console, resource: Resource) -> None:
    tags = {**(resource.outputs.get("tagsAll") or {}), "by-hand": "yes"}
    tag_set = [{"Key": name, "Value": value} for name, value in tags.items()]
    console.client("s3").put_bucket_tagging(Bucket=resource.id, Tagging={"TagSet": tag_set})


def allow_public_access(console: Console, resource: Resource) -> None:
    console.client("s3").put_public_access_block(
        Bucket=resource.inputs["bucket"], PublicAccessBlockConfiguration={"BlockPublicAcls": False}
    )


def encrypt(console: Console, resource: Resource) -> None:
    [rule] = resource.inputs["rules"]
    kind = rule["applyServerSideEncryptionByDefault"]["sseAlgorithm"]
    algorithm = "AES256" if kind != "AES256" else "aws:kms"
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": algorithm}}]
    console.client("s3").put_bucket_encryption(
        Bucket=resource.inputs["bucket"], ServerSideEncryptionConfiguration={"Rules": rules}
    )


def change_lifecycle(console: Console, resource: Resource) -> None:
    rule = {"ID": "byhand", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}
    console.client("s3").put_bucket_lifecycle_configuration(
        Bucket=resource.inputs["bucket"], LifecycleConfiguration={"Rules": [rule]}
    )


def change_versioning(console: Console, resource: Resource) -> None:
    on = resource.inputs["versioningConfiguration"]["status"] == "Enabled"
    status = {"Status": "Suspended" if on else "Enabled"}
    console.client("s3").put_bucket_versioning(
        Bucket=resource.inputs["bucket"], VersioningConfiguration=status
    )


def change_ownership(console: Console, resource: Resource) -> None:
    rules = [{"ObjectOwnership": "ObjectWriter"}]
    console.client("s3").put_bucket_ownership_controls(
        Bucket=resource.inputs["bucket"], OwnershipControls={"Rules": rules}
    )


def change_website(console: Console, resource: Resource) -> None:
    console.client("s3").put_bucket_website(
        Bucket=resource.inputs["bucket"], WebsiteConfiguration={"IndexDocument": {"Suffix": "other.html"}}
    )


def change_cors(console: Console, resource: Resource) -> None:
    rules = [{"AllowedMethods": ["DELETE"], "AllowedOrigins": ["*"]}]
    console.client("s3").put_bucket_cors(
        Bucket=resource.inputs["bucket"], CORSConfiguration={"CORSRules": rules}
    )


def change_acceleration(console: Console, resource: Resource) -> None:
    status = "Enabled" if resource.inputs["status"] == "Suspended" else "Suspended"
    console.client("s3").put_bucket_accelerate_configuration(
        Bucket=resource.inputs["bucket"], AccelerateConfiguration={"Status": status}
    )


def change_lock(console: Console, resource: Resource) -> None:
    retention = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 9}}
    console.client("s3").put_object_lock_configuration(
        Bucket=resource.inputs["bucket"],
        ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": retention},
    )


def change_logging(console: Console, resource: Resource) -> None:
    console.edit("s3", "logging", resource.inputs["bucket"], TargetPrefix="s3/by-hand/")


CHANGES_BY_HAND: Changes = {
    "aws:s3/bucket:Bucket": change_tags,
    "aws:s3/bucketAccelerateConfiguration:BucketAccelerateConfiguration": change_acceleration,
    "aws:s3/bucketAcl:BucketAcl": None,
    "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration": change_cors,
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration": change_lock,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": change_lifecycle,
    "aws:s3/bucketLogging:BucketLogging": change_logging,
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": change_ownership,
    "aws:s3/bucketPolicy:BucketPolicy": lambda console, resource: console.client("s3").put_bucket_policy(
        Bucket=resource.inputs["bucket"], Policy=POLICY_FOR_ANYBODY
    ),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": allow_public_access,
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": encrypt,
    "aws:s3/bucketVersioning:BucketVersioning": change_versioning,
    "aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration": change_website,
}
CHANGES_BY_HAND |= {v2(type): CHANGES_BY_HAND[f"aws:s3/{type}"] for type in V2}
