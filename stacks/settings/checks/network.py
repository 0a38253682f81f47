"""Address ranges, and whether they hold the nodes and pods."""

import math
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from moka.machines.pod_addresses import pod_addresses
from moka.mistakes import Mistake
from moka.subnet_plan import SubnetPlan, subnet_plans, usable_addresses
from stacks.settings.cluster import NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.foundation import Network

LARGEST_PREFIX_LENGTH, SMALLEST_PREFIX_LENGTH = 16, 20
"""Of a range: AWS takes none larger, and a smaller one has no room for zones of pods."""

EVERYWHERE = IPv4Network("0.0.0.0/0")


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
    for name, cluster in settings.clusters.items():
        if EVERYWHERE in cluster.public_access:
            yield Mistake(
                f"clusters.{name}.public_access",
                f"is {EVERYWHERE}, the whole internet; list only the networks that need access",
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
        if cidr.is_global:
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


def addresses(settings: Environment) -> Iterator[Mistake]:
    """Subnets that would run out of addresses with every node group at its maximum."""
    for name, foundation in settings.foundations.items():
        network = foundation.network
        if not network:
            continue
        at = f"foundations.{name}.network"
        groups = [
            group for cluster in settings.clusters_of(name).values() for group in cluster.node_groups.values()
        ]
        for plan in _subnet_plans(network):
            counts = [(group, _nodes(group, plan.zone, network.zones)) for group in groups]
            nodes = sum(count for _, count in counts)
            pods = sum(count * pod_addresses(group.role, group.max_pods) for group, count in counts)
            if plan.pods is None:
                yield from _shortage(f"{at}.cidr", plan.zone, plan.private, nodes + pods, "nodes and pods")
            else:
                yield from _shortage(f"{at}.pod_cidrs", plan.zone, plan.pods, pods, "pods")
                yield from _shortage(f"{at}.cidr", plan.zone, plan.private, nodes, "nodes")


def _subnet_plans(network: Network) -> list[SubnetPlan]:
    """Subnets by zone; none where zones or ranges are wrong, which other checks report."""
    try:
        return subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    except ValueError:
        return []


def _nodes(group: NodeGroup, zone: str, foundation_zones: list[str]) -> int:
    """Nodes of a group in a zone, at most."""
    zones = group.effective_zones(foundation_zones)
    return math.ceil(group.maximum / len(zones)) if zone in zones else 0


def _shortage(at: str, zone: str, subnet: str, needed: int, users: str) -> Iterator[Mistake]:
    available = usable_addresses(subnet)
    if needed > available:
        remedy = "maximum or max_pods" if "pods" in users else "maximum"
        yield Mistake(
            at,
            f"has {available} addresses in {zone}, but {users} need {needed} with every node group at its "
            f"maximum; widen it, or lower {remedy}",
        )
