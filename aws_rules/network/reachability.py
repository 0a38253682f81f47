"""Whether one place reaches another on a port, hop by hop, and why not.

The order of a packet: network policies of the pod, security groups of its interface, network ACL of the
subnet (both ways, as ACLs keep no state), route, gateway, and the same at the other end.
"""

from dataclasses import replace
from ipaddress import IPv4Network

from aws_rules.network.addresses import (
    ANY_ADDRESS,
    addresses_of,
    control_plane_interfaces,
    is_inside,
    likely_address,
    public_addresses,
    vpc_of,
)
from aws_rules.network.answers import Member, Network, label
from aws_rules.network.endpoints import gateway_endpoint, judge_policy, private_endpoints
from aws_rules.network.filters import Filters
from aws_rules.network.path import Path
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
from aws_rules.network.routes import Routes

NAT_EPHEMERAL = (1024, 65535)
"""Ports to which answers come, of a NAT gateway:
https://docs.aws.amazon.com/vpc/latest/userguide/custom-network-acl.html#nacl-ephemeral-ports
"""

METADATA_ADDRESS = IPv4Network("169.254.169.254/32")


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
        self.filters = Filters(network, port, protocol, self.path)
        self.routes = Routes(network, self.path)

    # --- from each kind of source ---

    def from_pod(self, pod: Pod, destination: Destination) -> None:
        if destination == pod.node:
            # The agent of the VPC CNI lets every pod reach its own node, whatever policies say
            # (aws/aws-network-policy-agent: "Traffic from the local node should always be allowed").
            self.path.hop(pod.node.name)
            return
        peer = destination if isinstance(destination, Pod) else self._address_of(pod.interface, destination)
        self.filters.isolation(pod, "Egress", peer, str(getattr(destination, "name", destination)))
        if isinstance(destination, Host) and destination.network.is_link_local:
            # Answered on the node itself, as by the Pod Identity agent.
            self.path.hop(pod.node.name)
            return
        # Within the VPC a pod has its own address; what leaves it has the node's.
        leaves = isinstance(destination, Host) and not is_inside(
            self.network, pod.interface, destination.network
        )
        if isinstance(destination, Service):
            leaves = not private_endpoints(self.network, vpc_of(self.network, pod.interface), destination)
        elif isinstance(destination, ApiServer):
            leaves = not self._resolves_privately(vpc_of(self.network, pod.interface), destination)
        interface = pod.node if leaves and not pod.external_snat else pod.interface
        self.from_interface(interface, destination, pod)

    def from_host(self, host: Host, destination: Destination) -> None:
        match destination:
            case Interface():
                vpc = vpc_of(self.network, destination)
            case Pod():
                vpc = vpc_of(self.network, destination.interface)
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
                self.filters.isolation(destination, "Ingress", host.network, host.name)
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
                peer = sender or addresses_of(self.network, source)
                self.filters.isolation(destination, "Ingress", peer, (sender or source).name)
                self._to_interface(source, destination.interface)
            case ApiServer():
                self._to_api_server(source, destination)
            case Service():
                self._to_service(source, destination)
            case Host():
                subnet = self.network.subnet_at(vpc_of(self.network, source), destination.network)
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
        self.filters.isolation(source, "Egress", METADATA_ADDRESS, "the instance metadata service")
        if metadata.hop_limit < 2:
            self.path.no(
                f"instance metadata service of the node of {source.name}",
                "METADATA_HOP_LIMIT",
                f"HttpPutResponseHopLimit is {metadata.hop_limit}",
                "give the pod an identity of its own",
            )

    # --- to services of AWS and API servers ---

    def _to_service(self, source: Interface, service: Service) -> None:
        vpc = vpc_of(self.network, source)
        for endpoint in private_endpoints(self.network, vpc, service):
            name = f"endpoint {label(endpoint, 'VpcEndpointId')} of {service.name}"
            self.path.hop(name)
            if not endpoint.get("SubnetIds"):
                self.path.no(name, "BAD_STATE", "it has no network interface", "name a subnet a zone for it")
            for subnet in endpoint.get("SubnetIds", ()):
                groups = tuple(group["GroupId"] for group in endpoint.get("Groups", ()))
                self._to_interface(source, Interface(name=name, subnet=subnet, groups=groups))
            judge_policy(self.path, endpoint, service)
            return
        gateway = gateway_endpoint(self.network, source, service)
        if gateway is not None:
            if (gateway.get("State") or "available").lower() != "available":
                self.path.no(
                    f"endpoint {label(gateway, 'VpcEndpointId')}",
                    "BAD_STATE",
                    f"it is {gateway['State']}",
                    "wait for it, or make it again",
                )
            self.filters.egress(source, ANY_ADDRESS, (), f"{service.name} of {self.network.region}")
            self.filters.acls(self.network.find("Subnets", source.subnet) or {}, ANY_ADDRESS, outbound=True)
            self.path.hop(f"gateway endpoint {label(gateway, 'VpcEndpointId')}")
            judge_policy(self.path, gateway, service)
            return
        self._leave(source, Host(name=f"{service.name} of {self.network.region}", address=INTERNET.address))

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
            self.path.no(name, "UNKNOWN_RESOURCE", "there is no such cluster", "correct its name")
        elif self._resolves_privately(vpc_of(self.network, source), server):
            if not self.network.dns.get(config["vpcId"], True):
                self.path.no(
                    f"VPC {config['vpcId']}",
                    "VPC_DNS",
                    "the name of the endpoint does not resolve to its private addresses",
                    "set enableDnsHostnames and enableDnsSupport",
                )
            for interface in control_plane_interfaces(self.network, server.cluster):
                self._to_interface(source, interface)
        elif config.get("endpointPublicAccess"):
            self._leave(source, Host(name=name, address=INTERNET.address))
            self._admission(server, config, public_addresses(self.network, source))
        else:
            for interface in control_plane_interfaces(self.network, server.cluster):
                self._to_interface(source, interface)

    def _host_to_api_server(self, host: Host, server: ApiServer) -> None:
        config = self._vpc_config(server)
        name = f"API server of {server.cluster}"
        if config is None:
            self.path.no(name, "UNKNOWN_RESOURCE", "there is no such cluster", "correct its name")
        elif config.get("endpointPublicAccess") and (host.public or not self._privately(host, server)):
            # Outside of the VPC the endpoint's name means its public addresses, as soon as it has any.
            self.path.hop("public endpoint")
            self._admission(server, config, [host.network])
        elif host.public:
            self._dial(server)
            self.path.no(
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
            self.path.addresses.append(likely_address(self.network, interface))

    def _admission(self, server: ApiServer, config: Member, addresses: list[IPv4Network]) -> None:
        cidrs = [IPv4Network(cidr) for cidr in config.get("publicAccessCidrs") or ["0.0.0.0/0"]]
        for address in addresses:
            if not any(address.subnet_of(cidr) for cidr in cidrs):
                self.path.no(
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
        self.path.addresses.append(likely_address(self.network, destination))
        source_addresses, addresses = (
            addresses_of(self.network, source),
            addresses_of(self.network, destination),
        )
        same_vpc = start["VpcId"] == end["VpcId"]
        # A transit gateway forgets groups unless referencing is on; between other VPCs nobody can name them.
        self.filters.egress(source, addresses, destination.groups if same_vpc else (), destination.name)
        if start["SubnetId"] != end["SubnetId"]:
            self.filters.acls(start, addresses, outbound=True)
            self.filters.acls(end, source_addresses, outbound=False)
        if same_vpc:
            self.path.hop(f"local route of VPC {start['VpcId']}")
        else:
            self.routes.connection(start, addresses, destination.name)
            self.routes.connection(end, source_addresses, source.name)
        self.filters.ingress(destination, source_addresses, source.groups if same_vpc else (), source.name)

    def _enter(self, host: Host, destination: Interface) -> None:
        """From outside into a VPC."""
        end = self._subnet(destination)
        if end is None:
            return
        self.path.addresses.append(likely_address(self.network, destination))
        if host.public:
            route = self.routes.route(end, host.network, host.name)
            gateway = str(route.get("GatewayId", "")) if route else ""
            if not destination.public:
                self.path.no(
                    destination.name,
                    "IGW_PRIVATE_IP_ASSOCIATION_FOR_INGRESS",
                    f"it has no public address for {host.name}",
                    "reach it from within the VPC or a connected network",
                )
            elif route is not None and not gateway.startswith("igw-"):
                self.path.no(
                    f"subnet {label(end, 'SubnetId')}",
                    "NO_ROUTE_TO_DESTINATION",
                    f"it has no route to {host.name} through an internet gateway",
                    "use a public subnet",
                )
            elif gateway:
                self.routes.internet_gateway(gateway, end["VpcId"])
        else:
            # Connections come in where answers find out again.
            self.routes.connection(end, host.network, host.name)
        self.filters.acls(end, host.network, outbound=False)
        self.filters.ingress(destination, host.network, (), f"{host.address} ({host.name})")

    def _leave(self, source: Interface, host: Host) -> None:
        """Out of a VPC, to the internet or a connected network."""
        start = self._subnet(source)
        if start is None:
            return
        self.filters.egress(source, host.network, (), host.name)
        self.filters.acls(start, host.network, outbound=True)
        route = self.routes.route(start, host.network, host.name)
        if route is None:
            return
        gateway, nat = str(route.get("GatewayId", "")), route.get("NatGatewayId")
        if not (gateway.startswith("igw-") or nat):
            return
        if not host.public:
            self.routes.connection(start, host.network, host.name)
        elif nat:
            self._nat_gateway(str(nat), host, start)
        else:
            self.routes.internet_gateway(gateway, start["VpcId"])
            if not source.public:
                self.path.no(
                    source.name,
                    "IGW_PUBLIC_IP_ASSOCIATION_FOR_EGRESS",
                    f"it has no public address with which to go out through {gateway}",
                    "route its subnet through a NAT gateway",
                )

    def _nat_gateway(self, id: str, host: Host, start: Member) -> None:
        gateway = self.network.find("NatGateways", id)
        if gateway is None or gateway.get("State") not in ("available", None):
            self.path.no(
                f"NAT gateway {id}",
                "BAD_STATE",
                "it is gone" if gateway is None else f"it is {gateway['State']}",
                "make it again, and the route to it",
            )
            return
        self.path.hop(f"NAT gateway {label(gateway, 'NatGatewayId')}")
        if gateway.get("ConnectivityType") == "private":
            self.path.no(
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
            self.filters.acls(subnet, source, outbound=False)
        self.filters.acls(subnet, host.network, outbound=True, answers=NAT_EPHEMERAL)
        route = self.routes.route(subnet, host.network, host.name)
        if route is not None:
            exit_gateway = str(route.get("GatewayId", ""))
            if exit_gateway.startswith("igw-"):
                self.routes.internet_gateway(exit_gateway, subnet["VpcId"])
            else:
                self.path.no(
                    f"NAT gateway {label(gateway, 'NatGatewayId')}",
                    "NO_ROUTE_TO_DESTINATION",
                    f"its subnet {label(subnet, 'SubnetId')} has no route to an internet gateway",
                    "put it into a public subnet",
                )

    # --- addresses ---

    def _subnet(self, interface: Interface) -> Member | None:
        subnet = self.network.find("Subnets", interface.subnet)
        if subnet is None:
            self.path.no(
                interface.name,
                "UNKNOWN_RESOURCE",
                f"there is no subnet {interface.subnet}",
                "correct its id",
            )
        return subnet

    def _address_of(self, source: Interface, destination: Destination) -> IPv4Network:
        """Addresses of a destination, as a policy of the source's pod sees them."""
        match destination:
            case Interface():
                return addresses_of(self.network, destination)
            case Host():
                return destination.network
            case ApiServer() if self._resolves_privately(vpc_of(self.network, source), destination):
                return self._first(control_plane_interfaces(self.network, destination.cluster))
            case Service():
                endpoints = private_endpoints(self.network, vpc_of(self.network, source), destination)
                subnets = [id for endpoint in endpoints for id in endpoint.get("SubnetIds", ())]
                return self._first([Interface(name="", subnet=id, groups=()) for id in subnets[:1]])
            case _:
                return ANY_ADDRESS

    def _first(self, interfaces: list[Interface]) -> IPv4Network:
        return addresses_of(self.network, interfaces[0]) if interfaces else ANY_ADDRESS
