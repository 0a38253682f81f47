"""IAM roles, policies and what binds them."""

import json
from dataclasses import replace
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import gone
from localcloud.plugins.aws.mapping import same_document
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, Name, P, Tagging, words


def tagged(noun: str, key: str, value: Any = ID) -> Tagging:
    """How IAM keeps the tags of a kind of entity."""
    return Tagging(
        create="Tags",
        put=Call(f"tag_{noun}", {key: value, "Tags": P("=tags")}),
        remove=Call(f"untag_{noun}", {key: value, "TagKeys": P("=keys")}),
        look=Call(f"list_{noun}_tags", {key: value}),
    )


def document(value: Any) -> str:
    """A policy document of an answer as JSON; botocore has read it already."""
    return value if isinstance(value, str) else json.dumps(value)


# --- roles ---


def shown_role(subject: Subject) -> dict[str, Any]:
    """A role."""
    role = subject.ask("get_role", RoleName=subject.id)["Role"]
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
    """Policies in a role and on it, whoever put them there."""
    attached = subject.ask("list_attached_role_policies", RoleName=subject.id)["AttachedPolicies"]
    names = subject.ask("list_role_policies", RoleName=subject.id)["PolicyNames"]
    inline = [
        {
            "name": name,
            "policy": document(
                subject.ask("get_role_policy", RoleName=subject.id, PolicyName=name)["PolicyDocument"]
            ),
        }
        for name in names
    ]
    return {"managedPolicyArns": [each["PolicyArn"] for each in attached], "inlinePolicies": inline}


def set_managed(subject: Subject) -> None:
    """Attach the policies that the role lists, and no others."""
    have = set(policies_of_role(subject)["managedPolicyArns"])
    want = set(subject.inputs.get("managedPolicyArns") or ())
    for arn in sorted(have - want):
        subject.ask("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    for arn in sorted(want - have):
        subject.ask("attach_role_policy", RoleName=subject.id, PolicyArn=arn)


def set_inline(subject: Subject) -> None:
    """Put the policies that the role lists into it, and no others."""
    have = {each["name"]: each["policy"] for each in policies_of_role(subject)["inlinePolicies"]}
    want = {each["name"]: each["policy"] for each in subject.inputs.get("inlinePolicies") or ()}
    for name in sorted(have.keys() - want.keys()):
        subject.ask("delete_role_policy", RoleName=subject.id, PolicyName=name)
    for name, policy in want.items():
        if not same_document(have.get(name), policy):
            subject.ask("put_role_policy", RoleName=subject.id, PolicyName=name, PolicyDocument=policy)


def strip_role(subject: Subject) -> None:
    """Take from a role what the program put on it, or everything where it says so, before it is deleted."""
    for profile in subject.ask("list_instance_profiles_for_role", RoleName=subject.id)["InstanceProfiles"]:
        subject.ask(
            "remove_role_from_instance_profile",
            RoleName=subject.id,
            InstanceProfileName=profile["InstanceProfileName"],
        )
    known, have = subject.properties, policies_of_role(subject)
    everything = bool(known.get("forceDetachPolicies"))
    if everything or known.get("managedPolicyArns"):
        for arn in have["managedPolicyArns"]:
            subject.ask("detach_role_policy", RoleName=subject.id, PolicyArn=arn)
    if everything or known.get("inlinePolicies"):
        for each in have["inlinePolicies"]:
            subject.ask("delete_role_policy", RoleName=subject.id, PolicyName=each["name"])


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
    name=Name(longest=64),
    defaults={"forceDetachPolicies": False, "maxSessionDuration": 3600, "path": "/"},
    arguments=words("namePrefix forceDetachPolicies"),
    # Policies may also be resources of their own: a list that nobody gives is nobody's.
    chosen=words("managedPolicyArns inlinePolicies"),
    documents=words("assumeRolePolicy inlinePolicies.policy"),
    unordered=words("managedPolicyArns inlinePolicies"),
    looks=(Look(shown_role), Look(policies_of_role)),
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
            without=Call("delete_role_permissions_boundary", {"RoleName": ID}),
        ),
        Change(("managedPolicyArns",), set_managed),
        Change(("inlinePolicies",), set_inline),
    ),
    delete=(strip_role, Call("delete_role", {"RoleName": ID})),
    tags=tagged("role", "RoleName"),
    schema_names={
        "name": "RoleName",
        "assumeRolePolicy": "AssumeRolePolicyDocument",
        "inlinePolicies": "Policies",
    },
)


def shown_role_policy(subject: Subject) -> dict[str, Any]:
    """A policy in a role."""
    role, _, name = subject.id.partition(":")
    shown = subject.ask("get_role_policy", RoleName=role, PolicyName=name)
    return {"role": role, "name": name, "policy": document(shown["PolicyDocument"])}


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
    name=Name(longest=128),
    arguments=words("namePrefix"),
    documents=words("policy"),
    looks=(Look(shown_role_policy),),
    changes=(Change(("policy",), PUT_ROLE_POLICY),),
    delete=(Call("delete_role_policy", {"RoleName": P("role"), "PolicyName": P("name")}),),
    schema_names={"role": "RoleName", "name": "PolicyName", "policy": "PolicyDocument"},
)


def shown_attachment(subject: Subject) -> dict[str, Any] | None:
    """A policy on a role. To import it: `<role>/<policy's ARN>`."""
    known = subject.properties
    if not known.get("policyArn"):
        known["role"], _, known["policyArn"] = subject.id.partition("/")
        subject.id = str(subject.text(ATTACHMENT_ID))
    attached = subject.ask("list_attached_role_policies", RoleName=known["role"])["AttachedPolicies"]
    if any(each["PolicyArn"] == known["policyArn"] for each in attached):
        return {"role": known["role"], "policyArn": known["policyArn"]}
    return None


