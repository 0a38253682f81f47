"""What the clusters of an environment have, for reports of what was used."""

from collections.abc import Iterator

from moka.mistakes import InvalidDocument
from moka.prices import Prices
from moka.quantities import MIB
from moka.queues.resources import Resources
from moka.usage.report.sizes import ClusterSize, Machine, queue_sizes
from stacks.settings import Environment
from stacks.settings.cluster import NodeGroup
from stacks.settings.job_machines import machine_for_jobs


def cluster_sizes(settings: Environment, names: list[str], prices: Prices) -> list[ClusterSize]:
    """What clusters have. Raises InvalidDocument."""
    return [_size(settings, name, prices) for name in names]


def _size(settings: Environment, name: str, prices: Prices) -> ClusterSize:
    """Instances are counted in the first type of the largest group of executors."""
    cluster = settings.clusters[name]
    type_prices = prices.ec2.get(settings.foundation_of(name).region, {})
    machines = {kind: machine for kind in type_prices if (machine := _machine(kind, type_prices[kind]))}
    groups = sorted(cluster.groups_of("executor"), key=lambda group: -group.maximum)
    groups += cluster.groups_of("driver")
    # Of a type in several groups, the largest group's counts.
    group_by_type: dict[str, NodeGroup] = {}
    for group in groups:
        for kind in group.instance_types:
            group_by_type.setdefault(kind, group)
    machines |= {
        kind: machine
        for kind, group in group_by_type.items()
        if (machine := _machine(kind, type_prices.get(kind), group))
    }
    counted = next((kind for kind in group_by_type if kind in machines), None)
    if counted is None:
        raise InvalidDocument(
            f"clusters.{name}: the names of its instance types do not tell their memory, so that instances "
            "cannot be counted; leave it out with --cluster."
        )
    return ClusterSize(
        name=name,
        machine=counted,
        machines=machines,
        resources=settings.capacity(name) or _of_groups(groups, machines),
        queues=queue_sizes(settings.queue_tree(name).leaves()),
    )


def _machine(kind: str, usd: float | None, group: NodeGroup | None = None) -> Machine | None:
    """What jobs can have of a machine; None where its name does not tell. How many GPUs none tells."""
    size = machine_for_jobs(kind, group.max_pods if group else None)
    if size is None:
        return None
    return Machine(cpu=size.cpu or 0, memory=(size.memory or 0) // MIB, usd=usd)


def _of_groups(groups: list[NodeGroup], machines: dict[str, Machine]) -> Resources:
    """What all machines for drivers and executors have whose names tell it."""
    machine_counts = list(_machine_counts(groups, machines))
    return Resources(
        cpu=sum(machine.cpu * count for machine, count in machine_counts),
        memory=sum(machine.memory * MIB * count for machine, count in machine_counts),
    )


def _machine_counts(groups: list[NodeGroup], machines: dict[str, Machine]) -> Iterator[tuple[Machine, int]]:
    for group in groups:
        if (machine := machines.get(group.instance_types[0])) is not None:
            yield machine, group.maximum
