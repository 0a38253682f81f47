"""Auto Scaling: groups; scheduled actions and tags of those, and of the groups behind EKS node groups."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from localcloud.plugins.aws import self_managed
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Name, Read, words
from localcloud.plugins.values import UNKNOWN

# --- groups ---

TAG_MEMBERS = {"key": "Key", "value": "Value", "propagateAtLaunch": "PropagateAtLaunch"}

SETTINGS = (
    "minSize! maxSize! desiredCapacity launchTemplate defaultCooldown defaultInstanceWarmup healthCheckType "
    "healthCheckGracePeriod capacityRebalance maxInstanceLifetime protectFromScaleIn"
)
"""Inputs that are sent as they are."""
SETTING_NAMES = SETTINGS.replace("!", "").split()


def group_members(subject: Subject, operation: str) -> dict[str, Any]:
    """Members of the call that makes or changes a group."""
    members = subject.members(Call(operation, takes=" ".join(SETTING_NAMES)))
    subnets = subject.inputs.get("vpcZoneIdentifiers")
    return members | ({"VPCZoneIdentifier": _zone_identifier(subnets)} if subnets else {})


def _zone_identifier(subnets: Any) -> Any:
    known = isinstance(subnets, list) and UNKNOWN not in subnets
    return ",".join(sorted(subnets)) if known else UNKNOWN


def _tags_of_group(group: str, tags: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    about = {"ResourceId": group, "ResourceType": "auto-scaling-group"}
    return [{**about, **{member: tag.get(name) for name, member in TAG_MEMBERS.items()}} for tag in tags]


def calls_of_group(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The call that makes it."""
    operation, name = "create_auto_scaling_group", subject.properties.get("name")
    tags = subject.inputs.get("tags") or []
    members = group_members(subject, operation) | {"AutoScalingGroupName": name}
    yield operation, members | ({"Tags": _tags_of_group(str(name), tags)} if tags else {})


def make_group(subject: Subject) -> str:
    """Make a group."""
    [(operation, members)] = calls_of_group(subject)
    subject.request(operation, **members)
    subject.sent |= subject.inputs.keys()
    return str(subject.properties["name"])


def change_group(subject: Subject) -> None:
    """Change settings of a group."""
    operation = "update_auto_scaling_group"
    members = group_members(subject, operation)
    if "desiredCapacity" not in subject.inputs:
        members.pop("DesiredCapacity", None)
    subject.request(operation, AutoScalingGroupName=subject.id, **members)


def change_tags(subject: Subject) -> None:
    """Put the tags of a group on it, and take others from it."""
    new, old = subject.inputs.get("tags") or [], subject.old.get("tags") or []
    keys = {tag["key"] for tag in new}
    if removals := [tag for tag in old if tag["key"] not in keys]:
        subject.request("delete_tags", Tags=_tags_of_group(subject.id, removals))
    if new:
        subject.request("create_or_update_tags", Tags=_tags_of_group(subject.id, new))


def read_group(subject: Subject) -> dict[str, Any] | None:
    """A group."""
    describe = "describe_auto_scaling_groups"
    answer = subject.request(describe, AutoScalingGroupNames=[subject.id])
    if not answer["AutoScalingGroups"]:
        return None
    [group] = answer["AutoScalingGroups"]
    tags = [{name: tag[member] for name, member in TAG_MEMBERS.items()} for tag in group["Tags"]]
    return {
        **subject.extract(describe, answer, "AutoScalingGroups[0]"),
        "vpcZoneIdentifiers": group["VPCZoneIdentifier"].split(","),
        "tags": tags,
    }


def delete_group(subject: Subject) -> None:
    """Delete a group with its machines, unless it is gone: Auto Scaling has no code of its own for that."""
    if read_group(subject) is not None:
        subject.request("delete_auto_scaling_group", AutoScalingGroupName=subject.id, ForceDelete=True)


GROUP = Kind(
    service="autoscaling",
    schema="AWS::AutoScaling::AutoScalingGroup",
    inputs=f"name namePrefix vpcZoneIdentifiers {SETTINGS} instanceRefresh forceDelete tags",
    outputs="arn",
    create=make_group,
    id="",
    name=Name("name", max_length=255),
    names={
        "name": "AutoScalingGroupName",
        "arn": "AutoScalingGroupARN",
        "launchTemplate.id": "LaunchTemplateId",
        "launchTemplate.name": "LaunchTemplateName",
        "protectFromScaleIn": "NewInstancesProtectedFromScaleIn",
    },
    arguments=words("namePrefix instanceRefresh forceDelete"),
    computed=words(
        "desiredCapacity defaultCooldown healthCheckType healthCheckGracePeriod launchTemplate.id "
        "launchTemplate.name launchTemplate.version"
    ),
    unordered=words("vpcZoneIdentifiers tags"),
    reads=(Read(read_group),),
    changes=(
        Change((*SETTING_NAMES, "vpcZoneIdentifiers"), change_group),
        Change(("tags",), change_tags),
    ),
    final_steps=(self_managed.set_machines,),
    delete=(
        self_managed.remove_machines,
        delete_group,
    ),
    schema_names={
        "name": "AutoScalingGroupName",
        "vpcZoneIdentifiers": "VPCZoneIdentifier",
        "defaultCooldown": "Cooldown",
        "protectFromScaleIn": "NewInstancesProtectedFromScaleIn",
        "instanceRefresh": "Tags",
        "forceDelete": "Tags",
    },
    calls=calls_of_group,
)

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
    description = subject.extract("describe_scheduled_actions", answer, "ScheduledUpdateGroupActions[0]")
    return {**dict.fromkeys(SIZES, -1), **description}


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
    "aws:autoscaling/group:Group": GROUP,
    "aws:autoscaling/schedule:Schedule": SCHEDULE,
    "aws:autoscaling/tag:Tag": TAG,
}
