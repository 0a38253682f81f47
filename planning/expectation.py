"""What a plan does to SLOs: recorded runs replayed with what is in force, and with the plan."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from moka.allocation import answers
from moka.allocation.answers import Row
from moka.allocation.fleet import Fleet
from moka.allocation.offer import Offer
from moka.allocation.plan import ExpectedSlo, Plan
from moka.allocation.replay.runs import RecordedRuns, recorded_runs
from moka.allocation.replay.scenario import Scenario, queue_hours
from moka.allocation.replay.slo import WorkflowReplay, workflow_replays
from moka.mistakes import counted
from moka.usage.places import day_of
from moka.usage.questions import SUBMISSIONS, QueryScope
from moka.usage.records import DAY
from moka.workflows.definitions import Workflow
from planning.history import ask

MOST_DAYS, MOST_RUNS = 7, 250_000
"""Of a replay: the last week, or as many of its days as have no more runs; one at the least."""

TAIL = 7 * DAY
"""For which a replay goes on after the last submission at the most."""


@dataclass(frozen=True)
class Expectation:
    """What is expected of workflows' SLOs, and what is to be known of that, a sentence each."""

    slos: Mapping[str, ExpectedSlo]
    says: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Recorded runs, and the fleet on which they are replayed.

    window: whose runs `before` is of; the last days of it are replayed. runs: answers to `runs`.
    """

    folder: Path
    offers: Sequence[Offer]
    workflows: Mapping[str, Workflow]
    fleet: Fleet
    window: QueryScope
    runs: Sequence[Row]

    def expectation(
        self,
        plan: Plan,
        placements: Mapping[str, str],
        in_force: Plan | None,
        progress: Callable[[str], None],
    ) -> Expectation:
        """What is expected with a plan.

        placements: of its workflows. in_force: the plan that is; None for the settings by themselves.
        Raises UnreadableHistory.
        """
        days = self._days()
        recorded = self._runs(days)
        if not recorded.runs:
            return Expectation({}, ("What is expected of SLOs is not known: there are no runs to replay.",))
        count = f"{counted(len(recorded.runs), 'run')} of {_days(days)}"
        progress(f"replaying {count} with what is in force")
        today = self._replays(recorded, in_force, self.fleet.homes())
        progress("replaying them with the plan")
        planned = self._replays(recorded, plan, placements)
        before = answers.shares_in_time(self.runs)
        return Expectation(
            {
                name: ExpectedSlo(
                    tier=self.workflows[name].tier,
                    before=before.get(name),
                    in_force=today[name].share if name in today else None,
                    expected=replay.share,
                )
                for name, replay in planned.items()
            },
            tuple(_sentences(recorded, days, planned.values())),
        )

    def _days(self) -> int:
        """How many days are replayed."""
        whole = (self.window.ended - self.window.began) // DAY
        daily = sum(row["runs"] for row in self.runs) / whole
        return max(1, min(MOST_DAYS, whole, int(MOST_RUNS / daily) if daily else 1))

    def _runs(self, days: int) -> RecordedRuns:
        last = day_of(self.window.ended - 1)
        window = replace(self.window, began=self.window.ended - days * DAY)
        dates = [last - timedelta(days=number) for number in reversed(range(days))]
        return recorded_runs(ask(self.folder, [SUBMISSIONS], window, dates)[SUBMISSIONS])

    def _replays(
        self, recorded: RecordedRuns, plan: Plan | None, placements: Mapping[str, str]
    ) -> dict[str, WorkflowReplay]:
        scenario = Scenario(
            clusters=self.fleet.clusters,
            queues=queue_hours(plan, self.offers, day_of(self.window.ended)),
            placements=placements,
        )
        outcomes = scenario.outcomes(recorded, self.workflows, until=self.window.ended + TAIL)
        hours = {name: workflow.slo_hours for name, workflow in self.workflows.items()}
        tiers = {name: workflow.tier for name, workflow in self.workflows.items()}
        return {replay.workflow: replay for replay in workflow_replays(outcomes, hours, tiers)}


def _sentences(recorded: RecordedRuns, days: int, planned: Iterable[WorkflowReplay]) -> Iterator[str]:
    yield f"What is expected of SLOs comes from a replay of the {len(recorded.runs):,} runs of {_days(days)}."
    if recorded.unknown:
        yield f"{recorded.unknown:,} more runs are left out of it: what they had is not known."
    late = [replay for replay in planned if not replay.meets_slo]
    if failures := sum(replay.failure for replay in late):
        yield (
            f"{counted(len(late), 'workflow')} would not keep their SLO with it, {failures:,} of them for "
            "runs that failed: no plan mends that."
        )


def _days(days: int) -> str:
    return "the last day" if days == 1 else f"the last {days} days"
