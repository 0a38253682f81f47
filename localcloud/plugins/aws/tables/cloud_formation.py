"""Stacks of CloudFormation, of Auto Scaling groups only, whose machines join clusters as others do."""

from typing import Any

from localcloud.plugins.aws import self_managed
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

OWN = {"StackName": ID}


def update(subject: Subject) -> None:
    """Change a stack: all of it is sent."""
    members = subject.members(Call("update_stack", OWN, takes="templateBody capabilities"))
    subject.request("update_stack", **members, Tags=_tags(subject))


def _tags(subject: Subject) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in (subject.properties.get("tagsAll") or {}).items()]


def read(subject: Subject) -> dict[str, Any] | None:
    """A stack, with its template and outputs."""
    answer = subject.request("describe_stacks", StackName=subject.id)
    [stack] = answer["Stacks"]
    template = subject.request("get_template", StackName=subject.id)["TemplateBody"]
    return {
        "name": stack["StackName"],
        "templateBody": template,
        "capabilities": stack.get("Capabilities") or None,
        "outputs": {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]},
        "tagsAll": {tag["Key"]: tag["Value"] for tag in stack["Tags"]},
    }


def set_machines(subject: Subject) -> None:
    """Make the nodes of the groups in it; each update of theirs rolls, as an UpdatePolicy says."""
    for group in groups(subject):
        self_managed.set_group(subject, group, refresh=True)


def remove_machines(subject: Subject) -> None:
    """Remove the nodes of the groups in it."""
    for group in groups(subject):
        self_managed.remove_group(subject, group)


def groups(subject: Subject) -> list[str]:
    """Names of the Auto Scaling groups in a stack."""
    resources = subject.request("list_stack_resources", StackName=subject.id)["StackResourceSummaries"]
    return [resource["PhysicalResourceId"] for resource in resources]


STACK = Kind(
    service="cloudformation",
    schema="AWS::CloudFormation::Stack",
    inputs="name templateBody capabilities",
    outputs="outputs",
    create=Call("create_stack", takes="name templateBody capabilities"),
    id="StackId",
    name=Name(prefix=None, max_length=128),
    names={"name": "StackName"},
    computed=words("templateBody capabilities"),
    fixed={"disableRollback": False},
    schema_names={"name": "StackName", "templateBody": "TemplateBody"},
    volatile=words("outputs"),
    reads=(Read(read),),
    changes=(Change(("templateBody", "capabilities"), update),),
    final_steps=(set_machines,),
    delete=(remove_machines, Call("delete_stack", OWN)),
    tags=Tagging(
        create="Tags",
        put=Call("update_stack", {**OWN, "TemplateBody": P("templateBody"), "Tags": P("=tags")}),
        remove=Call("update_stack", {**OWN, "TemplateBody": P("templateBody")}),
    ),
)

TYPES = {"aws:cloudformation/stack:Stack": STACK}
