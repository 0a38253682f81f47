"""Addresses of a subnet that has nothing but pods: prefixes of nodes, and primary addresses of interfaces."""

from ipaddress import IPv4Network

from moka.machines.pod_addresses import PREFIX_ADDRESSES
from moka.subnet_plan import RESERVED_ADDRESSES

HALVINGS = 4
"""Times that a subnet is halved: its upper halves, fifteen sixteenths, are for prefixes.

EC2 gives an interface its primary address anywhere in a subnet, and one address takes a whole prefix of 16
from the rest: prefixes run out (`InsufficientCidrBlocks`) while single addresses are free. In a reservation
for prefixes it gives no primary addresses (EKS Best Practices Guide, "Prefix Mode for Linux",
https://docs.aws.amazon.com/eks/latest/best-practices/prefix-mode-linux.html).

What is left out must not run out first. An interface has one primary address and a prefix at least, so of 17
addresses one is a primary one at most: a sixteenth is always enough, however many pods a node has.
"""


def prefix_reservations(subnet: str) -> list[str]:
    """Ranges of a subnet that are reserved for prefixes: all of it but its first sixteenth."""
    rest, reserved = IPv4Network(subnet), []
    for _ in range(HALVINGS):
        rest, upper = rest.subnets()
        reserved.append(str(upper))
    return reserved


def prefixes(subnet: str) -> int:
    """Prefixes that nodes have of a subnet; in its last one is the subnet's last address, which AWS keeps."""
    reserved = sum(IPv4Network(cidr).num_addresses for cidr in prefix_reservations(subnet))
    return reserved // PREFIX_ADDRESSES - 1


def interface_addresses(subnet: str) -> int:
    """Primary addresses that interfaces for pods have of a subnet: AWS keeps the first four."""
    return (IPv4Network(subnet).num_addresses >> HALVINGS) - (RESERVED_ADDRESSES - 1)
