"""ECR repositories: images of one's own, and copies of public ones that ECR fetches as they are asked for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from components.aws.policy import Statement, allowing, document, trust
from moka.partition import domain, partition

# Host in an image's public name -> the host that ECR asks. These ECR can fetch from:
# https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache.html
UPSTREAMS = {
    "docker.io": "registry-1.docker.io",
    "ghcr.io": "ghcr.io",
    "public.ecr.aws": "public.ecr.aws",
    "quay.io": "quay.io",
    "registry.k8s.io": "registry.k8s.io",
}

NEED_SECRET = ("docker.io", "ghcr.io")
"""Upstreams that ECR only asks with credentials."""

UNTAGGED_DAYS = 14
"""Days that an image without a tag is kept: what was pulled by digest alone, and what lost its tag."""

KEPT = 500
"""Tagged images that a repository keeps, the newest: a year of two releases a working day."""

PULL = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")

FIRST_PULL = ("ecr:BatchImportUpstreamImage", "ecr:CreateRepository")
"""What the first pull of an image through the registry takes besides: it makes the copy's repository."""


@dataclass(frozen=True, kw_only=True)
class RegistryArgs:
    """What differs between registries.

    account_id, region: where it is; ECR has one registry for each.
    kms_key_arn: key that encrypts images.
    repositories: names of the repositories.
    pull_through: upstream registry, one of `UPSTREAMS` -> ARN of the secret with credentials for it, if any.
        Copies are under the upstream's name: `docker.io/apache/spark`.
    readers: other accounts that may pull.
    path, permissions_boundary_arn: of the role that makes repositories for copies.
    retain: keep the repositories and their images when the stack lets go of them; otherwise both go.
    """

    account_id: str
    region: str
    kms_key_arn: pulumi.Input[str]
    repositories: tuple[str, ...] = ()
    pull_through: Mapping[str, str | None] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Registry(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Registry`.

    Makes: for each repository ecr.Repository (immutable tags, scanned on push, encrypted), LifecyclePolicy
    and, where others read, RepositoryPolicy; for each upstream PullThroughCacheRule and
    RepositoryCreationTemplate, by which ECR makes repositories for copies like our own; for all upstreams
    one iam.Role with RolePolicy, and RegistryPolicy where others read.
    Outputs: `host`, that images are pulled from, known only once it can be.
    Raises ValueError when ECR cannot fetch from an upstream, or not without a secret.
    """

    host: pulumi.Output[str]

    def __init__(self, name: str, args: RegistryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        check_upstreams(args.pull_through)
        super().__init__("moka:aws:Registry", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)
        reading = repository_policy(args.readers, args.region) if args.readers else None
        settled: list[pulumi.Output[str]] = []

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
            settled.append(repository.id)
            if reading:
                policy = aws.ecr.RepositoryPolicy(
                    logical, repository=repository.name, policy=reading, opts=child
                )
                settled.append(policy.id)

        if args.pull_through:
            maker = self._maker(name, args)
            for upstream, secret in args.pull_through.items():
                logical = f"{name}-{upstream.replace('.', '-')}"
                template = aws.ecr.RepositoryCreationTemplate(
                    logical,
                    prefix=upstream,
                    description=f"Copies of images of {upstream}",
                    applied_fors=["PULL_THROUGH_CACHE"],
                    custom_role_arn=maker,
                    image_tag_mutability="IMMUTABLE",
                    encryption_configurations=[{"encryption_type": "KMS", "kms_key": args.kms_key_arn}],
                    lifecycle_policy=lifecycle(),
                    repository_policy=reading,
                    resource_tags=args.tags,
                    opts=child,
                )
                # A copy that is made before the template is there is made without it, for good.
                rule = aws.ecr.PullThroughCacheRule(
                    logical,
                    ecr_repository_prefix=upstream,
                    upstream_registry_url=UPSTREAMS[upstream],
                    credential_arn=secret,
                    opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[template])),
                )
                settled.append(rule.id)
            if args.readers:
                pulling = aws.ecr.RegistryPolicy(name, policy=registry_policy(args), opts=child)
                settled.append(pulling.id)

        host = registry_host(args.account_id, args.region)
        self.host = pulumi.Output.all(*settled).apply(lambda _: host)
        self.register_outputs({"host": self.host})

    def _maker(self, name: str, args: RegistryArgs) -> pulumi.Output[str]:
        """ARN of the role by which ECR makes encrypted repositories for copies, once it may."""
        child = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain)
        role = aws.iam.Role(
            f"{name}-copies",
            path=args.path,
            assume_role_policy=trust("ecr.amazonaws.com"),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        policy = aws.iam.RolePolicy(
            f"{name}-copies",
            role=role.name,
            # https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-custom.html
            policy=allowing(
                [
                    Statement(
                        sid="MakeRepositories",
                        actions=("ecr:CreateRepository", "ecr:ReplicateImage", "ecr:TagResource"),
                        resources=copies(args.pull_through, args.account_id, args.region),
                    ),
                    Statement(
                        sid="EncryptRepositories",
                        actions=("kms:CreateGrant", "kms:DescribeKey", "kms:RetireGrant"),
                        resources=[args.kms_key_arn],
                    ),
                ]
            ),
            opts=child,
        )
        return pulumi.Output.all(role.arn, policy.id).apply(lambda made: str(made[0]))


def registry_host(account_id: str, region: str) -> str:
    """Host of the registry of an account and region."""
    return f"{account_id}.dkr.ecr.{region}.{domain(region)}"


def copies(upstreams: Mapping[str, Any], account_id: str, region: str) -> list[str]:
    """ARN patterns of the repositories that hold copies from these upstreams."""
    return [
        f"arn:{partition(region)}:ecr:{region}:{account_id}:repository/{upstream}/*"
        for upstream in sorted(upstreams)
    ]


def check_upstreams(pull_through: Mapping[str, str | None]) -> None:
    """Raises ValueError when ECR cannot fetch from an upstream, or not without a secret."""
    for upstream, secret in pull_through.items():
        if upstream not in UPSTREAMS:
            raise ValueError(f"ECR cannot fetch from {upstream}: choose of {', '.join(UPSTREAMS)}.")
        if secret is None and upstream in NEED_SECRET:
            raise ValueError(f"ECR fetches from {upstream} with credentials only: give the ARN of a secret.")


def lifecycle() -> str:
    """Lifecycle policy (JSON): images without a tag go soon, tagged ones when there are very many.

    ECR keeps an image that a tagged one for several architectures consists of.
    """
    rules = [
        ("untagged", {"countType": "sinceImagePushed", "countUnit": "days", "countNumber": UNTAGGED_DAYS}),
        ("tagged", {"tagPatternList": ["*"], "countType": "imageCountMoreThan", "countNumber": KEPT}),
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
        [{"Sid": "Pull", "Effect": "Allow", **_accounts(readers, region), "Action": sorted(PULL)}]
    )


def registry_policy(args: RegistryArgs) -> str:
    """Registry policy (JSON): other accounts may be the first to pull an image through the registry."""
    return document(
        [
            {
                "Sid": "FirstPull",
                "Effect": "Allow",
                **_accounts(args.readers, args.region),
                "Action": sorted(FIRST_PULL),
                "Resource": copies(args.pull_through, args.account_id, args.region),
            }
        ]
    )


def _accounts(ids: tuple[str, ...], region: str) -> dict[str, Any]:
    return {"Principal": {"AWS": [f"arn:{partition(region)}:iam::{id}:root" for id in sorted(ids)]}}
