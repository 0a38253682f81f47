"""Address ranges, and whether they hold the nodes and pods."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, collapse_addresses
from itertools import combinations

from moka.machines.pod_addresses import PREFIX_ADDRESSES
from moka.mistakes import Mistake, comma_list
from moka.network_address_usage import MOST_UNITS
from moka.pod_subnets import prefixes
from moka.subnet_plan import SubnetPlan, subnet_plans, usable_addresses
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment
from stacks.settings.fields import RFC_1918, is_private
from stacks.settings.foundation import Foundation, Network
from stacks.settings.network_use import group_uses, vpc_contents, zone_use

LARGEST_PREFIX_LENGTH, SMALLEST_PREFIX_LENGTH = 16, 20
"""Of a range: AWS takes none larger, and a smaller one has no room for zones of pods."""

EVERYWHERE = IPv4Network("0.0.0.0/0")
DEFAULT_VPC = IPv4Network("172.31.0.0/16")
CLASSIC = (IPv4Network("10.0.0.0/16"), IPv4Network("10.1.0.0/16"))
PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16")))
"""Ranges of which a VPC can have one, by what AWS adds to one another."""

DOCKER = IPv4Network("172.17.0.0/16")

UNUSABLE: Mapping[IPv4Network, str] = {
    IPv4Network("0.0.0.0/8"): "no address of a machine",
    IPv4Network("127.0.0.0/8"): "each machine's own",
    IPv4Network("169.254.0.0/16"): "link-local, and AWS's own",
    DOCKER: "Docker's, and some services of AWS fail in a VPC with it",
    IPv4Network("224.0.0.0/4"): "for multicast",
    IPv4Network("240.0.0.0/4"): "reserved",
}
"""Ranges that a VPC cannot or should not have, and why:
https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
"""

NOWHERE = tuple(block for block in UNUSABLE if block != DOCKER)
"""Ranges in which no machine of another network can be."""

NOT_PUBLIC = (
    *map(IPv4Network, ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16")),
    *map(IPv4Network, ("172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4")),
    # Of documentation: RFC 5737.
    *map(IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),
)
LARGEST_SERVICE_PREFIX, SMALLEST_SERVICE_PREFIX = 12, 24
"""Of Services, which have to be within RFC 1918:
https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html"""

MAX_INBOUND_RULES, EKS_RULES = 60, 1
"""Of the cluster's security group: Amazon VPC quotas, "Inbound or outbound rules per security group"."""

MAX_PUBLIC_RANGES = 40
"""EKS's quota (AWS General Reference, Amazon EKS quotas)."""


def ranges(settings: Environment) -> Iterator[Mistake]:
    """Ranges that are too large or small, public, or that overlap."""
    networks = {name: f.network for name, f in settings.foundations.items() if f.network}
    for name, network in networks.items():
        yield from _ranges(f"foundations.{name}.network", network)
    for (first_name, first), (name, network) in combinations(networks.items(), 2):
        if first.cidr.overlaps(network.cidr):
            yield Mistake(
                f"foundations.{name}.network.cidr",
                f"is {network.cidr}, which overlaps {first.cidr} of foundation {first_name!r}; choose "
                "another range, as networks that overlap can never be connected",
            )


