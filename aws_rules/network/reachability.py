"""Whether one place reaches another on a port, hop by hop, and why not.

The order of a packet: network policies of the pod, security groups of its interface, network ACL of the
subnet (both ways, as ACLs keep no state), route, gateway, and the same at the other end.
"""

import json
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, collapse_addresses, ip_network
from typing import Literal

from aws_rules.iam import evaluation
from aws_rules.network.answers import Member, Network, label
from aws_rules.network.explanations import EXPLANATIONS
from aws_rules.network.places import (
    INTERNET,
    ApiServer,
    Destination,
    Host,
    Interface,
    Metadata,
    Pod,
    Service,
    Source,
)
from aws_rules.network.pod_isolation import policies_against

EPHEMERAL, NAT_EPHEMERAL = (32768, 60999), (1024, 65535)
"""Ports to which answers come: of Linux, and of a NAT gateway.

https://docs.aws.amazon.com/vpc/latest/userguide/custom-network-acl.html#nacl-ephemeral-ports
"""

ANY_ADDRESS = INTERNET.network
METADATA_ADDRESS = IPv4Network("169.254.169.254/32")
ALL_PROTOCOLS = "-1"
PROTOCOL_NUMBERS = {"tcp": "6", "udp": "17"}

GATEWAY_SERVICES = ("s3", "dynamodb")
"""Services with endpoints of type gateway: https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html"""


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why a place is not reached.

    component: what stands in the way: `network ACL acl-1`.
    code: of `EXPLANATIONS`. detail: what it lacks here. remedy: an imperative.
    """

    component: str
    code: str
    detail: str
    remedy: str

    @property
    def words(self) -> str:
        """What the code means, in the words of who stands in the way."""
        return EXPLANATIONS[self.code].words

    def __str__(self) -> str:
        return f"{self.component}: {self.words} ({self.code}): {self.detail}: {self.remedy}."


@dataclass(kw_only=True)
class Path:
    """The way from one place to another.

    hops: what is passed, in order. reasons: why it is no way; none where the destination is reached.
    addresses: of the destination, as far as they are known: what a client dials.
    """

    hops: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.reasons


def reach(
    network: Network, source: Source, destination: Destination, port: int = 443, protocol: str = "tcp"
) -> Path:
    """Whether a source reaches a destination: a `Path`, true where it does, with `reasons` where not."""
    walk = _Walk(network, port, protocol)
    match source, destination:
        case _, Metadata():
            walk.to_metadata(source, destination)
        case Pod(), _:
            walk.from_pod(source, destination)
        case Host(), _:
            walk.from_host(source, destination)
        case Interface(), _:
            walk.from_interface(source, destination)
    return walk.path


class _Walk:
    """One way under way."""

    def __init__(self, network: Network, port: int, protocol: str) -> None:
        self.network, self.port, self.protocol = network, port, protocol
        self.path = Path()

    def no(self, component: str, code: str, detail: str, remedy: str) -> None:
        reason = Reason(component=component, code=code, detail=detail, remedy=remedy)
        if reason not in self.path.reasons:
            self.path.reasons.append(reason)

    def hop(self, text: str) -> None:
        if text not in self.path.hops:
            self.path.hops.append(text)

    # --- from each kind of source ---

    def from_pod(self, pod: Pod, destination: Destination) -> None:
        if destination == pod.node:
            # The agent of the VPC CNI lets every pod reach its own node, whatever policies say
            # (aws/aws-network-policy-agent: "Traffic from the local node should always be allowed").
            self.hop(pod.node.name)
            return
        peer = destination if isinstance(destination, Pod) else self._address_of(pod.interface, destination)
        self._isolation(pod, "Egress", peer, str(getattr(destination, "name", destination)))
        if isinstance(destination, Host) and destination.network.is_link_local:
            # Answered on the node itself, as by the Pod Identity agent.
            self.hop(pod.node.name)
            return
        # Within the VPC a pod has its own address; what leaves it has the node's.
        leaves = isinstance(destination, Host) and not self._is_inside(pod.interface, destination.network)
        if isinstance(destination, Service):
            leaves = not self._private_endpoints(self._vpc(pod.interface), destination)
        elif isinstance(destination, ApiServer):
            leaves = not self._resolves_privately(self._vpc(pod.interface), destination)
        interface = pod.node if leaves and not pod.external_snat else pod.interface
        self.from_interface(interface, destination, pod)

    def from_host(self, host: Host, destination: Destination) -> None:
        match destination:
            case Interface():
                vpc = self._vpc(destination)
            case Pod():
                vpc = self._vpc(destination.interface)
            case ApiServer():
                vpc = str((self._vpc_config(destination) or {}).get("vpcId", ""))
            case _:
                vpc = ""
        subnet = self.network.subnet_at(vpc, host.network)
        if subnet is not None:
            inside = Interface(
                name=host.name, subnet=subnet["SubnetId"], groups=host.groups, address=str(host.network)
            )
            self.from_interface(inside, destination)
            return
        match destination:
            case ApiServer():
                self._host_to_api_server(host, destination)
            case Pod():
                self._isolation(destination, "Ingress", host.network, host.name)
                self._enter(host, destination.interface)
            case Interface():
                self._enter(host, destination)
            case _:
                raise ValueError(
                    f"{host.name} is outside: whether it reaches {destination} is not known here"
                )

    def from_interface(self, source: Interface, destination: Destination, sender: Pod | None = None) -> None:
        match destination:
            case Interface():
                self._to_interface(source, destination)
            case Pod():
                peer = sender or self._addresses(source)
                self._isolation(destination, "Ingress", peer, (sender or source).name)
                self._to_interface(source, destination.interface)
            case ApiServer():
                self._to_api_server(source, destination)
            case Service():
                self._to_service(source, destination)
            case Host():
                subnet = self.network.subnet_at(self._vpc(source), destination.network)
                if subnet is None:
                    self._leave(source, destination)
                else:
                    inside = Interface(
                        name=destination.name,
                        subnet=subnet["SubnetId"],
                        groups=destination.groups,
                        address=str(destination.network),
                    )
                    self._to_interface(source, inside)
            case Metadata():
                self.to_metadata(source, destination)

    def to_metadata(self, source: Source, metadata: Metadata) -> None:
        if not isinstance(source, Pod):
            return
        self._isolation(source, "Egress", METADATA_ADDRESS, "the instance metadata service")
        if metadata.hop_limit < 2:
            self.no(
                f"instance metadata service of the node of {source.name}",
                "METADATA_HOP_LIMIT",
                f"HttpPutResponseHopLimit is {metadata.hop_limit}",
                "give the pod an identity of its own",
            )

    # --- to services of AWS and API servers ---

    def _to_service(self, source: Interface, service: Service) -> None:
        vpc = self._vpc(source)
        for endpoint in self._private_endpoints(vpc, service):
            name = f"endpoint {label(endpoint, 'VpcEndpointId')} of {service.name}"
            self.hop(name)
            if not endpoint.get("SubnetIds"):
                self.no(name, "BAD_STATE", "it has no network interface", "name a subnet a zone for it")
            for subnet in endpoint.get("SubnetIds", ()):
                groups = tuple(group["GroupId"] for group in endpoint.get("Groups", ()))
                self._to_interface(source, Interface(name=name, subnet=subnet, groups=groups))
            self._endpoint_lets_through(endpoint, service)
            return
        gateway = self._gateway_endpoint(source, service)
        if gateway is not None:
            if (gateway.get("State") or "available").lower() != "available":
                self.no(
                    f"endpoint {label(gateway, 'VpcEndpointId')}",
                    "BAD_STATE",
                    f"it is {gateway['State']}",
                    "wait for it, or make it again",
                )
            self._egress(source, ANY_ADDRESS, (), f"{service.name} of {self.network.region}")
            self._acls(self.network.find("Subnets", source.subnet) or {}, ANY_ADDRESS, outbound=True)
            self.hop(f"gateway endpoint {label(gateway, 'VpcEndpointId')}")
            self._endpoint_lets_through(gateway, service)
            return
        self._leave(source, Host(name=f"{service.name} of {self.network.region}", address=INTERNET.address))

    def _private_endpoints(self, vpc: str, service: Service) -> list[Member]:
        """Interface endpoints to which the service's own name resolves in a VPC."""
        return [
            endpoint
            for endpoint in self.network.endpoints(vpc, service.name, "Interface")
            if endpoint.get("PrivateDnsEnabled")
            and self.network.dns.get(vpc, True)
            and (endpoint.get("State") or "available").lower() == "available"
        ]

    def _gateway_endpoint(self, source: Interface, service: Service) -> Member | None:
        """The gateway endpoint to which the source's route table leads for a service."""
        if service.name not in GATEWAY_SERVICES:
            return None
        subnet = self._subnet(source)
        table = self.network.route_table(subnet) if subnet else None
        for endpoint in self.network.endpoints(self._vpc(source), service.name, "Gateway"):
            if table is not None and table["RouteTableId"] in endpoint.get("RouteTableIds", ()):
                return endpoint
        return None

    def _endpoint_lets_through(self, endpoint: Member, service: Service) -> None:
        request, document = service.request, endpoint.get("PolicyDocument")
        if request is None or not document:
            return
        policy = json.loads(document) if isinstance(document, str) else document
        full_access = {
            "Version": "2012-10-17",
            "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
        }
        caller = evaluation.Role(arn=request.principal, policies=(full_access,))
        # As of another account: an endpoint's policy has to allow by itself what the caller may do.
        resource = evaluation.Resource(
            arn=request.resource, account="", policy={**policy, "Version": "2012-10-17"}
        )
        try:
            allowed = evaluation.allowed(caller, request.action, resource)
        except evaluation.Undecided as error:
            self.hop(f"policy of {endpoint['VpcEndpointId']}, which is not judged here: {error}")
            return
        if not allowed:
            self.no(
                f"endpoint {label(endpoint, 'VpcEndpointId')} of {service.name}",
                "VPC_ENDPOINT_POLICY",
                f"{request.principal} is not authorized to perform: {request.action} on resource: "
                f"{request.resource}",
                "allow the account and the action in the endpoint's policy",
            )

    def _resolves_privately(self, vpc: str, server: ApiServer) -> bool:
        config = self._vpc_config(server)
        return bool(config and config.get("endpointPrivateAccess") and config.get("vpcId") == vpc)

    def _vpc_config(self, server: ApiServer) -> Member | None:
        cluster = self.network.clusters.get(server.cluster)
        config: Member | None = cluster["resourcesVpcConfig"] if cluster else None
        return config

    def _to_api_server(self, source: Interface, server: ApiServer) -> None:
        config = self._vpc_config(server)
        name = f"API server of {server.cluster}"
        if config is None:
            self.no(name, "UNKNOWN_RESOURCE", "there is no such cluster", "correct its name")
        elif self._resolves_privately(self._vpc(source), server):
            if not self.network.dns.get(config["vpcId"], True):
                self.no(
                    f"VPC {config['vpcId']}",
                    "VPC_DNS",
                    "the name of the endpoint does not resolve to its private addresses",
                    "set enableDnsHostnames and enableDnsSupport",
                )
            for interface in control_plane_interfaces(self.network, server.cluster):
                self._to_interface(source, interface)
        elif config.get("endpointPublicAccess"):
            self._leave(source, Host(name=name, address=INTERNET.address))
            self._admission(server, config, self._public_addresses(source))
        else:
            for interface in control_plane_interfaces(self.network, server.cluster):
                self._to_interface(source, interface)

    def _host_to_api_server(self, host: Host, server: ApiServer) -> None:
        config = self._vpc_config(server)
        name = f"API server of {server.cluster}"
        if config is None:
            self.no(name, "UNKNOWN_RESOURCE", "there is no such cluster", "correct its name")
        elif config.get("endpointPublicAccess") and (host.public or not self._privately(host, server)):
            # Outside of the VPC the endpoint's name means its public addresses, as soon as it has any.
            self.hop("public endpoint")
            self._admission(server, config, [host.network])
        elif host.public:
            self._dial(server)
            self.no(
                name,
                "PRIVATE_ENDPOINT",
                f"{host.address} ({host.name}) is on the internet",
                "connect the network first, or let its addresses use the public endpoint (publicAccessCidrs)",
            )
        else:
            for interface in control_plane_interfaces(self.network, server.cluster):
                self._enter(host, interface)

    def _privately(self, host: Host, server: ApiServer) -> bool:
        """Whether the private endpoint is reached too, for who asks a resolver in the VPC for its address."""
        config = self._vpc_config(server) or {}
        private = {**config, "endpointPublicAccess": False}
        clusters = {**self.network.clusters, server.cluster: {"resourcesVpcConfig": private}}
        return bool(config.get("endpointPrivateAccess")) and bool(
            reach(replace(self.network, clusters=clusters), host, server, self.port, self.protocol)
        )

    def _dial(self, server: ApiServer) -> None:
        for interface in control_plane_interfaces(self.network, server.cluster):
            self._note_address(interface)

    def _admission(self, server: ApiServer, config: Member, addresses: list[IPv4Network]) -> None:
        cidrs = [IPv4Network(cidr) for cidr in config.get("publicAccessCidrs") or ["0.0.0.0/0"]]
        for address in addresses:
            if not any(address.subnet_of(cidr) for cidr in cidrs):
                self.no(
                    f"API server of {server.cluster}",
                    "PUBLIC_ACCESS_CIDRS",
                    f"{address} is in none of publicAccessCidrs ({', '.join(map(str, cidrs))})",
                    "add the address, or reach the private endpoint from within the VPC",
                )

    # --- through a VPC ---

    def _to_interface(self, source: Interface, destination: Interface) -> None:
        start, end = self._subnet(source), self._subnet(destination)
        if start is None or end is None:
            return
        self._note_address(destination)
        source_addresses, addresses = self._addresses(source), self._addresses(destination)
        same_vpc = start["VpcId"] == end["VpcId"]
        # A transit gateway forgets groups unless referencing is on; between other VPCs nobody can name them.
        self._egress(source, addresses, destination.groups if same_vpc else (), destination.name)
        if start["SubnetId"] != end["SubnetId"]:
            self._acls(start, addresses, outbound=True)
            self._acls(end, source_addresses, outbound=False)
        if same_vpc:
            self.hop(f"local route of VPC {start['VpcId']}")
        else:
            self._connection(start, addresses, destination.name)
            self._connection(end, source_addresses, source.name)
        self._ingress(destination, source_addresses, source.groups if same_vpc else (), source.name)

    def _connection(self, subnet: Member, addresses: IPv4Network, name: str) -> None:
        """There is a route from a subnet to another network that is no gateway to the internet."""
        route = self._route(subnet, addresses, name)
        if route is None:
            return
        if route.get("NatGatewayId") or str(route.get("GatewayId", "")).startswith("igw-"):
            self.no(
                f"route table {label(self.network.route_table(subnet) or {}, 'RouteTableId')}",
                "NO_ROUTE_TO_DESTINATION",
                f"{addresses} ({name}) is private, and only the default route to "
                f"{route.get('NatGatewayId') or route['GatewayId']} fits it, which leads to the internet",
                "add a route to the transit gateway or peering connection that leads there",
            )

    def _enter(self, host: Host, destination: Interface) -> None:
        """From outside into a VPC."""
        end = self._subnet(destination)
        if end is None:
            return
        self._note_address(destination)
        if host.public:
            route = self._route(end, host.network, host.name)
            gateway = str(route.get("GatewayId", "")) if route else ""
            if not destination.public:
                self.no(
                    destination.name,
                    "IGW_PRIVATE_IP_ASSOCIATION_FOR_INGRESS",
                    f"it has no public address for {host.name}",
                    "reach it from within the VPC or a connected network",
                )
            elif route is not None and not gateway.startswith("igw-"):
                self.no(
                    f"subnet {label(end, 'SubnetId')}",
                    "NO_ROUTE_TO_DESTINATION",
                    f"it has no route to {host.name} through an internet gateway",
                    "use a public subnet",
                )
            elif gateway:
                self._internet_gateway(gateway, end["VpcId"])
        else:
            # Connections come in where answers find out again.
            self._connection(end, host.network, host.name)
        self._acls(end, host.network, outbound=False)
        self._ingress(destination, host.network, (), f"{host.address} ({host.name})")

    def _leave(self, source: Interface, host: Host) -> None:
        """Out of a VPC, to the internet or a connected network."""
        start = self._subnet(source)
        if start is None:
            return
        self._egress(source, host.network, (), host.name)
        self._acls(start, host.network, outbound=True)
        route = self._route(start, host.network, host.name)
        if route is None:
            return
        gateway, nat = str(route.get("GatewayId", "")), route.get("NatGatewayId")
        if not (gateway.startswith("igw-") or nat):
            return
        if not host.public:
            self._connection(start, host.network, host.name)
        elif nat:
            self._nat_gateway(str(nat), host, start)
        else:
            self._internet_gateway(gateway, start["VpcId"])
            if not source.public:
                self.no(
                    source.name,
                    "IGW_PUBLIC_IP_ASSOCIATION_FOR_EGRESS",
                    f"it has no public address with which to go out through {gateway}",
                    "route its subnet through a NAT gateway",
                )

    def _nat_gateway(self, id: str, host: Host, start: Member) -> None:
        gateway = self.network.find("NatGateways", id)
        if gateway is None or gateway.get("State") not in ("available", None):
            self.no(
                f"NAT gateway {id}",
                "BAD_STATE",
                "it is gone" if gateway is None else f"it is {gateway['State']}",
                "make it again, and the route to it",
            )
            return
        self.hop(f"NAT gateway {label(gateway, 'NatGatewayId')}")
        if gateway.get("ConnectivityType") == "private":
            self.no(
                f"NAT gateway {label(gateway, 'NatGatewayId')}",
                "IGW_PUBLIC_IP_ASSOCIATION_FOR_EGRESS",
                "its connectivity type is private, so it has no public address",
                "make a public one, with an Elastic IP address",
            )
        subnet = self.network.find("Subnets", gateway["SubnetId"])
        if subnet is None:
            return
        source = IPv4Network(start["CidrBlock"])
        if subnet["SubnetId"] != start["SubnetId"]:
            self._acls(subnet, source, outbound=False)
        self._acls(subnet, host.network, outbound=True, answers=NAT_EPHEMERAL)
        route = self._route(subnet, host.network, host.name)
        if route is not None:
            exit_gateway = str(route.get("GatewayId", ""))
            if exit_gateway.startswith("igw-"):
                self._internet_gateway(exit_gateway, subnet["VpcId"])
            else:
                self.no(
                    f"NAT gateway {label(gateway, 'NatGatewayId')}",
                    "NO_ROUTE_TO_DESTINATION",
                    f"its subnet {label(subnet, 'SubnetId')} has no route to an internet gateway",
                    "put it into a public subnet",
                )

    def _internet_gateway(self, id: str, vpc: str) -> None:
        gateway = self.network.find("InternetGateways", id)
        attached = gateway and any(
            attachment.get("VpcId") == vpc for attachment in gateway.get("Attachments", ())
        )
        if not attached:
            self.no(
                f"internet gateway {id}",
                "BAD_STATE",
                f"it is not attached to VPC {vpc}",
                "attach it",
            )
            return
        self.hop(f"internet gateway {id}")

    # --- routes ---

    def _route(self, subnet: Member, addresses: IPv4Network, name: str) -> Member | None:
        """The most specific route of a subnet to addresses; None, and why, where there is none that works."""
        table = self.network.route_table(subnet)
        if table is None:
            self.no(
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
            self.no(
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
            self.no(
                where,
                "BAD_STATE_ROUTE",
                f"its route {route['DestinationCidrBlock']} -> {target} is a black hole: the target is gone",
                "make the target again, or route elsewhere",
            )
            return None
        self.hop(f"{where}: {route['DestinationCidrBlock']} -> {target}")
        self._attachment(route, subnet)
        return route

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
                self.no(
                    f"transit gateway {gateway}",
                    "BAD_STATE",
                    f"its attachment to VPC {subnet['VpcId']} is {states}"
                    if attachments
                    else f"it has no attachment to VPC {subnet['VpcId']}",
                    "attach the VPC, and have the attachment accepted",
                )
            elif subnet.get("AvailabilityZone") not in zones:
                self.no(
                    f"transit gateway {gateway}",
                    "TGW_ROUTE_AZ_RESTRICTION",
                    f"its attachment has no subnet in {subnet.get('AvailabilityZone')}",
                    "add a subnet of that zone to the attachment",
                )
        elif peering := route.get("VpcPeeringConnectionId"):
            connection = self.network.find("VpcPeeringConnections", str(peering))
            state = (connection or {}).get("Status", {}).get("Code", "gone")
            if state != "active":
                self.no(f"peering connection {peering}", "BAD_STATE", f"it is {state}", "have it accepted")

    # --- filters ---

    def _acls(
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
                self.no(
                    f"network ACL {label(acl, 'NetworkAclId')} of subnet {label(subnet, 'SubnetId')}",
                    "SUBNET_ACL_RESTRICTION",
                    f"it does not let {traffic} {'out to' if egress else 'in from'} {peer} on port {span}",
                    f"allow {self.protocol} {span} {'outbound' if egress else 'inbound'}",
                )

    def _egress(self, source: Interface, addresses: IPv4Network, groups: tuple[str, ...], name: str) -> None:
        self._groups(source, "IpPermissionsEgress", addresses, groups, f"out to {addresses} ({name})")

    def _ingress(
        self, destination: Interface, addresses: IPv4Network, groups: tuple[str, ...], name: str
    ) -> None:
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
            self.hop(f"security groups of {interface.name}, not all described")
            return
        if any(
            self._permits(permission, addresses, groups) for permission in permissions
        ) or self._is_covered(permissions, addresses):
            return
        names = ", ".join(label(group, "GroupId") for group in present)
        self.no(
            f"security group {names} of {interface.name}",
            "ENI_SG_RULES_MISMATCH",
            f"no rule lets {self.protocol} {self.port} {origin}",
            f"add {'an inbound' if direction == 'IpPermissions' else 'an outbound'} rule for "
            f"{self.protocol} {self.port}",
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

    def _isolation(
        self, pod: Pod, direction: Literal["Egress", "Ingress"], peer: Pod | IPv4Network, name: str
    ) -> None:
        isolating = policies_against(self.network, pod, direction, peer, self.port, self.protocol)
        if isolating:
            self.no(
                f"NetworkPolicies {', '.join(isolating)} of namespace {pod.namespace}",
                "NETWORK_POLICY",
                f"none lets {pod.name} connect to {name} on {self.protocol} {self.port}"
                if direction == "Egress"
                else f"none lets {name} connect to {pod.name} on {self.protocol} {self.port}",
                f"add a rule of {direction.lower()} if it should",
            )

    # --- addresses ---

    def _subnet(self, interface: Interface) -> Member | None:
        subnet = self.network.find("Subnets", interface.subnet)
        if subnet is None:
            self.no(
                interface.name,
                "UNKNOWN_RESOURCE",
                f"there is no subnet {interface.subnet}",
                "correct its id",
            )
        return subnet

    def _vpc(self, interface: Interface) -> str:
        return str((self.network.find("Subnets", interface.subnet) or {}).get("VpcId", ""))

    def _addresses(self, interface: Interface) -> IPv4Network:
        if interface.address:
            return IPv4Network(ip_network(interface.address, strict=False))
        subnet = self.network.find("Subnets", interface.subnet)
        return IPv4Network(subnet["CidrBlock"]) if subnet else ANY_ADDRESS

    def _note_address(self, interface: Interface) -> None:
        network = self._addresses(interface)
        # Some address of the subnet, after the four that AWS reserves: which, is not known before it is made.
        self.path.addresses.append(str(network[0] if network.num_addresses < 6 else network[5]))

    def _is_inside(self, interface: Interface, network: IPv4Network) -> bool:
        return any(network.subnet_of(cidr) for cidr in self.network.ranges(self._vpc(interface)))

    def _address_of(self, source: Interface, destination: Destination) -> IPv4Network:
        """Addresses of a destination, as a policy of the source's pod sees them."""
        match destination:
            case Interface():
                return self._addresses(destination)
            case Host():
                return destination.network
            case ApiServer() if self._resolves_privately(self._vpc(source), destination):
                return self._first(control_plane_interfaces(self.network, destination.cluster))
            case Service():
                endpoints = self._private_endpoints(self._vpc(source), destination)
                subnets = [id for endpoint in endpoints for id in endpoint.get("SubnetIds", ())]
                return self._first([Interface(name="", subnet=id, groups=()) for id in subnets[:1]])
            case _:
                return ANY_ADDRESS

    def _first(self, interfaces: list[Interface]) -> IPv4Network:
        return self._addresses(interfaces[0]) if interfaces else ANY_ADDRESS

    def _public_addresses(self, source: Interface) -> list[IPv4Network]:
        """Addresses with which a source goes out through its NAT gateway."""
        subnet = self.network.find("Subnets", source.subnet)
        table = self.network.route_table(subnet) if subnet else None
        for route in (table or {}).get("Routes", ()):
            gateway = self.network.find("NatGateways", str(route.get("NatGatewayId", "")))
            if gateway is not None:
                return [
                    IPv4Network(address["PublicIp"])
                    for address in gateway.get("NatGatewayAddresses", ())
                    if address.get("PublicIp")
                ]
        return []


def control_plane_interfaces(network: Network, cluster: str) -> list[Interface]:
    """Interfaces of a cluster's control plane: EKS chooses among its subnets, so any of them may have one.

    They have the cluster's security group, and further ones that it was made with:
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    config = network.clusters[cluster]["resourcesVpcConfig"]
    groups = (config.get("clusterSecurityGroupId"), *config.get("securityGroupIds", ()))
    return [
        Interface(
            name=f"control plane of {cluster}",
            subnet=subnet,
            groups=tuple(group for group in groups if group),
        )
        for subnet in config.get("subnetIds", ())
    ]


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
