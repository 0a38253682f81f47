"""Names, keys, lifecycles, policies and zones that S3, KMS, ECR, CloudWatch Logs and RDS refuse."""

import json
from typing import Any

from pulumi_aws import cloudwatch, ecr, kms, rds, s3

from conformance.refusals.identity import policy
from conformance.refusals.probe import Probe


def _expiry(status: str) -> dict[str, Any]:
    count = {"tagStatus": status, "countType": "imageCountMoreThan", "countNumber": 5}
    return {"rulePriority": 1, "selection": count, "action": {"type": "expire"}}


EVERYBODY = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}

PROBES = (
    Probe(
        rule="bucket-names",
        name="bucket-with-a-reserved-prefix",
        code="InvalidBucketName",
        type=s3.Bucket,
        inputs=lambda base: {"bucket": "xn--moka-conformance"},
    ),
    Probe(
        rule="bucket-policies",
        name="policy-for-everybody",
        code="AccessDenied",
        type=s3.BucketPolicy,
        inputs=lambda base: {
            "bucket": base.bucket,
            "policy": base.bucket.apply(
                lambda name: policy({**EVERYBODY, "Resource": f"arn:aws:s3:::{name}/*"})
            ),
        },
    ),
    Probe(
        rule="policy-actions",
        name="policy-of-an-unknown-action",
        code="MalformedPolicy",
        type=s3.BucketPolicy,
        inputs=lambda base: {
            "bucket": base.bucket,
            "policy": base.bucket.apply(
                lambda name: policy(
                    {
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:ReadObject",
                        "Resource": f"arn:aws:s3:::{name}/*",
                    }
                )
            ),
        },
    ),
    Probe(
        rule="policy-condition-keys",
        name="policy-of-an-unknown-condition-key",
        code="MalformedPolicy",
        type=s3.BucketPolicy,
        inputs=lambda base: {
            "bucket": base.bucket,
            "policy": base.bucket.apply(
                lambda name: policy(
                    {
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:GetObject",
                        "Resource": f"arn:aws:s3:::{name}/*",
                        "Condition": {"StringEquals": {"s3:Colour": "red"}},
                    }
                )
            ),
        },
    ),
    Probe(
        rule="bucket-encryption",
        name="key-for-an-algorithm-without-one",
        code="InvalidArgument",
        type=s3.BucketServerSideEncryptionConfiguration,
        inputs=lambda base: {
            "bucket": base.bucket,
            "rules": [
                {
                    "apply_server_side_encryption_by_default": {
                        "sse_algorithm": "AES256",
                        "kms_master_key_id": "alias/aws/s3",
                    }
                }
            ],
        },
    ),
    Probe(
        rule="bucket-lifecycles",
        name="lifecycle-that-expires-before-it-moves",
        code="InvalidArgument",
        type=s3.BucketLifecycleConfiguration,
        inputs=lambda base: {
            "bucket": base.bucket,
            "rules": [
                {
                    "id": "logs",
                    "status": "Enabled",
                    "filter": {"prefix": ""},
                    "expiration": {"days": 20},
                    "transitions": [{"days": 30, "storage_class": "GLACIER"}],
                }
            ],
        },
    ),
    Probe(
        rule="key-values",
        name="alias-of-aws",
        code="NotAuthorizedException",
        type=kms.Alias,
        inputs=lambda base: {
            "name": "alias/aws/moka-conformance",
            "target_key_id": "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
        },
    ),
    Probe(
        rule="image-lifecycles",
        name="lifecycle-of-two-rules-with-one-priority",
        code="InvalidParameterException",
        type=ecr.LifecyclePolicy,
        inputs=lambda base: {
            "repository": base.repository,
            "policy": json.dumps({"rules": [_expiry("any"), _expiry("untagged")]}),
        },
    ),
    Probe(
        rule="pull-through-caches",
        name="cache-of-no-registry",
        code="UnsupportedUpstreamRegistryException",
        type=ecr.PullThroughCacheRule,
        inputs=lambda base: {
            "ecr_repository_prefix": "moka-conformance",
            "upstream_registry_url": "registry.example.com",
        },
    ),
    Probe(
        rule="log-values",
        name="group-with-a-prefix-of-aws",
        code="InvalidParameterException",
        type=cloudwatch.LogGroup,
        inputs=lambda base: {"name": "aws/moka-conformance"},
    ),
    Probe(
        rule="database-settings",
        name="subnets-of-one-zone-for-databases",
        code="DBSubnetGroupDoesNotCoverEnoughAZs",
        type=rds.SubnetGroup,
        inputs=lambda base: {"subnet_ids": [base.subnet_ids[0]]},
    ),
    Probe(
        rule="database-clusters",
        name="cluster-of-a-version-that-aurora-left-out",
        code="InvalidParameterCombination",
        type=rds.Cluster,
        inputs=lambda base: {
            "engine": "aurora-postgresql",
            "engine_version": "16.5",
            "master_username": "somebody",
            "manage_master_user_password": True,
            "skip_final_snapshot": True,
        },
    ),
)
