"""Division of a network's addresses between its zones."""

import ipaddress
from dataclasses import dataclass

RESERVED_ADDRESSES = 5
"""Addresses of every subnet that AWS reserves."""


@dataclass(frozen=True)
class SubnetPlan:
    """Subnets of one zone; `pods` is None where pods are in the private subnet."""

    zone: str
    public: str
    private: str
    pods: str | None = None


def subnet_plans(cidr: str, zones: tuple[str, ...], pod_cidrs: tuple[str, ...] = ()) -> list[SubnetPlan]:
    """Addresses by zone: a quarter of the network for its private subnet, a sixteenth for its public one.

    One range for pods gives each zone a quarter; with a range for each zone, each has its own.
    Appending a zone changes no other one, and a quarter is always left for it.
    Raises ValueError when there are too few, too many or repeated zones, or another number of ranges.
    """
    if not 2 <= len(zones) <= 3 or len(set(zones)) != len(zones):
        raise ValueError(f"A network has two or three different zones, not {', '.join(zones) or 'none'}.")
    network = ipaddress.IPv4Network(cidr)
    *private, rest = network.subnets(prefixlen_diff=2)
    public = rest.subnets(prefixlen_diff=2)
    return [
        SubnetPlan(zone, str(small), str(large), pods)
        for zone, small, large, pods in zip(zones, public, private, _pods(zones, pod_cidrs), strict=False)
    ]


def usable_addresses(cidr: str) -> int:
    """Addresses of a subnet for nodes and pods."""
    return ipaddress.IPv4Network(cidr).num_addresses - RESERVED_ADDRESSES


def _pods(zones: tuple[str, ...], cidrs: tuple[str, ...]) -> list[str | None]:
    if not cidrs:
        return [None for _ in zones]
    if len(cidrs) == len(zones):
        return list(cidrs)
    if len(cidrs) == 1:
        return [str(quarter) for quarter in ipaddress.IPv4Network(cidrs[0]).subnets(prefixlen_diff=2)]
    raise ValueError(
        f"{len(cidrs)} ranges for pods do not fit {len(zones)} zones: set one for all, or one for each."
    )
