"""Network interfaces of a machine, and how many pods they have addresses for, with prefixes of addresses."""

import math
import re
from collections.abc import Iterable

from moka.machines.pod_addresses import PREFIX_ADDRESSES

HOST_PODS = 2
"""Pods that need no address of their own, kube-proxy and the VPC CNI (awslabs/amazon-eks-ami,
max-pods-calculator)."""

SMALL = (
    (re.compile(r"t\d[a-z]*\.(nano|micro)"), 2, 2),
    (re.compile(r"t3a\.small"), 2, 4),
    (re.compile(r"t\d[a-z]*\.small|m8azn\.medium"), 3, 4),
    (re.compile(r"t\d[a-z]*\.medium"), 3, 6),
    (re.compile(r"(a1|is4gen|x2gd|[cmrx][678][a-z]*)\.medium"), 2, 4),
    (re.compile(r"d3(en)?\.xlarge"), 4, 3),
    (re.compile(r"d3(en)?\.2xlarge"), 4, 5),
    (re.compile(r"g4dn\.(8|16)xlarge"), 4, 15),
    (re.compile(r"g6f\.large"), 2, 10),
    (re.compile(r"trn2\.3xlarge"), 2, 15),
)
"""Instance types with few addresses: interfaces, and addresses of each. All others on Nitro have enough for
250 pods on one interface. Source: EC2, "Maximum IP addresses per network interface",
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/AvailableIpPerENI.html"""

MOST_PREFIXES = math.ceil(250 / PREFIX_ADDRESSES)
"""Of a machine, with the most pods that EKS allows on one."""

WITHOUT_NITRO = re.compile(
    r"(c1|c3|c4|cc2|cg1|cr1|d2|f1|g2|g3s?|h1|hs1|i2|m[1-4]|p2|r[34]|t[12]|x1e?)\..*|i3\.(?!metal).*|p3\.\d*xlarge"
)
"""Instance types that are not built on Nitro, which prefixes need. Sources: EC2, "Amazon EC2 instance types
built on the Nitro System", https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-nitro-instances.html; EKS
User Guide, "Assign more IP addresses to Amazon EKS nodes with prefixes"."""


def has_prefixes(instance_type: str) -> bool:
    """Whether the VPC CNI can give a machine addresses by the prefix."""
    return not WITHOUT_NITRO.fullmatch(instance_type)


def pod_interfaces(instance_types: Iterable[str], prefixes: int) -> int:
    """Interfaces that a machine needs for its prefixes, at most, whichever of these types it is of.

    An interface's first address is its own, and each further one may be a prefix.
    """
    return max((math.ceil(prefixes / _prefixes_each(name)) for name in instance_types), default=1)


def _prefixes_each(instance_type: str) -> int:
    """Prefixes of an interface; all types but the SMALL ones have room for all of a machine on one."""
    small = (addresses - 1 for pattern, _, addresses in SMALL if pattern.fullmatch(instance_type))
    return next(small, MOST_PREFIXES)


def most_pods(instance_type: str, *, pod_subnets: bool) -> int | None:
    """Pods that a machine has addresses for; None where that are more than any node may have.

    pod_subnets: pods are in subnets of their own, and the first interface in the nodes' has none.
    """
    for pattern, interfaces, addresses in SMALL:
        if pattern.fullmatch(instance_type):
            # An interface's first address is its own.
            prefixes = (interfaces - pod_subnets) * (addresses - 1)
            return prefixes * PREFIX_ADDRESSES + HOST_PODS
    return None
