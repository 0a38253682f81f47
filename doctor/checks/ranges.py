"""Address ranges of a VPC that is still to be made: free of what the account reaches already."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network

from doctor.account import Place
from doctor.finding import Finding, ok, warning
from stacks.settings.foundation import Foundation

GATEWAYS = ("TransitGatewayId", "VpcPeeringConnectionId", "GatewayId")
"""Where a route leads that leaves a VPC for another network."""


@dataclass(frozen=True)
class Taken:
    """A range that somebody has, and who."""

    network: IPv4Network
    by: str


def free(place: Place) -> Iterator[Finding]:
    """No other VPC, peering or route has addresses of ours: the two could never reach each other."""
    ours = _ranges(place.foundation)
    if not ours:
        return
    clashes = 0
    for taken in [*_vpcs(place), *_peerings(place), *_routes(place)]:
        for mine in ours:
            if mine.overlaps(taken.network):
                clashes += 1
                yield warning(
                    place.name,
                    f"{mine} overlaps with {taken.network} of {taken.by}.",
                    "They can never be connected: if they should, choose another range now.",
                )
    if not clashes:
        yield ok(place.name, f"Nobody else has addresses of {', '.join(map(str, ours))}.")


def _ranges(foundation: Foundation) -> list[IPv4Network]:
    return [foundation.network.cidr, *foundation.network.pod_cidrs] if foundation.network else []


def _vpcs(place: Place) -> Iterator[Taken]:
    for vpc in place.every("ec2", "describe_vpcs", "Vpcs"):
        if place.ours(vpc.get("Tags")) or vpc.get("IsDefault"):
            continue
        for block in vpc.get("CidrBlockAssociationSet", []):
            yield Taken(IPv4Network(block["CidrBlock"]), vpc["VpcId"])


def _peerings(place: Place) -> Iterator[Taken]:
    """VPCs of other accounts and regions that this one is connected with."""
    for peering in place.every("ec2", "describe_vpc_peering_connections", "VpcPeeringConnections"):
        if peering.get("Status", {}).get("Code") not in ("active", "pending-acceptance", "provisioning"):
            continue
        for end in ("RequesterVpcInfo", "AccepterVpcInfo"):
            vpc = peering.get(end, {})
            if vpc.get("OwnerId") != place.account and vpc.get("CidrBlock"):
                yield Taken(
                    IPv4Network(vpc["CidrBlock"]),
                    f"{vpc['VpcId']}, peered as {peering['VpcPeeringConnectionId']}",
                )


def _routes(place: Place) -> Iterator[Taken]:
    """Ranges that routes of other VPCs lead to, over transit gateways, peerings and VPNs.

    A route to a range larger than ours is a summary (10.0.0.0/8), and says nothing of who has ours.
    """
    ours = _ranges(place.foundation)
    mine = {
        vpc["VpcId"] for vpc in place.every("ec2", "describe_vpcs", "Vpcs") if place.ours(vpc.get("Tags"))
    }
    seen = set()
    for table in place.every("ec2", "describe_route_tables", "RouteTables"):
        if table["VpcId"] in mine:
            continue
        for route in table["Routes"]:
            target = next((route[key] for key in GATEWAYS if route.get(key)), "local")
            destination = route.get("DestinationCidrBlock")
            if destination is None or not target.startswith(("tgw-", "pcx-", "vgw-")):
                continue
            network = IPv4Network(destination)
            if any(network.subnet_of(each) for each in ours) and (network, target) not in seen:
                seen.add((network, target))
                yield Taken(network, f"what {target} leads to")
