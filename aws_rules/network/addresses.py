"""Which addresses a place has, and which VPC it is in."""

from ipaddress import IPv4Network, ip_network

from aws_rules.network.answers import Network
from aws_rules.network.places import INTERNET, Interface

ANY_ADDRESS = INTERNET.network


def vpc_of(network: Network, interface: Interface) -> str:
    """Id of the VPC of an interface's subnet; empty where there is no such subnet."""
    return str((network.find("Subnets", interface.subnet) or {}).get("VpcId", ""))


def addresses_of(network: Network, interface: Interface) -> IPv4Network:
    """The address of an interface, or those of its subnet."""
    if interface.address:
        return IPv4Network(ip_network(interface.address, strict=False))
    subnet = network.find("Subnets", interface.subnet)
    return IPv4Network(subnet["CidrBlock"]) if subnet else ANY_ADDRESS


def likely_address(network: Network, interface: Interface) -> str:
    """An address that an interface may have."""
    addresses = addresses_of(network, interface)
    # Some address of the subnet, after the four that AWS reserves: which, is not known before it is made.
    return str(addresses[0] if addresses.num_addresses < 6 else addresses[5])


def is_inside(network: Network, interface: Interface, addresses: IPv4Network) -> bool:
    """Whether addresses are of an interface's VPC."""
    return any(addresses.subnet_of(cidr) for cidr in network.ranges(vpc_of(network, interface)))


def public_addresses(network: Network, source: Interface) -> list[IPv4Network]:
    """Addresses with which a source goes out through its NAT gateway."""
    subnet = network.find("Subnets", source.subnet)
    table = network.route_table(subnet) if subnet else None
    for route in (table or {}).get("Routes", ()):
        gateway = network.find("NatGateways", str(route.get("NatGatewayId", "")))
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
