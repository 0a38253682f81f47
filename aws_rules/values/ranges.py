"""Ranges of addresses: of VPCs, subnets, services of a cluster, and of who may reach its API server."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

from aws_rules.rule import Rule
from aws_rules.values.request import Path, Request, ValueVerdict

_VPC = "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html"

VPC_RULE = Rule(
    name="vpc-ranges",
    authority="AWS",
    decides="which ranges a VPC may have, and which ones beside the first",
    source=f"{_VPC}#add-cidr-block-restrictions",
)
SUBNET_RULE = Rule(
    name="subnet-ranges",
    authority="AWS",
    decides="which ranges a subnet may have, and in which zones it may be",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
)
RESERVATION_RULE = Rule(
    name="subnet-reservations",
    authority="AWS",
    decides="whether a range that is reserved is within its subnet, and overlaps no other reservation",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-cidr-reservation.html",
)
CLUSTER_RULE = Rule(
    name="cluster-ranges",
    authority="EKS",
    decides="which addresses a cluster's services may have, and who may be let in to a public endpoint",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html",
)

RULES = (VPC_RULE, SUBNET_RULE, RESERVATION_RULE, CLUSTER_RULE)

LARGEST, SMALLEST = 16, 28
"""Prefix lengths of a VPC's and a subnet's range. Source: of the rules."""

PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
"""RFC 1918."""


@dataclass(frozen=True)
class Restriction:
    """Ranges that a VPC whose first range is in `primary` cannot take beside it."""

    primary: IPv4Network
    ranges: tuple[IPv4Network, ...]


def _restriction(primary: str, ranges: str) -> Restriction:
    return Restriction(IPv4Network(primary), tuple(map(IPv4Network, ranges.split())))


# "IPv4 CIDR block association restrictions", _VPC, by the range of the VPC's primary range.
RESTRICTIONS = (
    _restriction("10.0.0.0/8", "172.16.0.0/12 192.168.0.0/16 198.19.0.0/16"),
    _restriction("10.0.0.0/15", "10.0.0.0/16"),
    _restriction("172.16.0.0/12", "10.0.0.0/8 192.168.0.0/16 172.31.0.0/16 198.19.0.0/16"),
    _restriction("192.168.0.0/16", "10.0.0.0/8 172.16.0.0/12 198.19.0.0/16"),
    _restriction("198.19.0.0/16", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16"),
)
PUBLIC = _restriction("0.0.0.0/0", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 198.19.0.0/16")
"""Of publicly routable ranges and 100.64.0.0/10, which no other row has."""

RESERVED = (
    *PRIVATE,
    *map(IPv4Network, ("100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")),
    *map(IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),
)
"""EKS lets nobody in from these: private and reserved addresses, RFC 5737's too.