def attach(subject: Subject) -> None:
    """Attach a policy to a role. Of AWS's own policies, moto knows those of its release."""
    known = subject.properties
    try:
        subject.ask("attach_role_policy", RoleName=known["role"], PolicyArn=known["policyArn"])
    except Exception as error:
        if not gone(error):
            raise
        raise Refusal(
            f"{subject.type}: there is no role {known['role']}, or no policy {known['policyArn']}."
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
    looks=(Look(shown_attachment),),
    delete=(Call("detach_role_policy", {"RoleName": P("role"), "PolicyArn": P("policyArn")}),),
    alone=True,
)


# --- policies ---


def shown_policy(subject: Subject) -> dict[str, Any]:
    """A managed policy, in its default version."""
    policy = subject.ask("get_policy", PolicyArn=subject.id)["Policy"]
    version = subject.ask("get_policy_version", PolicyArn=subject.id, VersionId=policy["DefaultVersionId"])
    return {
        "name": policy["PolicyName"],
        "arn": policy["Arn"],
        "path": policy["Path"],
        "policyId": policy["PolicyId"],
        "description": policy.get("Description"),
        "attachmentCount": policy.get("AttachmentCount"),
        "policy": document(version["PolicyVersion"]["Document"]),
    }


VERSIONS = 5
"""Versions that IAM keeps of a policy."""


def new_version(subject: Subject) -> None:
    """Make a new default version; the oldest goes where there are as many as may be."""
    old = _other_versions(subject)
    if len(old) >= VERSIONS - 1:
        subject.ask("delete_policy_version", PolicyArn=subject.id, VersionId=old[-1])
    subject.ask(
        "create_policy_version",
        PolicyArn=subject.id,
        PolicyDocument=subject.properties["policy"],
        SetAsDefault=True,
    )


def drop_versions(subject: Subject) -> None:
    """Delete all versions but the default one, which goes with the policy."""
    for version in _other_versions(subject):
        subject.ask("delete_policy_version", PolicyArn=subject.id, VersionId=version)


def _other_versions(subject: Subject) -> list[str]:
    """Versions that are not the default one, newest first."""
    versions = subject.ask("list_policy_versions", PolicyArn=subject.id)["Versions"]
    others = [each for each in versions if not each["IsDefaultVersion"]]
    return [each["VersionId"] for each in sorted(others, key=lambda each: each["CreateDate"], reverse=True)]


POLICY = Kind(
    service="iam",
    schema="AWS::IAM::ManagedPolicy",
    regional=False,
    inputs="policy! name namePrefix path description",
    outputs="arn attachmentCount policyId",
    create=Call("create_policy", rest=True),
    id="Policy.Arn",
    names={"name": "PolicyName", "policy": "PolicyDocument"},
    name=Name(longest=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    documents=words("policy"),
    looks=(Look(shown_policy),),
    changes=(Change(("policy",), new_version),),
    delete=(drop_versions, Call("delete_policy", {"PolicyArn": ID})),
    tags=tagged("policy", "PolicyArn"),
    schema_names={"name": "ManagedPolicyName", "policy": "PolicyDocument"},
)


# --- instance profiles ---


def set_role(subject: Subject) -> None:
    """Put the role into a profile, in place of the one that is in it."""
    profile = subject.ask("get_instance_profile", InstanceProfileName=subject.id)["InstanceProfile"]
    for role in profile["Roles"]:
        subject.ask(
            "remove_role_from_instance_profile", InstanceProfileName=subject.id, RoleName=role["RoleName"]
        )
    if subject.inputs.get("role"):
        subject.ask(
            "add_role_to_instance_profile", InstanceProfileName=subject.id, RoleName=subject.inputs["role"]
        )


def empty_profile(subject: Subject) -> None:
    """Take the role out of a profile."""
    subject.inputs = {}
    set_role(subject)


def shown_profile(subject: Subject) -> dict[str, Any]:
    """An instance profile."""
    profile = subject.ask("get_instance_profile", InstanceProfileName=subject.id)["InstanceProfile"]
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
    name=Name(longest=128),
    defaults={"path": "/"},
    arguments=words("namePrefix"),
    looks=(Look(shown_profile),),
    changes=(Change(("role",), set_role),),
    delete=(empty_profile, Call("delete_instance_profile", {"InstanceProfileName": ID})),
    tags=replace(tagged("instance_profile", "InstanceProfileName"), look=None),
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
    chosen=words("thumbprintLists"),
    unordered=words("clientIdLists thumbprintLists"),
    looks=(Look(Call("get_open_id_connect_provider", {"OpenIDConnectProviderArn": ID})),),
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
    tags=tagged("open_id_connect_provider", "OpenIDConnectProviderArn"),
    derived={"arn": "{id}", "url": "https://{url}"},
    schema_names={"clientIdLists": "ClientIdList", "thumbprintLists": "ThumbprintList"},
    alone=True,
)

TYPES = {
    "aws:iam/role:Role": ROLE,
    "aws:iam/rolePolicy:RolePolicy": ROLE_POLICY,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": ROLE_POLICY_ATTACHMENT,
    "aws:iam/policy:Policy": POLICY,
    "aws:iam/instanceProfile:InstanceProfile": INSTANCE_PROFILE,
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": OIDC_PROVIDER,
}
