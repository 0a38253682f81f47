"""IAM's groups, and policies of groups and users: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_POLICY,
    POLICY,
    POLICY_FOR_ANYBODY,
    Bases,
    Changes,
    Console,
    Example,
)

READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"

BASES: Bases = {
    "people": lambda w: ("aws:iam/group:Group", {"name": "base-people"}),
    "other_people": lambda w: ("aws:iam/group:Group", {"name": "other-people"}),
}

EXAMPLES = [
    Example(
        "aws:iam/group:Group",
        lambda w: {"name": "some-people"},
        replace=lambda w: {"name": "some-others"},
    ),
    Example(
        "aws:iam/groupMembership:GroupMembership",
        lambda w: {"name": "members", "group": w.people, "users": [w.user]},
        lambda w: {"users": [w.other_user]},
        lambda w: {"group": w.other_people},
        imported=lambda resource: f"{resource.id}/{resource.inputs['group']}",
    ),
    Example(
        "aws:iam/groupPolicy:GroupPolicy",
        lambda w: {"group": w.people, "policy": POLICY},
        lambda w: {"policy": OTHER_POLICY},
        lambda w: {"group": w.other_people},
    ),
    Example(
        "aws:iam/userPolicy:UserPolicy",
        lambda w: {"user": w.user, "policy": POLICY},
        lambda w: {"policy": OTHER_POLICY},
        lambda w: {"user": w.other_user},
    ),
    Example(
        "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
        lambda w: {"group": w.people, "policyArn": READ_ONLY},
        replace=lambda w: {"group": w.other_people},
    ),
    Example(
        "aws:iam/userPolicyAttachment:UserPolicyAttachment",
        lambda w: {"user": w.user, "policyArn": READ_ONLY},
        replace=lambda w: {"user": w.other_user},
    ),
]


def change_group_policy(console: Console, resource: Resource) -> None:
    console.client("iam").put_group_policy(
        GroupName=resource.inputs["group"],
        PolicyName=resource.inputs["name"],
        PolicyDocument=POLICY_FOR_ANYBODY,
    )


def change_user_policy(console: Console, resource: Resource) -> None:
    console.client("iam").put_user_policy(
        UserName=resource.inputs["user"],
        PolicyName=resource.inputs["name"],
        PolicyDocument=POLICY_FOR_ANYBODY,
    )


CHANGES_BY_HAND: Changes = {
    "aws:iam/group:Group": None,
    "aws:iam/groupMembership:GroupMembership": None,
    "aws:iam/groupPolicy:GroupPolicy": change_group_policy,
    "aws:iam/userPolicy:UserPolicy": change_user_policy,
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment": None,
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": None,
}
