import json
from dataclasses import replace

import pytest

from moka.components.aws.registry import Registry, RegistryArgs

KEY = "arn:aws:kms:eu-west-1:444455556666:key/k"
SECRET = "arn:aws:secretsmanager:eu-west-1:444455556666:secret:ecr-pullthroughcache/docker-io-Ab12Cd"
READER = "111122223333"

REPOSITORY = "aws:ecr/repository:Repository"
TEMPLATE = "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate"
RULE = "aws:ecr/pullThroughCacheRule:PullThroughCacheRule"

ARGS = RegistryArgs(
    account_id="444455556666",
    region="eu-west-1",
    kms_key_arn=KEY,
    repositories=("acme-prod/spark",),
    pull_through={"docker.io": SECRET, "registry.k8s.io": None},
    readers=(READER,),
    path="/acme-prod/",
    permissions_boundary_arn="arn:aws:iam::444455556666:policy/boundary",
)


def test_images_never_change_under_their_tag_and_are_scanned_and_encrypted(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    [repository] = stack.inputs(REPOSITORY)
    assert repository["name"] == "acme-prod/spark"
    assert repository["imageTagMutability"] == "IMMUTABLE"
    assert repository["imageScanningConfiguration"] == {"scanOnPush": True}
    assert repository["encryptionConfigurations"] == [{"encryptionType": "KMS", "kmsKey": KEY}]


def test_images_without_a_tag_go_soon_and_tagged_ones_when_there_are_very_many(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    [lifecycle] = stack.inputs("aws:ecr/lifecyclePolicy:LifecyclePolicy")
    untagged, tagged = (rule["selection"] for rule in json.loads(lifecycle["policy"])["rules"])
    assert (untagged["tagStatus"], untagged["countType"]) == ("untagged", "sinceImagePushed")
    assert (tagged["tagStatus"], tagged["countType"]) == ("tagged", "imageCountMoreThan")


def test_other_accounts_pull_and_cannot_push(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    [policy] = stack.inputs("aws:ecr/repositoryPolicy:RepositoryPolicy")
    [statement] = json.loads(policy["policy"])["Statement"]
    assert statement["Principal"] == {"AWS": [f"arn:aws:iam::{READER}:root"]}
    assert statement["Action"] == [
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchGetImage",
        "ecr:GetDownloadUrlForLayer",
    ]


def test_a_registry_without_readers_is_for_its_own_account(deploy):
    stack = deploy(lambda: Registry("main", replace(ARGS, readers=())))

    assert not stack.types() & {
        "aws:ecr/repositoryPolicy:RepositoryPolicy",
        "aws:ecr/registryPolicy:RegistryPolicy",
    }
    assert not stack.by_name(TEMPLATE)["main-docker-io"].get("repositoryPolicy")


def test_public_images_are_fetched_under_their_public_name(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    rules = {rule["ecrRepositoryPrefix"]: rule for rule in stack.inputs(RULE)}
    assert rules["docker.io"]["upstreamRegistryUrl"] == "registry-1.docker.io"
    assert rules["docker.io"]["credentialArn"] == SECRET
    assert rules["registry.k8s.io"]["upstreamRegistryUrl"] == "registry.k8s.io"


def test_copies_are_kept_like_our_own_images(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    template, [lifecycle], [policy] = (
        stack.by_name(TEMPLATE)["main-docker-io"],
        stack.inputs("aws:ecr/lifecyclePolicy:LifecyclePolicy"),
        stack.inputs("aws:ecr/repositoryPolicy:RepositoryPolicy"),
    )
    assert (template["prefix"], template["appliedFors"]) == (
        "docker.io",
        ["CREATE_ON_PUSH", "PULL_THROUGH_CACHE"],
    )
    assert template["imageTagMutability"] == "IMMUTABLE"
    assert template["encryptionConfigurations"] == [{"encryptionType": "KMS", "kmsKey": KEY}]
    assert template["lifecyclePolicy"] == lifecycle["policy"]
    assert template["repositoryPolicy"] == policy["policy"]


def test_no_copy_is_made_before_it_is_known_how(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    rule = stack.tree()[f"moka:aws:Registry${RULE}::main-docker-io"]
    assert any(TEMPLATE in urn for urn in rule.dependencies)


def test_repositories_for_copies_are_made_by_a_role_that_can_make_no_others(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    [role] = stack.inputs("aws:iam/role:Role")
    assert (role["path"], role["permissionsBoundary"]) == (ARGS.path, ARGS.permissions_boundary_arn)
    [policy] = stack.inputs("aws:iam/rolePolicy:RolePolicy")
    by_id = {statement["Sid"]: statement for statement in json.loads(policy["policy"])["Statement"]}
    assert by_id["MakeRepositories"]["Resource"] == [
        "arn:aws:ecr:eu-west-1:444455556666:repository/charts/*",
        "arn:aws:ecr:eu-west-1:444455556666:repository/docker.io/*",
        "arn:aws:ecr:eu-west-1:444455556666:repository/registry.k8s.io/*",
    ]
    assert by_id["EncryptRepositories"]["Resource"] == [KEY]


def test_other_accounts_may_be_the_first_to_pull_a_public_image_but_make_no_repository_elsewhere(deploy):
    stack = deploy(lambda: Registry("main", ARGS))

    [policy] = stack.inputs("aws:ecr/registryPolicy:RegistryPolicy")
    [statement] = json.loads(policy["policy"])["Statement"]
    assert statement["Action"] == ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"]
    assert all(
        ":repository/docker.io/" in arn or ":repository/registry.k8s.io/" in arn
        for arn in statement["Resource"]
    )


def test_the_host_is_that_of_account_and_region(deploy):
    hosts = []
    deploy(lambda: Registry("main", ARGS).host.apply(hosts.append))

    assert hosts == ["444455556666.dkr.ecr.eu-west-1.amazonaws.com"]


@pytest.mark.parametrize("retain", [True, False])
def test_repositories_are_protected_and_kept_unless_asked_otherwise(deploy, retain):
    stack = deploy(lambda: Registry("main", replace(ARGS, retain=retain)))

    repository = stack.tree()[f"moka:aws:Registry${REPOSITORY}::main-acme-prod-spark"]
    assert (repository.protect, repository.retainOnDelete) == (retain, retain)
    assert stack.inputs(REPOSITORY)[0]["forceDelete"] is not retain


@pytest.mark.parametrize(
    ("pull_through", "message"),
    [
        ({"gcr.io": None}, r"cannot fetch from gcr\.io; choose one of docker\.io"),
        ({"docker.io": None}, r"docker\.io only with credentials: give the ARN of a secret"),
    ],
)
def test_an_upstream_that_ecr_cannot_ask_is_refused(pull_through, message):
    with pytest.raises(ValueError, match=message):
        Registry("main", replace(ARGS, pull_through=pull_through))
