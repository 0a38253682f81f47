"""IAM's users: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

BASES: Bases = {
    "user": lambda w: ("aws:iam/user:User", {"name": "base-user"}),
    "other_user": lambda w: ("aws:iam/user:User", {"name": "other-user"}),
}

EXAMPLES = [
    Example(
        "aws:iam/user:User",
        lambda w: {"name": "somebody", "tags": TAGS},
        lambda w: {"path": "/people/", "tags": OTHER_TAGS},
        lambda w: {"name": "somebody-else"},
    ),
    Example(
        "aws:iam/accessKey:AccessKey",
        lambda w: {"user": w.user},
        lambda w: {"status": "Inactive"},
        lambda w: {"user": w.other_user},
    ),
]


def tag_user(console: Console, resource: Resource) -> None:
    console.client("iam").tag_user(UserName=resource.id, Tags=[{"Key": "by-hand", "Value": "yes"}])


def disable_key(console: Console, resource: Resource) -> None:
    console.client("iam").update_access_key(
        UserName=resource.inputs["user"], AccessKeyId=resource.id, Status="Inactive"
    )


CHANGES_BY_HAND: Changes = {
    "aws:iam/user:User": tag_user,
    "aws:iam/accessKey:AccessKey": disable_key,
}
