"""IAM roles, policies, attachments, instance profiles and OIDC providers."""

import json
from dataclasses import replace
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.mapping import same_document
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words


def tags_of(noun: str, key: str, value: Any = ID) -> Tagging:
    """Tags of a kind of entity of IAM."""
    return Tagging(
        create="Tags",
        put=Call(f"tag_{noun}", {key: value, "Tags": P("=tags")}),
        remove=Call(f"untag_{noun}", {key: value, "TagKeys": P("=keys")}),
        read_call=Call(f"list_{noun}_tags", {key: value}),
    )


def document(value: Any) -> str:
    """A policy document of an answer as JSON; botocore has parsed it already."""
    return value if isinstance(value, str) else json.dumps(value)


# --- roles ---


def read_role(subject: Subject) -> dict[str, Any]:
    """A role."""
    role = subject.request("get_role", RoleName=subject.id)["Role"]
    return {
        "name": role["RoleName"],
        "arn": role["Arn"],
        "path": role["Path"],
        "uniqueId": role["RoleId"],
        "createDate": role["CreateDate"].isoformat(),
        "description": role.get("Description"),
        "maxSessionDuration": role.get("MaxSessionDuration"),
        "assumeRolePolicy": document(role["AssumeRolePolicyDocument"]),
        "permissionsBoundary": (role.get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn"),
    }


def policies_of_role(subject: Subject) -> dict[str, Any]:
    """Policies in a role and on it, also those set by hand."""
    attached = subject.request("list_attached_role_policies", RoleName=subject.id)["AttachedPolicies"]
    names = subject.request("list_role_policies", RoleName=subject.id)["PolicyNames"]

    def policy(name: str) -> str:
        answer = subject.request("get_role_policy", RoleName=subject.id, PolicyName=name)
        return document(answer["PolicyDocument"])

    inline = [{"name": name, "policy": policy(name)} for name in names]
    return {"managedPolicyArns": [entry["PolicyArn"] for entry in attached], "inlinePolicies": inline}


def set_managed(subject: Subject) -> None:
    """Attach the policies that the role lists, and no others."""
    old = set(policies_of_role(subject)["managedPolicyArns"])
    new = set(subject.inputs.get("managedPolicyArns") or ())
    for arn in sorted(old - new):
        subject.request("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    for arn in sorted(new - old):
        subject.request("attach_role_policy", RoleName=subject.id, PolicyArn=arn)


def set_inline(subject: Subject) -> None:
    """Put the policies that the role lists into it, and no others."""
    old = {entry["name"]: entry["policy"] for entry in policies_of_role(subject)["inlinePolicies"]}
    new = {entry["name"]: entry["policy"] for entry in subject.inputs.get("inlinePolicies") or ()}
    for name in sorted(old.keys() - new.keys()):
        subject.request("delete_role_policy", RoleName=subject.id, PolicyName=name)
    for name, policy in new.items():
        if not same_document(old.get(name), policy):
            subject.request("put_role_policy", RoleName=subject.id, PolicyName=name, PolicyDocument=policy)


def strip_role(subject: Subject) -> None:
    """Take the program's policies from a role before its deletion, or all with forceDetachPolicies."""
    answer = subject.request("list_instance_profiles_for_role", RoleName=subject.id)
    for profile in answer["InstanceProfiles"]:
        subject.request(
            "remove_role_from_instance_profile",
            RoleName=subject.id,
            InstanceProfileName=profile["InstanceProfileName"],
        )
    properties, policies = subject.properties, policies_of_role(subject)
    force = bool(properties.get("forceDetachPolicies"))
    if force or properties.get("managedPolicyArns"):
        for arn in policies["managedPolicyArns"]:
            subject.request("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    if force or properties.get("inlinePolicies"):
        for policy in policies["inlinePolicies"]:
            subject.request("delete_role_policy", RoleName=subject.id, PolicyName=policy["name"])


ROLE = Kind(
    service="iam",
    schema="AWS::IAM::Role",
    regional=False,
    inputs="assumeRolePolicy! name namePrefix path description maxSessionDuration permissionsBoundary "
    "forceDetachPolicies managedPolicyArns inlinePolicies",
    outputs="arn createDate uniqueId",
    create=Call("create_role", rest=True),
    id="{name}",
    names={"name": "RoleName", "assumeRolePolicy": "AssumeRolePolicyDocument"},
    name=Name(max_length=64),
    defaults={"forceDetachPolicies": False, "maxSessionDuration": 3600, "path": "/"},
    arguments=words("namePrefix forceDetachPolicies"),
    # Policies may also be resources of their own: without a list here none of them is changed.
    computed=words("managedPolicyArns inlinePolicies"),
    documents=words("assumeRolePolicy inlinePolicies.policy"),
    unordered=words("managedPolicyArns inlinePolicies"),
    reads=(Read(read_role), Read(policies_of_role)),
    changes=(
        Change(
            ("assumeRolePolicy",),
            Call("update_assume_role_policy", {"RoleName": ID, "PolicyDocument": P("assumeRolePolicy")}),
        ),
        Change(
            ("description", "maxSessionDuration"),
            Call(
                "update_role",
                {
                    "RoleName": ID,
                    "Description": P("description"),
                    "MaxSessionDuration": P("maxSessionDuration"),
                },
            ),
        ),
        Change(
            ("permissionsBoundary",),
            Call(
                "put_role_permissions_boundary",
                {"RoleName": ID, "PermissionsBoundary": P("permissionsBoundary")},
            ),
            removal=Call("delete_role_permissions_boundary", {"RoleName": ID}),
        ),
        Change(("managedPolicyArns",), set_managed),
        Change(("inlinePolicies",), set_inline),
    ),
    delete=(strip_role, Call("delete_role", {"RoleName": ID})),
    tags=tags_of("role", "RoleName"),
    schema_names={
        "name": "RoleName",
        "assumeRolePolicy": "AssumeRolePolicyDocument",
        "inlinePolicies": "Policies",
    },
)


def read_role_policy(subject: Subject) -> dict[str, Any]:
    """A policy in a role."""
    role, _, name = subject.id.partition(":")
    answer = subject.request("get_role_policy", RoleName=role, PolicyName=name)
    return {"role": role, "name": name, "policy": document(answer["PolicyDocument"])}


PUT_ROLE_POLICY = Call(
    "put_role_policy", {"RoleName": P("role"), "PolicyName": P("name"), "PolicyDocument": P("policy")}
)

ROLE_POLICY = Kind(
    service="iam",
    schema="AWS::IAM::RolePolicy",
    regional=False,
    inputs="role! policy! name namePrefix",
    create=PUT_ROLE_POLICY,
    id="{role}:{name}",
    name=Name(max_length=128),
    arguments=words("namePrefix"),
    documents=words("policy"),
    reads=(Read(read_role_policy),),
    changes=(Change(("policy",), PUT_ROLE_POLICY),),
    delete=(Call("delete_role_policy", {"RoleName": P("role"), "PolicyName": P("name")}),),
    schema_names={"role": "RoleName", "name": "PolicyName", "policy": "PolicyDocument"},
)


def read_attachment(subject: Subject) -> dict[str, Any] | None:
    """A policy on a role. Its id to import is `<role>/<policy's ARN>`."""
    properties = subject.properties
    if not properties.get("policyArn"):
        properties["role"], _, properties["policyArn"] = subject.id.partition("/")
        subject.id = str(subject.text(ATTACHMENT_ID))
    attached = subject.request("list_attached_role_policies", RoleName=properties["role"])["AttachedPolicies"]
    if any(entry["PolicyArn"] == properties["policyArn"] for entry in attached):
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
        raise Refusal(
            f"{subject.type}: there is no role {properties['role']}, or no policy {properties['policyArn']}."
        ) from None


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
)


# --- policies ---


def read_policy(subject: Subject) -> dict[str, Any]:
    """A managed policy, in its default version."""
    policy = subject.request("get_policy", PolicyArn=subject.id)["Policy"]
    default = policy["DefaultVersionId"]
    version = subject.request("get_policy_version", PolicyArn=subject.id, VersionId=default)
    return {
        "name": policy["PolicyName"],
        "arn": policy["Arn"],
        "path": policy["Path"],
        "policyId": policy["PolicyId"],
        "description": policy.get("Description"),
        "attachmentCount": policy.get("AttachmentCount"),
        "policy": document(version["PolicyVersion"]["Document"]),
    }


MAX_VERSIONS = 5
"""Versions that IAM keeps of a policy."""


def new_version(subject: Subject) -> None:
    """Make a new default version; at the limit, the oldest one is deleted."""
    old = _other_versions(subject)
    if len(old) >= MAX_VERSIONS - 1:
        subject.request("delete_policy_version", PolicyArn=subject.id, VersionId=old[-1])
    subject.request(
        "create_policy_version",
        PolicyArn=subject.id,
        PolicyDocument=subject.properties["policy"],
        SetAsDefault=True,
    )


def drop_versions(subject: Subject) -> None:
    """Delete all versions but the default one, which goes with the policy."""
    for version in _other_versions(subject):
        subject.request("delete_policy_version", PolicyArn=subject.id, VersionId=version)


def _other_versions(subject: Subject) -> list[str]:
    """Versions that are not the default one, newest first."""
    versions = subject.request("list_policy_versions", PolicyArn=subject.id)["Versions"]
    versions.sort(key=lambda version: version["CreateDate"], reverse=True)
    return [version["VersionId"] for version in versions if not version["IsDefaultVersion"]]


POLICY = Kind(
    service="iam",
    schema="AWS::IAM::ManagedPolicy",
    regional=False,
    inputs="policy! name namePrefix path description",
    outputs="arn attachmentCount policyId",
    create=Call("create_policy", rest=True),
    id="Policy.Arn",
    names={"name": "PolicyName", "policy": "PolicyDocument"},
    name=Name(max_length=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    documents=words("policy"),
    reads=(Read(read_policy),),
    changes=(Change(("policy",), new_version),),
    delete=(drop_versions, Call("delete_policy", {"PolicyArn": ID})),
    tags=tags_of("policy", "PolicyArn"),
    schema_names={"name": "ManagedPolicyName", "policy": "PolicyDocument"},
)


# --- instance profiles ---


def set_role(subject: Subject) -> None:
    """Put the role into a profile, in place of another one."""
    profile = subject.request("get_instance_profile", InstanceProfileName=subject.id)["InstanceProfile"]
    for role in profile["Roles"]:
        subject.request(
            "remove_role_from_instance_profile", InstanceProfileName=subject.id, RoleName=role["RoleName"]
        )
    if subject.inputs.get("role"):
        subject.request(
            "add_role_to_instance_profile", InstanceProfileName=subject.id, RoleName=subject.inputs["role"]
        )


def empty_profile(subject: Subject) -> None:
    """Take the role out of a profile."""
    subject.inputs = {}
    set_role(subject)


def read_profile(subject: Subject) -> dict[str, Any]:
    """An instance profile."""
    profile = subject.request("get_instance_profile", InstanceProfileName=subject.id)["InstanceProfile"]
    return {
        "name": profile["InstanceProfileName"],
        "arn": profile["Arn"],
        "path": profile["Path"],
        "uniqueId": profile["InstanceProfileId"],
        "createDate": profile["CreateDate"].isoformat(),
        "role": next((role["RoleName"] for role in profile["Roles"]), None),
        "tagsAll": {tag["Key"]: tag["Value"] for tag in profile.get("Tags", ())},
    }


INSTANCE_PROFILE = Kind(
    service="iam",
    schema="AWS::IAM::InstanceProfile",
    regional=False,
    inputs="name namePrefix path role",
    outputs="arn createDate uniqueId",
    create=Call("create_instance_profile", rest=True),
    id="{name}",
    names={"name": "InstanceProfileName"},
    name=Name(max_length=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    reads=(Read(read_profile),),
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
    create=Call("create_open_id_connect_provider", rest=True),
    id="OpenIDConnectProviderArn",
    names={"clientIdLists": "ClientIDList", "thumbprintLists": "ThumbprintList"},
    computed=words("thumbprintLists"),
    unordered=words("clientIdLists thumbprintLists"),
    reads=(Read(Call("get_open_id_connect_provider", {"OpenIDConnectProviderArn": ID})),),
    changes=(
        Change(
            ("thumbprintLists",),
            Call(
                "update_open_id_connect_provider_thumbprint",
                {"OpenIDConnectProviderArn": ID, "ThumbprintList": P("thumbprintLists")},
            ),
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
