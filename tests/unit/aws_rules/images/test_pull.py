"""Pulls: what works works, and every sabotage of it is refused for its own reason."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from aws_rules.iam.evaluation import Resource, Role, allowed
from aws_rules.images import RULES
from aws_rules.images.ecr import Registry
from aws_rules.images.machines import Machines
from aws_rules.images.pull import pull
from aws_rules.rule import Unknown, Violation
from moka.components.aws.registry import RegistryArgs, registry_policy, repository_policy

HERE, THERE = "111122223333", "444455556666"
REGION = "us-east-1"
HOST = f"{THERE}.dkr.ecr.{REGION}.amazonaws.com"
OWN = f"{HOST}/acme-prod/driver-finalizer:1.0.0"
COPY = f"{HOST}/docker.io/fluent/fluent-bit:5.1.1"
LAYERS = f"prod-{REGION}-starport-layer-bucket"
SECRET = f"arn:aws:secretsmanager:{REGION}:{THERE}:secret:ecr-pullthroughcache/docker-io-Ab12Cd"
COPIES_ROLE = f"arn:aws:iam::{THERE}:role/copies"
KEY = f"arn:aws:kms:{REGION}:{THERE}:key/k"
BOTH = ("amd64", "arm64")


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def allow(*actions, on="*", **more):
    return {"Effect": "Allow", "Action": list(actions), "Resource": on, **more}


def managed(name: str) -> dict[str, Any]:
    return json.loads(aws_managed_policies_data)[name]["Document"]


FIRST_PULLS = allow("ecr:CreateRepository", on=f"arn:aws:ecr:{REGION}:{THERE}:repository/docker.io/*")
ALLOWED_TO_MAKE_COPIES = policy(
    allow("ecr:CreateRepository", "ecr:TagResource"), allow("kms:CreateGrant", "kms:DescribeKey", on=KEY)
)
TRUST_OF_ECR = policy(
    {"Effect": "Allow", "Principal": {"Service": "ecr.amazonaws.com"}, "Action": "sts:AssumeRole"}
)


@dataclass
class World:
    """What is there: by default all that two pulls need, of an image of one's own and of a copy."""

    account: str = HERE
    statements: list[Any] = field(
        default_factory=lambda: [
            *deepcopy(managed("AmazonEC2ContainerRegistryPullOnly")["Statement"]),
            deepcopy(FIRST_PULLS),
        ]
    )
    boundary: Any = None
    group: dict[str, Any] = field(default_factory=dict)
    repositories: dict[str, Any] = field(
        default_factory=lambda: {
            "acme-prod/driver-finalizer": json.loads(repository_policy((HERE,), REGION)),
        }
    )
    registry_policy: Any = field(
        default_factory=lambda: json.loads(
            registry_policy(
                RegistryArgs(
                    account_id=THERE,
                    region=REGION,
                    kms_key_arn=KEY,
                    pull_through={"docker.io": SECRET},
                    readers=(HERE,),
                )
            )
        )
    )
    cache: dict[str, Any] = field(
        default_factory=lambda: {
            "ecrRepositoryPrefix": "docker.io",
            "upstreamRegistryUrl": "registry-1.docker.io",
            "credentialArn": SECRET,
        }
    )
    template: dict[str, Any] = field(
        default_factory=lambda: {
            "prefix": "docker.io",
            "appliedFor": ["PULL_THROUGH_CACHE"],
            "customRoleArn": COPIES_ROLE,
            "encryptionConfiguration": {"encryptionType": "KMS", "kmsKey": KEY},
            "resourceTags": [{"Key": "environment", "Value": "prod"}],
            "repositoryPolicy": repository_policy((HERE,), REGION),
        }
    )
    copies_role: Any = field(default_factory=lambda: deepcopy(ALLOWED_TO_MAKE_COPIES))
    copies_trust: Any = field(default_factory=lambda: deepcopy(TRUST_OF_ECR))
    s3_endpoint: Any = field(default_factory=lambda: policy({**allow("*"), "Principal": "*"}))
    closed: set[str] = field(default_factory=set)
    architectures: dict[str, Any] = field(
        default_factory=lambda: {
            f"{HOST}/acme-prod/driver-finalizer:*": BOTH,
            "docker.io/fluent/fluent-bit:*": BOTH,
            "docker.io/apache/spark:*": BOTH,
        }
    )
    known: bool = True

    def machines(self) -> Machines:
        role = Role(
            arn=f"arn:aws:iam::{self.account}:role/node",
            policies=(policy(*self.statements),),
            boundary=self.boundary,
        )
        defaults = {"name": "node group g", "architectures": BOTH, "subnets": ("subnet-a",), "maximum": 4}
        addresses = {"subnet-a": "nat-a"}
        return Machines(**{**defaults, "role": role, "region": REGION, "addresses": addresses, **self.group})

    def way(self, subnet, request):
        if request.host in self.closed:
            return "dial tcp: i/o timeout"
        if request.host.startswith(LAYERS):
            # An endpoint decides besides the caller's own policies: as a resource of another account.
            caller = replace(request.caller, policies=(policy(allow("*")),))
            bucket = Resource(arn=request.resource, account="", policy=self.s3_endpoint)
            return None if allowed(caller, request.action, bucket) else "403 Forbidden"
        return None

    def registry(self, account, region):
        if not self.known or account != THERE:
            return None
        return Registry(
            account=account,
            region=region,
            repositories=self.repositories,
            policy=self.registry_policy,
            caches=(self.cache,) if self.cache else (),
            templates=(self.template,) if self.template else (),
            roles={
                COPIES_ROLE: (Role(arn=COPIES_ROLE, policies=(self.copies_role,)), self.copies_trust),
            },
        )

    def pull(self, image):
        return list(
            pull(
                image,
                self.machines(),
                registry=self.registry,
                way=self.way,
                architectures=self.architectures,
            )
        )


