"""IAM: users and their access keys."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, change
from localcloud.plugins.aws.tables.iam import tags_of

USER_KEY = {"UserName": ID}

USER = Kind(
    service="iam",
    schema="AWS::IAM::User",
    regional=False,
    inputs="name path permissionsBoundary",
    outputs="arn uniqueId",
    create=Call("create_user", other_inputs=True),
    id="{name}",
    names={"name": "UserName"},
    name=Name(prefix=None, max_length=64),
    defaults={"path": "/"},
    fixed={"forceDestroy": False},
    reads=(
        Read(
            Call("get_user", USER_KEY),
            at="User",
            properties={
                "uniqueId": "UserId",
                "permissionsBoundary": "PermissionsBoundary.PermissionsBoundaryArn",
            },
        ),
    ),
    changes=(
        # The provider renames users in place too; here a new name makes another one.
        Change(("path",), Call("update_user", {**USER_KEY, "NewPath": P("path")})),
        change(
            "permissionsBoundary",
            "put_user_permissions_boundary",
            USER_KEY,
            removal=Call("delete_user_permissions_boundary", USER_KEY),
        ),
    ),
    delete=(Call("delete_user", USER_KEY),),
    tags=tags_of("user", "UserName"),
    schema_names={"name": "UserName"},
)

STATUS = Call("update_access_key", {"UserName": P("user"), "AccessKeyId": ID, "Status": P("status")})


def make_access_key(subject: Subject) -> str:
    """Make a key; IAM shows its secret only now, and the state keeps it."""
    key = subject.request("create_access_key", UserName=subject.properties["user"])["AccessKey"]
    subject.properties["secret"] = key["SecretAccessKey"]
    return str(key["AccessKeyId"])


def read_access_key(subject: Subject) -> dict[str, Any] | None:
    """A key of a user, with the secret as the state has it."""
    user = subject.properties.get("user")
    if user is None:
        # As the provider on import, where an id is all that it has.
        user = subject.request("get_access_key_last_used", AccessKeyId=subject.id)["UserName"]
    for key in subject.request("list_access_keys", UserName=user)["AccessKeyMetadata"]:
        if key["AccessKeyId"] == subject.id:
            return {
                "user": user,
                "status": key["Status"],
                "createDate": key["CreateDate"].isoformat(),
                "secret": subject.properties.get("secret"),
            }
    return None


ACCESS_KEY = Kind(
    service="iam",
    schema="AWS::IAM::AccessKey",
    regional=False,
    inputs="user! status",
    outputs="createDate secret",
    create=make_access_key,
    id="",
    defaults={"status": "Active"},
    reads=(Read(read_access_key),),
    changes=(Change(("status",), STATUS),),
    delete=(Call("delete_access_key", {"UserName": P("user"), "AccessKeyId": ID}),),
    schema_names={"user": "UserName"},
)

TYPES = {
    "aws:iam/user:User": USER,
    "aws:iam/accessKey:AccessKey": ACCESS_KEY,
}
