"""Layer shuffle: Celeborn, for the jobs that ask for it."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.celeborn import Celeborn, CelebornArgs, NodeFolder
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.storage_class import StorageClass, StorageClassArgs
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class ShuffleInputs:
    """What differs between clusters.

    workers: one a node with role shuffle.
    gib: of a node's instance storage that a worker may take.
    """

    workers: int
    gib: int


@dataclass(frozen=True, kw_only=True)
class ShuffleOutputs:
    """endpoints: of the masters, as jobs name them, known once they serve."""

    endpoints: pulumi.Input[str]


def deploy(where: OnCluster, inputs: ShuffleInputs) -> ShuffleOutputs:
    """Make Celeborn's masters, and workers on the nodes' instance storage."""
    storage = StorageClass(f"{where.name}-gp3", StorageClassArgs(name="gp3"), where.opts)
    namespace = Namespace(
        # Workers use a folder of the node.
        f"{where.name}-celeborn",
        NamespaceArgs(name="celeborn", pod_security="privileged"),
        where.opts,
    )
    celeborn = Celeborn(
        f"{where.name}-celeborn",
        CelebornArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            storage_class=storage.name,
            disks=NodeFolder(gib=inputs.gib),
            workers=inputs.workers,
        ),
        where.opts,
    )
    return ShuffleOutputs(endpoints=celeborn.endpoints)
