"""A report made of what questions to the history answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from moka.usage.questions import HOURS, KINDS, MACHINES, RUNS, UNKNOWN, QueryScope, Question
from moka.usage.queue_names import queue_names
from moka.usage.records import DAY, HOUR
from moka.usage.report.advice import balance, recommendations
from moka.usage.report.costs import ASSUMPTIONS, cost
from moka.usage.report.model import (
    ClusterReport,
    KindUse,
    QueueUse,
    Report,
    TierSlo,
    TierUse,
    Unknown,
    Use,
    WorkflowRuns,
)
from moka.usage.report.rules import ReportRules
from moka.usage.report.sizes import MIB_A_GIB, MILLIS_A_CORE, Amount, ClusterSize, QueueSize
from moka.workflows.definitions import Workflow, slo_millis

QUESTIONS = (HOURS, MACHINES, RUNS, KINDS, UNKNOWN)
"""What a report asks."""

SECONDS = 3600
"""In an hour."""

NAMED = 5
"""Names that a sentence has at the most."""

Row = Mapping[str, Any]
Answers = Mapping[Question, Sequence[Row]]


@dataclass(frozen=True, kw_only=True)
class Day:
    """A day of an environment, and what it is held against.

    made: when the report is made, by which the day, or a run, may not be over.
    workflows: by name, with their SLOs.
    """

    environment: str
    day: date
    made: datetime
    clusters: Sequence[ClusterSize]
    workflows: Mapping[str, Workflow]
    rules: ReportRules = field(default_factory=ReportRules)

    @property
    def began(self) -> int:
        """Midnight, in UTC, as milliseconds since 1970."""
        return int(datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC).timestamp() * 1000)

    @property
    def scope(self) -> QueryScope:
        """What to ask about."""
        return QueryScope(
            began=self.began,
            ended=self.began + DAY,
            machines={
                cluster.name: (cluster.reference.cpu, cluster.reference.memory, 0)
                for cluster in self.clusters
            },
            slos=slo_millis(self.workflows),
            at=int(self.made.timestamp() * 1000),
        )


def report(day: Day, answers: Answers) -> Report:
    """The report of a day. answers: to each of QUESTIONS."""
    by_cluster: dict[str, dict[Question, list[Row]]] = {
        size.name: {question: [] for question in QUESTIONS} for size in day.clusters
    }
    for question in QUESTIONS:
        for row in answers[question]:
            by_cluster[row["cluster"]][question].append(row)
    clusters = tuple(_cluster(day, size, by_cluster[size.name]) for size in day.clusters)
    dollars = [cluster.cost.usd for cluster in clusters if cluster.cost.usd is not None]
    return Report(
        environment=day.environment,
        day=day.day.isoformat(),
        made=day.made.astimezone(UTC).isoformat(timespec="seconds"),
        rules=day.rules,
        assumptions=ASSUMPTIONS,
        slos=_slos(_together([cluster.workflows for cluster in clusters], day.rules), day.rules),
        usd=sum(dollars) if dollars else None,
        clusters=clusters,
        says=tuple(_of_whole(day, clusters)),
    )


def _cluster(day: Day, size: ClusterSize, answers: Answers) -> ClusterReport:
    unknown = _unknown(day, answers[UNKNOWN])
    lengths = _known_hours(day.began, unknown)
    use, peaks = _use(day, size, answers[HOURS], lengths)
    price = cost(size, answers[MACHINES])
    workflows = _workflows(day, answers[RUNS], price.by_workflow if price.usd is not None else {})
    queues = _queues(size, answers, peaks)
    even = balance(size, use, day.rules)
    return ClusterReport(
        name=size.name,
        machine=size.machine,
        capacity=size.capacity,
        use=use,
        slos=_slos(workflows, day.rules),
        workflows=workflows,
        queues=queues,
        kinds=_kinds(size, answers[KINDS]),
        balance=even,
        cost=price,
        recommendations=tuple(recommendations(size, use, queues, day.rules)),
        unknown=tuple(
            Unknown(began=_clock(day.began, began), ended=_clock(day.began, ended), says=sentence)
            for began, ended, sentence in unknown
        ),
        says=tuple(_of_cluster(day, size, answers, use, workflows, price.unpriced)),
    )


def _unknown(day: Day, rows: Iterable[Row]) -> list[tuple[int, int, str]]:
    """Times of which nothing is known: gaps, and what of the day is still to come."""
    times = [(int(row["began"]), int(row["ended"]), str(row["says"])) for row in rows]
    moment = max(int(day.made.timestamp() * 1000), day.began)
    if moment < day.began + DAY:
        times.append((moment, day.began + DAY, "The day is not over."))
    return sorted(times)


def _known_hours(began: int, unknown: Iterable[tuple[int, int, str]]) -> list[int]:
    """Milliseconds of each hour of the day of which something is known."""
    lengths = [HOUR] * (DAY // HOUR)
    until = began
    for first, last, _ in sorted(unknown):
        # What two gaps have in common is lost once.
        at = max(first, until)
        until = max(until, last)
        while at < last:
            hour = (at - began) // HOUR
            end = min(last, began + (hour + 1) * HOUR)
            lengths[hour] -= end - at
            at = end
    return lengths


@dataclass
class _Sum:
    """Amounts times milliseconds."""

    cpu: int = 0
    memory: int = 0
    gpu: int = 0

    def add(self, row: Row, *, scale: int = 1, unit: str = "millis") -> None:
        """Add a row of an answer."""
        self.cpu += row[f"cpu_{unit}"] * scale
        self.memory += row[f"memory_{unit}"] * scale
        self.gpu += row[f"gpu_{unit}"] * scale

    def over(self, size: ClusterSize, millis: float) -> Amount:
        """On average over a time."""
        if millis <= 0:
            return Amount()
        return size.amount(
            self.cpu / millis / MILLIS_A_CORE, self.memory / millis / MIB_A_GIB, self.gpu / millis
        )


def _use(
    day: Day, size: ClusterSize, rows: Iterable[Row], lengths: Sequence[int]
) -> tuple[Use, dict[str, tuple[Amount, Amount, int]]]:
    """What the cluster used; of each queue the amount times hours, that of its busiest hour, and which."""
    hours = len(lengths)
    cluster = [_Sum() for _ in lengths]
    tiers: dict[int, list[_Sum]] = defaultdict(lambda: [_Sum() for _ in lengths])
    queues: dict[str, list[_Sum]] = defaultdict(lambda: [_Sum() for _ in lengths])
    for row in rows:
        hour = (row["hour"] - day.began) // HOUR
        for part in (cluster, tiers[queue_names(row["queue"]).tier], queues[row["queue"]]):
            part[hour].add(row)
    # Of what is not recorded nothing is known, not that it was nothing.
    capacity = size.capacity if queues else None
    known_millis = sum(lengths)
    averages = [part.over(size, length) for part, length in zip(cluster, lengths, strict=True)]
    busiest = max(range(hours), key=lambda hour: averages[hour].instances)
    used = averages[busiest].instances > 0
    whole = _sum_of(cluster)
    mean = whole.over(size, known_millis)
    use = Use(
        hours=whole.over(size, HOUR),
        by_hour=tuple(averages),
        share=_share(mean.instances, capacity.instances if capacity else 0, known_millis),
        vcores_share=_share(mean.vcores, capacity.vcores if capacity else 0, known_millis),
        memory_share=_share(mean.memory_gib, capacity.memory_gib if capacity else 0, known_millis),
        known=known_millis / HOUR,
        known_by_hour=tuple(length / HOUR for length in lengths),
        busiest=busiest if used else None,
        peak=averages[busiest],
        peak_share=_share(averages[busiest].instances, capacity.instances if capacity else 0, known_millis),
        tiers=tuple(
            TierUse(
                tier=tier,
                hours=_sum_of(parts).over(size, HOUR),
                by_hour=tuple(part.over(size, length) for part, length in zip(parts, lengths, strict=True)),
                share=_share(
                    _sum_of(parts).over(size, known_millis).instances,
                    capacity.instances if capacity else 0,
                    known_millis,
                ),
            )
            for tier, parts in sorted(tiers.items(), key=lambda item: item[0] or 9)
        ),
    )
    peaks = {}
    for path, parts in queues.items():
        amounts = [part.over(size, length) for part, length in zip(parts, lengths, strict=True)]
        hour = max(range(hours), key=lambda at: amounts[at].instances)
        peaks[path] = _sum_of(parts).over(size, HOUR), amounts[hour], hour
    return use, peaks


def _sum_of(parts: Iterable[_Sum]) -> _Sum:
    whole = _Sum()
    for part in parts:
        whole.cpu += part.cpu
        whole.memory += part.memory
        whole.gpu += part.gpu
    return whole


def _share(amount: float, capacity: float, length: float) -> float | None:
    return amount / capacity if capacity > 0 and length > 0 else None


def _workflows(day: Day, rows: Iterable[Row], usd: Mapping[str, float]) -> tuple[WorkflowRuns, ...]:
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row["workflow"]].append(row)
    return tuple(
        _workflow(name, parts, day.workflows.get(name), usd.get(name), day.rules)
        for name, parts in sorted(by_name.items())
    )


COUNTS = ("runs", "completed", "failed", "stopped", "unfinished", "untimed", "in_time", "late")


def _workflow(
    name: str, rows: Sequence[Row], workflow: Workflow | None, usd: float | None, rules: ReportRules
) -> WorkflowRuns:
    counts = {count: sum(int(row[count]) for row in rows) for count in COUNTS}
    slo = workflow.slo_hours if workflow else None
    most = max(rows, key=lambda row: int(row["runs"]))
    judged = counts["in_time"] + counts["late"] + counts["failed"] if slo is not None else 0
    return WorkflowRuns(
        name=name,
        known=workflow is not None,
        tier=workflow.tier if workflow else queue_names(most["queue"]).tier,
        owner=workflow.owner if workflow else "",
        queue=most["queue"],
        slo_hours=slo,
        **counts,
        judged=judged,
        share=counts["in_time"] / judged if judged else None,
        # Whole numbers: 9 of 10 is 90%.
        successful=counts["in_time"] * 100 >= judged * rules.runs if judged else None,
        held_seconds=_seconds(row["held"] for row in rows),
        waiting_seconds=_seconds(row["waiting"] for row in rows),
        running_seconds=_seconds(row["running"] for row in rows),
        took_seconds=_seconds(row["took"] for row in rows),
        usd=usd,
    )


def _seconds(times: Iterable[int | None]) -> float | None:
    seconds = [time / 1000 for time in times if time is not None]
    return max(seconds, default=None)


def _together(clusters: Sequence[Sequence[WorkflowRuns]], rules: ReportRules) -> list[WorkflowRuns]:
    """Each workflow once, wherever it ran."""
    by_name: dict[str, list[WorkflowRuns]] = defaultdict(list)
    for workflows in clusters:
        for workflow in workflows:
            by_name[workflow.name].append(workflow)
    return [_total(parts, rules) for parts in by_name.values()]


def _total(parts: Sequence[WorkflowRuns], rules: ReportRules) -> WorkflowRuns:
    if len(parts) == 1:
        return parts[0]
    counts = {count: sum(getattr(part, count) for part in parts) for count in (*COUNTS, "judged")}
    judged = counts["judged"]
    return WorkflowRuns(
        **{
            **vars(parts[0]),
            **counts,
            "share": counts["in_time"] / judged if judged else None,
            "successful": counts["in_time"] * 100 >= judged * rules.runs if judged else None,
        }
    )


def _slos(workflows: Iterable[WorkflowRuns], rules: ReportRules) -> tuple[TierSlo, ...]:
    tiers: dict[int, list[WorkflowRuns]] = defaultdict(list)
    for workflow in workflows:
        if workflow.name:
            tiers[workflow.tier].append(workflow)
    result = []
    for tier, members in sorted(tiers.items(), key=lambda item: item[0] or 9):
        judged = [workflow for workflow in members if workflow.judged]
        successful = sum(bool(workflow.successful) for workflow in judged)
        result.append(
            TierSlo(
                tier=tier,
                workflows=len(members),
                judged=len(judged),
                successful=successful,
                share=successful / len(judged) if judged else None,
                met=successful * 100 >= len(judged) * rules.workflows if judged else None,
                runs=sum(workflow.judged for workflow in judged),
                in_time=sum(workflow.in_time for workflow in judged),
            )
        )
    return tuple(result)


def _queues(
    size: ClusterSize, answers: Answers, peaks: Mapping[str, tuple[Amount, Amount, int]]
) -> tuple[QueueUse, ...]:
    """What each queue used that is in the settings, or used anything."""
    waits: dict[str, list[int | None]] = defaultdict(list)
    for row in answers[RUNS]:
        waits[row["queue"]].append(row["waiting"])
    result = []
    for path in sorted({*size.queues, *peaks}):
        hours, peak, hour = peaks.get(path, (Amount(), Amount(), 0))
        has = size.queues.get(path, QueueSize())
        result.append(
            QueueUse(
                path=path,
                tier=queue_names(path).tier,
                hours=hours,
                peak=peak,
                busiest=hour if peak.instances else None,
                guaranteed=size.of(has.guaranteed),
                maximum=size.of(has.maximum),
                waiting_seconds=_seconds(waits.get(path, ())),
            )
        )
    return tuple(result)


def _kinds(size: ClusterSize, rows: Iterable[Row]) -> tuple[KindUse, ...]:
    kinds: dict[str, _Sum] = {kind: _Sum() for kind in ("used", "preempted", "placeholder")}
    for row in rows:
        kinds.setdefault(row["kind"], _Sum()).add(row, unit="seconds")
    return tuple(KindUse(kind=kind, hours=part.over(size, SECONDS)) for kind, part in kinds.items())


def _of_cluster(
    day: Day,
    size: ClusterSize,
    answers: Answers,
    use: Use,
    workflows: Sequence[WorkflowRuns],
    unpriced: float,
) -> Iterable[str]:
    """What is to be known of a cluster's day."""
    date_of = day.day.isoformat()
    if not answers[HOURS] and not answers[RUNS]:
        yield f"There are no records of {size.name} of {date_of}, neither of its use nor of its runs."
    elif not answers[HOURS]:
        yield f"There are no records of what {size.name} had in use on {date_of}, only of its runs."
    elif not answers[RUNS]:
        yield f"There are no records of runs of {size.name} on {date_of}, only of what was in use."
    if size.capacity is None:
        yield f"{size.name} has a capacity of 0: of what it used it cannot be said how much that is."
    elif use.peak_share is not None and use.peak_share > 1:
        yield (
            f"{size.name} used {use.peak_share:.0%} of its capacity in an hour: the settings do not state "
            "what was there."
        )
    if use.known < DAY / HOUR:
        yield f"Of {DAY / HOUR - use.known:.1f} h of the day nothing is known: they do not count."
    if untimed := sum(workflow.untimed for workflow in workflows):
        yield (
            f"The times of {_runs(untimed)} contradict each other, as after a clock ran back, or have no "
            "end: it is not judged whether they were in time."
        )
    if unfinished := sum(workflow.unfinished for workflow in workflows):
        yield f"{_runs(unfinished)} had not ended: late are only those whose hours were over."
    if unnamed := sum(workflow.runs for workflow in workflows if not workflow.name):
        yield f"{_runs(unnamed)} named no workflow: nobody said in which time they are to be done."
    unknown = [workflow.name for workflow in workflows if workflow.name and not workflow.known]
    if unknown:
        yield f"Not in the document of workflows, and so without an SLO: {_listing(unknown)}."
    if unpriced > 0:
        yield (
            f"{unpriced:.1f} machine-hours have no price and are not in the cost: `moka prices --refresh` "
            "asks AWS for them."
        )


def _of_whole(day: Day, clusters: Sequence[ClusterReport]) -> Iterable[str]:
    ran = {workflow.name for cluster in clusters for workflow in cluster.workflows}
    silent = sorted(
        name for name, workflow in day.workflows.items() if workflow.slo_hours is not None and name not in ran
    )
    if silent:
        yield f"Did not run, and are not judged: {_listing(silent)}."
    if not any(workflow.judged for cluster in clusters for workflow in cluster.workflows):
        yield "No run is judged: no workflow that ran has an SLO."


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"


def _listing(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _clock(began: int, at: int) -> str:
    """A time of the day: `03:00`; its end is `24:00`."""
    minutes = (at - began) // 60_000
    return f"{minutes // 60:02}:{minutes % 60:02}"
