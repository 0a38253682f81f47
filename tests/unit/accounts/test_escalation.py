"""No way leads the deploy role to more than it has: the known ones, each tried."""

import pytest

from aws_rules.iam.evaluation import Role, allowed
from tests.support.account_roles import EVERYTHING, deployer
from tests.support.prod_account import ACCOUNT, NAMES, WORKLOAD, on

ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
ELSEWHERE = f"arn:aws:iam::{ACCOUNT}:role/admin"
BOUNDED = {"iam:PermissionsBoundary": NAMES.workload_boundary}
UNBOUNDED: dict[str, str] = {}


def policy_of(name: str) -> str:
    return f"arn:aws:iam::{ACCOUNT}:policy/{name}"


OWN_POLICIES = [
    policy_of("acme-prod-deploy-identity"),
    NAMES.policy("deploy-boundary"),
    NAMES.workload_boundary,
]
USER = f"arn:aws:iam::{ACCOUNT}:user/x"

ESCALATIONS = {
    **{
        f"{verb} {policy.rpartition('/')[2]}": (f"iam:{verb}", policy, {})
        for verb in ("CreatePolicyVersion", "SetDefaultPolicyVersion", "DeletePolicyVersion", "DeletePolicy")
        for policy in OWN_POLICIES
    },
    **{
        f"{verb} on itself": (f"iam:{verb}", NAMES.deploy_role, {"iam:PolicyARN": ADMINISTRATOR})
        for verb in (
            "AttachRolePolicy",
            "DetachRolePolicy",
            "PutRolePolicy",
            "DeleteRolePolicy",
            "UpdateAssumeRolePolicy",
            "PutRolePermissionsBoundary",
            "DeleteRolePermissionsBoundary",
            "UpdateRole",
            "TagRole",
        )
    },
    **{
        f"{verb} of a role elsewhere": (
            f"iam:{verb}",
            ELSEWHERE,
            {"iam:PassedToService": "eks.amazonaws.com", "iam:PolicyARN": ADMINISTRATOR, **BOUNDED},
        )
        for verb in ("UpdateAssumeRolePolicy", "PassRole", "PutRolePolicy", "AttachRolePolicy", "CreateRole")
    },
    "a role without a boundary": ("iam:CreateRole", WORKLOAD, UNBOUNDED),
    "a role with another boundary": ("iam:CreateRole", WORKLOAD, {"iam:PermissionsBoundary": ADMINISTRATOR}),
    "a role with the deploy role's boundary": (
        "iam:CreateRole",
        WORKLOAD,
        {"iam:PermissionsBoundary": NAMES.policy("deploy-boundary")},
    ),
    "another boundary of a workload": (
        "iam:PutRolePermissionsBoundary",
        WORKLOAD,
        {"iam:PermissionsBoundary": ADMINISTRATOR},
    ),
    "no boundary of a workload": ("iam:DeleteRolePermissionsBoundary", WORKLOAD, BOUNDED),
    "a policy in a role without a boundary": ("iam:PutRolePolicy", WORKLOAD, UNBOUNDED),
    "an administrator's policy on a workload": (
        "iam:AttachRolePolicy",
        WORKLOAD,
        {"iam:PolicyARN": ADMINISTRATOR, **BOUNDED},
    ),
    "a policy of one's own on a workload": (
        "iam:AttachRolePolicy",
        WORKLOAD,
        {"iam:PolicyARN": OWN_POLICIES[0], **BOUNDED},
    ),
    "a workload's role to Lambda": (
        "iam:PassRole",
        WORKLOAD,
        {"iam:PassedToService": "lambda.amazonaws.com"},
    ),
    "a user": ("iam:CreateUser", USER, {}),
    "a user with a boundary": ("iam:CreateUser", USER, BOUNDED),
    "an access key": ("iam:CreateAccessKey", USER, {}),
    "a password": ("iam:CreateLoginProfile", USER, {}),
    "a user's policy": ("iam:AttachUserPolicy", USER, {"iam:PolicyARN": ADMINISTRATOR}),
    "a member of a group": ("iam:AddUserToGroup", f"arn:aws:iam::{ACCOUNT}:group/admins", {}),
    "an instance profile": (
        "iam:AddRoleToInstanceProfile",
        f"arn:aws:iam::{ACCOUNT}:instance-profile/x",
        {},
    ),
    "another identity provider": (
        "iam:CreateOpenIDConnectProvider",
        f"arn:aws:iam::{ACCOUNT}:oidc-provider/example.com",
        {},
    ),
    "another audience": ("iam:AddClientIDToOpenIDConnectProvider", NAMES.github_provider, {}),
    "another certificate": ("iam:UpdateOpenIDConnectProviderThumbprint", NAMES.github_provider, {}),
    "any role": ("sts:AssumeRole", ELSEWHERE, {}),
    "a function with a role": (
        "lambda:CreateFunction",
        f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:x",
        {},
    ),
    "a stack with a role": (
        "cloudformation:CreateStack",
        f"arn:aws:cloudformation:us-east-1:{ACCOUNT}:stack/x/1",
        {},
    ),
    "another service's own role": (
        "iam:CreateServiceLinkedRole",
        f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/ssm.amazonaws.com/x",
        {"iam:AWSServiceName": "ssm.amazonaws.com"},
    ),
}


@pytest.mark.parametrize("escalation", ESCALATIONS)
def test_no_way_leads_the_deploy_role_to_more_than_it_has(escalation):
    action, arn, context = ESCALATIONS[escalation]
    trust_everybody = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}],
    }
    target = on(arn, trust_everybody if action.startswith("sts:") else None)

    assert not allowed(
        deployer("prod", ACCOUNT), action, target, {"aws:RequestedRegion": "us-east-1", **context}
    )


@pytest.mark.parametrize("escalation", ESCALATIONS)
def test_the_deploy_role_s_boundary_denies_it_whatever_policies_it_is_given(escalation):
    action, arn, context = ESCALATIONS[escalation]
    role = deployer("prod", ACCOUNT)
    administrator = Role(arn=role.arn, policies=(EVERYTHING,), boundary=role.boundary)
    within = {"an administrator's policy on a workload", "a policy of one's own on a workload"}
    within |= {"a workload's role to Lambda", "another service's own role"}

    # What stays within a workload's boundary, or needs another service, is left to its policies.
    assert allowed(administrator, action, on(arn), {"aws:RequestedRegion": "us-east-1", **context}) == (
        escalation in within
    )
