"""IAM: roles, policies, instance profiles, OIDC providers."""

import json
from dataclasses import replace
from typing import Any

from aws_rules.rule import Violation
from aws_rules.values.policies import RULE as ATTACHMENTS
from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.mapping import same_document
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, change, words
from localcloud.unknowns import refuse


def tags_of(noun: str, key: str) -> Tagging:
    """Tags of a kind of entity of IAM."""
    return Tagging(
        create="Tags",
        put=Call(f"tag_{noun}", {key: ID, "Tags": P("=tags")}),
        remove=Call(f"untag_{noun}", {key: ID, "TagKeys": P("=keys")}),
        read_call=Call(f"list_{noun}_tags", {key: ID}),
    )


# --- roles ---


def policies_of_role(subject: Subject) -> dict[str, Any]:
    """Policies in a role and on it, also those set by hand."""
    attachments = subject.request("list_attached_role_policies", RoleName=subject.id)["AttachedPolicies"]
    names = subject.request("list_role_policies", RoleName=subject.id)["PolicyNames"]
    inline = [subject.request("get_role_policy", RoleName=subject.id, PolicyName=name) for name in names]
    return {
        "managedPolicyArns": [policy["PolicyArn"] for policy in attachments],
        "inlinePolicies": [
            {"name": policy["PolicyName"], "policy": json.dumps(policy["PolicyDocument"])}
            for policy in inline
        ],
    }


