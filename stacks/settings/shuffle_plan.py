"""What Celeborn of the settings is on a cluster: the zones of its pods, and their sizes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moka.machines.instance_types import InstanceType, instance_type
from moka.sizes.celeborn import MasterSize, WorkerSize, master_size, worker_size

if TYPE_CHECKING:
    # The checks of the settings use this module.
    from stacks.settings.cluster import Cluster
    from stacks.settings.shuffle import Shuffle


def zones(cluster: "Cluster", role: str, foundation: Sequence[str]) -> tuple[str, ...]:
    """Zones in which a cluster has nodes of a role.

    foundation: its zones; a group's own choice comes before.
    """
    return tuple(
        sorted(
            {
                zone
                for group in cluster.node_groups.values()
                if group.role == role
                for zone in group.zones or foundation
            }
        )
    )


def machines(cluster: "Cluster", role: str) -> Iterator[InstanceType]:
    """Every kind of machine on which pods of a role may be, those that retire included."""
    for group in cluster.node_groups.values():
        if group.role == role:
            for name in [
                *group.instance_types,
                *(n for g in group.retiring.values() for n in g.instance_types),
            ]:
                yield instance_type(name)


def worker(cluster: "Cluster", shuffle: "Shuffle") -> WorkerSize:
    """Size of each worker: as the settings say, or such that every kind of shuffle node holds it.

    Raises ValueError when the name of a machine does not say what it has, or it is too small.
    """
    if chosen := shuffle.sizes.worker:
        return WorkerSize(cpus=chosen.cpus, heap_gib=chosen.heap_gib, off_heap_gib=chosen.off_heap_gib)
    sizes = [_largest(machine) for machine in machines(cluster, "shuffle")]
    return min(sizes, key=lambda size: (size.memory_gib, size.cpus))


def master(shuffle: "Shuffle") -> MasterSize:
    """Size of each master: as the settings say, or by the number of workers."""
    if chosen := shuffle.sizes.master:
        return MasterSize(cpus=chosen.cpus, heap_gib=chosen.heap_gib)
    return master_size(shuffle.workers)


def _largest(machine: InstanceType) -> WorkerSize:
    if machine.vcpus is None or machine.memory_mib is None:
        raise ValueError(f"the name of {machine.name} does not say what cores and memory it has")
    try:
        return worker_size(machine.vcpus, machine.memory_mib // 1024)
    except ValueError as error:
        raise ValueError(f"{machine.name} is too small: {error}") from None
