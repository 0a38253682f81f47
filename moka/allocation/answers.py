"""What the answers to questions (moka/usage/questions) say, as allocation goes on from it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from moka.allocation.cluster import Cluster
from moka.allocation.curve import Curve, Step
from moka.allocation.percentile import Need
from moka.allocation.replay.slo import share_in_time
from moka.allocation.rules import Rules
from moka.usage.questions import QueryScope
from moka.usage.records import DAY, HOUR
from moka.workflows.definitions import Workflow, slo_millis

Row = Mapping[str, Any]
"""A row of an answer, by column."""


def window(
    clusters: Iterable[Cluster], until: int, rules: Rules, workflows: Mapping[str, Workflow] | None = None
) -> QueryScope:
    """What to ask about: the days before the last midnight, in UTC, before a time.

    workflows: whose SLOs count.
    """
    ended = until - until % DAY
    return QueryScope(
        began=ended - rules.window,
        ended=ended,
        machines={cluster.name: cluster.sizes() for cluster in clusters},
        slos=slo_millis(workflows or {}),
    )


def curves(rows: Iterable[Row]) -> list[Curve]:
    """The curves of queues. rows: answers to `amounts`, in its order."""
    result = []
    for (cluster, queue), steps in groupby(rows, lambda row: (row["cluster"], row["queue"])):
        listed = list(steps)
        [first, *_] = listed
        result.append(
            Curve(
                cluster=cluster,
                queue=queue,
                steps=tuple(
                    Step(row["percent"], row["machines"], row["cpu"], row["memory"], row["gpu"])
                    for row in listed
                ),
                busy=first["busy"],
                machines=first["machine_millis"],
                cpu=first["cpu_millis"],
                memory=first["memory_millis"],
                gpu=first["gpu_millis"],
                applications=first["applications"],
            )
        )
    return result


def needs(rows: Iterable[Row], cluster: str, workflows: Mapping[str, Workflow]) -> Iterator[Need]:
    """What workflows with an SLO need on a cluster. rows: answers to `needs`."""
    for row in rows:
        workflow = workflows.get(row["workflow"])
        if row["cluster"] == cluster and workflow is not None and workflow.slo_hours is not None:
            yield Need(
                queue=row["queue"],
                workflow=row["workflow"],
                machine_millis=row["machine_millis"],
                slo_hours=workflow.slo_hours,
            )


def shares_in_time(rows: Iterable[Row]) -> dict[str, float]:
    """Workflow -> the part of its runs that was in time, of those that were in time, late or failed. rows:
    answers to `runs`."""
    in_time, judged = Counter[str](), Counter[str]()
    for row in rows:
        in_time[row["workflow"]] += row["in_time"]
        judged[row["workflow"]] += row["in_time"] + row["late"] + row["failed"]
    return {workflow: share_in_time(in_time[workflow], count) for workflow, count in judged.items() if count}


def history_gaps(rows: Iterable[Row], rules: Rules) -> Iterator[str]:
    """What is not known of clusters, a sentence each. rows: answers to `days`."""
    for row in rows:
        cluster, hours = row["cluster"], row["gap_millis"] / HOUR
        if not row["days"]:
            yield f"Of {cluster} there are no records, so its queues stay as the settings have them."
            continue
        if days := rules.days - row["days"]:
            yield (
                f"Of {cluster} there are no records of {days} of {rules.days} days: what it used then does "
                "not count."
            )
        if hours:
            yield f"Of {cluster} it is not known what it used in {hours:.1f} h: they do not count."
