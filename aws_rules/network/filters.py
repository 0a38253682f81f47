"""What lets a request through, or does not: network ACLs, security groups, network policies."""

from dataclasses import dataclass
from ipaddress import IPv4Network, collapse_addresses
from typing import Literal

from aws_rules.network.answers import Member, Network, label
from aws_rules.network.path import Path
from aws_rules.network.places import Interface, Pod
from aws_rules.network.pod_isolation import policies_against

EPHEMERAL = (32768, 60999)
"""Ports to which answers come, of Linux:
https://docs.aws.amazon.com/vpc/latest/userguide/custom-network-acl.html#nacl-ephemeral-ports
"""

ALL_PROTOCOLS = "-1"
PROTOCOL_NUMBERS = {"tcp": "6", "udp": "17"}


@dataclass(frozen=True)
class Filters:
    """Those of a network, for a way on one port; what lets nothing through becomes a reason of the path."""

    network: Network
    port: int
    protocol: str
    path: Path

    def acls(
        self,
        subnet: Member,
        peer: IPv4Network,
        *,
        outbound: bool,
        answers: tuple[int, int] = EPHEMERAL,
    ) -> None:
        """The network ACL of a subnet lets the request through, and its answer the other way."""
        acl = self.network.acl(subnet)
        if acl is None:
            return
        ports = (self.port, self.port)
        for egress, (first, last), traffic in (
            (outbound, ports, "requests"),
            (not outbound, answers, "answers"),
        ):
            if not _acl_allows(acl, egress, peer, first, last, self.protocol):
                span = str(first) if first == last else f"{first}-{last}"
                self.path.no(
                    f"network ACL {label(acl, 'NetworkAclId')} of subnet {label(subnet, 'SubnetId')}",
                    "SUBNET_ACL_RESTRICTION",
                    f"it does not let {traffic} {'out to' if egress else 'in from'} {peer} on port {span}",
                    f"allow {self.protocol} {span} {'outbound' if egress else 'inbound'}",
                )

    def egress(self, source: Interface, addresses: IPv4Network, groups: tuple[str, ...], name: str) -> None:
        """The security groups of a source let it out to addresses, or to these groups."""
        self._groups(source, "IpPermissionsEgress", addresses, groups, f"out to {addresses} ({name})")

    def ingress(
        self, destination: Interface, addresses: IPv4Network, groups: tuple[str, ...], name: str
    ) -> None:
        """The security groups of a destination let addresses in, or these groups."""
        origin = f"in from {name}" if str(addresses) in name else f"in from {addresses} ({name})"
        self._groups(destination, "IpPermissions", addresses, groups, origin)

    def _groups(
        self,
        interface: Interface,
        direction: Literal["IpPermissions", "IpPermissionsEgress"],
        addresses: IPv4Network,
        groups: tuple[str, ...],
        origin: str,
    ) -> None:
        members = [self.network.find("SecurityGroups", id) for id in interface.groups]
        present = [member for member in members if member is not None]
        permissions = [permission for group in present for permission in group.get(direction, ())]
        lists = [
            pair["PrefixListId"] for permission in permissions for pair in permission.get("PrefixListIds", ())
        ]
        if (
            not present
            or len(present) < len(members)
            or not all(self.network.find("PrefixLists", id) for id in lists)
        ):
            # What is not described here, a group or a list of another account, may let it through.
            self.path.hop(f"security groups of {interface.name}, not all described")
            return
        if any(
            self._permits(permission, addresses, groups) for permission in permissions
        ) or self._is_covered(permissions, addresses):
            return
        names = ", ".join(label(group, "GroupId") for group in present)
        self.path.no(
            f"security group {names} of {interface.name}",
            "ENI_SG_RULES_MISMATCH",
            f"no rule lets {self.protocol} {self.port} {origin}",
            f"add {'an inbound' if direction == 'IpPermissions' else 'an outbound'} rule for "
            f"{self.protocol} {self.port}",
        )

    def isolation(
        self, pod: Pod, direction: Literal["Egress", "Ingress"], peer: Pod | IPv4Network, name: str
    ) -> None:
        """The network policies of a pod let it connect to a peer, or the peer to it."""
        isolating = policies_against(self.network, pod, direction, peer, self.port, self.protocol)
        if isolating:
            self.path.no(
                f"NetworkPolicies {', '.join(isolating)} of namespace {pod.namespace}",
                "NETWORK_POLICY",
                f"none lets {pod.name} connect to {name} on {self.protocol} {self.port}"
                if direction == "Egress"
                else f"none lets {name} connect to {pod.name} on {self.protocol} {self.port}",
                f"add a rule of {direction.lower()} if it should",
            )

    def _permits(self, permission: Member, addresses: IPv4Network, groups: tuple[str, ...]) -> bool:
        return self._about_port(permission) and (
            any(addresses.subnet_of(cidr) for cidr in self._cidrs(permission))
            or any(pair.get("GroupId") in groups for pair in permission.get("UserIdGroupPairs", ()))
        )

    def _is_covered(self, permissions: list[Member], addresses: IPv4Network) -> bool:
        """Whether several rules together cover all addresses."""
        cidrs = [
            cidr
            for permission in permissions
            if self._about_port(permission)
            for cidr in self._cidrs(permission)
        ]
        return any(addresses.subnet_of(cidr) for cidr in collapse_addresses(cidrs))

    def _about_port(self, permission: Member) -> bool:
        protocol = str(permission["IpProtocol"])
        if protocol == ALL_PROTOCOLS:
            return True
        if protocol not in (self.protocol, PROTOCOL_NUMBERS.get(self.protocol)):
            return False
        first, last = int(permission.get("FromPort", -1)), int(permission.get("ToPort", -1))
        return first == -1 or first <= self.port <= last

    def _cidrs(self, permission: Member) -> list[IPv4Network]:
        cidrs = [block["CidrIp"] for block in permission.get("IpRanges", ())]
        for pair in permission.get("PrefixListIds", ()):
            cidrs += (self.network.find("PrefixLists", pair["PrefixListId"]) or {}).get("Cidrs", ())
        return [IPv4Network(cidr, strict=False) for cidr in cidrs]


def _acl_allows(acl: Member, egress: bool, peer: IPv4Network, first: int, last: int, protocol: str) -> bool:
    """Whether the rules of a network ACL, in their order, let all of this through."""
    ranges = [(first, last)]
    for entry in sorted(acl.get("Entries", ()), key=lambda entry: int(entry["RuleNumber"])):
        cidr = entry.get("CidrBlock")
        if bool(entry["Egress"]) != egress or not cidr:
            continue
        if str(entry["Protocol"]) not in (ALL_PROTOCOLS, PROTOCOL_NUMBERS.get(protocol, protocol)):
            continue
        block = IPv4Network(cidr, strict=False)
        span = entry.get("PortRange") or {}
        start, end = (
            (0, 65535) if str(entry["Protocol"]) == ALL_PROTOCOLS or not span else (span["From"], span["To"])
        )
        hit = [(max(low, start), min(high, end)) for low, high in ranges if low <= end and high >= start]
        if not hit:
            continue
        if entry["RuleAction"] == "deny":
            if block.overlaps(peer):
                return False
        elif peer.subnet_of(block):
            ranges = [part for low, high in ranges for part in _without(low, high, start, end)]
            if not ranges:
                return True
    return not ranges


def _without(low: int, high: int, start: int, end: int) -> list[tuple[int, int]]:
    """A range of ports less another."""
    parts = [(low, min(high, start - 1)), (max(low, end + 1), high)]
    return [part for part in parts if part[0] <= part[1]]
