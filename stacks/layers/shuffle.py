"""Layer shuffle: Celeborn, for the jobs that ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.kubernetes.celeborn import (
    Celeborn,
    CelebornArgs,
    MasterSize,
    NodeFolder,
    Quota,
    Volumes,
    WorkerSize,
)
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka import namespaces
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class OnInstances:
    """Workers on the instance storage of their nodes. gib: of it, that a worker may take."""

    gib: int


@dataclass(frozen=True, kw_only=True)
class OnVolumes:
    """Workers on volumes of their own. count: of each worker; gib, iops, mibps: of each volume."""

    count: int
    gib: int
    iops: int
    mibps: int


@dataclass(frozen=True, kw_only=True)
class ShuffleInputs:
    """What differs between clusters.

    workers: one a node with role shuffle.
    zones: of these nodes. master_zones: number of zones with nodes for masters.
    worker, master: what each gets.
    replicate: clients are to keep data twice.
    drain_hours: that a worker which goes for good waits, at most.
    quotas: by tenant.
    """

    workers: int
    storage: OnInstances | OnVolumes
    zones: tuple[str, ...]
    worker: WorkerSize
    master: MasterSize
    masters: int
    master_zones: int
    replicate: bool
    drain_hours: int
    quotas: Mapping[str, Quota]


@dataclass(frozen=True, kw_only=True)
class ShuffleOutputs:
    """What jobs have to know.

    endpoints: of the masters, as jobs name them, known once they serve.
    version: of Celeborn.
    replicate: keep shuffle data twice. rack_aware: in two zones.
    """

    endpoints: pulumi.Input[str]
    version: pulumi.Input[str]
    replicate: pulumi.Input[bool]
    rack_aware: pulumi.Input[bool]


def deploy(where: OnCluster, inputs: ShuffleInputs) -> ShuffleOutputs:
    """Make Celeborn's masters and workers."""
    storage = StorageClass(f"{where.name}-gp3", StorageClassArgs(name="gp3"), where.opts)
    namespace = Namespace(
        f"{where.name}-celeborn",
        # Of the levels, only this one lets workers use a folder of their node.
        NamespaceArgs(
            name=namespaces.CELEBORN,
            pod_security="privileged" if isinstance(inputs.storage, OnInstances) else "baseline",
        ),
        where.opts,
    )
    celeborn = Celeborn(
        f"{where.name}-celeborn",
        CelebornArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            storage_class=storage.name,
            disks=_disks(where, inputs.storage),
            workers=inputs.workers,
            zones=inputs.zones,
            worker=inputs.worker,
            masters=inputs.masters,
            master=inputs.master,
            master_zones=inputs.master_zones,
            drain_hours=inputs.drain_hours,
            quotas=inputs.quotas,
        ),
        where.opts,
    )
    return ShuffleOutputs(
        endpoints=celeborn.endpoints,
        version=where.catalog.tag("celeborn"),
        replicate=inputs.replicate,
        rack_aware=inputs.replicate and len(inputs.zones) > 1,
    )


def _disks(where: OnCluster, storage: OnInstances | OnVolumes) -> NodeFolder | Volumes:
    if isinstance(storage, OnInstances):
        return NodeFolder(gib=storage.gib)
    fast = StorageClass(
        f"{where.name}-shuffle",
        StorageClassArgs(name="shuffle", iops=storage.iops, mibps=storage.mibps),
        where.opts,
    )
    return Volumes(storage_class=fast.name, count=storage.count, gib=storage.gib)
