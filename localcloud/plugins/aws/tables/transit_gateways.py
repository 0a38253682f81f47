"""Attachments of VPCs to transit gateways."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

OPTIONS = {"dnsSupport": "DnsSupport", "applianceModeSupport": "ApplianceModeSupport"}


def options(subject: Subject) -> dict[str, Any]:
    """Options of an attachment, which the program has as properties of their own."""
    members = {member: subject.inputs[name] for name, member in OPTIONS.items() if subject.inputs.get(name)}
    return {"Options": members} if members else {}


def attach(subject: Subject) -> str:
    """Attach a VPC; the attachment's id."""
    call = Call("create_transit_gateway_vpc_attachment", takes="transitGatewayId vpcId subnetIds")
    answer = subject.create(call, options(subject))
    subject.sent |= OPTIONS.keys()
    return str(answer["TransitGatewayVpcAttachment"]["TransitGatewayAttachmentId"])


def change(subject: Subject) -> None:
    """Change subnets and options."""
    old, new = set(subject.old.get("subnetIds") or ()), set(subject.inputs.get("subnetIds") or ())
    subnets = {"AddSubnetIds": sorted(new - old), "RemoveSubnetIds": sorted(old - new)}
    subject.request(
        "modify_transit_gateway_vpc_attachment",
        TransitGatewayAttachmentId=subject.id,
        **{name: ids for name, ids in subnets.items() if ids},
        **options(subject),
    )


VPC_ATTACHMENT = Kind(
    service="ec2",
    schema="AWS::EC2::TransitGatewayVpcAttachment",
    inputs="transitGatewayId! vpcId! subnetIds! dnsSupport applianceModeSupport",
    outputs="arn vpcOwnerId",
    create=attach,
    id="",
    computed=words("dnsSupport applianceModeSupport"),
    unordered=words("subnetIds"),
    reads=(
        Read(
            Call("describe_transit_gateway_vpc_attachments", {"TransitGatewayAttachmentIds": [ID]}),
            at="TransitGatewayVpcAttachments[0]",
            properties={name: f"Options.{member}" for name, member in OPTIONS.items()},
        ),
    ),
    changes=(Change(("subnetIds", *OPTIONS), change),),
    delete=(Call("delete_transit_gateway_vpc_attachment", {"TransitGatewayAttachmentId": ID}),),
    tags=tags_of("transit-gateway-attachment"),
    derived=arn("transit-gateway-attachment"),
    schema_names=dict.fromkeys(OPTIONS, "Options"),
)

TYPES = {"aws:ec2transitgateway/vpcAttachment:VpcAttachment": VPC_ATTACHMENT}
