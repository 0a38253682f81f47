"""Addresses that machines take in their subnets, as the VPC CNI takes them.

A machine has an interface in its own subnet. Addresses of pods are on that one too, or, with custom
networking, only on further interfaces in the subnet of the zone's ENIConfig; each interface takes a primary
address, and the rest of its slots hold an address or, with prefix delegation, a prefix of 16
(aws/amazon-vpc-cni-k8s: docs/prefix-and-ip-target.md; "Custom networking" in the EKS best practices).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.rule import Rule, Verdict, Violation

PREFIX = 16
RESERVED = 5
"""Addresses of each subnet that AWS keeps: docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html."""

ZONE_LABELS: tuple[str | None, ...] = (
    "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/zone",
)
DEFAULT = "default"
"""ENIConfig of nodes without such a label: aws/amazon-vpc-cni-k8s: README.md, ENI_CONFIG_LABEL_DEF."""

FREE_ADDRESSES = Rule(
    name="free-addresses",
    authority="EKS",
    decides="whether subnets have addresses for the machines of groups and for their pods",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html",
)
RULES = (FREE_ADDRESSES,)


@dataclass(frozen=True, kw_only=True)
class PodNetwork:
    """How the VPC CNI of a cluster takes addresses, by the configuration of its add-on.

    prefixes: prefix delegation is on.
    pod_subnets: ENIConfig -> subnet of the interfaces for pods, with custom networking; else None.
    label: of nodes that names their ENIConfig; without, it is the default one.
    """

    prefixes: bool = False
    pod_subnets: Mapping[str, str] | None = None
    label: str | None = None

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> "PodNetwork":
        """Read the configuration values of the add-on vpc-cni."""
        env = configuration.get("env") or {}
        custom = str(env.get("AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG", "false")).lower() == "true"
        subnets = (configuration.get("eniConfig") or {}).get("subnets") or {}
        return cls(
            prefixes=str(env.get("ENABLE_PREFIX_DELEGATION", "false")).lower() == "true",
            pod_subnets={name: subnet["id"] for name, subnet in subnets.items()} if custom else None,
            label=env.get("ENI_CONFIG_LABEL_DEF"),
        )

    def configuration(self, zone: str) -> str:
        """Name of the ENIConfig of nodes in a zone."""
        return zone if self.label in ZONE_LABELS else DEFAULT


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Machines of a group in one zone.

    group: name of it. subnet, zone: where they are.
    pods: pods a machine that have addresses; 1 for what it takes to become ready.
    slots: addresses an interface, its primary one included.
    """

    group: str
    zone: str
    subnet: str
    count: int
    pods: int
    slots: int


@dataclass(frozen=True)
class Need:
    """Addresses of a subnet that the machines of a group take.

    primaries: single ones. prefixes: whole ones.
    """

    subnet: str
    group: str
    primaries: int
    prefixes: int = 0

    @property
    def total(self) -> int:
        """Addresses, all together."""
        return self.primaries + PREFIX * self.prefixes


def needs(machines: Machines, network: PodNetwork) -> Iterator[Need]:
    """What machines take of subnets with that many pods."""
    units = math.ceil(machines.pods / PREFIX) if network.prefixes else machines.pods
    interfaces = math.ceil(units / max(1, machines.slots - 1))
    pod_subnet = (network.pod_subnets or {}).get(network.configuration(machines.zone))
    count = machines.count
    if pod_subnet is not None:
        yield Need(machines.subnet, machines.group, count)
        yield _pod_need(pod_subnet, machines.group, count, interfaces, units, network)
    else:
        # The machine's own interface carries addresses of pods too.
        yield _pod_need(machines.subnet, machines.group, count, max(1, interfaces), units, network)


def _pod_need(subnet: str, group: str, count: int, interfaces: int, units: int, network: PodNetwork) -> Need:
    if network.prefixes:
        return Need(subnet, group, count * interfaces, count * units)
    return Need(subnet, group, count * (interfaces + units))


def free_addresses(
    resource: str,
    group: str,
    all_needs: Iterable[Need],
    subnets: Mapping[str, Mapping[str, Any]],
    reserved: Mapping[str, int],
) -> Iterator[Verdict]:
    """Whether the subnets that a group uses hold what all groups take of them.

    subnets: by id, as DescribeSubnets shows them. reserved: subnet -> addresses that only prefixes are of.
    """
    by_subnet: defaultdict[str, list[Need]] = defaultdict(list)
    for need in all_needs:
        by_subnet[need.subnet].append(need)
    for id_, shares in sorted(by_subnet.items()):
        if id_ not in subnets or all(need.group != group for need in shares):
            continue
        prefix_length = int(str(subnets[id_]["CidrBlock"]).partition("/")[2])
        available = 2 ** (32 - prefix_length) - RESERVED
        total = sum(need.total for need in shares)
        single = available - reserved.get(id_, 0)
        primaries = sum(need.primaries for need in shares)
        if primaries > single and total <= available:
            yield Violation(
                rule=FREE_ADDRESSES,
                resource=resource,
                code="InsufficientFreeAddresses",
                message="One or more of the subnets associated with your managed node group doesn't have "
                f"enough available IP addresses for new nodes: subnet {id_} has {single} that are not "
                f"reserved for prefixes, and interfaces of machines take {primaries}",
                remedy="reserve less of the subnet, or lower the number of machines",
            )
        if total > available:
            yield Violation(
                rule=FREE_ADDRESSES,
                resource=resource,
                code="InsufficientFreeAddresses",
                message="One or more of the subnets associated with your managed node group doesn't have "
                f"enough available IP addresses for new nodes: subnet {id_} has {available}, and machines "
                f"with their first pods take {total}",
                remedy="widen the subnet, or lower the number of machines or of pods a machine",
            )
