"""Calls of AWS's API in IAM's terms, where the models do not say it.

Sources: "Required permissions for Amazon S3 API operations",
https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html; the Service
Authorization Reference, https://docs.aws.amazon.com/service-authorization/latest/reference/, for actions that
an action depends on and for the parts of ARNs; and what stands at a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ACTIONS: Mapping[str, str] = {
    "s3:CompleteMultipartUpload": "s3:PutObject",
    "s3:CopyObject": "s3:PutObject",
    "s3:CreateMultipartUpload": "s3:PutObject",
    "s3:DeleteBucketEncryption": "s3:PutEncryptionConfiguration",
    "s3:DeleteBucketLifecycle": "s3:PutLifecycleConfiguration",
    "s3:DeleteBucketOwnershipControls": "s3:PutBucketOwnershipControls",
    "s3:DeleteBucketTagging": "s3:PutBucketTagging",
    "s3:DeleteObjects": "s3:DeleteObject",
    "s3:DeletePublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "s3:GetBucketAccelerateConfiguration": "s3:GetAccelerateConfiguration",
    "s3:GetBucketCors": "s3:GetBucketCORS",
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "s3:GetBucketLifecycleConfiguration": "s3:GetLifecycleConfiguration",
    "s3:GetBucketNotificationConfiguration": "s3:GetBucketNotification",
    "s3:GetBucketReplication": "s3:GetReplicationConfiguration",
    "s3:GetObjectLockConfiguration": "s3:GetBucketObjectLockConfiguration",
    "s3:GetPublicAccessBlock": "s3:GetBucketPublicAccessBlock",
    "s3:HeadBucket": "s3:ListBucket",
    "s3:HeadObject": "s3:GetObject",
    "s3:ListBuckets": "s3:ListAllMyBuckets",
    "s3:ListObjectVersions": "s3:ListBucketVersions",
    "s3:ListObjects": "s3:ListBucket",
    "s3:ListObjectsV2": "s3:ListBucket",
    "s3:PutBucketEncryption": "s3:PutEncryptionConfiguration",
    "s3:PutBucketLifecycleConfiguration": "s3:PutLifecycleConfiguration",
    "s3:PutPublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "s3:UploadPart": "s3:PutObject",
}
"""Operation -> actions of IAM, by spaces, where they do not have its name."""

FREE = frozenset({"sts:AssumeRoleWithWebIdentity", "sts:GetCallerIdentity", "sts:GetSessionToken"})
"""What takes no permission: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html"""

EC2_KINDS: Mapping[str, str] = {
    "eipalloc": "elastic-ip",
    "eni": "network-interface",
    "fl": "vpc-flow-log",
    "igw": "internet-gateway",
    "lt": "launch-template",
    "nat": "natgateway",
    "rtb": "route-table",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "subnet": "subnet",
    "tgw": "transit-gateway",
    "tgw-attach": "transit-gateway-attachment",
    "vpc": "vpc",
    "vpce": "vpc-endpoint",
}
"""How an id of EC2 begins -> kind of the resource in its ARN."""

VARIABLES: Mapping[str, Mapping[str, str]] = {
    "autoscaling": {"GroupFriendlyName": "AutoScalingGroupName"},
    "ecr": {"RepositoryName": "repositoryName"},
    "eks": {
        "ClusterName": "clusterName name",
        "NodegroupName": "nodegroupName",
        "AddonName": "addonName",
    },
    "iam": {"RoleNameWithPath": "RoleName"},
    "kms": {"KeyId": "TargetKeyId KeyId"},
    "logs": {"LogGroupName": "logGroupName"},
    "s3": {"BucketName": "Bucket", "ObjectName": "Key"},
    "secretsmanager": {"SecretId": "SecretId"},
}
"""Service -> variable of its ARNs -> members that have its value, the first that is there."""

PATHS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "eks": {
        "IamIdentityAccountID": ("principalArn", r":iam::(\d+):"),
        "IamIdentityName": ("principalArn", r"([^/]+)$"),
        "IamIdentityType": ("principalArn", r":(role|user)/"),
        "UUID": ("associationId", r"(.+)"),
    },
    "kms": {
        "Alias": ("AliasName", r"^alias/(.+)$"),
        "KeyId": ("KeyId", r"([^/]+)$"),
    },
}
"""The same, for a part of a member: the member, and the expression whose group is the value."""

REQUEST_KEYS: Mapping[str, str] = {
    "AWSServiceName": "iam:AWSServiceName",
    "PermissionsBoundary": "iam:PermissionsBoundary",
    "PolicyArn": "iam:PolicyARN",
    "Prefix": "s3:prefix",
}
"""Member -> condition key."""

NEW: Mapping[str, str] = {
    "ecr:CreateRepository": "ecr:repository",
    "eks:CreateAccessEntry": "eks:access-entry",
    "eks:CreateAddon": "eks:addon",
    "eks:CreateCluster": "eks:cluster",
    "eks:CreateNodegroup": "eks:nodegroup",
    "eks:CreatePodIdentityAssociation": "eks:podidentityassociation",
    "iam:CreateRole": "iam:role",
    "kms:CreateKey": "kms:key",
    "logs:CreateLogGroup": "logs:log-group",
}
"""Operation that may tag what it makes -> kind of that."""

TAG_ACTIONS: Mapping[str, str] = {
    "ecr": "ecr:TagResource",
    "eks": "eks:TagResource",
    "iam": "iam:TagRole",
    "kms": "kms:TagResource",
    "logs": "logs:TagResource",
}


@dataclass(frozen=True, kw_only=True)
class Besides:
    """Further actions that a call takes of who makes it.

    at: path of a member; they are asked for each value there, on it where it is an ARN. Empty: always.
    """

    actions: str
    at: str = ""
    context: Mapping[str, str] = field(default_factory=dict)


def _passes(at: str, service: str) -> Besides:
    return Besides(actions="iam:PassRole", at=at, context={"iam:PassedToService": service})


BESIDES: Mapping[str, tuple[Besides, ...]] = {
    # "Publish flow logs to Amazon S3",
    # https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-s3-permissions.html
    "ec2:CreateFlowLogs": (Besides(actions="logs:CreateLogDelivery logs:DeleteLogDelivery"),),
    "ec2:CreateVpcEndpoint": (Besides(actions="route53:AssociateVPCWithHostedZone", at="PrivateDnsEnabled"),),
    "ecr:CreatePullThroughCacheRule": (Besides(actions="secretsmanager:GetSecretValue", at="credentialArn"),),
    "ecr:CreateRepositoryCreationTemplate": (_passes("customRoleArn", "ecr.amazonaws.com"),),
    # "Amazon EKS Pod Identity": https://docs.aws.amazon.com/eks/latest/userguide/pod-id-association.html
    "eks:CreateAddon": (
        Besides(actions="eks:CreatePodIdentityAssociation", at="podIdentityAssociations.serviceAccount"),
        _passes("podIdentityAssociations.roleArn", "pods.eks.amazonaws.com"),
    ),
    # "Encrypt Kubernetes secrets with KMS": https://docs.aws.amazon.com/eks/latest/userguide/enable-kms.html
    "eks:CreateCluster": (
        _passes("roleArn", "eks.amazonaws.com"),
        Besides(actions="kms:DescribeKey kms:CreateGrant", at="encryptionConfig.provider.keyArn"),
    ),
    # "You are not authorized to launch instances with this launch template":
    # aws-samples/terraform-eks-code#13
    "eks:CreateNodegroup": (
        _passes("nodeRole", "eks.amazonaws.com"),
        Besides(actions="ec2:RunInstances", at="launchTemplate.id"),
    ),
    "eks:CreatePodIdentityAssociation": (
        _passes("roleArn", "pods.eks.amazonaws.com"),
        Besides(actions="iam:GetRole", at="roleArn"),
    ),
    "eks:UpdateAddon": (
        Besides(actions="eks:CreatePodIdentityAssociation", at="podIdentityAssociations.serviceAccount"),
        _passes("podIdentityAssociations.roleArn", "pods.eks.amazonaws.com"),
    ),
    "eks:UpdateNodegroupVersion": (Besides(actions="ec2:RunInstances", at="launchTemplate.id"),),
    "eks:UpdatePodIdentityAssociation": (_passes("roleArn", "pods.eks.amazonaws.com"),),
    # "How to prevent object overwrites with conditional writes",
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    "s3:PutObject": (Besides(actions="s3:GetObject", at="IfMatch"),),
}
"""Operation -> what it takes besides its own action."""
