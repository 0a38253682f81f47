"""How many nodes and pods the address ranges of a VPC hold."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from doctor.account import Place
from doctor.finding import Finding, ok
from doctor.subnets import prefix_addresses
from moka.machines.pod_addresses import PREFIX_ADDRESSES
from moka.pod_subnets import interface_addresses, prefixes
from moka.subnet_plan import subnet_plans, usable_addresses
from stacks.settings.foundation import ExistingNetwork, Network
from stacks.settings.network_use import GroupUse, group_uses, zone_use


@dataclass(frozen=True, kw_only=True)
class Room:
    """Addresses of a zone.

    nodes: for nodes. pods: for pods, in whole prefixes; None where both are in one subnet.
    """

    nodes: int
    pods: int | None

    def share(self, zone: str, uses: list[GroupUse]) -> float:
        """Part of it that the nodes of all groups take, of that which they take most of."""
        use = zone_use(uses, zone)
        if self.pods is None:
            return use.together / max(1, self.nodes)
        return max(use.nodes / max(1, self.nodes), use.pods / max(1, self.pods))


def room(place: Place) -> Iterator[Finding]:
    """Nodes and pods that the ranges hold, and those that each cluster has at its maximum."""
    network, existing = place.foundation.network, place.foundation.existing_network
    zones = _planned_rooms(network) if network else _existing(place, existing) if existing else {}
    uses = list(group_uses(place.settings, place.name))
    share = max((zone_room.share(zone, uses) for zone, zone_room in zones.items()), default=0.0)
    if share:
        # Down, so that it is never more than there is.
        times = math.floor(10 / share) / 10
        apart = [zone_room.pods for zone_room in zones.values() if zone_room.pods is not None]
        numbers = {"nodes": sum(zone_room.nodes for zone_room in zones.values())}
        content = f"addresses for {numbers['nodes']:,} nodes and their pods together"
        if apart:
            numbers |= {"pods": sum(apart)}
            content = f"addresses for {numbers['nodes']:,} nodes and {numbers['pods']:,} pods"
        yield ok(
            place.name,
            f"Its ranges have {content}: {times:,} times what all node groups take at their maximum.",
            {**numbers, "times_all_maxima": times},
        )
    for name in place.clusters:
        own = [use for use in uses if use.cluster == name]
        nodes = sum(use.maximum for use in own)
        pods = sum(use.maximum * use.addresses.prefixes for use in own) * PREFIX_ADDRESSES
        yield ok(
            f"{place.name}/{name}",
            f"It can have {nodes:,} nodes, which take {pods:,} addresses for pods.",
            {"nodes": nodes, "pods": pods},
        )


def _planned_rooms(network: Network) -> dict[str, Room]:
    """Of a VPC that the foundation makes, by zone."""
    plans = subnet_plans(str(network.cidr), tuple(network.zones), tuple(map(str, network.pod_cidrs)))
    return {
        plan.zone: Room(
            nodes=min(usable_addresses(plan.private), interface_addresses(plan.pods)),
            pods=prefixes(plan.pods) * PREFIX_ADDRESSES,
        )
        if plan.pods
        else Room(nodes=usable_addresses(plan.private), pods=None)
        for plan in plans
    }


def _existing(place: Place, network: ExistingNetwork) -> dict[str, Room]:
    """Of an existing VPC, by zone, as if nobody else had addresses of its subnets."""
    in_vpc = [{"Name": "vpc-id", "Values": [network.vpc]}]
    subnets: Mapping[str, Any] = {
        subnet["SubnetId"]: subnet
        for subnet in place.items("ec2", "describe_subnets", "Subnets", Filters=in_vpc)
    }
    rooms = {}
    for zone, id_ in network.private_subnets.items():
        pod_subnet = network.pod_subnets.get(zone)
        if id_ not in subnets or (pod_subnet and pod_subnet not in subnets):
            continue
        nodes, pods = usable_addresses(subnets[id_]["CidrBlock"]), None
        if pod_subnet:
            pods = usable_addresses(subnets[pod_subnet]["CidrBlock"])
            pods = min(prefix_addresses(place, pod_subnet) or pods, pods)
        rooms[zone] = Room(nodes=nodes, pods=pods)
    return rooms
