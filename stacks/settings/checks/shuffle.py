"""Celeborn: that its masters and workers have nodes, and that shuffle data is kept."""

from collections.abc import Iterator

from moka.celeborn.configuration import NODE_RESERVE, worker_sets
from moka.machines.instance_types import METAL_VCPUS, instance_type
from moka.machines.node_roles import Role
from moka.mistakes import Mistake, comma_list
from moka.sizes.celeborn import worker_cores, worker_memory_gib
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment
from stacks.settings.shuffle import Shuffle
from stacks.settings.shuffle_sizes import master_size, worker_size

LEAST_WITH_COPIES = 3
"""Workers where each shuffle is on two of them."""


def _with_celeborn(settings: Environment) -> Iterator[tuple[str, Cluster, Shuffle]]:
    """Clusters with Celeborn: name, cluster, and Celeborn's settings."""
    for name, cluster in settings.clusters.items():
        if cluster.shuffle is not None:
            yield name, cluster, cluster.shuffle


def unused_nodes(settings: Environment) -> Iterator[Mistake]:
    """Shuffle nodes of a cluster without Celeborn."""
    for name, cluster in settings.clusters.items():
        for group_name, group in cluster.node_groups.items():
            if group.role == "shuffle" and cluster.shuffle is None:
                yield Mistake(
                    f"clusters.{name}.node_groups.{group_name}",
                    f"has role shuffle, but clusters.{name} has no Celeborn; add `shuffle` there, or remove "
                    "the group",
                )


def storage(settings: Environment) -> Iterator[Mistake]:
    """Instance storage that machines lack, or have less of, and data on it without a second copy."""
    for name, cluster, shuffle in _with_celeborn(settings):
        if shuffle.storage.instance is None:
            continue
        at = f"clusters.{name}.shuffle"
        if not shuffle.replicate:
            yield Mistake(
                f"{at}.replicate",
                "is false, but data on instance storage is lost with its machine; set it to true, or use "
                "storage.volumes",
            )
        gib = shuffle.storage.instance.gib
        for group_name, group in cluster.node_groups.items():
            if group.role != "shuffle":
                continue
            types = [instance_type(type_name) for type_name in group.instance_types]
            if diskless := [machine.name for machine in types if not machine.local_disks]:
                yield Mistake(
                    f"clusters.{name}.node_groups.{group_name}.instance_types",
                    f"{comma_list(diskless)} without instance storage cannot hold shuffle data; use types "
                    "such as r8gd or i8g, or shuffle.storage.volumes",
                )
            for machine in types:
                if machine.local_gib is None:
                    continue
                most = int(machine.local_gib * (1 - NODE_RESERVE))
                if gib > most:
                    yield Mistake(
                        f"{at}.storage.instance.gib",
                        f"is {gib}, but {machine.name} has {machine.local_gib} GiB, of which a fifth is for "
                        f"images and logs and stays free; lower it to {most}",
                    )


def copies(settings: Environment) -> Iterator[Mistake]:
    """Two copies on two workers: while one restarts no shuffle gets room, and its job fails after seconds
    (apache/celeborn v0.7.0: SlotsAllocator.java gives none with fewer than two; three retries, 3 s apart)."""
    for name, _, shuffle in _with_celeborn(settings):
        if shuffle.replicate and shuffle.workers < LEAST_WITH_COPIES:
            yield Mistake(
                f"clusters.{name}.shuffle.workers",
                f"is {shuffle.workers}, but with replicate a shuffle needs two workers at any time, and jobs "
                f"fail while one of two restarts; set it to {LEAST_WITH_COPIES}",
            )


def nodes(settings: Environment) -> Iterator[Mistake]:
    """More masters or workers than nodes, and zones without workers."""
    for name, cluster, shuffle in _with_celeborn(settings):
        at = f"clusters.{name}"
        most = _most_nodes(cluster, "system")
        if most is not None and most < shuffle.masters:
            yield Mistake(
                f"{at}.node_groups",
                f"have at most {most} nodes with role system, but Celeborn's {shuffle.masters} masters need "
                "one each; raise their maximum",
            )
        most = _most_nodes(cluster, "shuffle")
        if most is None:
            continue
        if most < shuffle.workers:
            yield Mistake(
                f"{at}.shuffle.workers",
                f"is {shuffle.workers}, one a node, but groups with role shuffle have at most {most} nodes; "
                "raise their maximum",
            )
        zones = settings.role_zones(name, "shuffle")
        if not all(workers.count for workers in worker_sets(shuffle.workers, zones)):
            yield Mistake(
                f"{at}.shuffle.workers",
                f"is {shuffle.workers}, but its nodes are in {comma_list(zones)}; have at least one worker "
                "in each zone, or use fewer zones for the groups with role shuffle",
            )


def _most_nodes(cluster: Cluster, role: Role) -> int | None:
    """Nodes with a role that there can be; None without a group for it, which another check reports."""
    groups = cluster.groups_of(role)
    return sum(group.maximum for group in groups) if groups else None


def sizes(settings: Environment) -> Iterator[Mistake]:
    """Workers for which machines are too small, or whose size does not follow from the machines' names."""
    for name, cluster, shuffle in _with_celeborn(settings):
        at = f"clusters.{name}.shuffle.sizes.worker"
        machines = cluster.machines_of("shuffle")
        if not machines:
            continue
        try:
            size = worker_size(cluster, shuffle)
        except ValueError as error:
            yield Mistake(at, f"is needed, because {error}; set it, or use other instance types")
            continue
        for machine in machines:
            if machine.vcpus is None or machine.memory_mib is None:
                continue
            usable_cores, usable_gib = (
                worker_cores(machine.vcpus),
                worker_memory_gib(machine.memory_mib // 1024),
            )
            if size.cpus > usable_cores or size.memory_gib > usable_gib:
                yield Mistake(
                    at,
                    f"needs {size.cpus} cores and {size.memory_gib} GiB, but {machine.name} has "
                    f"{usable_cores} and {usable_gib} for a worker; lower it, or use larger machines",
                )


def master_sizes(settings: Environment) -> Iterator[Mistake]:
    """Masters for which every system node is too small."""
    for name, cluster, shuffle in _with_celeborn(settings):
        size, machines = shuffle.sizes.master, cluster.machines_of("system")
        if size is None or not machines or any(machine.memory_mib is None for machine in machines):
            continue
        memory = master_size(shuffle).memory_gib
        cores = max(machine.vcpus or METAL_VCPUS for machine in machines)
        gib = max(machine.memory_mib or 0 for machine in machines) // 1024
        # A machine never has all of itself for one pod.
        if size.cpus >= cores or memory >= gib:
            yield Mistake(
                f"clusters.{name}.shuffle.sizes.master",
                f"needs {size.cpus} cores and {memory} GiB, but the largest system node has "
                f"{cores} and {gib}, not all of it for a master; lower it, or use larger machines",
            )


def tenants(settings: Environment) -> Iterator[Mistake]:
    """Quotas of tenants that no job is of."""
    organizations = settings.queues.organizations
    for name, _, shuffle in _with_celeborn(settings):
        for tenant in shuffle.quotas:
            if tenant not in organizations:
                yield Mistake(
                    f"clusters.{name}.shuffle.quotas.{tenant}",
                    "is no organization of queues, so no job counts towards it; the organizations are "
                    f"{comma_list(organizations)}",
                )
