"""Route tables, routes, and associations with subnets and gateways."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, P, Read
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

ROUTE_TABLE = Kind(
    service="ec2",
    schema="AWS::EC2::RouteTable",
    inputs="vpcId!",
    outputs="arn ownerId",
    create=Call("create_route_table", rest=True),
    id="RouteTable.RouteTableId",
    reads=(Read(Call("describe_route_tables", {"RouteTableIds": [ID]}), at="RouteTables[0]"),),
    delete=(Call("delete_route_table", {"RouteTableId": ID}),),
    tags=tags_of("route-table"),
    derived=arn("route-table"),
)

DESTINATIONS = {
    "destinationCidrBlock": "DestinationCidrBlock",
    "destinationIpv6CidrBlock": "DestinationIpv6CidrBlock",
    "destinationPrefixListId": "DestinationPrefixListId",
}
TARGETS = {
    "gatewayId": "GatewayId",
    "natGatewayId": "NatGatewayId",
    "egressOnlyGatewayId": "EgressOnlyInternetGatewayId",
    "transitGatewayId": "TransitGatewayId",
    "networkInterfaceId": "NetworkInterfaceId",
    "vpcPeeringConnectionId": "VpcPeeringConnectionId",
    "vpcEndpointId": "VpcEndpointId",
}
ROUTE_OF = {"RouteTableId": P("routeTableId"), **{member: P(name) for name, member in DESTINATIONS.items()}}
TARGET_OF = {member: P(name) for name, member in TARGETS.items()}


def make_route(subject: Subject) -> str:
    """Make a route; its id, as in the real provider."""
    subject.call(Call("create_route", ROUTE_OF | TARGET_OF))
    return _route_id(subject)


def _route_id(subject: Subject) -> str:
    from zlib import crc32

    destination = next(str(subject.properties[name]) for name in DESTINATIONS if subject.properties.get(name))
    return f"r-{subject.properties['routeTableId']}{crc32(destination.encode())}"


def read_route(subject: Subject) -> dict[str, Any] | None:
    """A route. Its id to import is `<route table>_<destination>`."""
    properties = subject.properties
    if not properties.get("routeTableId"):
        properties["routeTableId"], _, destination = subject.id.partition("_")
        properties[_destination(destination)] = destination
        subject.id = _route_id(subject)
    table = properties["routeTableId"]
    tables = subject.request("describe_route_tables", RouteTableIds=[table])["RouteTables"]
    name = next(name for name in DESTINATIONS if properties.get(name))
    for route in tables[0]["Routes"]:
        if route.get(DESTINATIONS[name]) == properties[name]:
            targets = {target: route.get(member) for target, member in TARGETS.items()}
            outputs = {"origin": route.get("Origin"), "state": route.get("State")}
            return {"routeTableId": table, name: properties[name], **targets, **outputs}
    return None


def _destination(value: str) -> str:
    if value.startswith("pl-"):
        return "destinationPrefixListId"
    return "destinationIpv6CidrBlock" if ":" in value else "destinationCidrBlock"


ROUTE = Kind(
    service="ec2",
    schema="AWS::EC2::Route",
    inputs=f"routeTableId! {' '.join(DESTINATIONS)} {' '.join(TARGETS)}",
    outputs="origin state",
    create=make_route,
    id="",
    reads=(Read(read_route),),
    changes=(Change(tuple(TARGETS), Call("replace_route", ROUTE_OF | TARGET_OF)),),
    delete=(Call("delete_route", ROUTE_OF),),
    schema_names={"egressOnlyGatewayId": "EgressOnlyInternetGatewayId"},
    exclusive=True,
)


PLACES = {"subnetId": "SubnetId", "gatewayId": "GatewayId"}


def read_association(subject: Subject) -> dict[str, Any] | None:
    """The association of a subnet or a gateway with its route table, also under a new id.

    Its id to import is `<subnet or gateway>/<route table>`.
    """
    properties = subject.properties
    if "/" in subject.id:
        place, _, properties["routeTableId"] = subject.id.partition("/")
        properties["subnetId" if place.startswith("subnet-") else "gatewayId"] = place
    association = _association(subject)
    if association is None:
        return None
    if "/" in subject.id:
        subject.id = association["RouteTableAssociationId"]
    places = {name: association.get(member) for name, member in PLACES.items()}
    return {"routeTableId": association["RouteTableId"], **places}


def _association(subject: Subject) -> dict[str, Any] | None:
    properties = subject.properties
    for table in subject.request("describe_route_tables")["RouteTables"]:
        for association in table["Associations"]:
            same_place = (
                properties.get(name) and association.get(member) == properties[name]
                for name, member in PLACES.items()
            )
            if association["RouteTableAssociationId"] == subject.id or any(same_place):
                return {**association, "RouteTableId": table["RouteTableId"]}
    return None


def reassociate(subject: Subject) -> None:
    """Change a subnet's route table. AWS gives the association a new id; the engine keeps the old one."""
    subject.request(
        "replace_route_table_association",
        AssociationId=(_association(subject) or {})["RouteTableAssociationId"],
        RouteTableId=subject.properties["routeTableId"],
    )


def disassociate(subject: Subject) -> None:
    """Remove the association."""
    association = _association(subject)
    if association:
        subject.request("disassociate_route_table", AssociationId=association["RouteTableAssociationId"])


ROUTE_TABLE_ASSOCIATION = Kind(
    service="ec2",
    schema="AWS::EC2::SubnetRouteTableAssociation",
    inputs="routeTableId! subnetId gatewayId",
    create=Call("associate_route_table", rest=True),
    id="AssociationId",
    reads=(Read(read_association),),
    changes=(Change(("routeTableId",), reassociate),),
    delete=(disassociate,),
    exclusive=True,
)

TYPES = {
    "aws:ec2/routeTable:RouteTable": ROUTE_TABLE,
    "aws:ec2/route:Route": ROUTE,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": ROUTE_TABLE_ASSOCIATION,
}
