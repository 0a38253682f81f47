"""Celeborn. Its metrics' times are in milliseconds."""

from moka.observability.panel import Dashboard, Panel, Row, Unit

WORKER = '{$scope,role="Worker"}'
MASTER = '{$scope,role="Master"}'


def _of_masters(*names: str) -> dict[str, str]:
    return {f"{{{{cluster}}}} {name}": f"max by (cluster) (metrics_{name}_Value{MASTER})" for name in names}


def _slowest(title: str, name: str) -> Panel:
    return Panel(
        title=title,
        unit="s",
        queries={
            "{{cluster}} mean": f"avg by (cluster) (metrics_{name}_Mean{WORKER}) / 1000",
            "{{cluster}} slowest": f"max by (cluster) (metrics_{name}_Max{WORKER}) / 1000",
        },
    )


def _panel(title: str, unit: Unit, expression: str, legend: str = "{{cluster}}") -> Panel:
    return Panel(title=title, unit=unit, queries={legend: expression})


MEMBERS = Row(
    title="Members",
    panels=(
        Panel(
            title="Workers, as the master sees them",
            unit="short",
            queries=_of_masters(
                "WorkerCount",
                "AvailableWorkerCount",
                "LostWorkerCount",
                "ExcludedWorkerCount",
                "ShutdownWorkerCount",
            ),
        ),
        _panel("Active masters", "short", f"sum by (cluster) (metrics_IsActiveMaster_Value{MASTER})"),
        Panel(
            title="Shuffles, and those that fell back to Spark's own",
            unit="short",
            queries=_of_masters("RegisteredShuffleCount", "ShuffleTotalCount", "ShuffleFallbackCount"),
        ),
    ),
)

ROOM = Row(
    title="Room",
    panels=(
        _panel(
            "Shuffle data",
            "bytes",
            f"sum by (cluster) (metrics_ActiveShuffleSize_Value{WORKER})",
        ),
        Panel(
            title="Disks",
            unit="bytes",
            queries={
                "{{cluster}} free": f"sum by (cluster) (metrics_DeviceCelebornFreeBytes_Value{WORKER})",
                "{{cluster}} in all": f"sum by (cluster) (metrics_DeviceCelebornTotalBytes_Value{WORKER})",
            },
        ),
        Panel(
            title="Workers with the least room",
            unit="percentunit",
            kind="bargauge",
            queries={
                "{{cluster}} {{pod}}": "bottomk(10, sum by (cluster, pod) "
                f"(metrics_DeviceCelebornFreeBytes_Value{WORKER}) / "
                f"sum by (cluster, pod) (metrics_DeviceCelebornTotalBytes_Value{WORKER}))"
            },
        ),
    ),
)

WORK = Row(
    title="Work",
    panels=(
        _slowest("Time to take data", "PrimaryPushDataTime"),
        _slowest("Time to give data", "FetchChunkTransferTime"),
        _slowest("Time to write to disk", "FlushLocalDataTime"),
        Panel(
            title="Workers that take no data for want of memory",
            unit="short",
            width=12,
            queries={
                "{{cluster}} from jobs": f"sum by (cluster) (metrics_PausePushDataStatus_Value{WORKER})",
                "{{cluster}} from workers either": "sum by (cluster) "
                f"(metrics_PausePushDataAndReplicateStatus_Value{WORKER})",
            },
        ),
        Panel(
            title="Failures, a second",
            unit="ops",
            width=12,
            queries={
                "{{cluster}} to write": "sum by (cluster) "
                f"(rate(metrics_WriteDataFailCount_Count{WORKER}[5m]))",
                "{{cluster}} to replicate": "sum by (cluster) "
                f"(rate(metrics_ReplicateDataFailCount_Count{WORKER}[5m]))",
            },
        ),
    ),
)

DASHBOARD = Dashboard(name="shuffle", title="moka / Shuffle", rows=(MEMBERS, ROOM, WORK))
