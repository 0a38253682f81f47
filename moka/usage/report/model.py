"""The document of a report, `moka-usage-report/1`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from moka.usage.report.rules import ReportRules
from moka.usage.report.sizes import Amount

FORMAT = "moka-usage-report/1"

Action = Literal["grow", "shrink", "split"]


@dataclass(frozen=True, kw_only=True)
class TierUse:
    """What the queues of a tier used.

    tier: 0 for queues that have none.
    hours: over the day, times hours. by_hour: on average in each hour of the day, 24 of them, in UTC.
    share: of the cluster's capacity, in the time of which something is known; None without either.
    """

    tier: int
    hours: Amount
    by_hour: tuple[Amount, ...]
    share: float | None


@dataclass(frozen=True, kw_only=True)
class Use:
    """What a cluster used.

    hours, by_hour, share, tiers: as those of a tier, and by tier.
    known: hours of the day of which something is known.
    busiest: hour of the day, from 0, in which most machines were in use; None where nothing was.
    peak, peak_share: what was in use in that hour, and of the capacity.
    vcores_share, memory_share: of the capacity's vcores and memory, over the day.
    """

    hours: Amount
    by_hour: tuple[Amount, ...]
    share: float | None
    vcores_share: float | None
    memory_share: float | None
    known: float
    known_by_hour: tuple[float, ...]
    busiest: int | None
    peak: Amount
    peak_share: float | None
    tiers: tuple[TierUse, ...]


@dataclass(frozen=True, kw_only=True)
class WorkflowRuns:
    """The runs of a workflow that were submitted on the day; a job with several attempts is one.

    name: empty for runs of none. known: whether the document of workflows has it; tier is then its tier, and
    else that of its queue.
    judged: runs that were in time, late or failed. share: of them in time; None where none is judged.
    successful: whether enough of them were; None where none is judged.
    held_seconds: what 90% of the jobs waited in Archer for their first application, at the most.
    waiting_seconds, running_seconds, took_seconds: what 90% of the runs waited in their queue, ran, and took
    from submission to end, at the most; of several queues, the most.
    """

    name: str
    known: bool
    tier: int
    owner: str
    queue: str
    slo_hours: float | None
    runs: int
    completed: int
    failed: int
    stopped: int
    unfinished: int
    untimed: int
    in_time: int
    late: int
    judged: int
    share: float | None
    successful: bool | None
    held_seconds: float | None
    waiting_seconds: float | None
    running_seconds: float | None
    took_seconds: float | None
    usd: float | None


@dataclass(frozen=True, kw_only=True)
class TierSlo:
    """How the workflows of a tier kept to their SLOs.

    workflows: that ran. judged: of them those with an SLO and runs that are judged.
    share: of the judged that were successful; None where none is. met: whether that is what is aimed at.
    """

    tier: int
    workflows: int
    judged: int
    successful: int
    share: float | None
    met: bool | None
    runs: int
    in_time: int


@dataclass(frozen=True, kw_only=True)
class QueueUse:
    """What a queue used, beside what it is guaranteed and may have; None where nothing is stated.

    peak: in its busiest hour, on average. waiting_seconds: what 90% of its runs waited at the most.
    """

    path: str
    tier: int
    hours: Amount
    peak: Amount
    busiest: int | None
    guaranteed: Amount | None
    maximum: Amount | None
    waiting_seconds: float | None


@dataclass(frozen=True, kw_only=True)
class KindUse:
    """What runs had by what became of it: used, preempted or placeholder; times hours."""

    kind: str
    hours: Amount


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Whether vcores and memory are used as machines have them.

    binds: the resource of which more was used, vcores or memory.
    gib_a_vcore: of what was used. machine_gib_a_vcore: of the machines.
    idle: share of the other resource that lies idle in machines that are full.
    family: of EC2 that would leave least idle, where that is another one and worth it; family_idle: how much.
    """

    binds: str
    gib_a_vcore: float
    machine_gib_a_vcore: float
    idle: float
    family: str | None
    family_idle: float | None
    says: str


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """What to change, by how many machines, by which rule, and why as a sentence.

    of: cluster or queue. into: of a split, the number of clusters.
    """

    of: Literal["cluster", "queue"]
    name: str
    action: Action
    machines: int
    rule: str
    says: str
    into: int | None = None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What the machines in use cost, in USD, by what they were in use for.

    usd: None where no price is known. unpriced: shares of machines times hours whose price is not known.
    """

    usd: float | None
    by_organization: Mapping[str, float]
    by_project: Mapping[str, float]
    by_tier: Mapping[str, float]
    by_workflow: Mapping[str, float]
    by_instance_type: Mapping[str, float]
    unpriced: float


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A time of the day of which nothing is known: from and to, `03:00`, and why."""

    began: str
    ended: str
    says: str


@dataclass(frozen=True, kw_only=True)
class ClusterReport:
    """A cluster's day.

    machine: type in which instances are counted. capacity: None where there is none.
    says: what is to be known of it, a sentence each.
    """

    name: str
    machine: str
    capacity: Amount | None
    use: Use
    slos: tuple[TierSlo, ...]
    workflows: tuple[WorkflowRuns, ...]
    queues: tuple[QueueUse, ...]
    kinds: tuple[KindUse, ...]
    balance: Balance | None
    cost: Cost
    recommendations: tuple[Recommendation, ...]
    unknown: tuple[Unknown, ...]
    says: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Report:
    """A day of an environment.

    day: in UTC, `2026-11-25`. made: when, as ISO 8601.
    slos: by tier, of workflows on whichever clusters they ran. usd: of all clusters.
    assumptions: of cost, a sentence each. says: what is to be known of the whole.
    """

    environment: str
    day: str
    made: str
    rules: ReportRules
    assumptions: tuple[str, ...]
    slos: tuple[TierSlo, ...]
    usd: float | None
    clusters: tuple[ClusterReport, ...]
    says: tuple[str, ...]

    def as_json(self) -> str:
        """As a document."""
        return json.dumps({"format": FORMAT, **_rounded(asdict(self))}, indent=2)


def _rounded(value: object) -> dict[str, object]:
    """Numbers of a document with digits that mean something."""

    def rounded(item: object) -> object:
        match item:
            case float():
                return round(item, 4)
            case dict():
                return {key: rounded(part) for key, part in item.items()}
            case list() | tuple():
                return [rounded(part) for part in item]
            case _:
                return item

    result = rounded(value)
    assert isinstance(result, dict)
    return result
