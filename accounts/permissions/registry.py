"""Rows of the registry."""

from accounts.permissions.row import ECR_GUIDE, PROVIDER, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

ECR = f"{PROVIDER}ecr/"

PULL = "ecr:BatchGetImage ecr:GetDownloadUrlForLayer"
"""What a pull takes, besides a login."""


def has_registry(settings: Environment, name: str, foundation: Foundation) -> bool:
    """The environment's registry is there."""
    return settings.registry is not None and settings.registry.foundation == name


def fetches(settings: Environment, name: str, foundation: Foundation) -> bool:
    """The registry fetches from others."""
    return has_registry(settings, name, foundation) and bool(
        settings.registry and settings.registry.pull_through
    )


def has_readers(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Other accounts pull from the registry."""
    return has_registry(settings, name, foundation) and bool(settings.registry and settings.registry.readers)


def lets_others_fetch(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Other accounts may be the first to pull an image through the registry."""
    return fetches(settings, name, foundation) and has_readers(settings, name, foundation)


def logs_in(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Charts come from a registry of ECR, which wants a login."""
    return ".dkr.ecr." in (settings.charts.mirror or "")


ROWS = (
    Row(
        type="aws:ecr/repository:Repository",
        schemas="AWS::ECR::Repository",
        create="ecr:CreateRepository ecr:TagResource kms:DescribeKey kms:CreateGrant",
        read="ecr:DescribeRepositories ecr:ListTagsForResource",
        update="ecr:PutImageTagMutability ecr:PutImageScanningConfiguration ecr:TagResource "
        "ecr:UntagResource",
        delete="ecr:DeleteRepository kms:RetireGrant",
        when=has_registry,
    ),
    Row(
        type="aws:ecr/lifecyclePolicy:LifecyclePolicy",
        schemas="AWS::ECR::Repository",
        create="ecr:PutLifecyclePolicy",
        read="ecr:GetLifecyclePolicy",
        update="ecr:PutLifecyclePolicy",
        delete="ecr:DeleteLifecyclePolicy",
        when=has_registry,
    ),
    Row(
        type="aws:ecr/repositoryPolicy:RepositoryPolicy",
        schemas="AWS::ECR::Repository",
        create="ecr:SetRepositoryPolicy",
        read="ecr:GetRepositoryPolicy",
        update="ecr:SetRepositoryPolicy",
        delete="ecr:DeleteRepositoryPolicy",
        when=has_readers,
    ),
    Row(
        type="aws:ecr/registryPolicy:RegistryPolicy",
        schemas="AWS::ECR::RegistryPolicy",
        create="ecr:PutRegistryPolicy",
        read="ecr:GetRegistryPolicy",
        update="ecr:PutRegistryPolicy",
        delete="ecr:DeleteRegistryPolicy",
        when=lets_others_fetch,
    ),
    Row(
        type="aws:ecr/pullThroughCacheRule:PullThroughCacheRule",
        schemas="AWS::ECR::PullThroughCacheRule",
        # ECR reads the secret itself, with its service-linked role, which the first rule makes.
        create="ecr:CreatePullThroughCacheRule iam:CreateServiceLinkedRole secretsmanager:GetSecretValue",
        read="ecr:DescribePullThroughCacheRules",
        update="ecr:UpdatePullThroughCacheRule",
        delete="ecr:DeletePullThroughCacheRule",
        beyond={"ecr:UpdatePullThroughCacheRule": f"{ECR}pull_through_cache_rule.go"},
        when=fetches,
    ),
    Row(
        type="aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
        schemas="AWS::ECR::RepositoryCreationTemplate",
        create="ecr:CreateRepositoryCreationTemplate ecr:CreateRepository ecr:PutLifecyclePolicy "
        "ecr:SetRepositoryPolicy iam:CreateServiceLinkedRole iam:PassRole",
        read="ecr:DescribeRepositoryCreationTemplates",
        update="ecr:UpdateRepositoryCreationTemplate",
        delete="ecr:DeleteRepositoryCreationTemplate",
        when=fetches,
    ),
    Row(
        type="aws:ecr/getAuthorizationToken:getAuthorizationToken",
        # Helm pulls charts with it, also in a preview.
        read=f"ecr:GetAuthorizationToken {PULL}",
        beyond={
            "ecr:GetAuthorizationToken": f"{ECR}authorization_token_data_source.go",
            **dict.fromkeys(PULL.split(), f"{ECR_GUIDE}ECR_on_ECS.html"),
        },
        when=logs_in,
    ),
)
