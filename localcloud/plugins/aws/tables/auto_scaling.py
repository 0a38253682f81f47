"""Auto Scaling: scheduled actions and tags of the groups behind EKS node groups."""

from collections.abc import Iterator, Mapping
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Read
from localcloud.plugins.values import UNKNOWN

# --- scheduled actions ---

ACTION_KEY = "autoscalingGroupName scheduledActionName"
SIZES = ("minSize", "maxSize", "desiredCapacity")
TIMES = ("startTime", "endTime", "recurrence", "timeZone")


def calls_of_schedule(subject: Subject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The call that makes it; as in the provider, a size that is left out is 0, and -1 is none."""
    put = Call("put_scheduled_update_group_action", takes=f"{ACTION_KEY} {' '.join(TIMES)}")
    sizes = {name[0].upper() + name[1:]: subject.inputs.get(name, 0) for name in SIZES}
    bounds = {
        member: size if size is UNKNOWN else int(size)
        for member, size in sizes.items()
        if size not in (-1, "-1")
    }
    yield put.operation, subject.members(put) | bounds


def put_schedule(subject: Subject) -> str:
    """Make a scheduled action."""
    [(operation, members)] = calls_of_schedule(subject)
    subject.request(operation, **members)
    subject.sent |= subject.inputs.keys()
    return str(subject.properties["scheduledActionName"])


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
    shown = subject.extract("describe_scheduled_actions", answer, "ScheduledUpdateGroupActions[0]")
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
    computed=frozenset((*SIZES, *TIMES)),
    reads=(Read(read_schedule),),
    changes=(Change((*SIZES, *TIMES), put_schedule),),
    delete=(Call("delete_scheduled_action", takes=ACTION_KEY),),
    calls=calls_of_schedule,
)


# --- tags ---

TAG_MEMBERS = {"key": "Key", "value": "Value", "propagateAtLaunch": "PropagateAtLaunch"}


def tag_members(subject: Subject) -> dict[str, Any]:
    """The tag as the service takes it."""
    group = {"ResourceId": subject.properties["autoscalingGroupName"], "ResourceType": "auto-scaling-group"}
    return {**group, **{member: subject.properties["tag"][name] for name, member in TAG_MEMBERS.items()}}


def put_tag(subject: Subject) -> str:
    """Put the tag on its group."""
    subject.request("create_or_update_tags", Tags=[tag_members(subject)])
    subject.sent |= {"tag"}
    return f"{subject.properties['autoscalingGroupName']},{subject.properties['tag']['key']}"


def read_tag(subject: Subject) -> dict[str, Any] | None:
    """A tag of a group. Its id is `<group>,<key>`."""
    group, _, key = subject.id.partition(",")
    filters = [{"Name": "auto-scaling-group", "Values": [group]}, {"Name": "key", "Values": [key]}]
    answer = subject.request("describe_tags", Filters=filters)
    if not answer["Tags"]:
        return None
    tag = {name: answer["Tags"][0][member] for name, member in TAG_MEMBERS.items()}
    return {"autoscalingGroupName": group, "tag": tag}


TAG = Kind(
    service="autoscaling",
    # CloudFormation lists tags in the group.
    schema="AWS::AutoScaling::AutoScalingGroup",
    inputs="autoscalingGroupName! tag!",
    create=put_tag,
    id="",
    reads=(Read(read_tag),),
    changes=(Change(("tag",), put_tag),),
    delete=(lambda subject: subject.request("delete_tags", Tags=[tag_members(subject)]),),
    schema_names={"tag": "Tags"},
)

TYPES = {
    "aws:autoscaling/schedule:Schedule": SCHEDULE,
    "aws:autoscaling/tag:Tag": TAG,
}
