"""Auto Scaling: scheduled actions and tags of the groups of EKS node groups."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, P, Read

# --- scheduled actions ---

SIZES = ("minSize", "maxSize", "desiredCapacity")


def put_schedule(subject: Subject) -> str:
    """Make a scheduled action; as in the provider, a size that is left out is 0, and -1 is none."""
    sizes = {name: subject.inputs.get(name, 0) for name in SIZES}
    members = {name[0].upper() + name[1:]: int(size) for name, size in sizes.items() if int(size) != -1}
    subject.call(
        Call(
            "put_scheduled_update_group_action",
            {
                "AutoScalingGroupName": P("autoscalingGroupName"),
                "ScheduledActionName": P("scheduledActionName"),
                **{name[0].upper() + name[1:]: P(name) for name in WHEN},
            },
        ),
        members,
    )
    subject.sent |= subject.inputs.keys()
    return str(subject.properties["scheduledActionName"])


WHEN = ("startTime", "endTime", "recurrence", "timeZone")


def read_schedule(subject: Subject) -> dict[str, Any] | None:
    """A scheduled action. Its id to import is `<group>/<action>`."""
    properties = subject.properties
    if not properties.get("autoscalingGroupName"):
        properties["autoscalingGroupName"], _, subject.id = subject.id.partition("/")
    answer = subject.request(
        "describe_scheduled_actions",
        AutoScalingGroupName=properties["autoscalingGroupName"],
        ScheduledActionNames=[subject.id],
    )
    if not answer["ScheduledUpdateGroupActions"]:
        return None
    action = subject.extract("describe_scheduled_actions", answer, "ScheduledUpdateGroupActions[0]")
    return {**dict.fromkeys(SIZES, -1), **action}


SCHEDULE = Kind(
    service="autoscaling",
    schema="AWS::AutoScaling::ScheduledAction",
    inputs="autoscalingGroupName! scheduledActionName! minSize maxSize desiredCapacity startTime endTime "
    "recurrence timeZone",
    outputs="arn",
    create=put_schedule,
    id="",
    names={"autoscalingGroupName": "AutoScalingGroupName", "arn": "ScheduledActionARN"},
    computed=frozenset((*SIZES, *WHEN)),
    reads=(Read(read_schedule),),
    changes=(Change((*SIZES, *WHEN), put_schedule),),
    delete=(
        Call(
            "delete_scheduled_action",
            {
                "AutoScalingGroupName": P("autoscalingGroupName"),
                "ScheduledActionName": P("scheduledActionName"),
            },
        ),
    ),
)


# --- tags ---


def tag(subject: Subject) -> dict[str, Any]:
    """The tag as the service takes it."""
    properties = subject.properties["tag"]
    return {
        "ResourceId": subject.properties["autoscalingGroupName"],
        "ResourceType": "auto-scaling-group",
        "Key": properties["key"],
        "Value": properties["value"],
        "PropagateAtLaunch": properties["propagateAtLaunch"],
    }


def put_tag(subject: Subject) -> str:
    """Put the tag on its group."""
    subject.request("create_or_update_tags", Tags=[tag(subject)])
    subject.sent |= {"tag"}
    return f"{subject.properties['autoscalingGroupName']},{subject.properties['tag']['key']}"


def read_tag(subject: Subject) -> dict[str, Any] | None:
    """A tag of a group. Its id is `<group>,<key>`."""
    group, _, key = subject.id.partition(",")
    filters = [{"Name": "auto-scaling-group", "Values": [group]}, {"Name": "key", "Values": [key]}]
    tags = subject.request("describe_tags", Filters=filters)["Tags"]
    if not tags:
        return None
    value = {"key": key, "value": tags[0]["Value"], "propagateAtLaunch": tags[0]["PropagateAtLaunch"]}
    return {"autoscalingGroupName": group, "tag": value}


TAG = Kind(
    service="autoscaling",
    # CloudFormation lists tags in the group.
    schema="AWS::AutoScaling::AutoScalingGroup",
    inputs="autoscalingGroupName! tag!",
    create=put_tag,
    id="",
    reads=(Read(read_tag),),
    changes=(Change(("tag",), put_tag),),
    delete=(lambda subject: subject.request("delete_tags", Tags=[tag(subject)]),),
    schema_names={"tag": "Tags"},
)

TYPES = {
    "aws:autoscaling/schedule:Schedule": SCHEDULE,
    "aws:autoscaling/tag:Tag": TAG,
}
