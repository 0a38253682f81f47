"""Route tables, routes, and what is routed by them."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, P
from localcloud.plugins.aws.tables._ec2 import arn, tagged

ROUTE_TABLE = Kind(
    service="ec2",
    schema="AWS::EC2::RouteTable",
    inputs="vpcId!",
    outputs="arn ownerId",
    create=Call("create_route_table", rest=True),
    id="RouteTable.RouteTableId",
    looks=(Look(Call("describe_route_tables", {"RouteTableIds": [ID]}), at="RouteTables[0]"),),
    delete=(Call("delete_route_table", {"RouteTableId": ID}),),
    tags=tagged("route-table"),
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
    """Make a route; its id, made as the real provider makes it."""
    subject.call(Call("create_route", ROUTE_OF | TARGET_OF))
    return _route_id(subject)


def _route_id(subject: Subject) -> str:
    from zlib import crc32

    destination = next(str(subject.properties[name]) for name in DESTINATIONS if subject.properties.get(name))
    return f"r-{subject.properties['routeTableId']}{crc32(destination.encode())}"


def shown_route(subject: Subject) -> dict[str, Any] | None:
    """A route among those of its table. To import it: `<route table>_<destination>`."""
    known = subject.properties
    if not known.get("routeTableId"):
        known["routeTableId"], _, destination = subject.id.partition("_")
        known[_destination(destination)] = destination
        subject.id = _route_id(subject)
    tables = subject.ask("describe_route_tables", RouteTableIds=[known["routeTableId"]])["RouteTables"]
    name, wanted = next((name, known[name]) for name in DESTINATIONS if known.get(name))
    for route in tables[0]["Routes"]:
        if route.get(DESTINATIONS[name]) == wanted:
            targets = {each: route.get(member) for each, member in TARGETS.items()}
            shown = {"origin": route.get("Origin"), "state": route.get("State")}
            return {"routeTableId": known["routeTableId"], name: wanted, **targets, **shown}
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
    looks=(Look(shown_route),),
    changes=(Change(tuple(TARGETS), Call("replace_route", ROUTE_OF | TARGET_OF)),),
    delete=(Call("delete_route", ROUTE_OF),),
    schema_names={"egressOnlyGatewayId": "EgressOnlyInternetGatewayId"},
    alone=True,
)


PLACES = {"subnetId": "SubnetId", "gatewayId": "GatewayId"}


def shown_association(subject: Subject) -> dict[str, Any] | None:
    """The association of a subnet or a gateway with its route table, whatever its id is by now.

    To import it: `<subnet or gateway>/<route table>`.
    """
    known = subject.properties
    if "/" in subject.id:
        place, _, known["routeTableId"] = subject.id.partition("/")
        known["subnetId" if place.startswith("subnet-") else "gatewayId"] = place
    found = _association(subject)
    if found is None:
        return None
    if "/" in subject.id:
        subject.id = found["RouteTableAssociationId"]
    places = {name: found.get(member) for name, member in PLACES.items()}
    return {"routeTableId": found["RouteTableId"], **places}


def _association(subject: Subject) -> dict[str, Any] | None:
    known = subject.properties
    for table in subject.ask("describe_route_tables")["RouteTables"]:
        for association in table["Associations"]:
            if association["RouteTableAssociationId"] == subject.id or any(
                known.get(name) and association.get(member) == known[name] for name, member in PLACES.items()
            ):
                return {**association, "RouteTableId": table["RouteTableId"]}
    return None


def reassociate(subject: Subject) -> None:
    """Give a subnet another route table. AWS gives the association a new id; the engine keeps the old one."""
    subject.ask(
        "replace_route_table_association",
        AssociationId=(_association(subject) or {})["RouteTableAssociationId"],
        RouteTableId=subject.properties["routeTableId"],
    )


def disassociate(subject: Subject) -> None:
    """Take a subnet's route table away."""
    found = _association(subject)
    if found:
        subject.ask("disassociate_route_table", AssociationId=found["RouteTableAssociationId"])


ROUTE_TABLE_ASSOCIATION = Kind(
    service="ec2",
    schema="AWS::EC2::SubnetRouteTableAssociation",
    inputs="routeTableId! subnetId gatewayId",
    create=Call("associate_route_table", rest=True),
    id="AssociationId",
    looks=(Look(shown_association),),
    changes=(Change(("routeTableId",), reassociate),),
    delete=(disassociate,),
    alone=True,
)

TYPES = {
    "aws:ec2/routeTable:RouteTable": ROUTE_TABLE,
    "aws:ec2/route:Route": ROUTE,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": ROUTE_TABLE_ASSOCIATION,
}
