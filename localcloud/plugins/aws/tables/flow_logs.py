"""Flow logs of VPCs, subnets and network interfaces."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

# The provider's input for the watched thing -> EC2's type of it.
TARGETS = {"vpcId": "VPC", "subnetId": "Subnet", "eniId": "NetworkInterface"}
PREFIXES = {"vpc-": "vpcId", "subnet-": "subnetId", "eni-": "eniId"}


def make_flow_log(subject: Subject) -> str:
    """Make a flow log of its target."""
    names = [name for name in TARGETS if subject.inputs.get(name)]
    if len(names) != 1:
        raise Refusal(
            f"{subject.type} requires one of {', '.join(TARGETS)}: it has {', '.join(names) or 'none'}."
        )
    [name] = names
    assert subject.kind.tags is not None
    target = {"ResourceIds": [subject.inputs[name]], "ResourceType": TARGETS[name]}
    tags = subject.kind.tags.at_create(subject.properties.get("tagsAll") or {})
    answer = subject.call(Call("create_flow_logs", rest=True), {**target, **tags})
    if answer["Unsuccessful"]:
        raise Refusal(f"{subject.type}: {answer['Unsuccessful'][0]['Error']['Message']}")
    subject.sent.add(name)
    return str(answer["FlowLogIds"][0])


def read_flow_log(subject: Subject) -> dict[str, Any] | None:
    """A flow log."""
    operation = "describe_flow_logs"
    answer = subject.request(operation, FlowLogIds=[subject.id])
    if not answer["FlowLogs"]:
        return None
    id = answer["FlowLogs"][0]["ResourceId"]
    target = {name: id for prefix, name in PREFIXES.items() if id.startswith(prefix)}
    return {**subject.extract(operation, answer, "FlowLogs[0]"), **target}


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
    computed=words("logDestination logFormat destinationOptions"),
    write_only=words("destinationOptions"),
    reads=(Read(read_flow_log),),
    delete=(Call("delete_flow_logs", {"FlowLogIds": [ID]}),),
    tags=tags_of("vpc-flow-log"),
    derived=arn("vpc-flow-log"),
    schema_names={
        "iamRoleArn": "DeliverLogsPermissionArn",
        **dict.fromkeys(TARGETS, "ResourceId"),
    },
)

TYPES = {"aws:ec2/flowLog:FlowLog": FLOW_LOG}
