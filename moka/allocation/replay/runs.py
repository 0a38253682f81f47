"""Runs of a history, as far as their replay needs them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moka.usage.records import HOUR, Interval

RunOutcome = Literal["completed", "failed", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a workflow: an application, whose pods are all of one size.

    submitted: milliseconds since 1970, in UTC.
    pods: that it asks for at once; it begins when it has all of them, as a gang does.
    cpu: thousandths of a core of a pod. memory: MiB of a pod.
    lasts: milliseconds that it takes with all of its pods.
    outcome: how it ended. One that failed is in time in no replay, and one that was stopped is not judged.
    """

    workflow: str
    queue: str
    submitted: int
    pods: int
    cpu: int
    memory: int
    lasts: int
    outcome: RunOutcome = "completed"

    @property
    def work(self) -> int:
        """Milliseconds of one pod."""
        return self.pods * self.lasts

    def moved(self, queue: str) -> "Run":
        """The same in another queue."""
        return self if queue == self.queue else replace(self, queue=queue)

    def intervals(self, cluster: str) -> Iterator[Interval]:
        """What it has in use if it begins at once, by the hour."""
        began, ended = self.submitted, self.submitted + self.lasts
        while began < ended:
            until = min(ended, began - began % HOUR + HOUR)
            yield Interval(
                cluster=cluster,
                queue=self.queue,
                workflow=self.workflow,
                began=began,
                ended=until,
                cpu=self.cpu * self.pods,
                memory=self.memory * self.pods,
                gpu=0,
                applications=1,
                allocations=self.pods,
            )
            began = until


@dataclass(frozen=True, slots=True)
class RecordedRuns:
    """Runs that were recorded.

    runs: each with the cluster on which it ran. unknown: how many more there were, of which it is not known
    what they had, or when they ended.
    """

    runs: tuple[tuple[str, Run], ...]
    unknown: int = 0


def recorded_runs(rows: Iterable[Mapping[str, Any]]) -> RecordedRuns:
    """Runs of a history. rows: answers to `submissions`, in its order."""
    runs, unknown = [], 0
    for row in rows:
        if row["pods"] is None:
            unknown += 1
            continue
        run = Run(
            workflow=row["workflow"],
            queue=row["queue"],
            submitted=row["submitted"],
            pods=row["pods"],
            cpu=row["cpu"],
            memory=row["memory"],
            lasts=row["lasted"],
            outcome=row["outcome"],
        )
        runs.append((row["cluster"], run))
    return RecordedRuns(tuple(runs), unknown)
