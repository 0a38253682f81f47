"""Attachments to transit gateways: an example, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example

GATEWAY = "tgw-0123456789abcdef0"

EXAMPLES = [
    Example(
        "aws:ec2transitgateway/vpcAttachment:VpcAttachment",
        lambda w: {
            "transitGatewayId": GATEWAY,
            "vpcId": w.vpc,
            "subnetIds": [w.subnet],
            "applianceModeSupport": "disable",
            "tags": TAGS,
        },
        lambda w: {"applianceModeSupport": "enable", "tags": OTHER_TAGS},
        lambda w: {"transitGatewayId": "tgw-0123456789abcdef1"},
    ),
]


def change_attachment(console: Console, resource: Resource) -> None:
    """Turn appliance mode on, which not every program sets, and give it another name."""
    options = {"DnsSupport": "enable", "ApplianceModeSupport": "enable"}
    tags = [{"Key": "Name", "Value": "by hand"}]
    console.edit("ec2", "transit-gateway-attachment", resource.id, Options=options, Tags=tags)


CHANGES_BY_HAND: Changes = {"aws:ec2transitgateway/vpcAttachment:VpcAttachment": change_attachment}
