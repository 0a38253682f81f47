"""Logs: the room that nodes need for them while S3 cannot be reached, and what is mixed up."""

from collections.abc import Iterator

from moka.machines.root_disk import OTHER_DISK_GIB
from moka.mistakes import Mistake
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment


def disks(settings: Environment) -> Iterator[Mistake]:
    """Root disks that the logs of an outage would fill."""
    logs = settings.logs.size.gib
    least = OTHER_DISK_GIB + logs
    for cluster_name, cluster in settings.clusters.items():
        for name, group in cluster.node_groups.items():
            if group.disk.gib < least:
                yield Mistake(
                    f"clusters.{cluster_name}.node_groups.{name}.disk.gib",
                    f"is {group.disk.gib}, but logs may take {logs} GiB of it while S3 is away for "
                    f"logs.outage_hours, {settings.logs.outage_hours}, and all else {OTHER_DISK_GIB}; raise "
                    f"it to {least}, or lower logs.outage_hours or logs.kib_per_second",
                )


def order(settings: Environment) -> Iterator[Mistake]:
    """Executors that would be read before drivers: most likely the two were mixed up."""
    logs = settings.logs
    if logs.executors_behind_seconds < logs.drivers_behind_seconds:
        yield Mistake(
            "logs.executors_behind_seconds",
            f"is {logs.executors_behind_seconds}, less than logs.drivers_behind_seconds, "
            f"{logs.drivers_behind_seconds}; executors are many more, and each of their uploads is paid for: "
            "raise it, or lower the other",
        )


def control_planes(settings: Environment) -> Iterator[Mistake]:
    """Types of control-plane logs that are listed twice."""
    for name, cluster in settings.clusters.items():
        yield from repeated(f"clusters.{name}.control_plane_logs.types", cluster.control_plane_logs.types)
