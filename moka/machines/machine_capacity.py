"""The largest machines that drivers and executors of a cluster can be on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from moka.machines.instance_types import METAL_VCPUS, Architecture, instance_type
from moka.machines.node_roles import (
    EVICTION_MIB,
    ROLES,
    SYSTEM_MIB,
    SYSTEM_MILLICORES,
    kubelet_mib,
    kubelet_millicores,
)

JobRole = Literal["driver", "executor"]

DAEMON_MILLICORES, DAEMON_MIB = 400, 512
"""What a node's own pods ask for, rounded up: Fluent Bit and the OpenTelemetry
agent 200 and 384 (charts-values/), EBS driver 30 and 120, VPC CNI with policy agent 50, kube-proxy 100."""

HIDDEN_MEMORY = 0.06
"""Share of a machine's memory that its firmware and kernel take before the kubelet sees any: 1.7% to 5.3%, by
what others' nodes report (2i2c-org/infrastructure: node-capacity-info.json; aws/karpenter-provider-aws#6453;
pytorch/ci-infra#910). A pod that was promised more would wait for ever."""


@dataclass(frozen=True, kw_only=True)
class MachineCapacity:
    """The most that one pod can have of the largest machine of a role and architecture.

    millicores: thousandths of a core.
    memory_mib: None where the names of the instance types do not say.
    local_disks: every machine of the role and architecture has instance storage.
    """

    role: JobRole
    architecture: Architecture
    millicores: int
    memory_mib: int | None
    local_disks: bool

    @classmethod
    def from_outputs(cls, outputs: Mapping[str, Any]) -> "MachineCapacity":
        """Read what a stack exported."""
        memory = outputs.get("memory_mib")
        return cls(
            role=outputs["role"],
            architecture=outputs["architecture"],
            millicores=int(outputs["millicores"]),
            memory_mib=None if memory is None else int(memory),
            local_disks=bool(outputs["local_disks"]),
        )


@dataclass(frozen=True, kw_only=True)
class NodeGroupShape:
    """The machines of a node group.

    max_pods: pods a node, by default the role's; the kubelet reserves memory for each.
    """

    role: str
    architecture: Architecture
    instance_types: Sequence[str]
    max_pods: int | None = None


def largest_machines(groups: Iterable[NodeGroupShape]) -> list[MachineCapacity]:
    """The largest machine without GPUs of each role and architecture that jobs use, of all node groups of a
    cluster.
    """
    return _largest(groups, gpu=False)


def largest_gpu_machines(groups: Iterable[NodeGroupShape]) -> list[MachineCapacity]:
    """The largest machine with GPUs of each role and architecture that jobs use; no driver runs on one."""
    return _largest((group for group in groups if group.role == "executor"), gpu=True)


def _largest(groups: Iterable[NodeGroupShape], *, gpu: bool) -> list[MachineCapacity]:
    largest: dict[tuple[JobRole, Architecture], MachineCapacity] = {}
    for group in groups:
        if group.role not in ("driver", "executor"):
            continue
        role = cast(JobRole, group.role)
        for name in group.instance_types:
            if instance_type(name).gpu != gpu:
                continue
            machine = machine_capacity(role, group, name)
            key = (role, group.architecture)
            largest[key] = _larger(largest[key], machine) if key in largest else machine
    return [largest[key] for key in sorted(largest)]


def pod_millicores(vcpus: int | None) -> int:
    """Thousandths of a core of a machine that the kubelet and a node's own pods leave for others."""
    vcpus = vcpus or METAL_VCPUS
    return vcpus * 1000 - kubelet_millicores(vcpus) - SYSTEM_MILLICORES - DAEMON_MILLICORES


def machine_capacity(role: JobRole, group: NodeGroupShape, name: str) -> MachineCapacity:
    """The most that a pod of a role can have of a machine of an instance type."""
    instance = instance_type(name)
    memory = instance.memory_mib
    if memory is not None:
        pods = group.max_pods or ROLES[role].max_pods
        memory = (
            int(memory * (1 - HIDDEN_MEMORY)) - kubelet_mib(pods) - SYSTEM_MIB - EVICTION_MIB - DAEMON_MIB
        )
    return MachineCapacity(
        role=role,
        architecture=group.architecture,
        millicores=pod_millicores(instance.vcpus),
        memory_mib=memory,
        local_disks=instance.local_disks,
    )


def _larger(first: MachineCapacity, second: MachineCapacity) -> MachineCapacity:
    """The most that a pod can have of either; of unknown memory there may be any amount."""
    unknown = first.memory_mib is None or second.memory_mib is None
    return MachineCapacity(
        role=first.role,
        architecture=first.architecture,
        millicores=max(first.millicores, second.millicores),
        memory_mib=None if unknown else max(first.memory_mib or 0, second.memory_mib or 0),
        local_disks=first.local_disks and second.local_disks,
    )
