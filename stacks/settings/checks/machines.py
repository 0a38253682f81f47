"""Machines as EC2 offers them: where, with how many addresses, and with which disks."""

import re
from collections.abc import Iterator
from math import ceil

from moka.machines.instance_types import instance_type, max_pods
from moka.machines.interfaces import has_prefixes, most_pods
from moka.machines.node_roles import ROLES
from moka.machines.root_disk import least_executor_disk
from moka.mistakes import Mistake, close_match
from stacks.settings.aws_data import instance_types, offered
from stacks.settings.cluster import NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.foundation import Foundation

IOPS_PER_GIB = 500
MIBPS_PER_IOPS = 0.25
"""What gp3 gives at most: EBS User Guide, "Amazon EBS General Purpose SSD volumes"."""


WITHOUT_IMAGE = (
    (re.compile(r"mac.*"), "runs macOS on a host of its own, for which EKS has no machine image"),
    (re.compile(r"a1\..*"), "has the first Graviton, and Amazon Linux 2023 needs the second or a later one"),
)
"""Instance types that EKS's machine images do not run on, and why. Sources: EC2 User Guide, "Amazon EC2 Mac
instances"; https://docs.aws.amazon.com/linux/al2023/ug/system-requirements.html."""


def _groups(settings: Environment) -> Iterator[tuple[str, NodeGroup, Foundation]]:
    """Every node group: path in the file, group, and foundation."""
    for cluster_name, cluster in settings.clusters.items():
        if foundation := settings.foundations.get(cluster.foundation):
            for name, group in cluster.node_groups.items():
                yield f"clusters.{cluster_name}.node_groups.{name}", group, foundation


def _instance_types(group: NodeGroup, *, retiring: bool) -> Iterator[tuple[str, str]]:
    """Instance types of a group: place within it, and name."""
    yield from (("instance_types", name) for name in group.instance_types)
    if retiring:
        for number, generation in group.retiring.items():
            yield from ((f"retiring.{number}.instance_types", name) for name in generation.instance_types)


def images(settings: Environment) -> Iterator[Mistake]:
    """Instance types for which there is no machine image."""
    for at, group, _ in _groups(settings):
        for place, name in _instance_types(group, retiring=False):
            for pattern, why in WITHOUT_IMAGE:
                if pattern.fullmatch(name):
                    yield Mistake(f"{at}.{place}", f"{name} {why}; choose another family")


def offers(settings: Environment) -> Iterator[Mistake]:
    """Instance types that EC2 offers in other regions, but not in the foundation's."""
    for at, group, foundation in _groups(settings):
        offered_types = offered(foundation.region)
        if offered_types is None:
            continue
        for place, name in _instance_types(group, retiring=True):
            if name in instance_types() and name not in offered_types:
                yield Mistake(
                    f"{at}.{place}",
                    f"{name} is not offered in {foundation.region}, as cfn-lint lists it; choose another"
                    f"{_alternative(name, offered_types)}",
                )


def _alternative(name: str, offered_types: frozenset[str]) -> str:
    """A type of the same size and architecture that is offered, for a message; empty when there is none."""
    architecture = instance_type(name).architecture
    size = name.rpartition(".")[2]
    same_size = [
        candidate
        for candidate in offered_types
        if candidate.rpartition(".")[2] == size and candidate[0] == name[0]
    ]
    fitting = [candidate for candidate in same_size if instance_type(candidate).architecture == architecture]
    match = close_match(name, fitting)
    return f", such as {match}" if match else ""


def pods(settings: Environment) -> Iterator[Mistake]:
    """More pods on a machine than EKS allows, or than its network interfaces have addresses for."""
    for at, group, foundation in _groups(settings):
        count = group.max_pods or ROLES[group.role].max_pods
        custom = bool(
            (foundation.network and foundation.network.pod_cidrs)
            or (foundation.existing_network and foundation.existing_network.pod_subnets)
        )
        for _, name in _instance_types(group, retiring=False):
            if not has_prefixes(name):
                yield Mistake(
                    f"{at}.instance_types",
                    f"{name} is not built on Nitro, and the VPC CNI has enough addresses for pods only on "
                    "machines that are; choose a newer family",
                )
                continue
            allowed = max_pods(instance_type(name))
            if count > allowed:
                yield Mistake(
                    f"{at}.max_pods",
                    f"is {count}, but EKS allows {allowed} pods on {name}, by its vCPUs; lower it, or choose "
                    "machines with 30 vCPUs or more",
                )
            most = most_pods(name, pod_subnets=custom)
            if most is not None and count > most:
                yield Mistake(
                    f"{at}.instance_types",
                    f"the interfaces of {name} have addresses for {most} pods, but its nodes take {count}; "
                    f"choose a larger size, or set max_pods to {most} or less",
                )


def disks(settings: Environment) -> Iterator[Mistake]:
    """Operations and throughput that gp3 does not give with that size."""
    for at, group, _ in _groups(settings):
        yield from _gp3(f"{at}.disk", group.disk.gib, group.disk.iops, group.disk.mibps)
    for name, cluster in settings.clusters.items():
        volumes = cluster.shuffle.storage.volumes if cluster.shuffle else None
        if volumes:
            at = f"clusters.{name}.shuffle.storage.volumes"
            yield from _gp3(at, volumes.gib, volumes.iops, volumes.mibps)


def executor_disks(settings: Environment) -> Iterator[Mistake]:
    """Root disks too small or too slow for the executors on them.

    A larger default would replace every such machine with an upgrade; the operator says when.
    """
    for at, group, _ in _groups(settings):
        if group.role != "executor":
            continue
        least = least_executor_disk([instance_type(name) for name in group.instance_types])
        if least and (group.disk.gib < least.gib or group.disk.mibps < least.mibps):
            mibps = max(group.disk.mibps, least.mibps)
            iops = max(group.disk.iops, ceil(mibps / MIBPS_PER_IOPS))
            yield Mistake(
                f"{at}.disk",
                f"has {group.disk.gib} GiB at {group.disk.mibps} MiB a second, too little for what executors "
                f"on the {least.vcpus} vCPUs of {least.machine.name} spill and shuffle; write at least "
                f"{{gib: {max(group.disk.gib, least.gib)}, iops: {iops}, mibps: {mibps}}}, or choose "
                "machines that all have instance storage",
            )


def _gp3(at: str, gib: int, iops: int, mibps: int) -> Iterator[Mistake]:
    if iops > (most := gib * IOPS_PER_GIB):
        yield Mistake(
            f"{at}.iops",
            f"is {iops}, but gp3 gives {IOPS_PER_GIB} for each GiB, {most} with {gib}; lower it or raise gib",
        )
    if mibps > iops * MIBPS_PER_IOPS:
        yield Mistake(
            f"{at}.mibps",
            f"is {mibps}, but gp3 gives {MIBPS_PER_IOPS} for each of its IOPS, {int(iops * MIBPS_PER_IOPS)} "
            f"with {iops}; raise iops to {int(mibps / MIBPS_PER_IOPS)}, or lower it",
        )
