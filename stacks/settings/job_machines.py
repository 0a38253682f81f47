"""Machines of a cluster as jobs have them."""

from dataclasses import dataclass

from moka.machines.instance_types import instance_type
from moka.machines.machine_capacity import NodeGroupShape, machine_capacity
from moka.quantities import MIB
from moka.queues.resources import Resources
from stacks.settings.environment import Environment


@dataclass(frozen=True, kw_only=True)
class CountedMachines:
    """A cluster counted in machines of one type.

    kind: the type. one: what jobs can have of such a machine. count: of them jobs can have.
    """

    kind: str
    one: Resources
    count: int


def counted_machines(settings: Environment, cluster: str) -> CountedMachines | None:
    """What a cluster has, in the first type of the largest group of executors that tells what it has.

    None where no name of a type tells, and no capacity is known.
    """
    calendar = settings.queue_calendar(cluster)
    groups = sorted(settings.clusters[cluster].groups_of("executor"), key=lambda group: -group.maximum)
    sizes = (
        (kind, machine_for_jobs(kind, group.max_pods)) for group in groups for kind in group.instance_types
    )
    kind, size = next(((kind, size) for kind, size in sizes if size), ("", None))
    capacity = calendar.capacity_of(calendar.all_nodes) or calendar.amounts(calendar.all_nodes)
    amounts = [
        (capacity.get(resource), size.get(resource) if size else None) for resource in ("cpu", "memory")
    ]
    if size is None or not all(whole and part for whole, part in amounts):
        return None
    return CountedMachines(
        kind=kind, one=size, count=min((whole or 0) // part for whole, part in amounts if part)
    )


def machine_for_jobs(kind: str, max_pods: int | None = None) -> Resources | None:
    """What jobs can have of a machine; None where its name does not tell."""
    try:
        instance = instance_type(kind)
    except ValueError:
        return None
    if instance.vcpus is None:
        return None
    shape = NodeGroupShape(
        role="executor", architecture=instance.architecture, instance_types=[kind], max_pods=max_pods
    )
    capacity = machine_capacity("executor", shape, kind)
    if not capacity.memory_mib or capacity.memory_mib < 0 or capacity.millicores <= 0:
        return None
    return Resources(cpu=capacity.millicores, memory=capacity.memory_mib * MIB)
