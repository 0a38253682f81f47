"""What the deploy role may do, by evaluating its policies against every preview."""

import pytest

from accounts.names import AccountNames
from accounts.permissions.table import rows_of
from aws_rules.iam.evaluation import Resource as Target
from aws_rules.iam.evaluation import Role, allowed
from tests.support.account_roles import World, deployer, places, previewer, state_key
from tests.support.bootstrapped_previews import bootstrapped
from tests.support.prod_account import ACCOUNT, OWN_KEY, STATE, on


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_deploy_role_may_do_to_every_resource_of_the_preview_what_its_row_says(environment, account):
    world, role = World(environment, account), deployer(environment, account)
    rows = {
        row.type: row for row in rows_of(world.settings, AccountNames(world.settings, account).foundations)
    }

    asked, denied = set(), set()
    for resource in world.resources:
        for action in rows[resource.type].actions(retain=world.settings.retain):
            requests = list(world.requests(resource, action))
            # A cache of a public registry takes no secret.
            assert requests or action == "secretsmanager:GetSecretValue", (resource.type, action)
            for target, context in requests:
                request = (action, target.arn, *sorted(context.items()))
                if request not in asked:
                    asked.add(request)
                    if not allowed(role, action, target, context):
                        denied.add(request)
    assert denied == set()
    assert len(asked) > 200


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
