"""How the addresses of a network are shared out over its zones."""

import ipaddress
from dataclasses import dataclass

RESERVED = 5
"""Addresses of every subnet that AWS keeps."""


@dataclass(frozen=True)
class SubnetPlan:
    """Addresses of one zone; no pods where they are in the private subnet."""

    zone: str
    public: str
    private: str
    pods: str | None = None


def subnet_plans(cidr: str, zones: tuple[str, ...], pod_cidrs: tuple[str, ...] = ()) -> list[SubnetPlan]:
    """Addresses by zone: a quarter of the network for its private subnet, a sixteenth for its public one.

    A range for pods that the zones share gives each a quarter; with a range a zone, each has all of its own.
    Appending a zone moves nobody, and a quarter is always left for it.
    Raises ValueError when there are too few, too many or repeated zones, or when ranges do not go round.
    """
    if not 2 <= len(zones) <= 3 or len(set(zones)) != len(zones):
        raise ValueError(f"A network has two or three different zones, not {', '.join(zones) or 'none'}.")
    network = ipaddress.IPv4Network(cidr)
    *private, rest = network.subnets(prefixlen_diff=2)
    public = rest.subnets(prefixlen_diff=2)
    return [
        SubnetPlan(zone, str(small), str(large), own)
        for zone, small, large, own in zip(zones, public, private, _pod_plans(zones, pod_cidrs), strict=False)
    ]


def room(cidr: str) -> int:
    """Addresses of a subnet that there are for nodes and pods."""
    return ipaddress.IPv4Network(cidr).num_addresses - RESERVED


def _pod_plans(zones: tuple[str, ...], cidrs: tuple[str, ...]) -> list[str | None]:
    if not cidrs:
        return [None for _ in zones]
    if len(cidrs) == len(zones):
        return list(cidrs)
    if len(cidrs) == 1:
        return [str(quarter) for quarter in ipaddress.IPv4Network(cidrs[0]).subnets(prefixlen_diff=2)]
    raise ValueError(
        f"{len(cidrs)} ranges for pods do not go round {len(zones)} zones: give one for all, or one for each."
    )
