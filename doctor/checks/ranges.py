"""Address ranges of a VPC that is still to be made: no network that the account reaches has them."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network

from doctor.account import Place
from doctor.finding import Finding, ok, warning
from stacks.settings.foundation import Foundation

TARGET_KEYS = ("TransitGatewayId", "VpcPeeringConnectionId", "GatewayId")
"""Where a route leads that leaves a VPC for another network."""


@dataclass(frozen=True)
class TakenRange:
    """Addresses that another network has. owner: which, as a sentence names it."""

    network: IPv4Network
    owner: str


def free_ranges(place: Place) -> Iterator[Finding]:
    """No other VPC, peering or route has addresses of the VPC: the two could never reach each other."""
    ranges = _ranges(place.foundation)
    if not ranges:
        return
    clashes = 0
    for neighbour in [*_vpcs(place), *_peerings(place), *_routes(place)]:
        for own in ranges:
            if own.overlaps(neighbour.network):
                clashes += 1
                yield warning(
                    place.name,
                    f"{own} overlaps with {neighbour.network} of {neighbour.owner}.",
                    "They can never be connected: if they should, choose another range now.",
                )
    if not clashes:
        yield ok(place.name, f"No other network has addresses of {', '.join(map(str, ranges))}.")


def _ranges(foundation: Foundation) -> list[IPv4Network]:
    return [foundation.network.cidr, *foundation.network.pod_cidrs] if foundation.network else []


def _vpcs(place: Place) -> Iterator[TakenRange]:
    for vpc in place.items("ec2", "describe_vpcs", "Vpcs"):
        if place.owns(vpc.get("Tags")) or vpc.get("IsDefault"):
            continue
        for block in vpc.get("CidrBlockAssociationSet", []):
            yield TakenRange(IPv4Network(block["CidrBlock"]), vpc["VpcId"])


def _peerings(place: Place) -> Iterator[TakenRange]:
    """VPCs of other accounts and regions that this one is connected with."""
    for peering in place.items("ec2", "describe_vpc_peering_connections", "VpcPeeringConnections"):
        if peering.get("Status", {}).get("Code") not in ("active", "pending-acceptance", "provisioning"):
            continue
        for end in ("RequesterVpcInfo", "AccepterVpcInfo"):
            vpc = peering.get(end, {})
            if vpc.get("OwnerId") != place.account and vpc.get("CidrBlock"):
                yield TakenRange(
                    IPv4Network(vpc["CidrBlock"]),
                    f"{vpc['VpcId']}, peered as {peering['VpcPeeringConnectionId']}",
                )


def _routes(place: Place) -> Iterator[TakenRange]:
    """Ranges that routes of other VPCs lead to, over transit gateways, peerings and VPNs.

    A route to a larger range than the VPC's is a summary (10.0.0.0/8), and says nothing of the range itself.
    """
    ranges = _ranges(place.foundation)
    own_vpcs = place.own_vpcs()
    routes = set()
    for table in place.items("ec2", "describe_route_tables", "RouteTables"):
        if table["VpcId"] in own_vpcs:
            continue
        for route in table["Routes"]:
            target = next((route[key] for key in TARGET_KEYS if route.get(key)), "local")
            destination = route.get("DestinationCidrBlock")
            if destination is None or not target.startswith(("tgw-", "pcx-", "vgw-")):
                continue
            network = IPv4Network(destination)
            if any(network.subnet_of(own) for own in ranges) and (network, target) not in routes:
                routes.add((network, target))
                yield TakenRange(network, f"what {target} leads to")
