"""What machines in use cost: their price by the share of them that a workflow had."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR
from moka.usage.report.model import Cost
from moka.usage.report.sizes import MIB_A_GIB, MILLIS_A_CORE, ClusterSize

ASSUMPTIONS = (
    "Prices are AWS's for Linux, on demand and shared: spot, savings plans and reservations are less.",
    "A workflow pays for the share of a machine that it has by the resource of which it has most, "
    "placeholders included; what of machines nobody had in use is not in it, nor are disks and traffic.",
    "Where nobody said the type of a machine, it is the one in which instances of the cluster are counted.",
)
"""What the amounts stand on."""


def cost(size: ClusterSize, rows: Iterable[Mapping[str, Any]]) -> Cost:
    """What machines in use cost. rows: answers to `machines`, of one cluster."""
    dollars: dict[str, dict[str, float]] = {
        by: defaultdict(float) for by in ("organization", "project", "tier", "workflow", "instance_type")
    }
    unpriced, priced = 0.0, False
    for row in rows:
        named = row["instance_type"] in size.machines
        machine = size.machines[row["instance_type"]] if named else size.reference
        hours = machine.machines_for(
            row["cpu_millis"] / HOUR / MILLIS_A_CORE,
            row["memory_millis"] / HOUR / MIB_A_GIB,
            row["gpu_millis"] / HOUR,
        )
        if machine.usd is None:
            unpriced += hours
            continue
        priced = True
        queue = queue_names(row["queue"])
        keys = {
            "organization": queue.organization,
            "project": f"{queue.organization}.{queue.project}" if queue.project else "",
            "tier": str(queue.tier),
            "workflow": row["workflow"],
            "instance_type": row["instance_type"] if named else size.machine,
        }
        for by, key in keys.items():
            dollars[by][key] += hours * machine.usd
    return Cost(
        usd=sum(dollars["tier"].values()) if priced else None,
        **{f"by_{by}": _dearest(amounts) for by, amounts in dollars.items()},
        unpriced=unpriced,
    )


def _dearest(amounts: Mapping[str, float]) -> dict[str, float]:
    """The dearest first."""
    return dict(sorted(amounts.items(), key=lambda item: (-item[1], item[0])))
