"""ECR: an example of every type, and how it is changed by hand."""

import json

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    POLICY_FOR_ANYBODY,
    ROLE_ARN,
    TAGS,
    Bases,
    Changes,
    Console,
    Example,
)

REPOSITORY_POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "pull",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
                "Action": ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            }
        ],
    }
)
REGISTRY_POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "cache",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
                "Action": ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
                "Resource": "arn:aws:ecr:us-east-1:123456789012:repository/*",
            }
        ],
    }
)
LIFECYCLE = json.dumps(
    {
        "rules": [
            {
                "rulePriority": 1,
                "description": "what has no tag",
                "selection": {
                    "tagStatus": "untagged",
                    "countType": "sinceImagePushed",
                    "countUnit": "days",
                    "countNumber": 14,
                },
                "action": {"type": "expire"},
            }
        ]
    }
)

BASES: Bases = {
    "repository": lambda w: ("aws:ecr/repository:Repository", {"name": "base-repository"}),
}

EXAMPLES = [
    Example(
        "aws:ecr/repository:Repository",
        lambda w: {
            "name": "moka/spark",
            "imageTagMutability": "IMMUTABLE",
            "imageScanningConfiguration": {"scanOnPush": True},
            "encryptionConfigurations": [
                {"encryptionType": "KMS", "kmsKey": w.output("key", "arn")},
            ],
            "tags": TAGS,
        },
        lambda w: {
            "imageTagMutability": None,
            "imageScanningConfiguration": {"scanOnPush": False},
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "moka/celeborn"},
    ),
    Example(
        "aws:ecr/lifecyclePolicy:LifecyclePolicy",
        lambda w: {"repository": w.repository, "policy": LIFECYCLE},
        replace=lambda w: {"policy": LIFECYCLE.replace("14", "7")},
    ),
    Example(
        "aws:ecr/repositoryPolicy:RepositoryPolicy",
        lambda w: {"repository": w.repository, "policy": REPOSITORY_POLICY},
        lambda w: {"policy": REPOSITORY_POLICY.replace("111122223333", "444455556666")},
        lambda w: {"repository": "another"},
    ),
    Example(
        "aws:ecr/registryPolicy:RegistryPolicy",
        lambda w: {"policy": REGISTRY_POLICY},
        lambda w: {"policy": REGISTRY_POLICY.replace("111122223333", "444455556666")},
    ),
    Example(
        "aws:ecr/pullThroughCacheRule:PullThroughCacheRule",
        lambda w: {
            "ecrRepositoryPrefix": "docker-hub",
            "upstreamRegistryUrl": "registry-1.docker.io",
            "credentialArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub",
        },
        lambda w: {
            "credentialArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/it"
        },
        lambda w: {"upstreamRegistryUrl": "public.ecr.aws"},
    ),
    Example(
        "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
        lambda w: {
            "prefix": "docker-hub",
            "appliedFors": ["PULL_THROUGH_CACHE"],
            "imageTagMutability": "IMMUTABLE",
            "encryptionConfigurations": [{"encryptionType": "KMS", "kmsKey": w.output("key", "arn")}],
            "customRoleArn": ROLE_ARN,
            "lifecyclePolicy": LIFECYCLE,
            "repositoryPolicy": REPOSITORY_POLICY,
            "resourceTags": TAGS,
        },
        lambda w: {
            "appliedFors": ["REPLICATION", "PULL_THROUGH_CACHE"],
            "description": "of Docker Hub",
            "lifecyclePolicy": LIFECYCLE.replace("14", "7"),
            "resourceTags": OTHER_TAGS,
        },
        lambda w: {"prefix": "quay"},
    ),
]


def change_mutability(console: Console, resource: Resource) -> None:
    mutability = "MUTABLE" if resource.outputs["imageTagMutability"] == "IMMUTABLE" else "IMMUTABLE"
    console.client("ecr").put_image_tag_mutability(repositoryName=resource.id, imageTagMutability=mutability)


def change_repository_lifecycle(console: Console, resource: Resource) -> None:
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1}
    rule = {"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}
    console.client("ecr").put_lifecycle_policy(
        repositoryName=resource.inputs["repository"], lifecyclePolicyText=json.dumps({"rules": [rule]})
    )


def change_repository_policy(console: Console, resource: Resource) -> None:
    policy = json.loads(POLICY_FOR_ANYBODY)
    policy["Statement"][0]["Action"] = ["ecr:BatchGetImage"]
    del policy["Statement"][0]["Resource"]
    console.client("ecr").set_repository_policy(
        repositoryName=resource.inputs["repository"], policyText=json.dumps(policy)
    )


CHANGES_BY_HAND: Changes = {
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": change_repository_lifecycle,
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": lambda console, resource: console.edit(
        "ecr", "pull-through", resource.id, credentialArn="arn:aws:secretsmanager:::secret:by-hand"
    ),
    "aws:ecr/registryPolicy:RegistryPolicy": lambda console, resource: console.edit(
        "ecr", "registry-policy", policyText=POLICY_FOR_ANYBODY
    ),
    "aws:ecr/repository:Repository": change_mutability,
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": lambda console, resource: console.edit(
        "ecr", "template", resource.id, description="by hand"
    ),
    "aws:ecr/repositoryPolicy:RepositoryPolicy": change_repository_policy,
}
