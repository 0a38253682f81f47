"""Auto Scaling: what is said of the groups behind EKS node groups."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Look, P

# --- scheduled actions ---

SIZES = ("minSize", "maxSize", "desiredCapacity")


def put_schedule(subject: Subject) -> str:
    """Plan it; as in the provider, a size that is left out is 0, and -1 is none."""
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
    subject.taken |= subject.inputs.keys()
    return str(subject.properties["scheduledActionName"])


WHEN = ("startTime", "endTime", "recurrence", "timeZone")


def shown_schedule(subject: Subject) -> dict[str, Any] | None:
    """What is planned. To import it: `<group>/<action>`."""
    known = subject.properties
    if not known.get("autoscalingGroupName"):
        known["autoscalingGroupName"], _, subject.id = subject.id.partition("/")
    answer = subject.ask(
        "describe_scheduled_actions",
        AutoScalingGroupName=known["autoscalingGroupName"],
        ScheduledActionNames=[subject.id],
    )
    if not answer["ScheduledUpdateGroupActions"]:
        return None
    shown = subject.shown("describe_scheduled_actions", answer, "ScheduledUpdateGroupActions[0]")
    return {**dict.fromkeys(SIZES, -1), **shown}


SCHEDULE = Kind(
    service="autoscaling",
    schema="AWS::AutoScaling::ScheduledAction",
    inputs="autoscalingGroupName! scheduledActionName! minSize maxSize desiredCapacity startTime endTime "
    "recurrence timeZone",
    outputs="arn",
    create=put_schedule,
    id="",
    names={"autoscalingGroupName": "AutoScalingGroupName", "arn": "ScheduledActionARN"},
    chosen=frozenset((*SIZES, *WHEN)),
    looks=(Look(shown_schedule),),
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
    said = subject.properties["tag"]
    return {
        "ResourceId": subject.properties["autoscalingGroupName"],
        "ResourceType": "auto-scaling-group",
        "Key": said["key"],
        "Value": said["value"],
        "PropagateAtLaunch": said["propagateAtLaunch"],
    }


def put_tag(subject: Subject) -> str:
    """Put the tag on its group."""
    subject.ask("create_or_update_tags", Tags=[tag(subject)])
    subject.taken |= {"tag"}
    return f"{subject.properties['autoscalingGroupName']},{subject.properties['tag']['key']}"


def shown_tag(subject: Subject) -> dict[str, Any] | None:
    """A tag of a group. Its id is `<group>,<key>`."""
    group, _, key = subject.id.partition(",")
    filters = [{"Name": "auto-scaling-group", "Values": [group]}, {"Name": "key", "Values": [key]}]
    shown = subject.ask("describe_tags", Filters=filters)["Tags"]
    if not shown:
        return None
    value = {"key": key, "value": shown[0]["Value"], "propagateAtLaunch": shown[0]["PropagateAtLaunch"]}
    return {"autoscalingGroupName": group, "tag": value}


TAG = Kind(
    service="autoscaling",
    # CloudFormation lists tags in the group.
    schema="AWS::AutoScaling::AutoScalingGroup",
    inputs="autoscalingGroupName! tag!",
    create=put_tag,
    id="",
    looks=(Look(shown_tag),),
    changes=(Change(("tag",), put_tag),),
    delete=(lambda subject: subject.ask("delete_tags", Tags=[tag(subject)]),),
    schema_names={"tag": "Tags"},
)

TYPES = {
    "aws:autoscaling/schedule:Schedule": SCHEDULE,
    "aws:autoscaling/tag:Tag": TAG,
}
