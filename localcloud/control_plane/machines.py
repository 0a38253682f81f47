"""Capacity of a machine, worked out as EKS's own image does it.

Pods by the rule for prefix delegation; what kubelet and system reserve by nodeadm's formulas
(awslabs/amazon-eks-ami, nodeadm: internal/kubelet/config.go and eviction).
"""

from dataclasses import dataclass, field

from localcloud.control_plane.nodeadm import NodeSettings, share
from localcloud.quantities import quantity

MIB, GIB = 2**20, 2**30
GPU = "nvidia.com/gpu"

EVICTION_HARD = {"memory.available": "100Mi", "nodefs.available": "10%"}
DISK_RESERVED = "1Gi"


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """A kind of EC2 instance.

    architecture: as Kubernetes names it: arm64 or amd64.
    memory: MiB. local_disk: instance storage, GB. gpus: of NVIDIA.
    """

    name: str
    architecture: str
    vcpus: int
    memory: int
    local_disk: int = 0
    gpus: int = 0


@dataclass(frozen=True)
class Machine:
    """A machine of a kind.

    disk: GiB of the root volume.
    """

    kind: InstanceType
    disk: int
    settings: NodeSettings = field(default_factory=NodeSettings)

    @property
    def pods(self) -> int:
        """Most pods: as its settings say, or else EKS's recommendation for prefix delegation, by vCPUs."""
        return self.settings.max_pods or (110 if self.kind.vcpus < 30 else 250)

    @property
    def storage(self) -> int:
        """Bytes of the disk that pods are on: the root volume, or instance storage joined into one."""
        if self.settings.local_disks and self.kind.local_disk:
            return self.kind.local_disk * 10**9
        return self.disk * GIB

    def capacity(self) -> dict[str, str]:
        """All its resources, but for GPUs: a device plugin tells of them."""
        return {
            "cpu": str(self.kind.vcpus),
            "memory": f"{self.kind.memory}Mi",
            "pods": str(self.pods),
            "ephemeral-storage": f"{self.storage // MIB}Mi",
        }

    def allocatable(self) -> dict[str, str]:
        """Resources for pods: without what kubelet and system reserve, and the thresholds of eviction."""
        eviction = EVICTION_HARD | dict(self.settings.eviction_hard)
        memory = self.kind.memory * MIB
        memory_reserved = self._reservation("memory") + share(eviction["memory.available"], memory)
        disk_threshold = share(eviction["nodefs.available"], self.storage)
        disk_reserved = self._reservation("ephemeral-storage") + disk_threshold
        return {
            "cpu": f"{self.kind.vcpus * 1000 - round(self._reservation('cpu') * 1000)}m",
            "memory": f"{int(memory - memory_reserved) // MIB}Mi",
            "pods": str(self.pods),
            "ephemeral-storage": f"{int(self.storage - disk_reserved) // MIB}Mi",
        }

    def _reservation(self, resource: str) -> float:
        defaults = {
            "cpu": f"{reserved_cpu(self.kind.vcpus)}m",
            "memory": f"{255 + 11 * self.pods}Mi",
            "ephemeral-storage": DISK_RESERVED,
        }
        kube = {**defaults, **self.settings.kube_reserved}
        return float(quantity(kube[resource]) + quantity(self.settings.system_reserved.get(resource, 0)))


def reserved_cpu(vcpus: int) -> int:
    """Thousandths of a CPU that kubelet reserves: 6% of the first, 1% of the next, 0.5% of two, 0.25%."""
    shares = [60, 10, 5, 5]
    return int(sum(shares[:vcpus]) + 2.5 * max(0, vcpus - len(shares)))
