"""Where route tables lead, and whether what they name is there: gateways, peering connections."""

from dataclasses import dataclass
from ipaddress import IPv4Network

from aws_rules.network.answers import Member, Network, label
from aws_rules.network.path import Path


@dataclass(frozen=True)
class Routes:
    """Those of a network; what leads nowhere becomes a reason of the path."""

    network: Network
    path: Path

    def route(self, subnet: Member, addresses: IPv4Network, name: str) -> Member | None:
        """The most specific route of a subnet to addresses; None, and why, where there is none that works."""
        table = self.network.route_table(subnet)
        if table is None:
            self.path.no(
                f"subnet {label(subnet, 'SubnetId')}",
                "NO_ROUTE_TO_DESTINATION",
                "its VPC has no route table for it",
                "associate one",
            )
            return None
        fitting = [
            route
            for route in table.get("Routes", ())
            if route.get("DestinationCidrBlock")
            and addresses.subnet_of(IPv4Network(route["DestinationCidrBlock"]))
        ]
        where = f"route table {label(table, 'RouteTableId')} of subnet {label(subnet, 'SubnetId')}"
        if not fitting:
            self.path.no(
                where,
                "NO_ROUTE_TO_DESTINATION",
                f"it has no route to {addresses} ({name})",
                "add a route, or associate the subnet with a table that has one",
            )
            return None
        route: Member = max(
            fitting, key=lambda candidate: IPv4Network(candidate["DestinationCidrBlock"]).prefixlen
        )
        target = next(
            (
                str(route[member])
                for member in (
                    "NatGatewayId",
                    "TransitGatewayId",
                    "VpcPeeringConnectionId",
                    "NetworkInterfaceId",
                    "GatewayId",
                )
                if route.get(member)
            ),
            "nothing",
        )
        if route.get("State") == "blackhole":
            self.path.no(
                where,
                "BAD_STATE_ROUTE",
                f"its route {route['DestinationCidrBlock']} -> {target} is a black hole: the target is gone",
                "make the target again, or route elsewhere",
            )
            return None
        self.path.hop(f"{where}: {route['DestinationCidrBlock']} -> {target}")
        self._attachment(route, subnet)
        return route

    def connection(self, subnet: Member, addresses: IPv4Network, name: str) -> None:
        """There is a route from a subnet to another network that is no gateway to the internet."""
        route = self.route(subnet, addresses, name)
        if route is None:
            return
        if route.get("NatGatewayId") or str(route.get("GatewayId", "")).startswith("igw-"):
            self.path.no(
                f"route table {label(self.network.route_table(subnet) or {}, 'RouteTableId')}",
                "NO_ROUTE_TO_DESTINATION",
                f"{addresses} ({name}) is private, and only the default route to "
                f"{route.get('NatGatewayId') or route['GatewayId']} fits it, which leads to the internet",
                "add a route to the transit gateway or peering connection that leads there",
            )

    def internet_gateway(self, id: str, vpc: str) -> None:
        """An internet gateway is attached to a VPC."""
        gateway = self.network.find("InternetGateways", id)
        attached = gateway and any(
            attachment.get("VpcId") == vpc for attachment in gateway.get("Attachments", ())
        )
        if not attached:
            self.path.no(
                f"internet gateway {id}",
                "BAD_STATE",
                f"it is not attached to VPC {vpc}",
                "attach it",
            )
            return
        self.path.hop(f"internet gateway {id}")

    def _attachment(self, route: Member, subnet: Member) -> None:
        """The transit gateway or peering connection of a route is connected to the subnet's VPC."""
        if gateway := route.get("TransitGatewayId"):
            attachments = [
                attachment
                for attachment in self.network.all("TransitGatewayVpcAttachments")
                if attachment["TransitGatewayId"] == gateway and attachment["VpcId"] == subnet["VpcId"]
            ]
            working = [
                attachment
                for attachment in attachments
                if attachment.get("State") in ("available", "modifying")
            ]
            zones = {
                (self.network.find("Subnets", id) or {}).get("AvailabilityZone")
                for attachment in working
                for id in attachment.get("SubnetIds", ())
            }
            if not working:
                states = ", ".join(str(attachment.get("State")) for attachment in attachments)
                self.path.no(
                    f"transit gateway {gateway}",
                    "BAD_STATE",
                    f"its attachment to VPC {subnet['VpcId']} is {states}"
                    if attachments
                    else f"it has no attachment to VPC {subnet['VpcId']}",
                    "attach the VPC, and have the attachment accepted",
                )
            elif subnet.get("AvailabilityZone") not in zones:
                self.path.no(
                    f"transit gateway {gateway}",
                    "TGW_ROUTE_AZ_RESTRICTION",
                    f"its attachment has no subnet in {subnet.get('AvailabilityZone')}",
                    "add a subnet of that zone to the attachment",
                )
        elif peering := route.get("VpcPeeringConnectionId"):
            connection = self.network.find("VpcPeeringConnections", str(peering))
            state = (connection or {}).get("Status", {}).get("Code", "gone")
            if state != "active":
                self.path.no(
                    f"peering connection {peering}", "BAD_STATE", f"it is {state}", "have it accepted"
                )
