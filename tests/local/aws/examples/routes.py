"""Routes of EC2: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example, add_tag

BASES: Bases = {
    "table": lambda w: ("aws:ec2/routeTable:RouteTable", {"vpcId": w.vpc}),
    "other_table": lambda w: ("aws:ec2/routeTable:RouteTable", {"vpcId": w.vpc}),
}

EXAMPLES = [
    Example(
        "aws:ec2/routeTable:RouteTable",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"vpcId": w.other_vpc},
    ),
    Example(
        "aws:ec2/routeTable:RouteTable",
        lambda w: {
            "vpcId": w.vpc,
            "routes": [
                {"cidrBlock": "0.0.0.0/0", "gatewayId": w.gateway},
                {"cidrBlock": "10.20.0.0/16", "natGatewayId": w.nat},
            ],
        },
        lambda w: {
            "routes": [
                {"cidrBlock": "10.30.0.0/16", "natGatewayId": w.nat},
                {"cidrBlock": "0.0.0.0/0", "natGatewayId": w.nat},
            ]
        },
        lambda w: {"vpcId": w.other_vpc},
        label="-with-routes",
    ),
    Example(
        "aws:ec2/route:Route",
        lambda w: {"routeTableId": w.table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": w.gateway},
        lambda w: {"gatewayId": None, "natGatewayId": w.nat},
        lambda w: {"destinationCidrBlock": "10.20.0.0/16"},
        imported=lambda resource: f"{resource.inputs['routeTableId']}_0.0.0.0/0",
    ),
    Example(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        lambda w: {"routeTableId": w.table, "subnetId": w.subnet},
        lambda w: {"routeTableId": w.other_table},
        lambda w: {"subnetId": w.other_subnet},
        imported=lambda resource: f"{resource.inputs['subnetId']}/{resource.inputs['routeTableId']}",
    ),
    Example(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        lambda w: {"routeTableId": w.table, "gatewayId": w.gateway},
        lambda w: {"routeTableId": w.other_table},
        imported=lambda resource: f"{resource.inputs['gatewayId']}/{resource.inputs['routeTableId']}",
        label=" of a gateway",
    ),
    Example(
        "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation",
        lambda w: {"routeTableId": w.table, "vpcId": w.vpc},
        lambda w: {"routeTableId": w.other_table},
        lambda w: {"vpcId": w.other_vpc},
    ),
]


def change_route(console: Console, resource: Resource) -> None:
    ec2 = console.client("ec2")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.replace_route(
        RouteTableId=resource.inputs["routeTableId"],
        DestinationCidrBlock=resource.inputs["destinationCidrBlock"],
        GatewayId=gateway,
    )


def change_association(console: Console, resource: Resource) -> None:
    ec2 = console.client("ec2")
    [before] = ec2.describe_route_tables(RouteTableIds=[resource.inputs["routeTableId"]])["RouteTables"]
    place = {resource.inputs.get("subnetId"), resource.inputs.get("gatewayId")} - {None}
    [association] = [a for a in before["Associations"] if {a.get("SubnetId"), a.get("GatewayId")} & place]
    table = ec2.create_route_table(VpcId=before["VpcId"])["RouteTable"]["RouteTableId"]
    ec2.replace_route_table_association(
        AssociationId=association["RouteTableAssociationId"], RouteTableId=table
    )


CHANGES_BY_HAND: Changes = {
    "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation": None,
    "aws:ec2/route:Route": change_route,
    "aws:ec2/routeTable:RouteTable": add_tag,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": change_association,
}