AWS lists none; there are reports of "The following CIDRs are not allowed in publicAccessCidrs" for
10.0.0.0/8 and 203.0.113.0/24.
"""

SERVICE_LARGEST, SERVICE_SMALLEST = 12, 24
"""Prefix lengths of the addresses of services. Source: of the rule."""

MOST_PUBLIC_CIDRS = 40
"""https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html"""


def vpc(request: Request) -> Iterator[ValueVerdict]:
    """The range of a new VPC, or a further one of a VPC."""
    yield from _size_faults(request, VPC_RULE, "InvalidVpc.Range", "the VPC")


def further_range(request: Request, primary: str, ranges: Sequence[str]) -> Iterator[ValueVerdict]:
    """A further range of a VPC that has `ranges`, of which `primary` was the first."""
    network, first = _network(request.value_at("CidrBlock")), IPv4Network(primary)
    if not isinstance(network, IPv4Network):
        return
    rows = [row for row in RESTRICTIONS if first.subnet_of(row.primary)] or [PUBLIC]
    restriction = next((range for row in rows for range in row.ranges if network.overlaps(range)), None)
    conflict = next((range for range in ranges if network.overlaps(IPv4Network(range))), None)
    if conflict:
        message = f"The CIDR '{network}' conflicts with {conflict}, which the VPC has"
        remedy = "choose a range that overlaps none of the VPC's"
        yield request.misfit(VPC_RULE, ("CidrBlock",), "InvalidVpc.Range", message, remedy)
    elif restriction:
        message = (
            f"The CIDR '{network}' is restricted. Use a CIDR from the same private address range as the "
            "current VPC CIDR, or use a publicly-routable CIDR"
        )
        remedy = (
            f"choose a range outside {restriction}, such as one of 100.64.0.0/10, as the VPC's is {primary}"
        )
        yield request.misfit(VPC_RULE, ("CidrBlock",), "InvalidVpc.Range", message, remedy)


def subnet(request: Request) -> Iterator[ValueVerdict]:
    """The range and the zone of a new subnet."""
    yield from _size_faults(request, SUBNET_RULE, "InvalidSubnet.Range", "the subnet")
    zone = request.value_at("AvailabilityZone")
    if isinstance(zone, str) and not zone.startswith(request.region):
        message = f"Value ({zone}) for parameter availabilityZone is invalid"
        remedy = f"choose a zone of {request.region}"
        yield request.misfit(SUBNET_RULE, ("AvailabilityZone",), "InvalidParameterValue", message, remedy)


def reservation(request: Request) -> Iterator[ValueVerdict]:
    """The form of a range that is reserved in a subnet."""
    text = request.value_at("Cidr")
    network = _network(text)
    if isinstance(text, str) and network is None:
        message = f"Value ({text}) for parameter cidr is invalid. This is not a valid CIDR block"
        remedy = "write it as 100.64.32.0/19"
        yield request.misfit(RESERVATION_RULE, ("Cidr",), "InvalidParameterValue", message, remedy)
    elif network is not None and str(network) != text:
        # The provider asks at the preview: hashicorp/terraform-provider-aws:
        # internal/service/ec2/vpc_subnet_cidr_reservation.go, ValidCIDRNetworkAddress.
        message = f'"{text}" is not a valid CIDR block; did you mean "{network}"?'
        remedy = f"write {network}"
        yield request.misfit(RESERVATION_RULE, ("Cidr",), "InvalidParameterValue", message, remedy)


def reservation_in_subnet(request: Request, subnet: str, ranges: Sequence[str]) -> Iterator[ValueVerdict]:
    """A range that is reserved in a subnet, of which `ranges` are others.

    Words: getmoto/moto: moto/ec2/exceptions.py, InvalidCidrReservationNotWithinSubnetCidr and
    InvalidCidrReservationOverlapExisting.
    """
    network, code = _network(request.value_at("Cidr")), "InvalidParameterValue"
    if not isinstance(network, IPv4Network):
        return
    conflict = next((range for range in ranges if network.overlaps(IPv4Network(range))), None)
    if not network.subnet_of(IPv4Network(subnet)):
        message = f"Reservation CIDR should be within subnet CIDR block ({subnet})"
        yield request.misfit(RESERVATION_RULE, ("Cidr",), code, message, "choose a range of the subnet's")
    elif conflict:
        message = f"Reservation CIDR {network} has overlap with existing reserved CIDR block"
        remedy = f"choose a range that does not overlap {conflict}"
        yield request.misfit(RESERVATION_RULE, ("Cidr",), code, message, remedy)


def cluster(request: Request) -> Iterator[ValueVerdict]:
    """The addresses of services, and who may reach a public endpoint."""
    path: Path = ("kubernetesNetworkConfig", "serviceIpv4Cidr")
    text = request.value_at(*path)
    if isinstance(text, str):
        network = _network(text)
        if not isinstance(network, IPv4Network) or not any(network.subnet_of(range) for range in PRIVATE):
            message = f"The service IPv4 CIDR block {text} is not within {', '.join(map(str, PRIVATE))}"
            remedy = "choose a range of one of these, such as 172.20.0.0/16"
            yield request.misfit(CLUSTER_RULE, path, "InvalidParameterException", message, remedy)
        elif not SERVICE_LARGEST <= network.prefixlen <= SERVICE_SMALLEST:
            message = f"The service IPv4 CIDR block {text} is not between /24 and /12"
            remedy = "choose a range of such a size"
            yield request.misfit(CLUSTER_RULE, path, "InvalidParameterException", message, remedy)
    yield from _endpoint(request)


def services_in_vpc(request: Request, ranges: Sequence[str]) -> Iterator[ValueVerdict]:
    """The addresses of services against the ranges of the cluster's VPC."""
    path: Path = ("kubernetesNetworkConfig", "serviceIpv4Cidr")
    network = _network(request.value_at(*path))
    conflict = next((range for range in ranges if network and network.overlaps(IPv4Network(range))), None)
    if conflict:
        message = f"The service IPv4 CIDR block {network} overlaps with {conflict}, a CIDR block of the VPC"
        remedy = "choose a range outside those of the VPC"
        yield request.misfit(CLUSTER_RULE, path, "InvalidParameterException", message, remedy)


def _endpoint(request: Request) -> Iterator[ValueVerdict]:
    """Who may reach a cluster's endpoint.

    https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
    """
    config, code = ("resourcesVpcConfig",), "InvalidParameterException"
    cidrs, path = request.value_at(*config, "publicAccessCidrs"), (*config, "publicAccessCidrs")
    entries = cidrs if isinstance(cidrs, list) else []
    if len(entries) > MOST_PUBLIC_CIDRS:
        message = f"A maximum of {MOST_PUBLIC_CIDRS} publicAccessCidrs can be specified"
        yield request.misfit(CLUSTER_RULE, path, code, message, "put some of them together")
    for index, cidr in enumerate(entries):
        network = _network(cidr)
        if isinstance(cidr, str) and network is None:
            message = f"The following CIDRs are invalid in publicAccessCidrs: [{cidr}]"
            yield request.misfit(CLUSTER_RULE, (*path, index), code, message, "write it as 54.240.193.0/24")
        elif isinstance(network, IPv4Network) and any(network.subnet_of(range) for range in RESERVED):
            message = f"The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]"
            remedy = "name public addresses, or use the private endpoint"
            yield request.misfit(CLUSTER_RULE, (*path, index), code, message, remedy)


def _size_faults(request: Request, rule: Rule, code: str, noun: str) -> Iterator[ValueVerdict]:
    path, text = ("CidrBlock",), request.value_at("CidrBlock")
    if not isinstance(text, str):
        return
    network = _network(text)
    if network is None:
        yield request.misfit(
            rule,
            path,
            "InvalidParameterValue",
            f"Value ({text}) for parameter cidrBlock is invalid. This is not a valid CIDR block",
            "write it as 10.0.0.0/16",
        )
    elif not LARGEST <= network.prefixlen <= SMALLEST:
        remedy = f"choose a range of /{LARGEST} to /{SMALLEST} for {noun}"
        yield request.misfit(rule, path, code, f"The CIDR '{text}' is invalid", remedy)
    elif str(network) != text:
        # AWS would take the network's address instead; the provider asks for it at the preview.
        # hashicorp/terraform-provider-aws: internal/verify/validate.go, ValidateIPv4CIDRBlock
        message = f'"{text}" is not a valid IPv4 CIDR block; did you mean "{network}"?'
        yield request.misfit(rule, path, "InvalidParameterValue", message, f"write {network}")


def _network(text: object) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False) if isinstance(text, str) and "/" in text else None
    except ValueError:
        return None