def _ranges(at: str, network: Network) -> Iterator[Mistake]:
    cidrs = {"cidr": network.cidr}
    cidrs |= {f"pod_cidrs.{number}": cidr for number, cidr in enumerate(network.pod_cidrs)}
    for key, cidr in cidrs.items():
        if not LARGEST_PREFIX_LENGTH <= cidr.prefixlen <= SMALLEST_PREFIX_LENGTH:
            yield Mistake(
                f"{at}.{key}",
                f"is {cidr}; choose a range from /{LARGEST_PREFIX_LENGTH}, the largest that AWS allows, to "
                f"/{SMALLEST_PREFIX_LENGTH}",
            )
        if reserved := next((block for block in UNUSABLE if cidr.overlaps(block)), None):
            yield Mistake(
                f"{at}.{key}",
                f"is {cidr}, but {reserved} is {UNUSABLE[reserved]}; choose a range in 10.0.0.0/8 or "
                "100.64.0.0/10",
            )
        elif cidr.is_global:
            yield Mistake(
                f"{at}.{key}",
                f"is {cidr}, which has public addresses; choose a range in 10.0.0.0/8 or 100.64.0.0/10",
            )
    for (first_key, first), (key, cidr) in combinations(cidrs.items(), 2):
        if first.overlaps(cidr):
            yield Mistake(
                f"{at}.{key}", f"is {cidr}, which overlaps {first_key}, {first}; choose another range"
            )
    if len(network.pod_cidrs) not in (0, 1, len(network.zones)):
        yield Mistake(
            f"{at}.pod_cidrs",
            f"has {len(network.pod_cidrs)} ranges for {len(network.zones)} zones; give one for all zones, or "
            "one for each",
        )


def associations(settings: Environment) -> Iterator[Mistake]:
    """Ranges for pods that AWS does not add to a VPC with that range:
    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html#add-cidr-block-restrictions
    """
    for name, foundation in settings.foundations.items():
        if foundation.network:
            vpc = foundation.network.cidr
            for number, cidr in enumerate(foundation.network.pod_cidrs):
                others = [vpc, *foundation.network.pod_cidrs[:number]]
                if restriction := _restriction(vpc, cidr, others):
                    yield Mistake(
                        f"foundations.{name}.network.pod_cidrs.{number}",
                        f"is {cidr}, but {restriction}; choose a range in 100.64.0.0/10",
                    )


def _restriction(vpc: IPv4Network, cidr: IPv4Network, others: list[IPv4Network]) -> str | None:
    """Why a range cannot be added to a VPC, as a clause; None where it can."""
    private_range, home = _private_range(cidr), _private_range(vpc)
    if private_range is not None and private_range != home:
        return f"AWS adds nothing of {private_range} to a VPC of {home or vpc}"
    if private_range == IPv4Network("172.16.0.0/12") and cidr.overlaps(DEFAULT_VPC):
        return f"AWS adds nothing of {DEFAULT_VPC} to a VPC of {private_range}"
    if cidr.overlaps(CLASSIC[0]) and any(other.overlaps(block) for other in others for block in CLASSIC):
        return f"AWS adds nothing of {CLASSIC[0]} to a VPC with a range in 10.0.0.0/15"
    return None


def _private_range(cidr: IPv4Network) -> IPv4Network | None:
    return next((private for private in PRIVATE if cidr.subnet_of(private)), None)


def public_access(settings: Environment) -> Iterator[Mistake]:
    """Networks that EKS lets nobody in from over the internet, and all of the internet:
    https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
    """
    for name, cluster in settings.clusters.items():
        at = f"clusters.{name}.public_access"
        if len(cluster.public_access) > MAX_PUBLIC_RANGES:
            yield Mistake(
                at,
                f"has {len(cluster.public_access)} networks, but EKS takes {MAX_PUBLIC_RANGES}; merge some",
            )
        if EVERYWHERE in collapse_addresses(cluster.public_access):
            yield Mistake(at, f"is {EVERYWHERE}, the whole internet; list only the networks that need access")
            continue
        for cidr in cluster.public_access:
            if reserved := next((block for block in NOT_PUBLIC if cidr.overlaps(block)), None):
                yield Mistake(
                    at,
                    f"{cidr} has addresses of {reserved}, which the internet does not know, and EKS refuses; "
                    "list the public addresses that requests come from, such as those of a NAT gateway",
                )


