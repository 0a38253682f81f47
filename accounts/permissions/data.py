"""Rows of data: keys, buckets, log groups."""

from accounts.permissions.row import PROVIDER, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

S3 = f"{PROVIDER}s3/"
READ_OF_BUCKET = f"{S3}bucket.go, which reads all that a bucket may have"


def has_clusters(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Clusters stand on it."""
    return bool(settings.clusters_of(name))


def is_home(settings: Environment, name: str, foundation: Foundation) -> bool:
    """It has the data that an environment has once."""
    return name == settings.home_foundation


ROWS = (
    Row(
        type="aws:kms/key:Key",
        schemas="AWS::KMS::Key",
        create="kms:CreateKey kms:PutKeyPolicy kms:EnableKeyRotation kms:TagResource",
        read="kms:DescribeKey kms:GetKeyPolicy kms:GetKeyRotationStatus kms:ListResourceTags",
        update="kms:UpdateKeyDescription kms:PutKeyPolicy kms:EnableKeyRotation kms:DisableKeyRotation "
        "kms:EnableKey kms:DisableKey kms:TagResource kms:UntagResource",
        delete="kms:ScheduleKeyDeletion",
    ),
    Row(
        type="aws:kms/alias:Alias",
        schemas="AWS::KMS::Alias",
        create="kms:CreateAlias",
        read="kms:ListAliases",
        update="kms:UpdateAlias",
        delete="kms:DeleteAlias",
    ),
    Row(
        type="aws:s3/bucket:Bucket",
        schemas="AWS::S3::Bucket",
        create="s3:CreateBucket s3:PutBucketTagging",
        read="s3:ListBucket s3:GetBucketLocation s3:GetBucketTagging s3:GetBucketAcl s3:GetBucketCORS "
        "s3:GetBucketWebsite s3:GetBucketVersioning s3:GetAccelerateConfiguration "
        "s3:GetBucketRequestPayment s3:GetBucketLogging s3:GetLifecycleConfiguration "
        "s3:GetReplicationConfiguration s3:GetEncryptionConfiguration s3:GetBucketObjectLockConfiguration "
        "s3:GetBucketPolicy",
        update="s3:PutBucketTagging",
        delete="s3:DeleteBucket",
        emptied="s3:ListBucketVersions s3:DeleteObject s3:DeleteObjectVersion",
        beyond={
            "s3:GetBucketLocation": READ_OF_BUCKET,
            "s3:GetBucketRequestPayment": READ_OF_BUCKET,
            "s3:GetBucketPolicy": READ_OF_BUCKET,
            "s3:ListBucketVersions": f"{S3}delete.go, with force_destroy",
            "s3:DeleteObjectVersion": f"{S3}delete.go, with force_destroy",
        },
    ),
    Row(
        type="aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        schemas="AWS::S3::Bucket",
        create="s3:PutBucketPublicAccessBlock",
        read="s3:GetBucketPublicAccessBlock",
        update="s3:PutBucketPublicAccessBlock",
        delete="s3:PutBucketPublicAccessBlock",
    ),
    Row(
        type="aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        schemas="AWS::S3::Bucket",
        create="s3:PutBucketOwnershipControls",
        read="s3:GetBucketOwnershipControls",
        update="s3:PutBucketOwnershipControls",
        delete="s3:PutBucketOwnershipControls",
    ),
    Row(
        type="aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        schemas="AWS::S3::Bucket",
        create="s3:PutEncryptionConfiguration",
        read="s3:GetEncryptionConfiguration",
        update="s3:PutEncryptionConfiguration",
        delete="s3:PutEncryptionConfiguration",
    ),
    Row(
        type="aws:s3/bucketPolicy:BucketPolicy",
        schemas="AWS::S3::BucketPolicy",
        create="s3:PutBucketPolicy",
        read="s3:GetBucketPolicy",
        update="s3:PutBucketPolicy",
        delete="s3:DeleteBucketPolicy",
    ),
    Row(
        type="aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        schemas="AWS::S3::Bucket",
        create="s3:PutLifecycleConfiguration",
        read="s3:GetLifecycleConfiguration",
        update="s3:PutLifecycleConfiguration",
        delete="s3:PutLifecycleConfiguration",
    ),
    Row(
        type="aws:s3/bucketVersioning:BucketVersioning",
        schemas="AWS::S3::Bucket",
        create="s3:PutBucketVersioning",
        read="s3:GetBucketVersioning",
        update="s3:PutBucketVersioning",
        delete="s3:PutBucketVersioning",
    ),
    Row(
        type="aws:s3/bucketLogging:BucketLogging",
        schemas="AWS::S3::Bucket",
        create="s3:PutBucketLogging",
        read="s3:GetBucketLogging",
        update="s3:PutBucketLogging",
        delete="s3:PutBucketLogging",
    ),
    Row(
        type="aws:cloudwatch/logGroup:LogGroup",
        schemas="AWS::Logs::LogGroup",
        create="logs:CreateLogGroup logs:PutRetentionPolicy logs:TagResource",
        read="logs:DescribeLogGroups logs:ListTagsForResource",
        update="logs:PutRetentionPolicy logs:AssociateKmsKey logs:DisassociateKmsKey logs:TagResource "
        "logs:UntagResource",
        delete="logs:DeleteLogGroup",
        when=has_clusters,
    ),
)
