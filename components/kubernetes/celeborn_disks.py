"""What Celeborn's pods write to."""

from dataclasses import dataclass
from typing import ClassVar

import pulumi
import pulumi_kubernetes as k8s

from moka.celeborn import configuration as conf
from moka.sizes.celeborn import MASTER_GIB

UID = 10006
"""User and group of the image."""


@dataclass(frozen=True, kw_only=True)
class Volumes:
    """EBS volumes of a worker's own, which follow it to another node of their zone.

    storage_class: of the volumes.
    count, gib: how many, and the size of each.
    """

    storage_class: pulumi.Input[str]
    count: int = 4
    gib: int = 1000
    reserve: ClassVar[float] = conf.VOLUME_RESERVE
    """Share of each that stays free."""


@dataclass(frozen=True, kw_only=True)
class NodeFolder:
    """A folder on a node's instance storage: faster, and lost with the node, so that clients must replicate.

    path: on the node. Its namespace must allow privileged pods.
    gib: how much of it a worker may take.
    """

    gib: int
    path: str = "/mnt/k8s-disks/0/celeborn"
    reserve: ClassVar[float] = conf.NODE_RESERVE
    """Share of the instance storage that stays free."""


@dataclass(frozen=True, kw_only=True)
class Disks:
    """How a pod mounts its disks, whatever they are made of."""

    mounts: list[k8s.core.v1.VolumeMountArgs]
    claims: list[k8s.core.v1.PersistentVolumeClaimArgs]
    volumes: list[k8s.core.v1.VolumeArgs]
    owned_by_root: bool = False


def worker_folders(disks: Volumes | NodeFolder) -> list[str]:
    """Where a worker's disks are mounted."""
    count = disks.count if isinstance(disks, Volumes) else 1
    return [f"/mnt/disk-{n}" for n in range(1, count + 1)]


def worker_disks(disks: Volumes | NodeFolder) -> Disks:
    """How a worker mounts its disks."""
    folders = {path.rpartition("/")[2]: path for path in worker_folders(disks)}
    mounts = [k8s.core.v1.VolumeMountArgs(name=disk, mount_path=path) for disk, path in folders.items()]
    if isinstance(disks, Volumes):
        claims = [_claim(disk, disks.storage_class, disks.gib) for disk in folders]
        return Disks(mounts=mounts, claims=claims, volumes=[])
    # One folder for whatever worker is on the node: it clears away what a former one left there.
    folder = k8s.core.v1.HostPathVolumeSourceArgs(path=disks.path, type="DirectoryOrCreate")
    volumes = [k8s.core.v1.VolumeArgs(name=disk, host_path=folder) for disk in folders]
    return Disks(mounts=mounts, claims=[], volumes=volumes, owned_by_root=True)


def master_disks(storage_class: pulumi.Input[str]) -> Disks:
    """How a master mounts the volume with what the masters agreed on."""
    mount = k8s.core.v1.VolumeMountArgs(name="ratis", mount_path=conf.RATIS_FOLDER)
    return Disks(mounts=[mount], claims=[_claim("ratis", storage_class, MASTER_GIB)], volumes=[])


def _claim(name: str, storage_class: pulumi.Input[str], gib: int) -> k8s.core.v1.PersistentVolumeClaimArgs:
    return k8s.core.v1.PersistentVolumeClaimArgs(
        metadata=k8s.meta.v1.ObjectMetaArgs(name=name),
        spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteOnce"],
            storage_class_name=storage_class,
            resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{gib}Gi"}),
        ),
    )