def addresses(settings: Environment) -> Iterator[Mistake]:
    """Subnets that would run out of addresses with every node group at its maximum."""
    for name, foundation in settings.foundations.items():
        network = foundation.network
        if not network:
            continue
        at = f"foundations.{name}.network"
        uses = list(group_uses(settings, name))
        for plan in _subnet_plans(network):
            use = zone_use(uses, plan.zone)
            private = usable_addresses(plan.private)
            if plan.pods is None:
                yield from _shortage(f"{at}.cidr", plan.zone, private, use.together, "nodes and pods")
            else:
                available = prefixes(plan.pods) * PREFIX_ADDRESSES
                yield from _shortage(f"{at}.pod_cidrs", plan.zone, available, use.pods, "pods")
                yield from _shortage(f"{at}.cidr", plan.zone, private, use.nodes, "nodes")


def units(settings: Environment) -> Iterator[Mistake]:
    """VPCs that would be larger than AWS allows, whatever the account's quota."""
    for name in settings.foundations:
        demand = vpc_contents(settings, name).units
        if demand > MOST_UNITS:
            yield Mistake(
                f"foundations.{name}",
                f"has clusters that need {demand:,} units of Network Address Usage {_AT_MOST}, but AWS "
                f"allows {MOST_UNITS:,} in a VPC; put some of the clusters in another foundation, or lower "
                "maximum or max_pods",
            )


def transit_gateways(settings: Environment) -> Iterator[Mistake]:
    """Networks behind a transit gateway that are the VPC's own, everything, or none of machines."""
    for name, foundation in settings.foundations.items():
        network = foundation.network
        if network is None or network.transit_gateway is None:
            continue
        at = f"foundations.{name}.network.transit_gateway.cidrs"
        yield from repeated(at, map(str, network.transit_gateway.cidrs))
        for number, cidr in enumerate(network.transit_gateway.cidrs):
            if cidr == EVERYWHERE:
                yield Mistake(
                    f"{at}.{number}",
                    f"is {cidr}, to which a NAT gateway has the one route that a table can have; name the "
                    "networks behind the transit gateway",
                )
            elif reserved := next((block for block in NOWHERE if cidr.subnet_of(block)), None):
                yield Mistake(
                    f"{at}.{number}",
                    f"is {cidr}, but {reserved} is {UNUSABLE[reserved]}; name networks of machines",
                )
            for vpc_range in (network.cidr, *network.pod_cidrs):
                # A route to all private networks is fine: the VPC's own is more specific.
                if cidr.subnet_of(vpc_range):
                    yield Mistake(
                        f"{at}.{number}",
                        f"is {cidr}, which is within the VPC's own {vpc_range}; name networks "
                        "behind the gateway",
                    )


def services(settings: Environment) -> Iterator[Mistake]:
    """Addresses of Services that EKS refuses, or that machines in the VPC or connected to it have as well."""
    for name, cluster in settings.clusters.items():
        cidr, foundation = cluster.service_cidr, settings.foundations.get(cluster.foundation)
        if cidr is None or foundation is None:
            continue
        at = f"clusters.{name}.service_cidr"
        if not any(cidr.subnet_of(private) for private in RFC_1918):
            yield Mistake(
                at,
                f"is {cidr}, but EKS takes ranges of {comma_list(map(str, RFC_1918))}; choose one of these",
            )
        elif not LARGEST_SERVICE_PREFIX <= cidr.prefixlen <= SMALLEST_SERVICE_PREFIX:
            yield Mistake(at, f"is {cidr}, but EKS takes /12 to /24; choose a range of such a size")
        for owner, others in _connected_ranges(settings, foundation).items():
            if other := next((other for other in others if cidr.overlaps(other)), None):
                yield Mistake(
                    at,
                    f"is {cidr}, which overlaps {other} of {owner.format(cluster.foundation)}: pods would "
                    "not reach machines there; choose another range",
                )


