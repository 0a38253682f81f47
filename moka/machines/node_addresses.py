"""What a node takes of its VPC for itself and its pods, with prefixes of addresses."""

from collections.abc import Iterable
from dataclasses import dataclass

from moka.machines.interfaces import pod_interfaces
from moka.machines.node_roles import Role
from moka.machines.pod_addresses import PREFIX_ADDRESSES, pod_addresses


@dataclass(frozen=True, kw_only=True)
class NodeAddresses:
    """Of a node with as many pods as it may have.

    interfaces: besides its own, each with a primary address. prefixes: of 16 addresses.
    """

    interfaces: int
    prefixes: int

    @property
    def for_pods(self) -> int:
        """Addresses that its pods take, the primary ones of its further interfaces included."""
        return self.interfaces + self.prefixes * PREFIX_ADDRESSES


def node_addresses(
    role: Role, instance_types: Iterable[str], max_pods: int | None = None, *, pod_subnets: bool
) -> NodeAddresses:
    """What a node of a group takes at most, whichever of its types it is of.

    max_pods: pods a node, by default the role's. pod_subnets: pods are in subnets of their own, which the
    node's own interface is not in.
    """
    prefixes = pod_addresses(role, max_pods) // PREFIX_ADDRESSES
    interfaces = pod_interfaces(instance_types, prefixes)
    return NodeAddresses(interfaces=interfaces if pod_subnets else interfaces - 1, prefixes=prefixes)
