"""Layer shuffle: Celeborn, for the jobs that ask for it."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from moka.components.kubernetes.celeborn import (
    Celeborn,
    CelebornArgs,
    MasterSize,
    NodeFolder,
    Quota,
    Volumes,
    WorkerSize,
)
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka.names import CELEBORN_NAMESPACE
from stacks.settings.shuffle_sizes import master_size, worker_size
from stacks.site import ClusterSite


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
class Inputs:
    """What differs between clusters.

    workers: one a node with role shuffle.
    zones: of these nodes. master_zones: number of zones with nodes for masters.
    worker, master: what each gets.
    replicate: clients are to keep data twice.
    drain_hours: that a worker which goes for good waits, at most.
    quotas: by tenant.
    job_namespaces: whose jobs may use it.
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
    job_namespaces: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What jobs have to know.

    endpoints: of the masters, as jobs name them, known once they serve.
    version: of Celeborn.
    replicate: keep shuffle data twice. rack_aware: in two zones.
    """

    endpoints: pulumi.Input[str]
    version: pulumi.Input[str]
    replicate: pulumi.Input[bool]
    rack_aware: pulumi.Input[bool]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster: Celeborn's settings, with what follows from the cluster's nodes."""
    cluster = site.settings.clusters[site.name]
    shuffle = cluster.shuffle
    assert shuffle is not None, f"{site.name} has no Celeborn"
    storage: OnInstances | OnVolumes
    if shuffle.storage.instance is not None:
        storage = OnInstances(gib=shuffle.storage.instance.gib)
    else:
        assert shuffle.storage.volumes is not None
        storage = OnVolumes(**shuffle.storage.volumes.model_dump())
    return Inputs(
        workers=shuffle.workers,
        storage=storage,
        zones=site.settings.role_zones(site.name, "shuffle"),
        worker=worker_size(cluster, shuffle),
        master=master_size(shuffle),
        masters=shuffle.masters,
        master_zones=len(site.settings.role_zones(site.name, "system")),
        replicate=shuffle.replicate,
        drain_hours=shuffle.drain_hours,
        quotas={tenant: Quota(**quota.model_dump()) for tenant, quota in shuffle.quotas.items()},
        job_namespaces=tuple(
            name for name in site.settings.job_namespaces if name not in site.settings.without_celeborn
        ),
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make Celeborn's masters and workers."""
    storage = StorageClass(f"{site.name}-gp3", StorageClassArgs(name="gp3"), site.opts)
    namespace = Namespace(
        f"{site.name}-celeborn",
        # Of the levels, only this one lets workers use a folder of their node.
        NamespaceArgs(
            name=CELEBORN_NAMESPACE,
            pod_security="privileged" if isinstance(inputs.storage, OnInstances) else "restricted",
        ),
        site.opts,
    )
    celeborn = Celeborn(
        f"{site.name}-celeborn",
        CelebornArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            storage_class=storage.name,
            disks=_disks(site, inputs.storage),
            workers=inputs.workers,
            zones=inputs.zones,
            worker=inputs.worker,
            masters=inputs.masters,
            master=inputs.master,
            master_zones=inputs.master_zones,
            drain_hours=inputs.drain_hours,
            quotas=inputs.quotas,
            job_namespaces=inputs.job_namespaces,
        ),
        site.opts,
    )
    return Outputs(
        endpoints=celeborn.endpoints,
        version=site.catalog.tag("celeborn"),
        replicate=inputs.replicate,
        rack_aware=inputs.replicate and len(inputs.zones) > 1,
    )


def _disks(site: ClusterSite, storage: OnInstances | OnVolumes) -> NodeFolder | Volumes:
    if isinstance(storage, OnInstances):
        return NodeFolder(gib=storage.gib)
    storage_class = StorageClass(
        f"{site.name}-shuffle",
        StorageClassArgs(name="shuffle", iops=storage.iops, mibps=storage.mibps),
        site.opts,
    )
    return Volumes(storage_class=storage_class.name, count=storage.count, gib=storage.gib)
