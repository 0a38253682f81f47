"""Runs of a history, as far as their replay needs them."""

from collections.abc import Iterator
from dataclasses import dataclass

from moka.usage.records import HOUR, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of a workflow: an application, whose pods are all of one size.

    submitted: milliseconds since 1970, in UTC.
    pods: that it asks for at once; it begins when it has all of them, as a gang does.
    cpu: thousandths of a core of a pod. memory: MiB of a pod.
    lasts: milliseconds that it takes with all of its pods.
    """

    workflow: str
    queue: str
    submitted: int
    pods: int
    cpu: int
    memory: int
    lasts: int

    @property
    def work(self) -> int:
        """Milliseconds of one pod."""
        return self.pods * self.lasts

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