def _connected_ranges(settings: Environment, foundation: Foundation) -> dict[str, list[IPv4Network]]:
    """Setting, with a place for the foundation's name -> networks that pods there may have to reach."""
    network, deployer = foundation.network, settings.deployer_network
    gateway = network.transit_gateway if network else None
    return {
        "foundations.{}.network": [network.cidr, *network.pod_cidrs] if network else [],
        "foundations.{}.network.transit_gateway": gateway.cidrs if gateway else [],
        "foundations.{}.api_access": foundation.api_access.cidrs,
        "deployer_network": [deployer] if deployer else [],
    }


def api_access(settings: Environment) -> Iterator[Mistake]:
    """Networks that private API servers let in and that have no way there."""
    for name, foundation in settings.foundations.items():
        access = foundation.api_access
        yield from repeated(f"foundations.{name}.api_access.cidrs", map(str, access.cidrs))
        yield from repeated(f"foundations.{name}.api_access.security_groups", access.security_groups)
        networks = (len(settings.api_networks(cluster)) for cluster in settings.clusters_of(name))
        rules = max(networks, default=0) + len(access.security_groups)
        if rules > MAX_INBOUND_RULES - EKS_RULES:
            yield Mistake(
                f"foundations.{name}.api_access",
                f"needs {rules} rules with deployer_network and Archer's networks, but a security group has "
                f"{MAX_INBOUND_RULES}, {EKS_RULES} of them EKS's own; merge some networks",
            )
        for number, cidr in enumerate(access.cidrs):
            at = f"foundations.{name}.api_access.cidrs.{number}"
            if not is_private(cidr):
                yield Mistake(
                    at,
                    f"is {cidr}, which is no private network: private API servers are reached from connected "
                    "networks only; for the internet there is `public_access` of a cluster",
                )
            elif not _connected(foundation, cidr):
                yield Mistake(at, f"is {cidr}, {_NOT_CONNECTED.format(name)}")


def deployer(settings: Environment) -> Iterator[Mistake]:
    """API servers that are not reached from where `up` runs."""
    network = settings.deployer_network
    if network is None:
        return
    if is_private(network):
        for name, foundation in settings.foundations.items():
            # A VPC that is connected to nothing may be yet, by who owns the other network.
            gateway = foundation.network.transit_gateway if foundation.network else None
            if gateway and not _connected(foundation, network):
                yield Mistake("deployer_network", f"is {network}, {_NOT_CONNECTED.format(name)}")
        return
    for name, cluster in settings.clusters.items():
        if not any(network.subnet_of(cidr) for cidr in cluster.public_access):
            yield Mistake(
                f"clusters.{name}.public_access",
                f"does not have deployer_network, {network}, from which `up` has to reach the API server; "
                "add it, or run `up` in a network that is connected to the VPC",
            )


_AT_MOST = "with every node group at its maximum, generations that retire and updates included"

_NOT_CONNECTED = (
    "to which the VPC of foundation {0!r} has no route; add a network that has it to "
    "foundations.{0}.network.transit_gateway.cidrs"
)


def _connected(foundation: Foundation, cidr: IPv4Network) -> bool:
    """Whether a VPC has a route to a network; of an existing one that is not known here."""
    network = foundation.network
    if network is None:
        return True
    behind = network.transit_gateway.cidrs if network.transit_gateway else []
    return any(cidr.subnet_of(other) for other in (network.cidr, *network.pod_cidrs, *behind))


def _subnet_plans(network: Network) -> list[SubnetPlan]:
    """Subnets by zone; none where zones or ranges are wrong, which other checks report."""
    if any(cidr.prefixlen > SMALLEST_PREFIX_LENGTH for cidr in network.pod_cidrs):
        return []
    try:
        return subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    except ValueError:
        return []


def _shortage(at: str, zone: str, available: int, demand: int, users: str) -> Iterator[Mistake]:
    if demand > available:
        remedy = "maximum or max_pods" if "pods" in users else "maximum"
        yield Mistake(
            at,
            f"has {available} addresses in {zone}, but {users} need {demand} {_AT_MOST}; widen it, or lower "
            f"{remedy}",
        )