@pytest.mark.parametrize("image", [OWN, COPY, "fluent/fluent-bit:5.1.1"])
def test_what_everything_is_there_for_is_pulled(image):
    assert World().pull(image) == []


def test_a_role_of_the_registrys_own_account_needs_no_policy_of_the_repository():
    world = World(account=THERE, repositories={"acme-prod/driver-finalizer": None}, registry_policy=None)
    world.template["repositoryPolicy"] = ""

    assert world.pull(OWN) == []
    assert world.pull(COPY) == []


def without(action):
    def change(world):
        for statement in world.statements:
            statement["Action"] = [name for name in statement["Action"] if name != action]

    return change


def only_ours(world):
    """An S3 endpoint that lets only our accounts' identities through; layers are signed by ECR itself."""
    world.s3_endpoint["Statement"][0]["Condition"] = {"StringEquals": {"aws:PrincipalAccount": [HERE]}}


def set_to(path, value):
    def change(world):
        thing = world
        *parents, last = path.split(".")
        for parent in parents:
            thing = thing[parent] if isinstance(thing, dict) else getattr(thing, parent)
        if isinstance(thing, dict):
            thing[last] = value
        else:
            setattr(thing, last, value)

    return change


def one_machine_too_many(world):
    world.group["maximum"] = 101


def key_not_granted(world):
    world.copies_role["Statement"].pop()


def tags_not_allowed(world):
    world.copies_role["Statement"][0]["Action"].remove("ecr:TagResource")


def boundary_without_ecr(world):
    world.boundary = policy(allow("ec2:*"))


def layers_left_out(world):
    world.s3_endpoint["Statement"][0]["Resource"] = "arn:aws:s3:::acme-*"


def repository_policy_for_another_account(world):
    world.repositories["acme-prod/driver-finalizer"] = json.loads(
        repository_policy(("999999999999",), REGION)
    )


