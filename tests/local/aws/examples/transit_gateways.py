"""Transit gateways and what stands on them: examples, and how they are changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example, add_tag

GATEWAY = "tgw-0123456789abcdef0"

OWN = {"defaultRouteTableAssociation": "disable", "defaultRouteTablePropagation": "disable"}

BASES = {
    "transit_gateway": lambda w: ("aws:ec2transitgateway/transitGateway:TransitGateway", OWN),
    "transit_table": lambda w: (
        "aws:ec2transitgateway/routeTable:RouteTable",
        {"transitGatewayId": w.transit_gateway},
    ),
    "other_transit_table": lambda w: (
        "aws:ec2transitgateway/routeTable:RouteTable",
        {"transitGatewayId": w.transit_gateway},
    ),
    "attachment": lambda w: (
        "aws:ec2transitgateway/vpcAttachment:VpcAttachment",
        {"transitGatewayId": w.transit_gateway, "vpcId": w.vpc, "subnetIds": [w.subnet]},
    ),
}

EXAMPLES = [
    Example(
        "aws:ec2transitgateway/transitGateway:TransitGateway",
        lambda w: {"description": "of the hub", "amazonSideAsn": 64513, "tags": TAGS},
        lambda w: {"description": "of spokes", "dnsSupport": "disable", "tags": OTHER_TAGS},
        lambda w: {"amazonSideAsn": 64514},
    ),
    Example(
        "aws:ec2transitgateway/routeTable:RouteTable",
        lambda w: {"transitGatewayId": w.transit_gateway, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
    ),
    Example(
        "aws:ec2transitgateway/routeTableAssociation:RouteTableAssociation",
        lambda w: {
            "transitGatewayAttachmentId": w.attachment,
            "transitGatewayRouteTableId": w.transit_table,
        },
        replace=lambda w: {"transitGatewayRouteTableId": w.other_transit_table},
    ),
    Example(
        "aws:ec2transitgateway/routeTablePropagation:RouteTablePropagation",
        lambda w: {
            "transitGatewayAttachmentId": w.attachment,
            "transitGatewayRouteTableId": w.transit_table,
        },
        replace=lambda w: {"transitGatewayRouteTableId": w.other_transit_table},
    ),
    Example(
        "aws:ec2transitgateway/route:Route",
        lambda w: {
            "destinationCidrBlock": "0.0.0.0/0",
            "transitGatewayAttachmentId": w.attachment,
            "transitGatewayRouteTableId": w.transit_table,
        },
        replace=lambda w: {"destinationCidrBlock": "10.0.0.0/8"},
    ),
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


def change_gateway(console: Console, resource: Resource) -> None:
    console.client("ec2").modify_transit_gateway(TransitGatewayId=resource.id, Description="by hand")


CHANGES_BY_HAND: Changes = {
    "aws:ec2transitgateway/route:Route": None,
    "aws:ec2transitgateway/routeTable:RouteTable": add_tag,
    "aws:ec2transitgateway/routeTableAssociation:RouteTableAssociation": None,
    "aws:ec2transitgateway/routeTablePropagation:RouteTablePropagation": None,
    "aws:ec2transitgateway/transitGateway:TransitGateway": change_gateway,
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": change_attachment,
}
