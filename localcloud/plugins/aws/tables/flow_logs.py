"""Flow logs of VPCs, subnets and network interfaces."""

from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

# Property of the resource that is logged -> its type in requests, and the prefix of its id.
LOGGED = {"vpcId": ("VPC", "vpc-"), "subnetId": ("Subnet", "subnet-"), "eniId": ("NetworkInterface", "eni-")}


CREATE = Call("create_flow_logs", other_inputs=True)


def make_flow_log(subject: Subject) -> str:
    """Make a flow log of its target."""
    names = [name for name in LOGGED if subject.inputs.get(name)]
    if len(names) != 1:
        raise Refusal(
            f"{subject.type} needs one of {', '.join(LOGGED)}: it has {', '.join(names) or 'none'}."
        )
    [name] = names
    resource = {"ResourceIds": [subject.inputs[name]], "ResourceType": LOGGED[name][0]}
    answer = subject.create(CREATE, resource)
    if answer["Unsuccessful"]:
        error = answer["Unsuccessful"][0]["Error"]
        raise Refusal(
            f"{subject.type}: AWS refused CreateFlowLogs: {error['Message'].rstrip('.')} ({error['Code']}): "
            "name a destination that exists, or make it first."
        )
    subject.sent.add(name)
    return str(answer["FlowLogIds"][0])


def read_flow_log(subject: Subject) -> dict[str, Any] | None:
    """A flow log."""
    answer = subject.request("describe_flow_logs", FlowLogIds=[subject.id])
    if not answer["FlowLogs"]:
        return None
    resource = answer["FlowLogs"][0]["ResourceId"]
    target = {name: resource for name, (_, prefix) in LOGGED.items() if resource.startswith(prefix)}
    return {**subject.extract("describe_flow_logs", answer, "FlowLogs[0]"), **target}


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
    refusals=(services.flow_log_bucket,),
    reads=(Read(read_flow_log),),
    delete=(Call("delete_flow_logs", {"FlowLogIds": [ID]}),),
    tags=tags_of("vpc-flow-log"),
    derived=arn("vpc-flow-log"),
    schema_names={"iamRoleArn": "DeliverLogsPermissionArn", **dict.fromkeys(LOGGED, "ResourceId")},
    calls=lambda subject: [("create_flow_logs", subject.members(CREATE))],
)

TYPES = {"aws:ec2/flowLog:FlowLog": FLOW_LOG}
