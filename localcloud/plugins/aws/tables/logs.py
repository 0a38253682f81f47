"""CloudWatch log groups."""

from typing import Any

from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, Name, Read, change, tags_by_arn, words


def read_group(subject: Subject) -> dict[str, Any] | None:
    """A log group."""
    page: dict[str, Any] = {}
    while not page or page.get("nextToken"):
        token = {"nextToken": page["nextToken"]} if page else {}
        page = subject.request("describe_log_groups", logGroupNamePrefix=subject.id, **token)
        for group in page["logGroups"]:
            if group["logGroupName"] == subject.id:
                properties = subject.extract("describe_log_groups", {"logGroups": [group]}, "logGroups[0]")
                return {**properties, "arn": group["arn"].removesuffix(":*")}
    return None


def drop_tags(subject: Subject) -> None:
    """Take the tags from a group before it is deleted: moto would put them on the next one of its name."""
    tags = subject.properties.get("tagsAll")
    if tags and not subject.properties.get("skipDestroy"):
        subject.request("untag_resource", resourceArn=subject.properties["arn"], tagKeys=sorted(tags))


def delete_group(subject: Subject) -> None:
    """Delete a group, unless the program keeps it."""
    if not subject.properties.get("skipDestroy"):
        subject.request("delete_log_group", logGroupName=subject.id)


GROUP = {"logGroupName": ID}

LOG_GROUP = Kind(
    service="logs",
    schema="AWS::Logs::LogGroup",
    inputs="name namePrefix retentionInDays kmsKeyId logGroupClass deletionProtectionEnabled skipDestroy",
    outputs="arn",
    create=Call("create_log_group", other_inputs=True),
    id="{name}",
    names={"name": "logGroupName"},
    name=Name(max_length=512),
    defaults={"skipDestroy": False},
    arguments=words("namePrefix skipDestroy"),
    computed=words("logGroupClass deletionProtectionEnabled"),
    write_only=words("logGroupClass"),
    refusals=(services.log_group_key,),
    reads=(Read(read_group),),
    changes=(
        change(
            "retentionInDays",
            "put_retention_policy",
            GROUP,
            removal=Call("delete_retention_policy", GROUP),
        ),
        change("kmsKeyId", "associate_kms_key", GROUP, removal=Call("disassociate_kms_key", GROUP)),
        change("deletionProtectionEnabled", "put_log_group_deletion_protection", {"logGroupIdentifier": ID}),
    ),
    delete=(drop_tags, delete_group),
    tags=tags_by_arn("arn", in_reads=False),
    schema_names={"name": "LogGroupName"},
)

TYPES = {"aws:cloudwatch/logGroup:LogGroup": LOG_GROUP}
