"""Workflows that ran and that nobody told of, as they are proposed: with what was measured."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from pydantic import ValidationError

from moka.allocation.answers import Row
from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR
from moka.workflows.definitions import Workflow, Workflows

OWNER = "unknown"
"""Until somebody says whose it is."""

DIGITS = 2
"""Of what was measured that are told, so that it is another only where it is worth a look."""

THOUSANDTHS = 1000


@dataclass(frozen=True)
class UnknownWorkflow:
    """A workflow as it seems to be, and what was measured of it."""

    workflow: Workflow
    measured: Mapping[str, Any]


def unknown_workflows(
    runs: Iterable[Row], needs: Iterable[Row], names: Collection[str]
) -> dict[str, UnknownWorkflow]:
    """Those by name. runs, needs: rows of the questions of these names. names: those that somebody told of.

    Each seems to be of the queue, and at home on the cluster, in which most of its runs were.
    """
    places: dict[str, list[Row]] = defaultdict(list)
    for row in runs:
        if row["workflow"] not in names and queue_names(row["queue"]).tier:
            places[row["workflow"]].append(row)
    machines: dict[str, int] = defaultdict(int)
    for row in needs:
        machines[row["workflow"]] = max(machines[row["workflow"]], row["machine_millis"])
    result = {}
    for name, rows in sorted(places.items()):
        most = max(rows, key=lambda row: (row["runs"], row["cluster"], row["queue"]))
        queue = queue_names(most["queue"])
        data = {
            "tier": queue.tier,
            "owner": OWNER,
            "project": f"{queue.organization}.{queue.project}",
            "cluster": most["cluster"],
        }
        try:
            # With its name, which is a label, and may be none that a workflow can have.
            workflows = Workflows.model_validate({"format": "moka-workflows/1", "workflows": {name: data}})
        except ValidationError:
            continue
        result[name] = UnknownWorkflow(workflows.workflows[name], _measures(rows, machines.get(name)))
    return result


def _measures(rows: Collection[Row], machine_millis: int | None) -> dict[str, Any]:
    """Hours that 90% of runs keep to, of the place where they took longest."""
    runs = sum(row["runs"] for row in rows)
    measured: dict[str, Any] = {
        "runs": int(_rounded(runs)),
        "failed_percent": round(100 * sum(row["failed"] for row in rows) / runs),
        "clusters": sorted({row["cluster"] for row in rows}),
    }
    for name, column in (("waited_hours", "waiting"), ("took_hours", "took")):
        times = [row[column] for row in rows if row[column] is not None]
        if times:
            measured[name] = _rounded(max(times) / HOUR)
    if machine_millis is not None:
        measured["machine_hours"] = _rounded(machine_millis / THOUSANDTHS / HOUR)
    return measured


def _rounded(value: float) -> float:
    return round(value, DIGITS - 1 - floor(log10(value))) if value else 0.0