SABOTAGES: dict[str, tuple[str, Callable[[World], Any], str, str]] = {
    "the registry is out of reach": (
        OWN,
        set_to("closed", {HOST}),
        "registry-reach",
        'failed to do request: Head "https://444455556666.dkr.ecr.us-east-1.amazonaws.com/v2/acme-prod/'
        'driver-finalizer/manifests/1.0.0": dial tcp: i/o timeout',
    ),
    "ECR's API, which gives tokens, is out of reach": (
        OWN,
        set_to("closed", {f"api.ecr.{REGION}.amazonaws.com"}),
        "registry-reach",
        "dial tcp: i/o timeout",
    ),
    "Docker Hub is out of reach": (
        "fluent/fluent-bit:5.1.1",
        set_to("closed", {"registry-1.docker.io"}),
        "registry-reach",
        'Head "https://registry-1.docker.io/v2/fluent/fluent-bit/manifests/5.1.1": dial tcp: i/o timeout',
    ),
    "Docker Hub's tokens are out of reach": (
        "fluent/fluent-bit:5.1.1",
        set_to("closed", {"auth.docker.io"}),
        "registry-reach",
        "dial tcp: i/o timeout",
    ),
    "the S3 endpoint's policy leaves out the bucket of layers": (
        OWN,
        layers_left_out,
        "registry-reach",
        "403 Forbidden",
    ),
    "the S3 endpoint lets only our own accounts through": (OWN, only_ours, "registry-reach", "403 Forbidden"),
    "the role may not get a token": (
        OWN,
        without("ecr:GetAuthorizationToken"),
        "ecr-pull",
        "authorization failed: no basic auth credentials",
    ),
    "the role may not read images": (
        OWN,
        without("ecr:BatchGetImage"),
        "ecr-pull",
        "manifests/1.0.0: 403 Forbidden",
    ),
    "the role may not read layers": (
        OWN,
        without("ecr:GetDownloadUrlForLayer"),
        "ecr-pull",
        "failed to copy: httpReadSeeker",
    ),
    "the boundary leaves ECR out": (
        OWN,
        boundary_without_ecr,
        "ecr-pull",
        "authorization failed: no basic auth credentials",
    ),
    "the repository has no policy for another account": (
        OWN,
        set_to("repositories.acme-prod/driver-finalizer", None),
        "ecr-pull",
        "manifests/1.0.0: 403 Forbidden",
    ),
    "the repository's policy names another account": (
        OWN,
        repository_policy_for_another_account,
        "ecr-pull",
        "manifests/1.0.0: 403 Forbidden",
    ),
    "there is no such repository": (
        OWN,
        set_to("repositories", {}),
        "ecr-pull",
        "The repository with name 'acme-prod/driver-finalizer' does not exist in the registry with id "
        "'444455556666'",
    ),
    "no cache has this upstream": (
        COPY,
        set_to("cache", {}),
        "ecr-pull",
        "The repository with name 'docker.io/fluent/fluent-bit' does not exist",
    ),
    "the cache of Docker Hub has no secret": (
        COPY,
        set_to("cache.credentialArn", None),
        "ecr-pull",
        "The authentication to the upstream registry failed",
    ),
    "the role may not make the copy's repository": (
        COPY,
        without("ecr:CreateRepository"),
        "ecr-pull",
        "The repository with name 'docker.io/fluent/fluent-bit' does not exist",
    ),
    "the role may not import": (COPY, without("ecr:BatchImportUpstreamImage"), "ecr-pull", "not found"),
    "the registry's policy lets no other account pull first": (
        COPY,
        set_to("registry_policy", None),
        "ecr-pull",
        "The repository with name 'docker.io/fluent/fluent-bit' does not exist",
    ),
    "copies are made without a policy for readers": (
        COPY,
        set_to("template.repositoryPolicy", ""),
        "ecr-pull",
        "manifests/5.1.1: 403 Forbidden",
    ),
    "copies are encrypted, and the template has no role": (
        COPY,
        set_to("template.customRoleArn", None),
        "ecr-pull",
        "The repository with name 'docker.io/fluent/fluent-bit' does not exist",
    ),
    "ECR may not assume the template's role": (
        COPY,
        set_to("copies_trust.Statement", []),
        "ecr-pull",
        "The repository with name 'docker.io/fluent/fluent-bit' does not exist",
    ),
    "the template's role may not use the key": (COPY, key_not_granted, "ecr-pull", "does not exist"),
    "the template's role may not tag": (COPY, tags_not_allowed, "ecr-pull", "does not exist"),
    "a first pull has no way to the upstream": (
        COPY,
        set_to("closed", {"registry-1.docker.io"}),
        "ecr-pull",
        f"{COPY}: not found",
    ),
    "a first pull through a cache is by digest": (
        f"{COPY}@sha256:{'0' * 64}",
        lambda world: None,
        "ecr-pull",
        "not found",
    ),
    "the tag exists for one architecture": (
        OWN,
        set_to("architectures", {f"{HOST}/acme-prod/*": ["amd64"]}),
        "image-platform",
        "no match for platform in manifest: not found",
    ),
    "one tag lacks arm64, the others have it": (
        "apache/spark:4.1.2-r",
        lambda world: world.architectures.update({"docker.io/apache/spark:4.1.2-r": ["amd64"]}),
        "image-platform",
        "no match for platform in manifest: not found",
    ),
    "a copy's original lacks arm64": (
        COPY,
        lambda world: world.architectures.update({"docker.io/fluent/fluent-bit:5.1.1": ["amd64"]}),
        "image-platform",
        "no match for platform in manifest: not found",
    ),
    "101 machines pull from Docker Hub behind one address": (
        "fluent/fluent-bit:5.1.1",
        one_machine_too_many,
        "docker-hub-rate",
        "toomanyrequests: You have reached your unauthenticated pull rate limit. "
        "https://www.docker.com/increase-rate-limit",
    ),
}


