"""The boundary of the roles that `up` makes."""

import json

import pytest

from accounts.names import AccountNames, StateNames
from accounts.permissions.boundaries import workload_boundary
from aws_rules.iam import definitions
from aws_rules.iam.evaluation import Policy, Role, allowed
from aws_rules.iam.evaluation import Resource as Target
from stacks.settings import parse, path_of
from tests.support.account_roles import EVERYTHING, places, state_key
from tests.support.bootstrapped_previews import preview


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_boundary_of_workloads_leaves_their_policies_what_they_say_and_keeps_them_from_state(
    environment, account
):
    of = preview(environment)
    boundary = workload_boundary(AccountNames(of.settings, account), state_key(of.settings))
    state = StateNames(of.settings)

    def bounded(action: str, arn: str, policy: Policy) -> bool:
        role = Role(arn=f"arn:aws:iam::{account}:role/x/y", policies=(policy,), boundary=boundary)
        return allowed(role, action, Target(arn=arn, account=account))

    for resource in of.of(account):
        if resource.type == "aws:iam/rolePolicy:RolePolicy":
            for statement in json.loads(resource.inputs["policy"])["Statement"]:
                plain = {key: value for key, value in statement.items() if key != "Condition"}
                own = {"Version": "2012-10-17", "Statement": [plain | {"Resource": "*"}]}
                for pattern in statement["Action"]:
                    for action in definitions.expanded(pattern):
                        if not action.startswith(("kms:", "sts:", "iam:", "secretsmanager:")):
                            # Places of metrics and of databases the boundary names.
                            named = action.startswith(("aps:", "rds-db:"))
                            on = statement["Resource"][0] if named else "arn:aws:x:::y"
                            assert bounded(action, on, own), action
    assert not bounded("s3:GetObject", f"{state.bucket_arn}/.pulumi/stacks/moka/x.json", EVERYTHING)
    secret, prefix = "secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-east-1:{account}:secret"
    login = of.settings.ingress.login
    assert bounded(secret, f"{prefix}:acme-{environment}/login-Ab12Cd", EVERYTHING) == (login is not None)
    assert not bounded(secret, f"{prefix}:acme-{environment}/other-Ab12Cd", EVERYTHING)
    for action in ("iam:CreateRole", "iam:PassRole", "sts:AssumeRole", "secretsmanager:GetSecretValue"):
        assert not bounded(action, f"arn:aws:iam::{account}:role/x", EVERYTHING)


def test_the_boundary_leaves_a_workspace_of_metrics_to_who_writes_and_asks():
    workspace = "arn:aws:aps:us-east-1:123456789012:workspace/ws-0a1b"
    text = path_of("local").read_text()
    section = f"\nmetrics: {json.dumps({'destination': {'remote_write': {'workspace': workspace}}})}\n"

    def bounded(settings, action: str, arn: str) -> bool:
        names = AccountNames(settings, "123456789012")
        boundary = workload_boundary(names, state_key(settings))
        role = Role(arn="arn:aws:iam::123456789012:role/x/y", policies=(EVERYTHING,), boundary=boundary)
        return allowed(role, action, Target(arn=arn, account="123456789012"))

    with_one, without = parse(text + section, "stacks/local.yaml"), parse(text, "stacks/local.yaml")
    for action in ("aps:RemoteWrite", "aps:QueryMetrics", "aps:GetSeries"):
        assert bounded(with_one, action, workspace)
        assert not bounded(with_one, action, f"{workspace}2")
        assert not bounded(without, action, workspace)
    assert not bounded(with_one, "aps:DeleteWorkspace", workspace)
