"""What the queues of a cluster are shares of at any time, as the settings have it."""

from collections.abc import Iterable
from typing import get_args

from moka.machines.instance_types import instance_type
from moka.machines.machine_capacity import JobRole
from moka.quantities import MIB, cpu_quantity, memory_quantity
from moka.queues.calendar import Calendar, Change, JobNodes, is_time_zone
from moka.queues.definitions import Queues
from stacks.settings.cluster import Cluster, NodeGroup

JOB_ROLES = get_args(JobRole)


def queue_calendar(cluster: Cluster, queues: Queues) -> Calendar:
    """The calendar of a cluster with these queues."""
    return Calendar(
        capacity=cluster.capacity or queues.capacity,
        node_order=cluster.node_order,
        node_groups={
            name: _nodes(group) for name, group in cluster.node_groups.items() if group.role in JOB_ROLES
        },
    )


def _nodes(group: NodeGroup) -> JobNodes:
    types = [instance_type(name) for name in group.instance_types]
    cpu, memory = (
        _largest(instance.vcpus for instance in types),
        _largest(instance.memory_mib for instance in types),
    )
    # What is wrong with a time zone is told where it stands.
    schedule = group.schedule if is_time_zone(group.time_zone) else {}
    changes = {
        name: Change(cron=change.cron, maximum=change.maximum)
        for name, change in schedule.items()
        if change.maximum is not None
    }
    return JobNodes(
        maximum=group.maximum,
        cpu=None if cpu is None else cpu_quantity(cpu * 1000),
        memory=None if memory is None else memory_quantity(memory * MIB),
        gpus=any(instance.gpu for instance in types),
        time_zone=group.time_zone if changes else "Etc/UTC",
        changes=changes,
    )


def _largest(amounts: Iterable[int | None]) -> int | None:
    """The largest amount; None where one is not known."""
    values = list(amounts)
    return None if None in values else max(amount for amount in values if amount is not None)
