"""Sizes of Celeborn's pods on a cluster: as its settings say, or as its nodes and workers need."""

from moka.machines.instance_types import InstanceType
from moka.sizes import celeborn
from moka.sizes.celeborn import MasterSize, WorkerSize
from stacks.settings.cluster import Cluster
from stacks.settings.shuffle import Shuffle


def worker_size(cluster: Cluster, shuffle: Shuffle) -> WorkerSize:
    """Size of each worker: as the settings say, or such that every kind of shuffle node holds it.

    Raises ValueError when the name of an instance type does not say what it has, or it is too small.
    """
    if size := shuffle.sizes.worker:
        return WorkerSize(cpus=size.cpus, heap_gib=size.heap_gib, off_heap_gib=size.off_heap_gib)
    sizes = [_largest_worker(machine) for machine in cluster.machines_of("shuffle")]
    return min(sizes, key=lambda size: (size.memory_gib, size.cpus))


def master_size(shuffle: Shuffle) -> MasterSize:
    """Size of each master: as the settings say, or by the number of workers."""
    if size := shuffle.sizes.master:
        return MasterSize(cpus=size.cpus, heap_gib=size.heap_gib)
    return celeborn.master_size(shuffle.workers)


def _largest_worker(machine: InstanceType) -> WorkerSize:
    if machine.vcpus is None or machine.memory_mib is None:
        raise ValueError(f"the name of {machine.name} does not say how many cores and how much memory it has")
    try:
        return celeborn.worker_size(machine.vcpus, machine.memory_mib // 1024)
    except ValueError as error:
        raise ValueError(f"{machine.name} is too small: {error}") from None
