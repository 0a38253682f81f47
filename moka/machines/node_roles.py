"""The roles of nodes: the configuration of their kubelets, and how their machines may be replaced."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "driver", "executor", "shuffle"]


@dataclass(frozen=True, kw_only=True)
class NodeRoleSettings:
    """Settings of the nodes of a role.

    max_pods: pods a node; its prefixes of addresses are bounded by it.
    log_mib: size, MiB, at which the log of a container is rotated; five are kept.
    image_pulls: images that are pulled at the same time.
    rolling_percent: percentage of a group's machines that are replaced at the same time when its AMI or its
        launch template changes; None: never in place, as what runs there cannot be moved within the 15
        minutes that EKS gives it. Then only a new generation of the group has the change.
    zonal: whether a group is, by default, a managed group in each of its zones. Auto Scaling moves machines
        of one that spans zones while these are uneven, whatever runs there; and of an empty one the
        autoscaler takes its first zone for all of it.
    """

    max_pods: int
    log_mib: int
    image_pulls: int
    rolling_percent: int | None
    zonal: bool


ROLES: Mapping[Role, NodeRoleSettings] = {
    # Celeborn's masters are here, one a zone.
    "system": NodeRoleSettings(max_pods=110, log_mib=10, image_pulls=5, rolling_percent=25, zonal=True),
    # A driver writes most of a job's log, in bursts: the kubelet looks every 10 s, and what is rotated twice
    # before Fluent Bit has read it is lost.
    "driver": NodeRoleSettings(max_pods=110, log_mib=50, image_pulls=5, rolling_percent=None, zonal=True),
    # All executors of a node have one image, but many jobs start on it at once.
    "executor": NodeRoleSettings(max_pods=58, log_mib=50, image_pulls=10, rolling_percent=10, zonal=False),
    # A worker, the daemons, and room for a rolling restart.
    "shuffle": NodeRoleSettings(max_pods=24, log_mib=10, image_pulls=5, rolling_percent=None, zonal=True),
}

SYSTEM_MILLICORES, SYSTEM_MIB, SYSTEM_STORAGE_GIB = 100, 300, 1
"""What systemd's services get beside the pods; nodeadm reserves for the kubelet and containerd only.
Memory and storage: the eksctl guide, "Customizing kubelet configuration"."""

EVICTION_MIB = 200
"""Where the kubelet evicts before the kernel kills: the same guide. nodeadm has 100Mi, which a JVM takes in
less than the 10 s between two looks; its limits for the disk (10%, 5% of inodes) stay."""

SHUTDOWN = ("2m30s", "30s")
"""Time for the pods of a node that shuts down, and the critical ones' part of it: nodeadm's own from
Kubernetes 1.34 on (awslabs/amazon-eks-ami: nodeadm/internal/kubelet/config.go), here for every version."""


def kubelet_config(role: Role, max_pods: int | None = None) -> dict[str, Any]:
    """KubeletConfiguration (kubelet.config.k8s.io/v1beta1) of a role, as far as it differs from nodeadm's.

    max_pods: pods a node, by default the role's.

    nodeadm lays it beside its own as a drop-in, and the kubelet merges the two: a map keeps the keys that are
    not set here.
    """
    settings = ROLES[role]
    pods = max_pods or settings.max_pods
    period, critical = SHUTDOWN
    return {
        "maxPods": pods,
        "kubeReserved": {"memory": f"{kubelet_mib(pods)}Mi"},
        "systemReserved": {
            "cpu": f"{SYSTEM_MILLICORES}m",
            "memory": f"{SYSTEM_MIB}Mi",
            "ephemeral-storage": f"{SYSTEM_STORAGE_GIB}Gi",
        },
        "evictionHard": {"memory.available": f"{EVICTION_MIB}Mi"},
        # In parallel, as nodeadm has it, but not without bound: pulls share the root disk.
        "serializeImagePulls": False,
        "maxParallelImagePulls": settings.image_pulls,
        "containerLogMaxSize": f"{settings.log_mib}Mi",
        "containerLogMaxFiles": 5,
        "shutdownGracePeriod": period,
        "shutdownGracePeriodCriticalPods": critical,
    }


def kubelet_millicores(vcpus: int) -> int:
    """nodeadm reserves 6% of the first core for the kubelet, 1% of the next, 0.5% of two, 0.25% of others."""
    return int(sum([60, 10, 5, 5][:vcpus]) + 2.5 * max(0, vcpus - 4))


def kubelet_mib(pods: int) -> int:
    """Memory for the kubelet by nodeadm's formula, which itself knows only pods with plain addresses."""
    return 255 + 11 * pods
