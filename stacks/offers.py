"""What the clusters of an environment offer to an allocation."""

from moka.allocation.cluster import Cluster
from moka.allocation.offer import Offer
from moka.machines.instance_types import instance_type
from moka.machines.machine_capacity import NodeGroupShape, machine_capacity
from moka.mistakes import InvalidDocument
from moka.quantities import MIB
from moka.queues.resources import Resources
from stacks.settings import Environment


def offer(settings: Environment, name: str) -> Offer:
    """What a cluster offers. Machines are counted in the first type of the largest group of executors.

    Raises InvalidDocument where the names of its types do not tell what they have.
    """
    cluster = settings.clusters[name]
    calendar = settings.queue_calendar(name)
    groups = sorted(cluster.groups_of("executor"), key=lambda group: -group.maximum)
    sizes = (machine_for_jobs(kind, group.max_pods) for group in groups for kind in group.instance_types)
    size = next(filter(None, sizes), None)
    capacity = calendar.capacity_of(calendar.all_nodes) or calendar.amounts(calendar.all_nodes)
    amounts = [(capacity.get(one), size.get(one) if size else None) for one in ("cpu", "memory")]
    if size is None or not all(whole and part for whole, part in amounts):
        raise InvalidDocument(
            f"clusters.{name}: the names of its instance types do not tell their cores and memory; state its "
            "`capacity` and a type that does, to have plans made for it."
        )
    return Offer(
        cluster=Cluster(
            name=name,
            instance=size,
            instances=min((whole or 0) // part for whole, part in amounts if part),
        ),
        zones=settings.role_zones(name, "executor"),
        architectures=tuple(sorted({group.architecture for group in groups})),
        settings=settings.cluster_settings(name),
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
    one = machine_capacity("executor", shape, kind)
    if not one.memory_mib or one.memory_mib < 0 or one.millicores <= 0:
        return None
    return Resources(cpu=one.millicores, memory=one.memory_mib * MIB)
