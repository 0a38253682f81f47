"""A network as AWS describes it: the members of describe_* answers, found by id."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network
from typing import Any

Member = Mapping[str, Any]
"""A member of an answer: `{"SubnetId": ..., "VpcId": ..., ...}`."""

ANSWERS: Mapping[str, tuple[str, str]] = {
    "Vpcs": ("describe_vpcs", "VpcId"),
    "Subnets": ("describe_subnets", "SubnetId"),
    "RouteTables": ("describe_route_tables", "RouteTableId"),
    "InternetGateways": ("describe_internet_gateways", "InternetGatewayId"),
    "NatGateways": ("describe_nat_gateways", "NatGatewayId"),
    "NetworkAcls": ("describe_network_acls", "NetworkAclId"),
    "SecurityGroups": ("describe_security_groups", "GroupId"),
    "VpcEndpoints": ("describe_vpc_endpoints", "VpcEndpointId"),
    "PrefixLists": ("describe_prefix_lists", "PrefixListId"),
    "VpcPeeringConnections": ("describe_vpc_peering_connections", "VpcPeeringConnectionId"),
    "TransitGatewayVpcAttachments": (
        "describe_transit_gateway_vpc_attachments",
        "TransitGatewayAttachmentId",
    ),
}
"""Member of EC2's answers -> the call that answers it (boto3's name), and the member that identifies one."""


@dataclass(frozen=True)
class Network:
    """Everything of an account and region that decides who reaches whom.

    answers: name of `ANSWERS` -> what AWS describes; what is left out is not there.
    dns: VPC -> whether both enableDnsSupport and enableDnsHostnames are set.
    clusters: name -> `cluster` of EKS's describe_cluster.
    policies, namespaces: of one cluster: NetworkPolicies, and name of a namespace -> its labels.
    """

    region: str
    answers: Mapping[str, Iterable[Member]]
    dns: Mapping[str, bool] = field(default_factory=dict)
    clusters: Mapping[str, Member] = field(default_factory=dict)
    policies: tuple[Member, ...] = ()
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def _by_id(self) -> Mapping[str, Mapping[str, Member]]:
        return {
            name: {str(member[key]): member for member in self.answers.get(name, ())}
            for name, (_, key) in ANSWERS.items()
        }

    def all(self, name: str) -> list[Member]:
        """All members of an answer."""
        return list(self._by_id[name].values())

    def find(self, name: str, id: str) -> Member | None:
        """A member of an answer; None when it is not described."""
        return self._by_id[name].get(id)

    # --- what belongs to a VPC ---

    def ranges(self, vpc: str) -> list[IPv4Network]:
        """Address ranges of a VPC."""
        member = self.find("Vpcs", vpc) or {}
        sets = [
            block["CidrBlock"]
            for block in member.get("CidrBlockAssociationSet", ())
            if block.get("CidrBlockState", {}).get("State", "associated") in ("associated", "associating")
        ]
        return [
            IPv4Network(cidr) for cidr in dict.fromkeys([*([member["CidrBlock"]] if member else []), *sets])
        ]

    def subnet_at(self, vpc: str, network: IPv4Network) -> Member | None:
        """The subnet of a VPC that holds addresses; None outside of all."""
        return next(
            (
                subnet
                for subnet in self.all("Subnets")
                if subnet["VpcId"] == vpc and network.subnet_of(IPv4Network(subnet["CidrBlock"]))
            ),
            None,
        )

    # --- what belongs to a subnet ---

    def route_table(self, subnet: Member) -> Member | None:
        """The table that a subnet is associated with, else the VPC's main one."""
        main = None
        for table in self.all("RouteTables"):
            if table["VpcId"] != subnet["VpcId"]:
                continue
            for association in table.get("Associations", ()):
                if association.get("SubnetId") == subnet["SubnetId"]:
                    return table
                if association.get("Main"):
                    main = table
        return main

    def is_public(self, subnet: Member) -> bool:
        """Whether a subnet's default route leads to an internet gateway."""
        return any(
            route.get("DestinationCidrBlock") == "0.0.0.0/0"
            and str(route.get("GatewayId", "")).startswith("igw-")
            for route in (self.route_table(subnet) or {}).get("Routes", ())
        )

    def acl(self, subnet: Member) -> Member | None:
        """The network ACL of a subnet, else the VPC's default one."""
        default = None
        for acl in self.all("NetworkAcls"):
            if acl["VpcId"] != subnet["VpcId"]:
                continue
            if any(
                association["SubnetId"] == subnet["SubnetId"] for association in acl.get("Associations", ())
            ):
                return acl
            if acl.get("IsDefault"):
                default = acl
        return default

    # --- endpoints ---

    def endpoints(self, vpc: str, service: str, kind: str) -> list[Member]:
        """Endpoints of a kind (`Interface`, `Gateway`) for a service in a VPC."""
        return [
            endpoint
            for endpoint in self.all("VpcEndpoints")
            if endpoint["VpcId"] == vpc
            and endpoint["ServiceName"].endswith(f".{self.region}.{service}")
            and endpoint.get("VpcEndpointType", "Gateway").lower() == kind.lower()
        ]


def label(member: Member, id: str) -> str:
    """A thing as an engineer knows it: its id, and its Name tag."""
    names = [tag["Value"] for tag in member.get("Tags", ()) if tag.get("Key") == "Name"]
    return f"{member[id]} ({names[0]})" if names else str(member[id])
