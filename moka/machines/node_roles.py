"""The roles of nodes: what runs on them, what their kubelets are told, how their machines may be replaced."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "driver", "executor", "shuffle"]


@dataclass(frozen=True, kw_only=True)
class NodeRoleSettings:
    """How the nodes of a role are.

    max_pods: pods a node; its prefixes of addresses are bounded by it.
    log_mib: size, MiB, at which the log of a container is rotated; five are kept.
    image_pulls: images that are pulled at the same time.
    rolling_percent: percentage of a group's machines that are replaced at the same time when its AMI or its
        launch template changes; None: never in place, as what runs there cannot be moved within the 15
        minutes that EKS gives it. Then only a new generation of the group has the change.
    """

    max_pods: int
    log_mib: int
    image_pulls: int
    rolling_percent: int | None


ROLES: Mapping[Role, NodeRoleSettings] = {
    "system": NodeRoleSettings(max_pods=110, log_mib=10, image_pulls=5, rolling_percent=25),
    # A driver writes most of a job's log, in bursts: the kubelet looks every 10 s, and what is rotated twice
    # before Fluent Bit has read it is lost.
    "driver": NodeRoleSettings(max_pods=110, log_mib=50, image_pulls=5, rolling_percent=None),
    # All executors of a node have one image, but many jobs start on it at once.
    "executor": NodeRoleSettings(max_pods=58, log_mib=50, image_pulls=10, rolling_percent=10),
    # A worker, the daemons, and room for a rolling restart.
    "shuffle": NodeRoleSettings(max_pods=24, log_mib=10, image_pulls=5, rolling_percent=None),
}

SYSTEM_RESERVED: Mapping[str, str] = {"cpu": "100m", "memory": "300Mi", "ephemeral-storage": "1Gi"}
"""What systemd's services get beside the pods; nodeadm reserves for the kubelet and containerd alone.
Memory and storage: the eksctl guide, "Customizing kubelet configuration"."""

EVICTION_HARD: Mapping[str, str] = {"memory.available": "200Mi"}
"""Where the kubelet evicts before the kernel kills: the same guide. nodeadm has 100Mi, which a JVM takes in
less than the 10 s between two looks; its limits for the disk (10%, 5% of inodes) stay."""

SHUTDOWN = ("2m30s", "30s")
"""Time for the pods of a node that shuts down, and the critical ones' part of it: nodeadm's own from
Kubernetes 1.34 on (awslabs/amazon-eks-ami: nodeadm/internal/kubelet/config.go), here for every version."""


def kubelet_config(role: Role, max_pods: int | None = None) -> dict[str, Any]:
    """KubeletConfiguration (kubelet.config.k8s.io/v1beta1) of a role, as far as it differs from nodeadm's.

    max_pods: pods a node, by default the role's.

    nodeadm lays it beside its own as a drop-in, and the kubelet merges the two: a map keeps the keys that are
    not said here.
    """
    known = ROLES[role]
    pods = max_pods or known.max_pods
    period, critical = SHUTDOWN
    return {
        "maxPods": pods,
        # nodeadm's formula, for the pods that there may be; it knows only those of plain addresses.
        "kubeReserved": {"memory": f"{255 + 11 * pods}Mi"},
        "systemReserved": dict(SYSTEM_RESERVED),
        "evictionHard": dict(EVICTION_HARD),
        # In parallel, as nodeadm has it, but not without bound: pulls share the root disk.
        "serializeImagePulls": False,
        "maxParallelImagePulls": known.image_pulls,
        "containerLogMaxSize": f"{known.log_mib}Mi",
        "containerLogMaxFiles": 5,
        "shutdownGracePeriod": period,
        "shutdownGracePeriodCriticalPods": critical,
    }
