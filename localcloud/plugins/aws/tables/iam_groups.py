"""IAM: groups, who is in them, and policies of groups and users."""

from collections.abc import Callable, Mapping
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, words

GROUP = Kind(
    service="iam",
    schema="AWS::IAM::Group",
    regional=False,
    inputs="name path",
    outputs="arn uniqueId",
    create=Call("create_group", other_inputs=True),
    id="{name}",
    names={"name": "GroupName"},
    name=Name(prefix=None, max_length=128),
    defaults={"path": "/"},
    reads=(Read(Call("get_group", {"GroupName": ID}), at="Group", properties={"uniqueId": "GroupId"}),),
    delete=(Call("delete_group", {"GroupName": ID}),),
    schema_names={"name": "GroupName"},
)


def set_users(subject: Subject) -> str:
    """Have those users in a group that the program lists; the membership's id."""
    group = subject.properties["group"]
    old, new = (set(inputs.get("users") or ()) for inputs in (subject.old, subject.inputs))
    for user in sorted(old - new):
        subject.request("remove_user_from_group", GroupName=group, UserName=user)
    for user in sorted(new - old):
        subject.request("add_user_to_group", GroupName=group, UserName=user)
    return str(subject.properties["name"])


def remove_users(subject: Subject) -> None:
    """Take them out of the group."""
    group = subject.properties["group"]
    for user in subject.properties.get("users") or ():
        subject.request("remove_user_from_group", GroupName=group, UserName=user)


def read_users(subject: Subject) -> dict[str, Any] | None:
    """A membership, as long as somebody is in the group. To import it: `<name>/<group>`."""
    subject.id, _, group = subject.id.partition("/")
    group = group or subject.properties["group"]
    users = [user["UserName"] for user in subject.request("get_group", GroupName=group)["Users"]]
    return {"name": subject.id, "group": group, "users": users} if users else None


MEMBERSHIP = Kind(
    service="iam",
    # CloudFormation lists groups in the user.
    schema="AWS::IAM::Group",
    regional=False,
    inputs="group! name users!",
    create=set_users,
    id="",
    name=Name(prefix=None, max_length=128),
    unordered=words("users"),
    reads=(Read(read_users),),
    changes=(Change(("users",), set_users),),
    delete=(remove_users,),
    exclusive=True,
)


def policy_of(noun: str) -> Kind:
    """Row of the policies that stand in a user or a group, `noun`."""
    put = Call(f"put_{noun}_policy", takes=f"{noun} name policy")
    names = {noun: f"{noun.title()}Name", "name": "PolicyName", "policy": "PolicyDocument"}
    return Kind(
        service="iam",
        schema=f"AWS::IAM::{noun.title()}Policy",
        regional=False,
        inputs=f"{noun}! policy! name namePrefix",
        create=put,
        id=f"{{{noun}}}:{{name}}",
        identity=(noun, "name"),
        names=names,
        name=Name(max_length=128),
        arguments=words("namePrefix"),
        documents=words("policy"),
        reads=(Read(Call(f"get_{noun}_policy", takes=f"{noun} name")),),
        changes=(Change(("policy",), put),),
        delete=(Call(f"delete_{noun}_policy", takes=f"{noun} name"),),
        schema_names=names,
    )


def attachment_to(noun: str) -> Kind:
    """Row of the attachments of policies to a user or a group, `noun`."""
    member = f"{noun.title()}Name"
    key = {member: P(noun), "PolicyArn": P("policyArn")}
    return Kind(
        service="iam",
        # CloudFormation lists policies in the user or group.
        schema=f"AWS::IAM::{noun.title()}",
        regional=False,
        inputs=f"{noun}! policyArn!",
        create=Call(f"attach_{noun}_policy", key),
        id=f"{{{noun}}}/{{policyArn}}",
        identity=(noun, "policyArn"),
        separator="/",
        reads=(Read(_read_attached(noun, member)),),
        delete=(Call(f"detach_{noun}_policy", key),),
        exclusive=True,
    )


def _read_attached(noun: str, member: str) -> Callable[[Subject], Mapping[str, Any] | None]:
    def read(subject: Subject) -> Mapping[str, Any] | None:
        name, arn = subject.properties[noun], subject.properties["policyArn"]
        answer = subject.request(f"list_attached_{noun}_policies", **{member: name})
        arns = [policy["PolicyArn"] for policy in answer["AttachedPolicies"]]
        return {noun: name, "policyArn": arn} if arn in arns else None

    return read


TYPES = {
    "aws:iam/group:Group": GROUP,
    "aws:iam/groupMembership:GroupMembership": MEMBERSHIP,
    "aws:iam/groupPolicy:GroupPolicy": policy_of("group"),
    "aws:iam/userPolicy:UserPolicy": policy_of("user"),
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment": attachment_to("group"),
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": attachment_to("user"),
}
