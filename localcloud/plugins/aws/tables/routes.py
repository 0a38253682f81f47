"""Route tables, routes, and what is routed by them."""

from collections.abc import Mapping
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Read, words
from localcloud.plugins.aws.tables._ec2 import filters, row

INLINE = {
    "cidrBlock": "DestinationCidrBlock",
    "ipv6CidrBlock": "DestinationIpv6CidrBlock",
    "destinationPrefixListId": "DestinationPrefixListId",
    "gatewayId": "GatewayId",
    "natGatewayId": "NatGatewayId",
    "egressOnlyGatewayId": "EgressOnlyInternetGatewayId",
    "transitGatewayId": "TransitGatewayId",
    "networkInterfaceId": "NetworkInterfaceId",
    "vpcPeeringConnectionId": "VpcPeeringConnectionId",
    "vpcEndpointId": "VpcEndpointId",
}
"""Of a route in a table's own list: property -> member."""

INLINE_DESTINATIONS = ("cidrBlock", "ipv6CidrBlock", "destinationPrefixListId")


def set_routes(subject: Subject) -> None:
    """Make the program's list of routes those of the table."""
    old, new = _inline(subject.old), _inline(subject.inputs)
    for destination in old.keys() - new.keys():
        name, value = destination
        subject.request("delete_route", RouteTableId=subject.id, **{INLINE[name]: value})
    for destination, route in new.items():
        if route != old.get(destination):
            verb = "replace_route" if destination in old else "create_route"
            members = {INLINE[name]: value for name, value in route.items()}
            subject.request(verb, RouteTableId=subject.id, **members)


def _inline(inputs: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, str]]:
    """Routes of a list by their destinations. Raises Refusal for one that is none."""
    routes = {}
    for item in inputs.get("routes") or ():
        route = {name: value for name, value in item.items() if value}
        if unknown := route.keys() - INLINE.keys():
            raise Refusal(
                f"routes of a route table: {', '.join(sorted(unknown))} is not simulated by the laptop "
                f"cloud: write {', '.join(INLINE)}."
            )
        destinations = [(name, route[name]) for name in INLINE_DESTINATIONS if name in route]
        if len(destinations) != 1:
            raise Refusal(
                f"routes of a route table: one has {len(destinations)} destinations: write one of "
                f"{', '.join(INLINE_DESTINATIONS)}."
            )
        routes[destinations[0]] = route
    return routes


def read_routes(subject: Subject) -> dict[str, Any]:
    """Routes of a table whose program lists them: all but those that AWS adds by itself.

    The provider leaves out the same ones: flattenRoutes in internal/service/ec2/vpc_route_table.go.
    """
    if subject.properties.get("routes") is None:
        return {}
    [table] = subject.request("describe_route_tables", RouteTableIds=[subject.id])["RouteTables"]
    return {
        "routes": [
            _route_properties(route)
            for route in table["Routes"]
            if route.get("Origin", "CreateRoute") == "CreateRoute"
            and not (_by_endpoint(route) and route.get("DestinationPrefixListId"))
        ]
    }


def _by_endpoint(route: Mapping[str, Any]) -> bool:
    """Whether a route leads to a VPC endpoint, which EC2 shows as a gateway."""
    return str(route.get("GatewayId", "")).startswith("vpce-")


def _route_properties(route: Mapping[str, Any]) -> dict[str, Any]:
    """A route of EC2's answer as the list of a table has it."""
    if _by_endpoint(route):
        route = {**route, "VpcEndpointId": route["GatewayId"], "GatewayId": None}
    return {name: route[member] for name, member in INLINE.items() if route.get(member)}


ROUTE_TABLE = row(
    "RouteTable",
    "route-table",
    inputs="vpcId! routes",
    outputs="arn ownerId",
    # Routes may also be resources of their own: without a list here none of them is changed.
    computed=words("routes"),
    unordered=words("routes"),
    reads=(Read(read_routes),),
    changes=(Change(("routes",), set_routes),),
)

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
    """A route. Its id to import is `<route table>_<destination>`, and from then on that of the others."""
    properties, describe = subject.properties, "describe_route_tables"
    if "_" in subject.id:
        properties["routeTableId"], _, destination = subject.id.partition("_")
        properties[_destination_property(destination)] = destination
        subject.id = _route_id(subject)
    name = _destination(subject)
    tables = subject.request(describe, RouteTableIds=[properties["routeTableId"]])["RouteTables"]
    for route in tables[0]["Routes"]:
        route_properties = subject.extract(
            describe, {"RouteTables": [{"Routes": [route]}]}, "RouteTables[0].Routes[0]"
        )
        if route_properties.get(name) == properties[name]:
            return {**route_properties, "routeTableId": properties["routeTableId"]}
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
    create=Call("associate_route_table", other_inputs=True),
    id="AssociationId",
    reads=(Read(read_association),),
    changes=(Change(("routeTableId",), reassociate),),
    delete=(disassociate,),
    exclusive=True,
)


def _main(subject: Subject) -> dict[str, Any] | None:
    """The association that makes a table the main one of the VPC; to import it, by its id."""
    vpc = subject.properties.get("vpcId")
    filter_values = {"association.main": "true", **({"vpc-id": vpc} if vpc else {})}
    for table in subject.request("describe_route_tables", Filters=filters(filter_values))["RouteTables"]:
        for association in table["Associations"]:
            if association["Main"] and (vpc or association["RouteTableAssociationId"] == subject.id):
                return {**association, "RouteTableId": table["RouteTableId"], "VpcId": table["VpcId"]}
    return None


def make_main(subject: Subject) -> str:
    """Make a table the main one of its VPC; the one before is remembered, as in the provider."""
    main = _main(subject) or {}
    subject.properties.setdefault("originalRouteTableId", main.get("RouteTableId"))
    answer = subject.request(
        "replace_route_table_association",
        AssociationId=main.get("RouteTableAssociationId"),
        RouteTableId=subject.properties["routeTableId"],
    )
    return str(answer["NewAssociationId"])


def read_main(subject: Subject) -> dict[str, Any] | None:
    """The main table of a VPC, as long as it is not the first one again."""
    properties = subject.properties
    main = _main(subject)
    original = properties.get("originalRouteTableId")
    if main is None or main["RouteTableId"] == original:
        return None
    return {
        "vpcId": main["VpcId"],
        "routeTableId": main["RouteTableId"],
        "originalRouteTableId": original,
    }


def restore_main(subject: Subject) -> None:
    """Make the first table the main one again."""
    main, original = _main(subject), subject.properties.get("originalRouteTableId")
    if main and original:
        key = {"AssociationId": main["RouteTableAssociationId"], "RouteTableId": original}
        subject.request("replace_route_table_association", **key)


MAIN_ASSOCIATION = Kind(
    service="ec2",
    schema="AWS::EC2::SubnetRouteTableAssociation",
    inputs="routeTableId! vpcId!",
    outputs="originalRouteTableId",
    create=make_main,
    id="",
    reads=(Read(read_main),),
    changes=(Change(("routeTableId",), make_main),),
    delete=(restore_main,),
    exclusive=True,
)

TYPES = {
    "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation": MAIN_ASSOCIATION,
    "aws:ec2/routeTable:RouteTable": ROUTE_TABLE,
    "aws:ec2/route:Route": ROUTE,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": ROUTE_TABLE_ASSOCIATION,
}