@pytest.mark.parametrize(("image", "change", "rule", "words"), SABOTAGES.values(), ids=SABOTAGES)
def test_a_sabotage_is_refused_for_its_own_reason(image, change, rule, words):
    world = World()
    change(world)

    [violation] = world.pull(image)

    assert isinstance(violation, Violation)
    assert violation.rule.name == rule
    assert violation.code == "ErrImagePull"
    assert words in violation.message
    assert "on node group g" in str(violation)


def test_a_registry_that_nobody_knows_refuses_nothing():
    [unknown] = World(known=False).pull(OWN)

    assert isinstance(unknown, Unknown)
    assert unknown.lacks == f"the registry of account {THERE}"


def test_an_image_that_nobody_knows_is_not_refused():
    [unknown] = World().pull("quay.io/x/y:1")

    assert str(unknown) == (
        "image quay.io/x/y:1: image-platform does not know its architectures, so nothing was refused."
    )


def test_a_policy_that_cannot_be_judged_refuses_nothing():
    world = World()
    [statement] = world.repositories["acme-prod/driver-finalizer"]["Statement"]
    statement["Condition"] = {"StringSounds": {"aws:PrincipalArn": "x"}}

    [unknown] = world.pull(OWN)

    assert isinstance(unknown, Unknown)


def test_a_copy_in_a_mirror_that_is_no_cache_exists_for_what_its_original_does():
    world = World()
    world.architectures["docker.io/apache/spark:*"] = ["amd64"]

    [violation] = world.pull("registry.example/mirror/docker.io/apache/spark:4.1.2")

    assert "for amd64 and not for arm64" in violation.remedy


def pushed(world):
    """A pinned copy that `moka mirror` has pushed, as the project's file says."""
    world.template["appliedFor"] = ["CREATE_ON_PUSH", "PULL_THROUGH_CACHE"]
    world.architectures["*.dkr.ecr.*/docker.io/*"] = BOTH
    return f"{COPY}@sha256:{'0' * 64}"


def test_an_image_that_was_pushed_needs_no_cache():
    world = World(closed={"registry-1.docker.io"})

    assert world.pull(pushed(world)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    {
        "what is pushed gets no policy for readers": (
            set_to("template.repositoryPolicy", ""),
            "403 Forbidden",
        ),
        "no template makes its repository, and no cache has it": (
            lambda world: (set_to("template", {})(world), set_to("cache", {})(world)),
            "does not exist in the registry",
        ),
    }.values(),
)
def test_an_image_that_was_pushed_is_still_refused_for_other_reasons(change, words):
    world = World()
    image = pushed(world)
    change(world)

    [violation] = world.pull(image)

    assert words in violation.message


def test_machines_of_other_groups_behind_the_address_count_and_those_behind_another_do_not():
    world = World()
    world.group = {"maximum": 60}
    others = [
        replace(world.machines(), name="another", maximum=41),
        replace(world.machines(), name="elsewhere", addresses={"subnet-a": "nat-b"}, maximum=400),
    ]

    def refused(others):
        answers = pull(
            "fluent/fluent-bit:5.1.1",
            world.machines(),
            registry=world.registry,
            way=world.way,
            architectures=world.architectures,
            others=others,
        )
        return [answer.remedy for answer in answers]

    assert refused(others[1:]) == []
    assert refused(others) == [
        "up to 101 machines pull from Docker Hub behind nat-a, which may pull 100 images in 6 hours: "
        "take the image from a mirror"
    ]


def test_every_rule_refuses_something_here():
    assert {rule.name for rule in RULES} == {rule for _, _, rule, _ in SABOTAGES.values()}
