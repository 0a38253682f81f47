"""Route tables, routes, and what is routed by them."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Read
from localcloud.plugins.aws.tables._ec2 import row

ROUTE_TABLE = row("RouteTable", "route-table", inputs="vpcId!", outputs="arn ownerId")

DESTINATIONS = "destinationCidrBlock destinationIpv6CidrBlock destinationPrefixListId"
TARGETS = (
    "gatewayId natGatewayId egressOnlyGatewayId transitGatewayId networkInterfaceId vpcPeeringConnectionId "
    "vpcEndpointId"
)
KEY = f"routeTableId {DESTINATIONS}"


def make_route(subject: Subject) -> str:
    """Make a route; its id, as in the real provider."""
    subject.call(Call("create_route", takes=f"{KEY} {TARGETS}"))
    return _route_id(subject)


def _destination(subject: Subject) -> str:
    """The property that holds the destination."""
    return next(name for name in DESTINATIONS.split() if subject.properties.get(name))


def _route_id(subject: Subject) -> str:
    from zlib import crc32

    destination = str(subject.properties[_destination(subject)])
    return f"r-{subject.properties['routeTableId']}{crc32(destination.encode())}"


def read_route(subject: Subject) -> dict[str, Any] | None:
    """A route. Its id to import is `<route table>_<destination>`."""
    properties, describe = subject.properties, "describe_route_tables"
    if not properties.get("routeTableId"):
        properties["routeTableId"], _, destination = subject.id.partition("_")
        properties[_destination_property(destination)] = destination
        subject.id = _route_id(subject)
    name = _destination(subject)
    tables = subject.request(describe, RouteTableIds=[properties["routeTableId"]])["RouteTables"]
    for route in tables[0]["Routes"]:
        shown = subject.extract(describe, {"RouteTables": [{"Routes": [route]}]}, "RouteTables[0].Routes[0]")
        if shown.get(name) == properties[name]:
            return {**shown, "routeTableId": properties["routeTableId"]}
    return None


def _destination_property(value: str) -> str:
    if value.startswith("pl-"):
        return "destinationPrefixListId"
    return "destinationIpv6CidrBlock" if ":" in value else "destinationCidrBlock"


ROUTE = Kind(
    service="ec2",
    schema="AWS::EC2::Route",
    inputs=f"routeTableId! {DESTINATIONS} {TARGETS}",
    outputs="origin state",
    create=make_route,
    id="",
    names={"egressOnlyGatewayId": "EgressOnlyInternetGatewayId"},
    reads=(Read(read_route),),
    changes=(Change(tuple(TARGETS.split()), Call("replace_route", takes=f"{KEY} {TARGETS}")),),
    delete=(Call("delete_route", takes=KEY),),
    schema_names={"egressOnlyGatewayId": "EgressOnlyInternetGatewayId"},
    exclusive=True,
)


ASSOCIATED = {"routeTableId": "RouteTableId", "subnetId": "SubnetId", "gatewayId": "GatewayId"}


def read_association(subject: Subject) -> dict[str, Any] | None:
    """The association of a subnet or a gateway with its route table, whatever its id is by now.

    To import it: `<subnet or gateway>/<route table>`.
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
    return {name: association.get(member) for name, member in ASSOCIATED.items()}


def _association(subject: Subject) -> dict[str, Any] | None:
    properties = subject.properties
    for table in subject.request("describe_route_tables")["RouteTables"]:
        for association in table["Associations"]:
            if association["RouteTableAssociationId"] == subject.id or any(
                properties.get(name) and association.get(ASSOCIATED[name]) == properties[name]
                for name in ("subnetId", "gatewayId")
            ):
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
