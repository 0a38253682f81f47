"""Celeborn: that its masters and workers have nodes, and that shuffle data is kept."""

from collections.abc import Iterator

from moka.celeborn.configuration import worker_sets
from moka.machines.instance_types import instance_type
from moka.mistakes import Mistake, listed
from moka.sizes.celeborn import cores, memory
from stacks.settings import shuffle_plan
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment
from stacks.settings.shuffle import Shuffle

OTHERS_GIB = 50
"""Of a node's instance storage, for images and logs: kubelet and containerd are there too."""


def _each(settings: Environment) -> Iterator[tuple[str, Cluster, Shuffle]]:
    for name, cluster in settings.clusters.items():
        if cluster.shuffle is not None:
            yield f"clusters.{name}", cluster, cluster.shuffle


def _nodes(cluster: Cluster, role: str) -> int:
    return sum(group.maximum for group in cluster.node_groups.values() if group.role == role)


def for_nothing(settings: Environment) -> Iterator[Mistake]:
    """Shuffle nodes of a cluster without Celeborn."""
    for name, cluster in settings.clusters.items():
        for group_name, group in cluster.node_groups.items():
            if group.role == "shuffle" and cluster.shuffle is None:
                yield Mistake(
                    f"clusters.{name}.node_groups.{group_name}",
                    f"has role shuffle, and clusters.{name} no Celeborn; give it `shuffle`, or take the "
                    "group out",
                )


def storage(settings: Environment) -> Iterator[Mistake]:
    """Instance storage that machines lack, or have less of, and data on it without a second copy."""
    for at, cluster, shuffle in _each(settings):
        on_instances = shuffle.storage.instance
        if on_instances is None:
            continue
        if not shuffle.replicate:
            yield Mistake(
                f"{at}.shuffle.replicate",
                "is false, and data on instance storage is lost with a machine; leave it out, or use "
                "storage.volumes",
            )
        for name, group in cluster.node_groups.items():
            if group.role != "shuffle":
                continue
            known = [instance_type(each) for each in group.instance_types]
            where = f"{at}.node_groups.{name}.instance_types"
            if without := [each.name for each in known if not each.local_disks]:
                yield Mistake(
                    where,
                    f"{listed(without)} without instance storage cannot hold shuffle data; take types such "
                    "as r8gd or i8g, or give shuffle.storage volumes",
                )
            for each in known:
                if each.local_gib is not None and on_instances.gib > each.local_gib - OTHERS_GIB:
                    yield Mistake(
                        f"{at}.shuffle.storage.instance.gib",
                        f"is {on_instances.gib}, and {each.name} has {each.local_gib} GiB, {OTHERS_GIB} of "
                        f"them for images and logs; give at most {each.local_gib - OTHERS_GIB}",
                    )


def nodes(settings: Environment) -> Iterator[Mistake]:
    """More masters or workers than nodes, and zones without workers."""
    for at, cluster, shuffle in _each(settings):
        there = {group.role for group in cluster.node_groups.values()}
        if "system" in there and (room := _nodes(cluster, "system")) < shuffle.masters:
            yield Mistake(
                f"{at}.node_groups",
                f"have at most {room} nodes with role system, and Celeborn's {shuffle.masters} masters need "
                "one each; raise their maximum",
            )
        if "shuffle" not in there:
            continue
        if (room := _nodes(cluster, "shuffle")) < shuffle.workers:
            yield Mistake(
                f"{at}.shuffle.workers",
                f"is {shuffle.workers}, one a node, and groups with role shuffle have at most {room} nodes; "
                "raise their maximum",
            )
        place = settings.foundations.get(cluster.foundation)
        zones = shuffle_plan.zones(cluster, "shuffle", place.zones if place else [])
        if not all(each.count for each in worker_sets(shuffle.workers, zones)):
            yield Mistake(
                f"{at}.shuffle.workers",
                f"is {shuffle.workers}, for nodes in {listed(zones)}; give each zone a worker at least, or "
                "the groups with role shuffle fewer zones",
            )


def sizes(settings: Environment) -> Iterator[Mistake]:
    """Workers for which machines are too small, or whose size does not follow from the machines' names."""
    for at, cluster, shuffle in _each(settings):
        machines = list(shuffle_plan.machines(cluster, "shuffle"))
        if not machines:
            continue
        try:
            size = shuffle_plan.worker(cluster, shuffle)
        except ValueError as error:
            yield Mistake(
                f"{at}.shuffle.sizes.worker", f"is needed, as {error}; give its size, or take other machines"
            )
            continue
        for machine in machines:
            if machine.vcpus is None or machine.memory_mib is None:
                continue
            usable = cores(machine.vcpus), memory(machine.memory_mib // 1024)
            if size.cpus > usable[0] or size.memory_gib > usable[1]:
                yield Mistake(
                    f"{at}.shuffle.sizes.worker",
                    f"makes {size.cpus} cores and {size.memory_gib} GiB, and {machine.name} has {usable[0]} "
                    f"and {usable[1]} for a worker; lower it, or take larger machines",
                )


def tenants(settings: Environment) -> Iterator[Mistake]:
    """Quotas of tenants that no job is of."""
    for at, _, shuffle in _each(settings):
        for tenant in shuffle.quotas:
            if tenant not in settings.queues.organizations:
                yield Mistake(
                    f"{at}.shuffle.quotas.{tenant}",
                    f"is no organization of queues, so no job counts towards it; there are "
                    f"{listed(settings.queues.organizations)}",
                )
