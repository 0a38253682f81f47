"""What a cluster's executor nodes of a zone come to, where the autoscaler can add one in that zone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from moka.machines.instance_types import Architecture, instance_type
from moka.machines.machine_capacity import NodeGroupShape, machine_capacity


@dataclass(frozen=True, kw_only=True)
class ZoneCapacity:
    """What executors can have in a zone at most, of one architecture, with GPUs or without.

    millicores, memory_mib: of all nodes together; memory is None where instance types do not say.
    """

    zone: str
    architecture: Architecture
    gpu: bool
    millicores: int
    memory_mib: int | None

    @classmethod
    def from_outputs(cls, outputs: Mapping[str, Any]) -> "ZoneCapacity":
        """Read what a stack exported."""
        memory = outputs.get("memory_mib")
        return cls(
            zone=outputs["zone"],
            architecture=outputs["architecture"],
            gpu=bool(outputs["gpu"]),
            millicores=int(outputs["millicores"]),
            memory_mib=None if memory is None else int(memory),
        )


def zone_capacities(groups: Iterable[tuple[NodeGroupShape, Mapping[str, int]]]) -> list[ZoneCapacity]:
    """Capacities by zone, architecture and GPUs.

    groups: of executors, each with the nodes that it may have in a zone, where that can be chosen.
    """
    capacities: dict[tuple[str, Architecture, bool], ZoneCapacity] = {}
    for group, nodes in groups:
        # Of several types the autoscaler may get any.
        machines = [machine_capacity("executor", group, name) for name in group.instance_types]
        millicores = min(machine.millicores for machine in machines)
        memories = [machine.memory_mib for machine in machines]
        amounts = [memory for memory in memories if memory is not None]
        memory = min(amounts) if len(amounts) == len(memories) else None
        gpu = any(instance_type(name).gpu for name in group.instance_types)
        for zone, count in nodes.items():
            key = (zone, group.architecture, gpu)
            before = capacities.get(key)
            unknown = memory is None or (before is not None and before.memory_mib is None)
            capacities[key] = ZoneCapacity(
                zone=zone,
                architecture=group.architecture,
                gpu=gpu,
                millicores=count * millicores + (before.millicores if before else 0),
                memory_mib=None
                if unknown
                else count * (memory or 0) + ((before.memory_mib or 0) if before else 0),
            )
    return [capacities[key] for key in sorted(capacities)]
