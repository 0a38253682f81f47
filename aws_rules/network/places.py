"""From where, and to where: the places between which reachability is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, ip_network

PRIVATE = tuple(
    IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
"""RFC 1918 and RFC 6598: addresses that no internet gateway lets through."""


@dataclass(frozen=True, kw_only=True)
class Interface:
    """A network interface: of a node, a control plane, an endpoint, a load balancer, any machine in a VPC.

    name: as an engineer says it: `node of driver-arm64 in us-east-1a`.
    subnet, groups: ids; without groups they are not known, and are in nobody's way.
    address: where it is known; else any of the subnet.
    public: it has a public address too.
    """

    name: str
    subnet: str
    groups: tuple[str, ...]
    address: str | None = None
    public: bool = False


@dataclass(frozen=True, kw_only=True)
class Pod:
    """A pod with an address of its own.

    interface: with the pod's address: the pod subnet's with custom networking, else the node's.
    node: the node's primary interface: the VPC CNI gives its address to what leaves the VPC, unless
        AWS_VPC_K8S_CNI_EXTERNALSNAT is set (`external_snat`).
    """

    name: str
    namespace: str
    interface: Interface
    node: Interface
    labels: Mapping[str, str] = field(default_factory=dict)
    external_snat: bool = False


@dataclass(frozen=True, kw_only=True)
class Host:
    """Something outside: a machine in another network, or on the internet.

    address: an address or a range; a public one is on the internet, a private one in a connected network, and
        one of the VPC's own is a machine there, of which the security groups are `groups`.
    """

    name: str
    address: str
    groups: tuple[str, ...] = ()

    @property
    def network(self) -> IPv4Network:
        """Its addresses."""
        return IPv4Network(ip_network(self.address, strict=False))

    @property
    def public(self) -> bool:
        """Whether it is on the internet."""
        return not is_private(self.network)


# An address for documentation (RFC 5737): it stands for any public one.
INTERNET = Host(name="the internet", address="198.51.100.1/32")


@dataclass(frozen=True, kw_only=True)
class ApiServer:
    """The API server of an EKS cluster, by the cluster's name."""

    cluster: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a service, for policies of endpoints to decide.

    principal: ARN of the role. action, resource: as in policies.
    """

    principal: str
    action: str
    resource: str = "*"


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service of AWS in the network's region, as endpoints name it: `ec2`, `ecr.api`, `s3`, `eks-auth`.

    request: what is asked of it; without, endpoint policies are not looked at.
    """

    name: str
    request: Request | None = None


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """The instance metadata service of the source's own node, with its hop limit."""

    hop_limit: int


Source = Interface | Pod | Host
Destination = Interface | Pod | Host | ApiServer | Service | Metadata


def is_private(network: IPv4Network) -> bool:
    """Whether all addresses of a network are private."""
    return any(network.subnet_of(private) for private in PRIVATE)
