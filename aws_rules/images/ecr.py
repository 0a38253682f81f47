"""ECR: who may pull what, and what it fetches from other registries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_rules.iam.evaluation import Policy, Resource, Role, Service, Undecided, allowed
from aws_rules.images.machines import Machines, Request, Way
from aws_rules.images.reference import ECR, Reference
from aws_rules.rule import Rule, Unknown, Verdict, Violation

ECR_PULL = Rule(
    name="ecr-pull",
    authority="AWS",
    decides="whether a node's role may pull an image from ECR, and ECR can fetch it where it is a cache",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/security_iam_id-based-policy-examples.html",
)

PULL = ("ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
"""What a pull of an image takes, besides a token: the source of `ECR_PULL`."""

TOKEN = "ecr:GetAuthorizationToken"

IMPORT, MAKE = "ecr:BatchImportUpstreamImage", "ecr:CreateRepository"
"""What a first pull through a cache takes besides; the latter where the repository is not there yet:
https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-iam.html
"""

NEED_CREDENTIALS = ("registry-1.docker.io", "ghcr.io")
"""Upstream registries that ECR asks only with credentials:
https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache-creating-rule.html
"""

TEMPLATE_ROLE = {"KMS": ("kms:CreateGrant", "kms:DescribeKey"), "tags": ("ecr:TagResource",)}
"""What a creation template's role has to be allowed where copies are encrypted with a key, or tagged:
https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-custom.html
"""

ROOT = "ROOT"
"""Prefix of a rule or template that is for all repositories."""


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The registry of an account and region, as ECR describes it.

    repositories: name -> its policy, if it has one.
    policy: of the registry.
    caches: rules of pull-through caches (DescribePullThroughCacheRules).
    templates: of repositories that ECR makes (DescribeRepositoryCreationTemplates).
    roles: ARN -> role and its trust policy, of the roles that templates name.
    """

    account: str
    region: str
    repositories: Mapping[str, Policy | None] = field(default_factory=dict)
    policy: Policy | None = None
    caches: tuple[Mapping[str, Any], ...] = ()
    templates: tuple[Mapping[str, Any], ...] = ()
    roles: Mapping[str, tuple[Role, Policy]] = field(default_factory=dict)

    @property
    def partition(self) -> str:
        """Partition of the region."""
        return {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(self.region.rsplit("-", 2)[0], "aws")

    def arn(self, repository: str) -> str:
        """ARN of a repository."""
        return f"arn:{self.partition}:ecr:{self.region}:{self.account}:repository/{repository}"

    def cache_of(self, repository: str) -> Mapping[str, Any] | None:
        """The cache that a repository belongs to: that of the longest prefix."""
        return _longest(self.caches, "ecrRepositoryPrefix", repository)

    def template_of(self, repository: str, cause: str = "PULL_THROUGH_CACHE") -> Mapping[str, Any] | None:
        """The template by which ECR would make a repository."""
        fitting = [template for template in self.templates if cause in template.get("appliedFor", ())]
        return _longest(fitting, "prefix", repository)


def _longest(things: Any, key: str, repository: str) -> Mapping[str, Any] | None:
    def fits(prefix: str) -> bool:
        return prefix == ROOT or repository.startswith(f"{prefix.rstrip('/')}/")

    fitting = [thing for thing in things if fits(thing[key])]
    return max(fitting, key=lambda thing: 0 if thing[key] == ROOT else len(thing[key]), default=None)


def upstream(image: Reference, registry: Registry) -> Reference | None:
    """The image that ECR fetches where one is pulled through a cache; None where it caches nothing."""
    cache = registry.cache_of(image.repository)
    if cache is None:
        return None
    prefix = cache["ecrRepositoryPrefix"]
    rest = image.repository if prefix == ROOT else image.repository.removeprefix(prefix).lstrip("/")
    within = str(cache.get("upstreamRepositoryPrefix") or "").replace(ROOT, "").strip("/")
    host = str(cache["upstreamRegistryUrl"]).replace("registry-1.docker.io", "docker.io")
    repository = f"{within}/{rest}" if within else rest
    return Reference(host=host, repository=repository, tag=image.tag, digest=image.digest)


def requests(image: Reference, machines: Machines) -> Iterator[Request]:
    """What a machine asks when it pulls from ECR: a token, the image, its layers.

    Source: https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html
    """
    place = ECR.match(image.host)
    assert place is not None
    registry = Registry(account=place["account"], region=place["region"])
    region, domain, role = place["region"], place["domain"], machines.role
    yield Request(host=f"api.ecr.{region}.{domain}", caller=role, action=TOKEN, resource="*")
    for action in PULL:
        yield Request(host=image.host, caller=role, action=action, resource=registry.arn(image.repository))
    bucket = f"prod-{region}-starport-layer-bucket"
    yield Request(
        host=f"{bucket}.s3.{region}.{domain}",
        # The address of a layer is signed by ECR itself.
        caller=Role(arn=f"arn:{registry.partition}:iam::{ECR_ACCOUNT}:role/ecr"),
        action="s3:GetObject",
        resource=f"arn:{registry.partition}:s3:::{bucket}/*",
    )


ECR_ACCOUNT = "000000000000"
"""Stands for the account by which ECR reads its own buckets, which is none of its users'."""


def pull_from_ecr(
    image: Reference, machines: Machines, registry: Registry, way: Way, *, pushed: bool = False
) -> Iterator[Verdict]:
    """What ECR would refuse of a pull. Where a policy cannot be judged, that is not known.

    pushed: somebody pushed the image there, so that no cache has to fetch it.
    """
    refusals = _Refusals(image, machines, registry, pushed)
    try:
        yield from _pull(refusals, way)
    except Undecided as error:
        yield Unknown(rule=ECR_PULL, resource=refusals.resource, lacks=str(error))


@dataclass(frozen=True)
class _Refusals:
    """How ECR refuses a pull, in the words of those who ask it."""

    image: Reference
    machines: Machines
    registry: Registry
    pushed: bool

    @property
    def resource(self) -> str:
        return f"image {self.image} on {self.machines.name}"

    def may(self, action: str, policy: Policy | None, repository: str | None = None) -> bool:
        arn = "*" if action == TOKEN else self.registry.arn(repository or self.image.repository)
        account = self.machines.role.account if action == TOKEN else self.registry.account
        return allowed(self.machines.role, action, Resource(arn=arn, account=account, policy=policy))

    def unresolved(self, reason: str, remedy: str) -> Violation:
        words = f'failed to pull and unpack image "{self.image}": failed to resolve reference "{self.image}"'
        return self._violation(f"{words}: {reason}", remedy)

    def forbidden(self, action: str, where: str) -> Violation:
        role = self.machines.role.arn
        remedy = f"allow {action} on {self.registry.arn(self.image.repository)} to {role} in {where}"
        if action == "ecr:GetDownloadUrlForLayer":
            url = self.image.manifest_url.replace("/manifests/", "/blobs/")
            words = "failed to copy: httpReadSeeker: failed open: unexpected status code"
            message = f'failed to pull and unpack image "{self.image}": {words} {url}: 403 Forbidden'
            return self._violation(message, remedy)
        return self.unresolved(
            f"unexpected status from HEAD request to {self.image.manifest_url}: 403 Forbidden", remedy
        )

    def no_repository(self, remedy: str) -> Violation:
        # https://docs.aws.amazon.com/AmazonECR/latest/userguide/error-pullthroughcache.html
        name, account = self.image.repository, self.registry.account
        return self.unresolved(
            f"name unknown: The repository with name '{name}' does not exist in the registry with id "
            f"'{account}'",
            remedy,
        )

    def no_image(self, remedy: str) -> Violation:
        return self.unresolved(f"{self.image}: not found", remedy)

    def _violation(self, message: str, remedy: str) -> Violation:
        return Violation(
            rule=ECR_PULL, resource=self.resource, code="ErrImagePull", message=message, remedy=remedy
        )


def _pull(refusals: _Refusals, way: Way) -> Iterator[Verdict]:
    image, machines, registry = refusals.image, refusals.machines, refusals.registry
    if not refusals.may(TOKEN, None):
        yield refusals.unresolved(
            "pull access denied, repository does not exist or may require authorization: authorization "
            "failed: no basic auth credentials",
            f"allow {TOKEN} to {machines.role.arn}",
        )
        return
    exists = image.repository in registry.repositories
    cache = registry.cache_of(image.repository)
    made_on_push = refusals.pushed and registry.template_of(image.repository, "CREATE_ON_PUSH") is not None
    if not exists and cache is None and not made_on_push:
        yield refusals.no_repository("make the repository and push the image, or correct the image's name")
        return
    if cache is not None and not made_on_push and not (exists and refusals.pushed):
        first = list(_first_pull(refusals, cache, exists, way))
        yield from first
        if first:
            return
    policy = registry.repositories.get(image.repository) if exists else _policy_of_copies(refusals)
    foreign = machines.role.account != registry.account
    where = "its policies and in the repository's policy" if foreign else "its policies"
    for action in PULL:
        if not refusals.may(action, policy):
            yield refusals.forbidden(action, where)
            return


def _policy_of_copies(refusals: _Refusals) -> Policy | None:
    """The policy that a repository for a copy is made with."""
    import json

    cause = "CREATE_ON_PUSH" if refusals.pushed else "PULL_THROUGH_CACHE"
    template = refusals.registry.template_of(refusals.image.repository, cause) or {}
    policy = template.get("repositoryPolicy")
    return json.loads(policy) if isinstance(policy, str) and policy else policy or None


def _first_pull(refusals: _Refusals, cache: Mapping[str, Any], exists: bool, way: Way) -> Iterator[Verdict]:
    """What refuses the first pull of an image through a cache: ECR fetches it, as whoever pulls."""
    image, machines, registry = refusals.image, refusals.machines, refusals.registry
    host = str(cache["upstreamRegistryUrl"])
    if host in NEED_CREDENTIALS and not cache.get("credentialArn"):
        # https://github.com/aws/containers-roadmap/issues/2354 has the words.
        yield refusals.unresolved(
            "denied: The authentication to the upstream registry failed. Verify that the credentials "
            "provided in the pull through cache rule are correct, and try again",
            f"give the pull-through cache of {host} the ARN of a secret with credentials",
        )
        return
    if not exists and not refusals.may(MAKE, registry.policy):
        yield refusals.no_repository(
            f"allow {MAKE} on {registry.arn(image.repository)} to {machines.role.arn}, also in the "
            "registry's policy where that is of another account"
        )
        return
    own = registry.repositories.get(image.repository) if exists else None
    if not (refusals.may(IMPORT, registry.policy) or (own and refusals.may(IMPORT, own))):
        yield refusals.no_image(
            f"allow {IMPORT} on {registry.arn(image.repository)} to {machines.role.arn}, also in the "
            "registry's policy where that is of another account"
        )
        return
    if not exists:
        yield from _made_by_template(refusals)
    for subnet in machines.subnets:
        # "you need to create a public subnet in the same VPC with a NAT gateway": the page of `requests`.
        if reason := way(subnet, Request(host=host)):
            yield refusals.no_image(
                f"the first pull of an image through a cache needs a way from {subnet} to {host} ({reason}): "
                "add a route to a NAT gateway, or push the image"
            )
            return
    if image.digest:
        # https://github.com/aws/containers-roadmap/issues/2837
        yield refusals.no_image(
            "a pull-through cache fetches by tag only: push the image to the repository, or drop its digest"
        )


def _made_by_template(refusals: _Refusals) -> Iterator[Verdict]:
    """What keeps ECR from making the repository of a copy as its template says."""
    registry, name = refusals.registry, refusals.image.repository
    template = registry.template_of(name)
    if template is None:
        return
    encryption = template.get("encryptionConfiguration") or {}
    key = encryption.get("kmsKey")
    needs: list[tuple[str, str]] = [("ecr:CreateRepository", registry.arn(name))]
    if encryption.get("encryptionType") in ("KMS", "KMS_DSSE") and key:
        needs += [(action, key) for action in TEMPLATE_ROLE["KMS"]]
    if template.get("resourceTags"):
        needs += [(action, registry.arn(name)) for action in TEMPLATE_ROLE["tags"]]
    if len(needs) == 1:
        return
    prefix, arn = template["prefix"], template.get("customRoleArn")
    if not arn:
        yield refusals.no_repository(
            f"give the creation template {prefix} a role: copies with a key or with tags are made only by one"
        )
        return
    if arn not in registry.roles:
        yield Unknown(rule=ECR_PULL, resource=refusals.resource, lacks=f"the role {arn}")
        return
    role, trust = registry.roles[arn]
    if not allowed(
        Service(name="ecr.amazonaws.com"),
        "sts:AssumeRole",
        Resource(arn=arn, account=role.account, policy=trust),
    ):
        yield refusals.no_repository(
            f"let ecr.amazonaws.com assume {arn}, the role of the creation template {prefix}"
        )
        return
    for action, resource in needs:
        # A key's own policy leaves this to the account here: what the deployer may do, its layer checks.
        policy = _account_decides(role.account) if action.startswith("kms:") else None
        if not allowed(role, action, Resource(arn=resource, account=role.account, policy=policy)):
            yield refusals.no_repository(
                f"allow {action} on {resource} to {arn}, the role of the creation template {prefix}"
            )
            return


def _account_decides(account: str) -> Policy:
    principal = {"AWS": account}
    statement = {"Effect": "Allow", "Principal": principal, "Action": "kms:*", "Resource": "*"}
    return {"Version": "2012-10-17", "Statement": [statement]}
