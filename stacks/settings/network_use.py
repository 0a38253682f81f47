"""What the nodes of an environment take of a VPC with every node group at its maximum, in an update too."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moka.collectors.sending import region_of
from moka.endpoint_services import PROMETHEUS, SERVICES, Service
from moka.machines.node_addresses import NodeAddresses, node_addresses
from moka.machines.node_roles import ROLES
from moka.machines.node_updates import surge
from moka.machines.pod_addresses import PREFIX_ADDRESSES
from moka.network_address_usage import Contents
from moka.subnet_plan import subnet_plans
from stacks.settings.cluster import Generation, NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.foundation import Foundation

GATEWAY_ENDPOINTS = 1


@dataclass(frozen=True, kw_only=True)
class GroupUse:
    """What the nodes of a generation of a group take.

    addresses: of a node.
    retiring: another generation takes over. It has as many nodes at most, until their drivers have finished.
    """

    cluster: str
    group: NodeGroup
    zones: tuple[str, ...]
    addresses: NodeAddresses
    retiring: bool = False

    @property
    def maximum(self) -> int:
        """Nodes of it, at most, while nothing is replaced."""
        return self.group.maximum

    @property
    def nodes(self) -> int:
        """The same, with those that come in an update before others go."""
        return self.maximum + sum(self._surge(zone) for zone in self.zones)

    def nodes_in(self, zone: str) -> int:
        """Of these, nodes in a zone."""
        return self._share + self._surge(zone) if zone in self.zones else 0

    @property
    def _share(self) -> int:
        return math.ceil(self.maximum / len(self.zones))

    def _surge(self, zone: str) -> int:
        percent = ROLES[self.group.role].rolling_percent
        # In a reservation old ones go first: it may have no room for more.
        if self.retiring or percent is None or zone in self.group.capacity_reservations:
            return 0
        if self.group.zonal:
            return surge(self._share, 1, percent)
        return math.ceil(surge(self.maximum, len(self.zones), percent) / len(self.zones))


@dataclass(frozen=True, kw_only=True)
class ZoneUse:
    """Addresses that the nodes of all groups take in a zone.

    nodes: for nodes. together: for nodes and pods in one subnet. pods: for pods in whole prefixes, beside
        which the primary addresses of their interfaces are, and never fewer.
    """

    nodes: int
    together: int
    pods: int


def zone_use(uses: Iterable[GroupUse], zone: str) -> ZoneUse:
    """What groups take in a zone."""
    counts = [(use.addresses, use.nodes_in(zone)) for use in uses]
    nodes = sum(count for _, count in counts)
    return ZoneUse(
        nodes=nodes,
        together=nodes + sum(count * addresses.for_pods for addresses, count in counts),
        pods=sum(count * addresses.prefixes for addresses, count in counts) * PREFIX_ADDRESSES,
    )


def group_uses(settings: Environment, name: str) -> Iterator[GroupUse]:
    """What each node group of a foundation's clusters takes, generation by generation."""
    foundation = settings.foundations[name]
    for cluster_name, cluster in settings.clusters_of(name).items():
        for group in cluster.node_groups.values():
            generations: list[NodeGroup | Generation] = [group, *group.retiring.values()]
            for generation in generations:
                yield GroupUse(
                    cluster=cluster_name,
                    group=group,
                    zones=group.effective_zones(foundation.zones),
                    addresses=node_addresses(
                        group.role,
                        generation.instance_types,
                        group.max_pods,
                        pod_subnets=has_pod_subnets(foundation),
                    ),
                    retiring=generation is not group,
                )


def vpc_contents(settings: Environment, name: str) -> Contents:
    """What the VPC of a foundation has, of what the program knows: others may use an existing one too."""
    foundation = settings.foundations[name]
    network, zones = foundation.network, len(foundation.zones)
    uses = [(use.nodes, use.addresses) for use in group_uses(settings, name)]
    inside = len(interface_endpoints(settings, name))
    return Contents(
        nodes=sum(nodes for nodes, _ in uses),
        interfaces=sum(nodes * addresses.interfaces for nodes, addresses in uses),
        prefixes=sum(nodes * addresses.prefixes for nodes, addresses in uses),
        # The ingress of each cluster.
        load_balancers=len(settings.clusters_of(name)) * zones,
        endpoints=(GATEWAY_ENDPOINTS + inside) * zones if network else 0,
        nat_gateways=(zones if network.nat == "zonal" else 1) if network else 0,
        attachments=1 if network and network.transit_gateway else 0,
    )


def interface_endpoints(settings: Environment, name: str) -> tuple[Service, ...]:
    """Services for which the network of a foundation has an endpoint in each of its zones."""
    network = settings.foundations[name].network
    if network is None or not network.interface_endpoints:
        return ()
    return (*SERVICES, PROMETHEUS) if has_prometheus_endpoint(settings, name) else SERVICES


def has_prometheus_endpoint(settings: Environment, name: str) -> bool:
    """Whether metrics go to a workspace of its region: an endpoint is for services of its own."""
    return region_of(settings.metrics.workspace or ":::") == settings.foundations[name].region


def pod_networks(foundation: Foundation) -> list[str]:
    """Networks in which pods have their addresses; none of an existing VPC, of which nobody says."""
    network = foundation.network
    if network is None:
        return []
    if network.pod_cidrs:
        return list(map(str, network.pod_cidrs))
    return [plan.private for plan in subnet_plans(str(network.cidr), tuple(network.zones))]


def has_pod_subnets(foundation: Foundation) -> bool:
    """Whether pods have subnets of their own."""
    network, existing = foundation.network, foundation.existing_network
    return bool(network.pod_cidrs if network else existing and existing.pod_subnets)