def set_managed(subject: Subject) -> None:
    """Attach the policies that the role lists, and no others."""
    old_arns = set(policies_of_role(subject)["managedPolicyArns"])
    arns = set(subject.inputs.get("managedPolicyArns") or ())
    for arn in sorted(old_arns - arns):
        subject.request("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    for arn in sorted(arns - old_arns):
        subject.request("attach_role_policy", RoleName=subject.id, PolicyArn=arn)


def set_inline(subject: Subject) -> None:
    """Put the policies that the role lists into it, and no others."""
    existing = {inline["name"]: inline["policy"] for inline in policies_of_role(subject)["inlinePolicies"]}
    policies = {inline["name"]: inline["policy"] for inline in subject.inputs.get("inlinePolicies") or ()}
    for name in sorted(existing.keys() - policies.keys()):
        subject.request("delete_role_policy", RoleName=subject.id, PolicyName=name)
    for name, policy in policies.items():
        if not same_document(existing.get(name), policy):
            subject.request("put_role_policy", RoleName=subject.id, PolicyName=name, PolicyDocument=policy)


def strip_role(subject: Subject) -> None:
    """Take the program's policies from a role before its deletion, or all with forceDetachPolicies."""
    for profile in subject.request("list_instance_profiles_for_role", RoleName=subject.id)[
        "InstanceProfiles"
    ]:
        subject.request(
            "remove_role_from_instance_profile",
            RoleName=subject.id,
            InstanceProfileName=profile["InstanceProfileName"],
        )
    properties, policies = subject.properties, policies_of_role(subject)
    if properties.get("forceDetachPolicies") or properties.get("managedPolicyArns"):
        for arn in policies["managedPolicyArns"]:
            subject.request("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    if properties.get("forceDetachPolicies") or properties.get("inlinePolicies"):
        for inline in policies["inlinePolicies"]:
            subject.request("delete_role_policy", RoleName=subject.id, PolicyName=inline["name"])


ROLE_KEY = {"RoleName": ID}

ROLE = Kind(
    service="iam",
    schema="AWS::IAM::Role",
    regional=False,
    inputs="assumeRolePolicy! name namePrefix path description maxSessionDuration permissionsBoundary "
    "forceDetachPolicies managedPolicyArns inlinePolicies",
    outputs="arn createDate uniqueId",
    create=Call("create_role", other_inputs=True),
    id="{name}",
    names={"name": "RoleName", "assumeRolePolicy": "AssumeRolePolicyDocument"},
    name=Name(max_length=64),
    defaults={"forceDetachPolicies": False, "maxSessionDuration": 3600, "path": "/"},
    arguments=words("namePrefix forceDetachPolicies"),
    # Policies may also be resources of their own: without a list here none of them is changed.
    computed=words("managedPolicyArns inlinePolicies"),
    documents=words("assumeRolePolicy inlinePolicies.policy"),
    unordered=words("managedPolicyArns inlinePolicies"),
    reads=(
        Read(
            Call("get_role", ROLE_KEY),
            at="Role",
            properties={
                "uniqueId": "RoleId",
                "permissionsBoundary": "PermissionsBoundary.PermissionsBoundaryArn",
            },
        ),
        Read(policies_of_role),
    ),
    changes=(
        Change(
            ("assumeRolePolicy",),
            Call("update_assume_role_policy", {**ROLE_KEY, "PolicyDocument": P("assumeRolePolicy")}),
        ),
        change("description maxSessionDuration", "update_role", ROLE_KEY),
        change(
            "permissionsBoundary",
            "put_role_permissions_boundary",
            ROLE_KEY,
            removal=Call("delete_role_permissions_boundary", ROLE_KEY),
        ),
        Change(("managedPolicyArns",), set_managed),
        Change(("inlinePolicies",), set_inline),
    ),
    delete=(strip_role, Call("delete_role", ROLE_KEY)),
    # As the provider, which takes them from GetRole (internal/service/iam/role.go).
    tags=replace(tags_of("role", "RoleName"), read_call=None),
    schema_names={
        "name": "RoleName",
        "assumeRolePolicy": "AssumeRolePolicyDocument",
        "inlinePolicies": "Policies",
    },
)


PUT_ROLE_POLICY = Call("put_role_policy", takes="role name policy")

ROLE_POLICY = Kind(
    service="iam",
    schema="AWS::IAM::RolePolicy",
    regional=False,
    inputs="role! policy! name namePrefix",
    create=PUT_ROLE_POLICY,
    id="{role}:{name}",
    identity=("role", "name"),
    names={"role": "RoleName", "name": "PolicyName", "policy": "PolicyDocument"},
    name=Name(max_length=128),
    arguments=words("namePrefix"),
    documents=words("policy"),
    reads=(Read(Call("get_role_policy", takes="role name")),),
    changes=(Change(("policy",), PUT_ROLE_POLICY),),
    delete=(Call("delete_role_policy", takes="role name"),),
    schema_names={"role": "RoleName", "name": "PolicyName", "policy": "PolicyDocument"},
)


def read_attachment(subject: Subject) -> dict[str, Any] | None:
    """A policy on a role. Its id to import is `<role>/<policy's ARN>`."""
    properties = subject.properties
    if not properties.get("policyArn"):
        properties["role"], _, properties["policyArn"] = subject.id.partition("/")
        subject.id = str(subject.text(ATTACHMENT_ID))
    attachments = subject.request("list_attached_role_policies", RoleName=properties["role"])[
        "AttachedPolicies"
    ]
    if any(policy["PolicyArn"] == properties["policyArn"] for policy in attachments):
        return {"role": properties["role"], "policyArn": properties["policyArn"]}
    return None


def attach(subject: Subject) -> None:
    """Attach a policy to a role. moto has AWS's own policies as of its release."""
    properties = subject.properties
    try:
        subject.request("attach_role_policy", RoleName=properties["role"], PolicyArn=properties["policyArn"])
    except Exception as error:
        if not not_found(error):
            raise
        role, policy = properties["role"], properties["policyArn"]
        of_aws = ":iam::aws:" in policy
        refuse(
            subject.api.cloud,
            [
                Violation(
                    rule=ATTACHMENTS,
                    resource=f"policies of role {role}",
                    code="NoSuchEntity",
                    message=f"Policy {policy} does not exist or is not attachable"
                    if policy in str(error)
                    else f"The role with name {role} cannot be found",
                    remedy="name a policy of AWS as https://docs.aws.amazon.com/aws-managed-policy/latest/"
                    "reference/ has it, where it is not newer than moto's"
                    if of_aws
                    else "name a role and a policy that are there",
                )
            ],
        )


ATTACHMENT_ID = "{role}/{policyArn}"

ROLE_POLICY_ATTACHMENT = Kind(
    service="iam",
    # CloudFormation lists policies in the role.
    schema="AWS::IAM::Role",
    regional=False,
    inputs="role! policyArn!",
    create=attach,
    id=ATTACHMENT_ID,
    reads=(Read(read_attachment),),
    delete=(Call("detach_role_policy", {"RoleName": P("role"), "PolicyArn": P("policyArn")}),),
    exclusive=True,
    calls=lambda subject: [
        (
            "attach_role_policy",
            {"RoleName": subject.properties["role"], "PolicyArn": subject.properties["policyArn"]},
        )
    ],
)


# --- policies ---


MAX_VERSIONS = 5
"""Versions that IAM keeps of a policy."""


def new_version(subject: Subject) -> None:
    """Make a new default version; at the limit, the oldest one is deleted."""
    old = _other_versions(subject)
    if len(old) >= MAX_VERSIONS - 1:
        subject.request("delete_policy_version", PolicyArn=subject.id, VersionId=old[-1])
    subject.call(Call("create_policy_version", {"PolicyArn": ID, "SetAsDefault": True}, takes="policy"))


def drop_versions(subject: Subject) -> None:
    """Delete all versions but the default one, which goes with the policy."""
    for version in _other_versions(subject):
        subject.request("delete_policy_version", PolicyArn=subject.id, VersionId=version)


def _other_versions(subject: Subject) -> list[str]:
    """Versions that are not the default one, newest first."""
    versions = subject.request("list_policy_versions", PolicyArn=subject.id)["Versions"]
    old_versions = [version for version in versions if not version["IsDefaultVersion"]]
    old_versions.sort(key=lambda version: version["CreateDate"], reverse=True)
    return [version["VersionId"] for version in old_versions]


POLICY = Kind(
    service="iam",
    schema="AWS::IAM::ManagedPolicy",
    regional=False,
    inputs="policy! name namePrefix path description",
    outputs="arn attachmentCount policyId",
    create=Call("create_policy", other_inputs=True),
    id="Policy.Arn",
    names={"name": "PolicyName", "policy": "PolicyDocument"},
    name=Name(max_length=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    documents=words("policy"),
    reads=(
        Read(Call("get_policy", {"PolicyArn": ID}), at="Policy"),
        Read(
            Call("get_policy_version", {"PolicyArn": ID, "VersionId": P("defaultVersionId")}),
            at="PolicyVersion",
            properties={"policy": "Document"},
            all=False,
        ),
    ),
    changes=(Change(("policy",), new_version),),
    delete=(drop_versions, Call("delete_policy", {"PolicyArn": ID})),
    tags=tags_of("policy", "PolicyArn"),
    schema_names={"name": "ManagedPolicyName", "policy": "PolicyDocument"},
)


# --- instance profiles ---


def set_role(subject: Subject) -> None:
    """Put the role into a profile, in place of another one."""
    profile = {"InstanceProfileName": subject.id}
    for role in subject.request("get_instance_profile", **profile)["InstanceProfile"]["Roles"]:
        subject.request("remove_role_from_instance_profile", **profile, RoleName=role["RoleName"])
    if subject.inputs.get("role"):
        subject.request("add_role_to_instance_profile", **profile, RoleName=subject.inputs["role"])


def empty_profile(subject: Subject) -> None:
    """Take the role out of a profile."""
    subject.inputs = {}
    set_role(subject)


INSTANCE_PROFILE = Kind(
    service="iam",
    schema="AWS::IAM::InstanceProfile",
    regional=False,
    inputs="name namePrefix path role",
    outputs="arn createDate uniqueId",
    create=Call("create_instance_profile", other_inputs=True),
    id="{name}",
    names={"name": "InstanceProfileName"},
    name=Name(max_length=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    reads=(
        Read(
            Call("get_instance_profile", {"InstanceProfileName": ID}),
            at="InstanceProfile",
            properties={"uniqueId": "InstanceProfileId", "role": "Roles[0].RoleName"},
        ),
    ),
    changes=(Change(("role",), set_role),),
    delete=(empty_profile, Call("delete_instance_profile", {"InstanceProfileName": ID})),
    tags=replace(tags_of("instance_profile", "InstanceProfileName"), read_call=None),
    schema_names={"name": "InstanceProfileName", "role": "Roles"},
)


# --- OIDC providers ---

OIDC_PROVIDER = Kind(
    service="iam",
    schema="AWS::IAM::OIDCProvider",
    regional=False,
    inputs="url! clientIdLists! thumbprintLists",
    outputs="arn",
    create=Call("create_open_id_connect_provider", other_inputs=True),
    id="OpenIDConnectProviderArn",
    names={"clientIdLists": "ClientIDList", "thumbprintLists": "ThumbprintList"},
    computed=words("thumbprintLists"),
    unordered=words("clientIdLists thumbprintLists"),
    reads=(Read(Call("get_open_id_connect_provider", {"OpenIDConnectProviderArn": ID})),),
    changes=(
        change(
            "thumbprintLists",
            "update_open_id_connect_provider_thumbprint",
            {"OpenIDConnectProviderArn": ID},
        ),
    ),
    delete=(Call("delete_open_id_connect_provider", {"OpenIDConnectProviderArn": ID}),),
    tags=tags_of("open_id_connect_provider", "OpenIDConnectProviderArn"),
    derived={"arn": "{id}", "url": "https://{url}"},
    schema_names={"clientIdLists": "ClientIdList", "thumbprintLists": "ThumbprintList"},
    exclusive=True,
)

TYPES = {
    "aws:iam/role:Role": ROLE,
    "aws:iam/rolePolicy:RolePolicy": ROLE_POLICY,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": ROLE_POLICY_ATTACHMENT,
    "aws:iam/policy:Policy": POLICY,
    "aws:iam/instanceProfile:InstanceProfile": INSTANCE_PROFILE,
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": OIDC_PROVIDER,
}
