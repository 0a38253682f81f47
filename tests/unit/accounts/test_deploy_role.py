"""What the deploy role may do, by evaluating its policies against every preview."""

import pytest

from accounts.names import AccountNames
from accounts.permissions.table import rows_of
from aws_rules.iam.evaluation import Resource as Target
from aws_rules.iam.evaluation import Role, allowed
from tests.support.account_roles import (
    World,
    deployer,
    deployer_of,
    places,
    previewer,
    previewer_of,
    state_key,
)
from tests.support.bootstrapped_previews import bootstrapped, bounded, preview, preview_of
from tests.support.prod_account import ACCOUNT, OWN_KEY, STATE, on
from tests.support.wrong_settings import changed


def requests_by_answer(world: World, role: Role) -> dict[bool, set[tuple[object, ...]]]:
    """What the rows of a preview's resources come to: what of it the role may, and what not."""
    rows = {
        row.type: row
        for row in rows_of(world.settings, AccountNames(world.settings, world.account).foundations)
    }
    answers: dict[bool, set[tuple[object, ...]]] = {True: set(), False: set()}
    for resource in world.resources:
        for action in rows[resource.type].actions(retain=world.settings.retain):
            requests = list(world.requests(resource, action))
            # A cache of a public registry takes no secret.
            assert requests or action == "secretsmanager:GetSecretValue", (resource.type, action)
            for target, context in requests:
                request = (action, target.arn, *sorted(context.items()))
                if not any(request in group for group in answers.values()):
                    answers[allowed(role, action, target, context)].add(request)
    return answers


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_deploy_role_may_do_to_every_resource_of_the_preview_what_its_row_says(environment, account):
    answers = requests_by_answer(World(preview(environment), account), deployer(environment, account))

    assert answers[False] == set()
    assert len(answers[True]) > 200


def test_the_roles_reach_the_buckets_and_the_key_that_a_job_namespace_has_for_itself():
    account = "123456789012"
    environment = bounded(changed({"job_namespaces": {"payroll": {"own_key": True}}}), "local")
    world = World(preview_of(environment, "foundation"), account)

    answers = requests_by_answer(world, deployer_of(environment, account))

    assert answers[False] == set()
    allowed_on = {(action, arn) for action, arn, *_ in answers[True]}
    key = f"arn:aws:kms:us-east-1:{account}:alias/moka-local-main-payroll"
    for data in ("staging", "code"):
        bucket = f"arn:aws:s3:::moka-local-{account}-us-east-1-{data}-payroll"
        assert ("s3:CreateBucket", bucket) in allowed_on
        read = Target(arn=bucket, account=account)
        assert allowed(previewer_of(environment, account), "s3:GetEncryptionConfiguration", read)
    assert ("kms:CreateAlias", key) in allowed_on


def test_the_registry_s_secrets_are_read_for_its_caches_and_no_others():
    role = deployer("prod", "444455556666")
    secret = "arn:aws:secretsmanager:us-east-1:444455556666:secret:"

    assert allowed(role, "secretsmanager:GetSecretValue", on(f"{secret}ecr-pullthroughcache/ghcr-io-Ef34Gh"))
    assert not allowed(role, "secretsmanager:GetSecretValue", on(f"{secret}password-Ef34Gh"))


@pytest.mark.parametrize(
    ("action", "arn", "expected"),
    [
        ("s3:GetObject", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", True),
        ("s3:PutObject", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", True),
        ("s3:DeleteObject", f"{STATE.bucket_arn}/.pulumi/locks/organization/moka/prod.shared/1.json", True),
        ("s3:ListBucket", STATE.bucket_arn, True),
        ("s3:DeleteObjectVersion", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", False),
        ("s3:DeleteBucket", STATE.bucket_arn, False),
        ("s3:PutBucketPolicy", STATE.bucket_arn, False),
        ("s3:PutBucketVersioning", STATE.bucket_arn, False),
        ("kms:Decrypt", state_key(bootstrapped("prod")), True),
        ("kms:GenerateDataKey", state_key(bootstrapped("prod")), True),
        ("kms:PutKeyPolicy", state_key(bootstrapped("prod")), False),
        ("kms:ScheduleKeyDeletion", state_key(bootstrapped("prod")), False),
        ("kms:DisableKey", state_key(bootstrapped("prod")), False),
    ],
)
def test_the_deploy_role_uses_its_state_and_changes_nothing_about_it(action, arn, expected):
    tags = {"aws:ResourceTag/moka:environment": "prod"}
    target = on(arn, OWN_KEY if action.startswith("kms:") else None)

    assert allowed(deployer("prod", ACCOUNT), action, target, tags) == expected


def test_what_has_the_tag_of_another_environment_of_the_account_is_not_touched():
    account = "111122223333"
    vpc = Target(arn=f"arn:aws:ec2:us-west-2:{account}:vpc/vpc-1", account=account)
    region = {"aws:RequestedRegion": "us-west-2"}
    role = deployer("dev", account)

    assert allowed(role, "ec2:DeleteVpc", vpc, region | {"aws:ResourceTag/moka:environment": "dev"})
    assert not allowed(role, "ec2:DeleteVpc", vpc, region | {"aws:ResourceTag/moka:environment": "test"})
    assert not allowed(role, "ec2:CreateVpc", vpc, {"aws:RequestedRegion": "eu-west-1"})


def test_the_roles_at_home_reach_those_in_other_accounts_of_the_environment_and_nobody_else():
    home, away = "111122223333", "444455556666"
    names = AccountNames(bootstrapped("world"), away)

    def takes(role: Role, arn: str) -> bool:
        trust = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Principal": {"AWS": role.arn}, "Action": "sts:AssumeRole"}],
        }
        return allowed(role, "sts:AssumeRole", Target(arn=arn, account=away, policy=trust))

    assert takes(deployer("world", home), names.deploy_role)
    assert takes(previewer("world", home), names.preview_role)
    assert not takes(previewer("world", home), names.deploy_role)
    assert not takes(deployer("world", home), f"arn:aws:iam::{away}:role/admin")
