"""What a replay says of SLOs: a workflow is within its own when 90% of its runs are done in time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from moka.allocation.replay.simulator import Outcome
from moka.usage.records import HOUR

RUNS_IN_TIME = 90
"""Percentage of a workflow's runs that its SLO asks for; and of a tier's workflows, the aim."""


@dataclass(frozen=True, kw_only=True)
class WorkflowReplay:
    """What became of a workflow's runs.

    runs: how many there were that nobody stopped. in_time: of them, those that were done within its SLO.
    failed: of them, those that failed, as they did when they were recorded.
    waited: milliseconds that all of them waited for their pods together.
    preempted_pods: how many pods of all of them were preempted.
    """

    workflow: str
    tier: int
    runs: int
    in_time: int
    failed: int
    waited: int
    preempted_pods: int

    @property
    def share(self) -> float:
        """The part of its runs that was in time."""
        return share_in_time(self.in_time, self.runs)

    @property
    def meets_slo(self) -> bool:
        """Whether it would have kept its SLO."""
        return keeps_slo(self.share)

    @property
    def failure(self) -> bool:
        """Whether it would have kept its SLO if nothing had failed, and did not."""
        return not self.meets_slo and keeps_slo(share_in_time(self.in_time + self.failed, self.runs))


def share_in_time(in_time: int, runs: int) -> float:
    """The part of runs that was in time, to four digits and never rounded up: 9 of 10 keep an SLO."""
    return in_time * 10_000 // runs / 10_000


def keeps_slo(share: float) -> bool:
    """Whether a workflow of whose runs this part is in time keeps its SLO."""
    return share * 100 >= RUNS_IN_TIME


def workflow_replays(
    outcomes: Iterable[Outcome], slo_hours: Mapping[str, float | None], tiers: Mapping[str, int]
) -> list[WorkflowReplay]:
    """What became of workflows that have an SLO, by name.

    slo_hours, tiers: of workflows.
    """
    runs: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        runs[outcome.run.workflow].append(outcome)
    result = []
    for workflow, own in sorted(runs.items()):
        hours = slo_hours.get(workflow)
        if hours is None:
            continue
        judged = [outcome for outcome in own if outcome.run.outcome != "stopped"]
        if not judged:
            continue
        result.append(
            WorkflowReplay(
                workflow=workflow,
                tier=tiers[workflow],
                runs=len(judged),
                in_time=sum(_in_time(outcome, hours) for outcome in judged),
                failed=sum(outcome.run.outcome == "failed" for outcome in judged),
                waited=sum(
                    outcome.started - outcome.run.submitted for outcome in own if outcome.started is not None
                ),
                preempted_pods=sum(outcome.lost for outcome in own),
            )
        )
    return result


def kept_by_tier(replays: Iterable[WorkflowReplay]) -> dict[int, tuple[int, int]]:
    """By tier, how many workflows would have kept their SLO, and how many there are."""
    result: dict[int, tuple[int, int]] = {}
    for replay in replays:
        successes, total = result.get(replay.tier, (0, 0))
        result[replay.tier] = successes + replay.meets_slo, total + 1
    return dict(sorted(result.items()))


def _in_time(outcome: Outcome, hours: float) -> bool:
    run, finished = outcome.run, outcome.finished
    return run.outcome != "failed" and finished is not None and finished - run.submitted <= hours * HOUR
