"""Address ranges, and whether they hold the nodes and pods."""

import math
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from moka.machines.node_roles import ROLES
from moka.mistakes import Mistake
from moka.subnet_plan import SubnetPlan, room, subnet_plans
from stacks.settings.cluster import NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.foundation import Network

PREFIX = 16
"""Addresses that a node takes at a time, with prefix delegation."""

LARGEST, SMALLEST = 16, 20
"""Prefix lengths of a range: AWS takes none larger, and a smaller one has no room for zones of pods."""

EVERYWHERE = IPv4Network("0.0.0.0/0")


def ranges(settings: Environment) -> Iterator[Mistake]:
    """Ranges that are too large or small, public, or that overlap."""
    vpcs = {name: f.network for name, f in settings.foundations.items() if f.network}
    for name, network in vpcs.items():
        at = f"foundations.{name}.network"
        named = _ranges(network)
        for where, cidr in named:
            if not LARGEST <= cidr.prefixlen <= SMALLEST:
                yield Mistake(f"{at}.{where}", f"is {cidr}; AWS and the zones need /{LARGEST} to /{SMALLEST}")
            if cidr.is_global:
                yield Mistake(
                    f"{at}.{where}", f"is {cidr}, public addresses; take from 10.0.0.0/8 or 100.64.0.0/10"
                )
        for (first, one), (second, other) in combinations(named, 2):
            if one.overlaps(other):
                yield Mistake(
                    f"{at}.{second}", f"is {other}, and overlaps {first}, {one}; choose another range"
                )
        if len(network.pod_cidrs) not in (0, 1, len(network.zones)):
            yield Mistake(
                f"{at}.pod_cidrs",
                f"has {len(network.pod_cidrs)} ranges for {len(network.zones)} zones; give one for all, "
                "or one for each",
            )
    for (first, one_network), (second, other_network) in combinations(vpcs.items(), 2):
        if one_network.cidr.overlaps(other_network.cidr):
            yield Mistake(
                f"foundations.{second}.network.cidr",
                f"is {other_network.cidr}, and overlaps foundation {first!r}, {one_network.cidr}; "
                "networks that overlap can never be joined",
            )
    for name, cluster in settings.clusters.items():
        for cidr in cluster.public_access:
            if cidr == EVERYWHERE:
                yield Mistake(
                    f"clusters.{name}.public_access",
                    f"is {cidr}, the whole internet; name the networks that need it",
                )


def _ranges(network: Network) -> list[tuple[str, IPv4Network]]:
    pods = [(f"pod_cidrs.{number}", cidr) for number, cidr in enumerate(network.pod_cidrs)]
    return [("cidr", network.cidr), *pods]


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
        for plan in _plans(network):
            nodes = sum(_nodes(group, plan.zone, network.zones) for group in groups)
            pods = sum(_nodes(group, plan.zone, network.zones) * _taken(group) for group in groups)
            if plan.pods is None:
                yield from _short(f"{at}.cidr", plan.zone, room(plan.private), nodes + pods, "nodes and pods")
            else:
                yield from _short(f"{at}.pod_cidrs", plan.zone, room(plan.pods), pods, "pods")
                yield from _short(f"{at}.cidr", plan.zone, room(plan.private), nodes, "nodes")


def _plans(network: Network) -> list[SubnetPlan]:
    """Addresses by zone; none where zones or ranges are wrong, which other checks say."""
    try:
        return subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    except ValueError:
        return []


def _short(at: str, zone: str, there: int, need: int, what: str) -> Iterator[Mistake]:
    if need > there:
        less = "maximum or max_pods" if "pods" in what else "maximum"
        yield Mistake(
            at,
            f"has {there} addresses in {zone} for {need} that {what} take with every node group at its "
            f"maximum; widen it, or lower {less}",
        )


def _nodes(group: NodeGroup, zone: str, zones: list[str]) -> int:
    """Nodes of a group in a zone, at most."""
    own = group.zones or zones
    return math.ceil(group.maximum / len(own)) if zone in own else 0


def _taken(group: NodeGroup) -> int:
    """Addresses that a node takes for its pods: whole prefixes, and one more that is kept warm."""
    return (math.ceil((group.max_pods or ROLES[group.role].max_pods) / PREFIX) + 1) * PREFIX
