"""Flow logs of VPCs, subnets and network interfaces."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, Look, words
from localcloud.plugins.aws.tables._ec2 import arn, tagged

# What is watched, as the provider and as EC2 name it.
WATCHED = {"vpcId": "VPC", "subnetId": "Subnet", "eniId": "NetworkInterface"}
PREFIXES = {"vpc-": "vpcId", "subnet-": "subnetId", "eni-": "eniId"}


def make_flow_log(subject: Subject) -> str:
    """Make a flow log of the one thing that it names."""
    named = [name for name in WATCHED if subject.inputs.get(name)]
    if len(named) != 1:
        raise Refusal(
            f"{subject.type} needs one of {', '.join(WATCHED)}: it has {', '.join(named) or 'none'}."
        )
    [name] = named
    assert subject.kind.tags is not None
    watched = {"ResourceIds": [subject.inputs[name]], "ResourceType": WATCHED[name]}
    tags = subject.kind.tags.at_create(subject.properties.get("tagsAll") or {})
    answer = subject.call(Call("create_flow_logs", rest=True), {**watched, **tags})
    if answer["Unsuccessful"]:
        raise Refusal(f"{subject.type}: {answer['Unsuccessful'][0]['Error']['Message']}")
    subject.taken.add(name)
    return str(answer["FlowLogIds"][0])


def shown_flow_log(subject: Subject) -> dict[str, Any] | None:
    """A flow log."""
    operation = "describe_flow_logs"
    answer = subject.ask(operation, FlowLogIds=[subject.id])
    if not answer["FlowLogs"]:
        return None
    watched = answer["FlowLogs"][0]["ResourceId"]
    names = {name: watched for start, name in PREFIXES.items() if watched.startswith(start)}
    return {**subject.shown(operation, answer, "FlowLogs[0]"), **names}


FLOW_LOG = Kind(
    service="ec2",
    schema="AWS::EC2::FlowLog",
    inputs="vpcId subnetId eniId trafficType iamRoleArn logDestination logDestinationType logFormat "
    "maxAggregationInterval destinationOptions",
    outputs="arn",
    create=make_flow_log,
    id="",
    names={"iamRoleArn": "DeliverLogsPermissionArn"},
    defaults={"logDestinationType": "cloud-watch-logs", "maxAggregationInterval": 600},
    chosen=words("logDestination logFormat destinationOptions"),
    unanswered=words("destinationOptions"),
    looks=(Look(shown_flow_log),),
    delete=(Call("delete_flow_logs", {"FlowLogIds": [ID]}),),
    tags=tagged("vpc-flow-log"),
    derived=arn("vpc-flow-log"),
    schema_names={
        "iamRoleArn": "DeliverLogsPermissionArn",
        **dict.fromkeys(WATCHED, "ResourceId"),
    },
)

TYPES = {"aws:ec2/flowLog:FlowLog": FLOW_LOG}
