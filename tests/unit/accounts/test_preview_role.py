"""The preview role reads what a preview reads: no data, no secrets, and it changes nothing."""

import pytest

from accounts.names import AccountNames
from accounts.permissions.table import rows_of
from aws_rules.iam.evaluation import Role, allowed
from moka.components.kubernetes.preview_access import OBJECTS
from tests.support.account_roles import EVERYTHING, World, deployer, places, previewer, state_key
from tests.support.bootstrapped_previews import FILES, bootstrapped, preview
from tests.support.cluster_objects import kinds_of
from tests.support.prod_account import ACCOUNT, NAMES, OWN_KEY, STATE, WORKLOAD, on


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_preview_role_reads_what_the_rows_read_and_changes_nothing(environment, account):
    world, role = World(preview(environment), account), previewer(environment, account)
    rows = {
        row.type: row for row in rows_of(world.settings, AccountNames(world.settings, account).foundations)
    }

    for resource in world.resources:
        row = rows[resource.type]
        for action in row.reads:
            for target, context in world.requests(resource, action):
                assert allowed(role, action, target, context), (action, target.arn)
        for action in row.writes - row.reads:
            if not action.partition(":")[2].startswith(("Describe", "Get", "List")):
                for target, context in world.requests(resource, action):
                    assert not allowed(role, action, target, context), (action, target.arn)


@pytest.mark.parametrize(("environment", "account"), places())
def test_neither_role_reads_data(environment, account):
    world = World(preview(environment), account)

    for role in (previewer(environment, account), deployer(environment, account)):
        for target in world.all:
            if target.arn.startswith("arn:aws:s3:") and "/" in target.arn:
                assert not allowed(role, "s3:GetObject", target)
            if ":key/" in target.arn:
                assert not allowed(
                    role, "kms:Decrypt", target, {"aws:ResourceTag/moka:environment": environment}
                )


@pytest.mark.parametrize(
    ("action", "arn"),
    [
        ("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:x-1"),
        ("ssm:GetParameter", f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter/x"),
        ("logs:GetLogEvents", f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:x:log-stream:y"),
        ("s3:PutObject", f"{STATE.bucket_arn}/x"),
        ("s3:DeleteObject", f"{STATE.bucket_arn}/x"),
        ("kms:Encrypt", state_key(bootstrapped("prod"))),
        ("iam:PassRole", WORKLOAD),
        ("sts:AssumeRole", NAMES.deploy_role),
    ],
)
def test_the_preview_role_has_no_secrets_and_writes_no_state_even_if_it_is_given_more(action, arn):
    role = previewer("prod", ACCOUNT)
    administrator = Role(arn=role.arn, policies=(EVERYTHING,), boundary=role.boundary)
    trusting = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "*"}],
    }
    policy = OWN_KEY if action.startswith("kms:") else trusting if action.startswith("sts:") else None

    assert not allowed(administrator, action, on(arn, policy))


def test_the_preview_role_reads_state_and_its_secrets():
    role = previewer("prod", ACCOUNT)

    assert allowed(role, "s3:GetObject", on(f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json"))
    assert allowed(role, "kms:Decrypt", on(state_key(bootstrapped("prod")), OWN_KEY))


def test_on_clusters_a_preview_may_read_the_kinds_of_objects_that_the_program_makes_and_no_others():
    kinds = {kind for name in FILES for kind in kinds_of(preview(name).types)}

    readable = {(group, resource) for group, text in OBJECTS.items() for resource in text.split()}
    assert readable == kinds
