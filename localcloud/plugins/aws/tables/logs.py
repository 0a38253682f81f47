"""CloudWatch log groups."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words


def read_group(subject: Subject) -> dict[str, Any] | None:
    """A log group."""
    page: dict[str, Any] = {}
    while not page or page.get("nextToken"):
        token = {"nextToken": page["nextToken"]} if page else {}
        page = subject.request("describe_log_groups", logGroupNamePrefix=subject.id, **token)
        for group in page["logGroups"]:
            if group["logGroupName"] == subject.id:
                return {
                    "name": subject.id,
                    "arn": group["arn"].removesuffix(":*"),
                    "retentionInDays": group.get("retentionInDays"),
                    "kmsKeyId": group.get("kmsKeyId"),
                    "logGroupClass": group.get("logGroupClass"),
                    "deletionProtectionEnabled": group.get("deletionProtectionEnabled"),
                }
    return None


def drop_tags(subject: Subject) -> None:
    """Take the tags from a group before it is deleted: moto would put them on the next one of its name."""
    tags = subject.properties.get("tagsAll")
    if tags and not subject.properties.get("skipDestroy"):
        subject.request("untag_resource", resourceArn=subject.properties["arn"], tagKeys=sorted(tags))


GROUP = {"logGroupName": ID}

LOG_GROUP = Kind(
    service="logs",
    schema="AWS::Logs::LogGroup",
    inputs="name namePrefix retentionInDays kmsKeyId logGroupClass deletionProtectionEnabled skipDestroy",
    outputs="arn",
    create=Call("create_log_group", {"logGroupName": P("name")}, rest=True),
    id="{name}",
    name=Name(max_length=512),
    defaults={"skipDestroy": False},
    arguments=words("namePrefix skipDestroy"),
    computed=words("logGroupClass deletionProtectionEnabled"),
    write_only=words("logGroupClass"),
    reads=(Read(read_group),),
    changes=(
        Change(
            ("retentionInDays",),
            Call("put_retention_policy", GROUP | {"retentionInDays": P("retentionInDays")}),
            removal=Call("delete_retention_policy", GROUP),
        ),
        Change(
            ("kmsKeyId",),
            Call("associate_kms_key", GROUP | {"kmsKeyId": P("kmsKeyId")}),
            removal=Call("disassociate_kms_key", GROUP),
        ),
        Change(
            ("deletionProtectionEnabled",),
            Call(
                "put_log_group_deletion_protection",
                {"logGroupIdentifier": ID, "deletionProtectionEnabled": P("deletionProtectionEnabled")},
            ),
        ),
    ),
    delete=(
        drop_tags,
        lambda subject: (
            None
            if subject.properties.get("skipDestroy")
            else subject.request("delete_log_group", logGroupName=subject.id)
        ),
    ),
    tags=Tagging(
        create="tags",
        pairs=None,
        put=Call("tag_resource", {"resourceArn": P("arn"), "tags": P("=tags")}),
        remove=Call("untag_resource", {"resourceArn": P("arn"), "tagKeys": P("=keys")}),
        read_call=Call("list_tags_for_resource", {"resourceArn": P("arn")}),
        at="tags",
    ),
    schema_names={"name": "LogGroupName"},
)

TYPES = {"aws:cloudwatch/logGroup:LogGroup": LOG_GROUP}
