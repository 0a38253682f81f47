"""The largest machines that drivers and executors of a cluster can be on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from moka.machines.instance_types import Architecture, instance_type
from moka.machines.node_roles import EVICTION_HARD, SYSTEM_RESERVED, kubelet_config

JobRole = Literal["driver", "executor"]

DAEMONS = (400, 512)
"""Thousandths of a core and MiB that a node's own pods ask for, rounded up: Fluent Bit and the OpenTelemetry
agent 200 and 384 (charts-values/), EBS driver 30 and 120, VPC CNI with policy agent 50, kube-proxy 100."""

HIDDEN = 0.03
"""Share of a machine's memory that its firmware and kernel take before the kubelet sees any."""


@dataclass(frozen=True, kw_only=True)
class MachineCapacity:
    """What one pod can have at most of the largest machine of a role and architecture.

    millicores: thousandths of a core.
    memory_mib: None where the names of the instance types do not tell.
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
    """A node group, as far as it matters here.

    max_pods: pods a node, by default the role's; the kubelet keeps memory for each.
    """

    role: str
    architecture: Architecture
    instance_types: Sequence[str]
    max_pods: int | None = None


def largest_machines(groups: Iterable[NodeGroupShape]) -> list[MachineCapacity]:
    """The largest machine of each role and architecture that jobs use, of all node groups of a cluster."""
    found: dict[tuple[JobRole, Architecture], MachineCapacity] = {}
    for group in groups:
        if group.role not in ("driver", "executor"):
            continue
        role = cast(JobRole, group.role)
        for name in group.instance_types:
            if instance_type(name).gpu:
                continue  # nothing here asks for GPUs
            machine = _machine(role, group, name)
            key = (role, group.architecture)
            found[key] = _larger(found[key], machine) if key in found else machine
    return [found[key] for key in sorted(found)]


def _machine(role: JobRole, group: NodeGroupShape, name: str) -> MachineCapacity:
    known = instance_type(name)
    kubelet = kubelet_config(role, group.max_pods)
    memory = known.memory_mib
    if memory is not None:
        kept = (
            kubelet["kubeReserved"]["memory"],
            SYSTEM_RESERVED["memory"],
            EVICTION_HARD["memory.available"],
        )
        memory = int(memory * (1 - HIDDEN)) - sum(int(each.removesuffix("Mi")) for each in kept) - DAEMONS[1]
    # The name of bare metal does not tell; there is no larger machine.
    cores = known.vcpus if known.vcpus is not None else 192
    system = int(SYSTEM_RESERVED["cpu"].removesuffix("m"))
    return MachineCapacity(
        role=role,
        architecture=group.architecture,
        millicores=cores * 1000 - reserved_millicores(cores) - system - DAEMONS[0],
        memory_mib=memory,
        local_disks=known.local_disks,
    )


def _larger(one: MachineCapacity, other: MachineCapacity) -> MachineCapacity:
    """The most that a pod can have of either; of unknown memory there may be any amount."""
    unknown = one.memory_mib is None or other.memory_mib is None
    return MachineCapacity(
        role=one.role,
        architecture=one.architecture,
        millicores=max(one.millicores, other.millicores),
        memory_mib=None if unknown else max(one.memory_mib or 0, other.memory_mib or 0),
        local_disks=one.local_disks and other.local_disks,
    )


def reserved_millicores(vcpus: int) -> int:
    """What nodeadm keeps for the kubelet: 6% of the first core, 1% of the next, 0.5% of two more, 0.25%."""
    return int(sum([60, 10, 5, 5][:vcpus]) + 2.5 * max(0, vcpus - 4))
