"""Makes a plan of a history: asks it, allocates with an engine, and writes down what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

from moka.allocation import answers
from moka.allocation.fleet_of_history import History, fleet_of
from moka.allocation.fleet_percentile import at_home
from moka.allocation.offer import Offer
from moka.allocation.percentile import Allocation, allocate
from moka.allocation.plan import Plan
from moka.allocation.plan_of_fleet import Basis, plan_of, with_slos
from moka.allocation.queue_document import limits
from moka.allocation.rules import Rules
from moka.mistakes import counted
from moka.usage.places import day_of
from moka.usage.questions import AMOUNTS, DAYS, DEMANDS, NEEDS, RUNS
from moka.workflows.definitions import Workflow
from planning.expectation import Replay
from planning.history import ask
from planning.solver import Options, solve

Engine = Literal["cp-sat", "percentile"]

QUESTIONS = (AMOUNTS, DEMANDS, NEEDS, DAYS, RUNS)
"""What is asked of the history."""


class NothingKnown(Exception):
    """A history without any record of the window; the message is a sentence."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a plan is to be made of.

    routes: workflow -> the cluster to which it goes now, where that is not its home. fixed: workflows that
    somebody has sent there, so that no plan sends them elsewhere.
    until: milliseconds since 1970; the days before the last midnight before that count.
    max_moves: workflows that may go somewhere else than now.
    revision: of what is in force; None where nobody knows. in_force: the plan that is; None for the settings
    by themselves. by: who, or what, makes it.
    """

    offers: Sequence[Offer]
    workflows: Mapping[str, Workflow]
    routes: Mapping[str, str] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    until: int
    engine: Engine = "cp-sat"
    options: Options = field(default_factory=Options)
    rules: Rules = field(default_factory=Rules)
    max_moves: int = 0
    revision: int | None = None
    in_force: Plan | None = None
    by: str

    @property
    def days(self) -> list[date]:
        """The days of the history that count."""
        window = answers.window([offer.cluster for offer in self.offers], self.until, self.rules)
        first, last = day_of(window.began), day_of(window.ended - 1)
        return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def plan(folder: Path, request: Request, progress: Callable[[str], None] = lambda words: None) -> Plan:
    """The plan.

    folder: laid out as the bucket. progress: is told what goes on, a few words each.
    Raises NothingKnown, UnreadableHistory and InvalidFleet.
    """
    rules = request.rules
    clusters = [offer.cluster for offer in request.offers]
    window = answers.window(clusters, request.until, rules, request.workflows)
    progress(f"reading {counted(rules.days, 'day')} of {counted(len(clusters), 'cluster')}")
    rows = ask(folder, QUESTIONS, window, request.days)
    if not rows[AMOUNTS]:
        raise NothingKnown(
            f"Nothing was recorded from {day_of(window.began)} to {day_of(window.ended - 1)}: a plan needs a "
            "history."
        )
    curves = answers.curves(rows[AMOUNTS])
    allocations = {
        offer.name: allocate(
            offer.cluster,
            offer.queues,
            curves,
            answers.needs(rows[NEEDS], offer.name, request.workflows),
            [*limits(offer.tree)],
            rules,
        )
        for offer in request.offers
    }
    known_fleet = fleet_of(
        request.offers,
        request.workflows,
        request.routes,
        History(demands=rows[DEMANDS], needs=rows[NEEDS]),
        day=day_of(window.ended),
        max_moves=request.max_moves,
        fixed=request.fixed,
        in_force=request.in_force,
        rules=rules,
    )
    progress(f"placing {counted(len(known_fleet.fleet.workflows), 'workflow')} with {request.engine}")
    if request.engine == "percentile":
        answer = at_home(known_fleet.fleet, allocations)
    else:
        answer = solve(known_fleet.fleet, allocations, request.options)
    clusters_with_history = {row["cluster"] for row in rows[DAYS] if row["days"]}
    result = plan_of(
        answer,
        known_fleet.fleet,
        request.offers,
        {name: workflow for name, workflow in request.workflows.items() if name not in request.fixed},
        Basis(
            began=window.began,
            ended=window.ended,
            seed=request.options.seed,
            revision=request.revision,
            by=request.by,
            made=datetime.fromtimestamp(request.until / 1000, UTC),
            says=[*answers.history_gaps(rows[DAYS], rules), *known_fleet.says],
            unrecorded=[cluster.name for cluster in clusters if cluster.name not in clusters_with_history],
            reasons=_reasons(allocations) if answer.method == "percentile" else {},
        ),
    )
    replay = Replay(
        folder=folder,
        offers=request.offers,
        workflows=request.workflows,
        fleet=known_fleet.fleet,
        window=window,
        runs=rows[RUNS],
    )
    expectation = replay.expectation(result, answer.placements, request.in_force, progress)
    return with_slos(result, expectation.slos, expectation.says)


def _reasons(allocations: Mapping[str, Allocation]) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        name: {share.queue: share.reasons for share in allocation.shares}
        for name, allocation in allocations.items()
    }
