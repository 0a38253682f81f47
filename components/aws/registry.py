"""ECR repositories: own images, and copies of public ones that ECR fetches when they are first pulled."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import Statement, document, permit, trust
from moka.components.ordering import after, known_after
from moka.partition import domain, partition
from moka.registries import UPSTREAM_HOSTS, UPSTREAMS_WITH_CREDENTIALS, Upstream

UNTAGGED_DAYS = 14
"""Days that an image without a tag is kept: what was pulled only by digest, and what lost its tag."""

MAX_IMAGES = 500
"""Tagged images that a repository keeps, the newest: a year of two releases a working day."""

CHARTS = "charts"
"""Prefix of repositories with copies of charts."""

PULL = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")

FIRST_PULL = ("ecr:BatchImportUpstreamImage", "ecr:CreateRepository")
"""What the first pull of an image through the registry takes besides: it makes the copy's repository."""


@dataclass(frozen=True, kw_only=True)
class RegistryArgs:
    """What differs between registries.

    account_id, region: where it is; ECR has one registry for each.
    kms_key_arn: key that encrypts images.
    repositories: names of the repositories.
    pull_through: upstream registry -> ARN of the secret with credentials for it, if any. Copies are under the
        upstream's name: `docker.io/apache/spark`.
    readers: other accounts that may pull.
    path, permissions_boundary_arn: of the role that makes repositories for copies.
    retain: keep the repositories and their images when they are removed from the stack; otherwise both are
        deleted.
    tags: of every AWS resource that is made here.
    """

    account_id: str
    region: str
    kms_key_arn: pulumi.Input[str]
    repositories: tuple[str, ...] = ()
    pull_through: Mapping[Upstream, str | None] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Registry(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Registry`.

    Makes: for each repository ecr.Repository (immutable tags, scanned on push, encrypted), LifecyclePolicy
    and, where others read, RepositoryPolicy; for each upstream PullThroughCacheRule and
    RepositoryCreationTemplate, by which ECR makes repositories for copies like our own, when they are fetched
    or pushed; for all upstreams one such template for charts, one iam.Role with RolePolicy, and
    RegistryPolicy where others read.
    Outputs: `host`, that images are pulled from, known only once they can be.
    Raises ValueError when ECR cannot fetch from an upstream, or not without a secret.
    """

    host: pulumi.Output[str]

    def __init__(self, name: str, args: RegistryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        check_upstreams(args.pull_through)
        super().__init__("moka:aws:Registry", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)
        pull_policy = repository_policy(args.readers, args.region) if args.readers else None
        ready: list[pulumi.Output[str]] = []

        for repository_name in args.repositories:
            # Part of the identity of the repository: never rename it.
            logical = f"{name}-{repository_name.replace('/', '-')}"
            repository = aws.ecr.Repository(
                logical,
                name=repository_name,
                image_tag_mutability="IMMUTABLE",
                image_scanning_configuration={"scan_on_push": True},
                encryption_configurations=[{"encryption_type": "KMS", "kms_key": args.kms_key_arn}],
                force_delete=not args.retain,
                tags=args.tags,
                opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
            )
            aws.ecr.LifecyclePolicy(logical, repository=repository.name, policy=lifecycle(), opts=child)
            ready.append(repository.id)
            if pull_policy:
                policy = aws.ecr.RepositoryPolicy(
                    logical, repository=repository.name, policy=pull_policy, opts=child
                )
                ready.append(policy.id)

        if args.pull_through:
            creation_role = self._creation_role(name, args)

            def template(logical: str, prefix: str, description: str, *causes: str) -> pulumi.Resource:
                return aws.ecr.RepositoryCreationTemplate(
                    logical,
                    prefix=prefix,
                    description=description,
                    applied_fors=list(causes),
                    custom_role_arn=creation_role,
                    image_tag_mutability="IMMUTABLE",
                    encryption_configurations=[{"encryption_type": "KMS", "kms_key": args.kms_key_arn}],
                    lifecycle_policy=lifecycle(),
                    repository_policy=pull_policy,
                    resource_tags=args.tags,
                    opts=child,
                )

            # What `moka mirror` pushes: charts, and images pinned by a digest, which no cache fetches.
            template(f"{name}-{CHARTS}", CHARTS, "Copies of charts", "CREATE_ON_PUSH")
            for upstream, secret in args.pull_through.items():
                logical = f"{name}-{upstream.replace('.', '-')}"
                description = f"Copies of images of {upstream}"
                creation = template(logical, upstream, description, "CREATE_ON_PUSH", "PULL_THROUGH_CACHE")
                # A copy that is made before the template is there is made without it, for good.
                rule = aws.ecr.PullThroughCacheRule(
                    logical,
                    ecr_repository_prefix=upstream,
                    upstream_registry_url=UPSTREAM_HOSTS[upstream],
                    credential_arn=secret,
                    opts=after(child, creation),
                )
                ready.append(rule.id)
            if args.readers:
                first_pull_policy = aws.ecr.RegistryPolicy(name, policy=registry_policy(args), opts=child)
                ready.append(first_pull_policy.id)

        self.host = known_after(registry_host(args.account_id, args.region), *ready)
        self.register_outputs({"host": self.host})

    def _creation_role(self, name: str, args: RegistryArgs) -> pulumi.Output[str]:
        """ARN of the role by which ECR makes encrypted repositories for copies, known once it may."""
        child = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)
        role = aws.iam.Role(
            f"{name}-copies",
            path=args.path,
            assume_role_policy=trust("ecr.amazonaws.com"),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        # https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-custom.html
        statements = [
            Statement(
                sid="MakeRepositories",
                actions=("ecr:CreateRepository", "ecr:ReplicateImage", "ecr:TagResource"),
                resources=copies((CHARTS, *args.pull_through), args.account_id, args.region),
            ),
            Statement(
                sid="EncryptRepositories",
                actions=("kms:CreateGrant", "kms:DescribeKey", "kms:RetireGrant"),
                resources=[args.kms_key_arn],
            ),
        ]
        return permit(f"{name}-copies", role, child, statements=statements)


def registry_host(account_id: str, region: str) -> str:
    """Host of the registry of an account and region."""
    return f"{account_id}.dkr.ecr.{region}.{domain(region)}"


def copies(upstreams: Iterable[str], account_id: str, region: str) -> list[str]:
    """ARN patterns of the repositories that hold copies from these upstreams."""
    return [
        f"arn:{partition(region)}:ecr:{region}:{account_id}:repository/{upstream}/*"
        for upstream in sorted(upstreams)
    ]


def check_upstreams(pull_through: Mapping[Upstream, str | None]) -> None:
    """Raises ValueError when ECR cannot fetch from an upstream, or not without a secret."""
    for upstream, secret in pull_through.items():
        if upstream not in UPSTREAM_HOSTS:
            raise ValueError(f"ECR cannot fetch from {upstream}; choose one of {', '.join(UPSTREAM_HOSTS)}.")
        if secret is None and upstream in UPSTREAMS_WITH_CREDENTIALS:
            raise ValueError(f"ECR fetches from {upstream} only with credentials: give the ARN of a secret.")


def lifecycle() -> str:
    """Lifecycle policy (JSON): images without a tag go soon, tagged ones when there are very many.

    ECR keeps an image that a tagged one for several architectures consists of.
    """
    rules = [
        ("untagged", {"countType": "sinceImagePushed", "countUnit": "days", "countNumber": UNTAGGED_DAYS}),
        (
            "tagged",
            {"tagPatternList": ["*"], "countType": "imageCountMoreThan", "countNumber": MAX_IMAGES},
        ),
    ]
    return json.dumps(
        {
            "rules": [
                {
                    "rulePriority": number,
                    "description": f"{status} images",
                    "selection": {"tagStatus": status, **selection},
                    "action": {"type": "expire"},
                }
                for number, (status, selection) in enumerate(rules, start=1)
            ]
        }
    )


def repository_policy(readers: tuple[str, ...], region: str) -> str:
    """Repository policy (JSON): other accounts may pull, as far as their own IAM policies let them."""
    return document(
        [{"Sid": "Pull", "Effect": "Allow", **_principals(readers, region), "Action": sorted(PULL)}]
    )


def registry_policy(args: RegistryArgs) -> str:
    """Registry policy (JSON): other accounts may be the first to pull an image through the registry."""
    return document(
        [
            {
                "Sid": "FirstPull",
                "Effect": "Allow",
                **_principals(args.readers, args.region),
                "Action": sorted(FIRST_PULL),
                "Resource": copies(args.pull_through, args.account_id, args.region),
            }
        ]
    )


def _principals(accounts: tuple[str, ...], region: str) -> dict[str, Any]:
    arns = [f"arn:{partition(region)}:iam::{account}:root" for account in sorted(accounts)]
    return {"Principal": {"AWS": arns}}
