"""IAM: an example of every type, and how it is changed by hand."""

import json

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_POLICY,
    OTHER_TAGS,
    POLICY,
    TAGS,
    TRUST,
    Bases,
    Changes,
    Console,
    Example,
)

TRUST_BY_HAND = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
        ],
    }
)
POLICY_BY_HAND = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:DeleteObject"], "Resource": ["*"]}],
    }
)

BASES: Bases = {
    "role": lambda w: ("aws:iam/role:Role", {"name": "base-role", "assumeRolePolicy": TRUST}),
    "other_role": lambda w: ("aws:iam/role:Role", {"name": "other-role", "assumeRolePolicy": TRUST}),
}

EXAMPLES = [
    Example(
        "aws:iam/role:Role",
        lambda w: {
            "assumeRolePolicy": TRUST,
            "description": "of pods",
            "permissionsBoundary": "arn:aws:iam::aws:policy/PowerUserAccess",
            "managedPolicyArns": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"],
            "inlinePolicies": [{"name": "in", "policy": POLICY}],
            "tags": TAGS,
        },
        lambda w: {
            "assumeRolePolicy": TRUST.replace("ec2", "pods.eks"),
            "description": "of other pods",
            "maxSessionDuration": 7200,
            "permissionsBoundary": None,
            "managedPolicyArns": ["arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"],
            "inlinePolicies": [{"name": "in", "policy": OTHER_POLICY}],
            "tags": OTHER_TAGS,
        },
        lambda w: {"path": "/moka/"},
    ),
    Example(
        "aws:iam/rolePolicy:RolePolicy",
        lambda w: {"role": w.role, "policy": POLICY},
        lambda w: {"policy": OTHER_POLICY},
        lambda w: {"role": w.other_role},
    ),
    Example(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        lambda w: {"role": w.role, "policyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodeMinimalPolicy"},
        replace=lambda w: {"role": w.other_role},
        imported=lambda resource: f"{resource.inputs['role']}/{resource.inputs['policyArn']}",
    ),
    Example(
        "aws:iam/policy:Policy",
        lambda w: {"policy": POLICY, "description": "reads", "tags": TAGS},
        lambda w: {"policy": OTHER_POLICY, "tags": OTHER_TAGS},
        lambda w: {"description": "writes"},
    ),
    Example(
        "aws:iam/instanceProfile:InstanceProfile",
        lambda w: {"role": w.role, "tags": TAGS},
        lambda w: {"role": w.other_role, "tags": OTHER_TAGS},
        lambda w: {"path": "/moka/"},
    ),
    Example(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        lambda w: {
            "url": "https://oidc.eks.us-east-1.amazonaws.com/id/ABC",
            "clientIdLists": ["sts.amazonaws.com"],
            "thumbprintLists": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7280"],
            "tags": TAGS,
        },
        lambda w: {
            "thumbprintLists": ["9e99a48a9960b14926bb7f3b02e22da2b0ab7281"],
            "tags": OTHER_TAGS,
        },
        lambda w: {"url": "https://oidc.eks.us-east-1.amazonaws.com/id/DEF"},
    ),
]


def add_policy_version(console: Console, resource: Resource) -> None:
    console.client("iam").create_policy_version(
        PolicyArn=resource.id, PolicyDocument=POLICY_BY_HAND, SetAsDefault=True
    )


def change_role(console: Console, resource: Resource) -> None:
    iam = console.client("iam")
    iam.update_assume_role_policy(RoleName=resource.id, PolicyDocument=TRUST_BY_HAND)
    iam.put_role_permissions_boundary(
        RoleName=resource.id, PermissionsBoundary="arn:aws:iam::aws:policy/AdministratorAccess"
    )


def change_role_policy(console: Console, resource: Resource) -> None:
    console.client("iam").put_role_policy(
        RoleName=resource.inputs["role"], PolicyName=resource.inputs["name"], PolicyDocument=POLICY_BY_HAND
    )


def change_profile(console: Console, resource: Resource) -> None:
    console.client("iam").remove_role_from_instance_profile(
        InstanceProfileName=resource.id, RoleName=resource.inputs["role"]
    )


def change_thumbprint(console: Console, resource: Resource) -> None:
    console.client("iam").update_open_id_connect_provider_thumbprint(
        OpenIDConnectProviderArn=resource.id, ThumbprintList=["0" * 40]
    )


CHANGES_BY_HAND: Changes = {
    "aws:iam/instanceProfile:InstanceProfile": change_profile,
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": change_thumbprint,
    "aws:iam/policy:Policy": add_policy_version,
    "aws:iam/role:Role": change_role,
    "aws:iam/rolePolicy:RolePolicy": change_role_policy,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": None,
}
