"""The work of a night, in a process of its own: a plan of the history, proposed to Archer, and applied where
it may be.

It can be ended at any point and done again: Archer is asked first whether the plan is there.

What it needs, of 6,000,000 runs, 2,000 workflows and 10 clusters: 2 GiB, 0.3 GiB of disk, 60 s of CPU to ask
the history, and 13 s to search (docs/benchmarks.md). DuckDB has 3 GB at the most, and then writes to disk
(planning/history.py), so that 4 GiB are enough.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Literal

from moka.allocation import answers
from moka.allocation.configuration import Configuration
from moka.allocation.fleet import InvalidFleet
from moka.allocation.plan import Plan, as_data, read
from moka.allocation.platform import Platform, platform_of
from moka.allocation.rules import Rules
from moka.allocation.unknown_workflows import UnknownWorkflow, unknown_workflows
from moka.usage.questions import NEEDS, RUNS
from services.allocator.desk import NAME, OwnPlan, archer_of, own_plan, plan_standing, sentences
from services.allocator.failure import Failure
from services.common.logs import fields

if TYPE_CHECKING:
    from archer import Archer

Result = Literal["proposed", "applied", "waits"]
Phase = Literal["history", "search", "archer"]

AT_ONCE = 1000
"""Workflows of a request."""

WAITING = "proposed"
"""State of a plan that nobody has decided on."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Night:
    """What came of a night.

    result: None where the plan was there, and nothing is to be done. plan: its id. proposed: when.
    gap: by which part a better plan might be better; None where nobody knows.
    says: why it waits, in Archer's sentences. refused: what Archer refused, a word each.
    seconds: that it took, by phase. workflows: that were proposed, or measured to be otherwise.
    """

    result: Result | None
    plan: str
    proposed: datetime
    gap: float | None = None
    says: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    seconds: Mapping[Phase, float]
    workflows: int = 0


def make(configuration: Configuration, due: datetime) -> Night:
    """Make the plan that was due, unless it is there, and propose or apply it. Raises Failure."""
    watch = Watch()
    with archer_of(configuration) as archer:
        last_plan = plan_standing(archer).last_plan
        if last_plan is not None and last_plan.made >= due:
            log.info("the plan is there", extra=fields(plan=last_plan.id, state=last_plan.state))
            plan = read(dict(archer.get_plan(last_plan.id)["document"]), last_plan.id)
            night = _apply(configuration, archer, last_plan, plan, watch)
            return replace(night, result=None) if night.result == "proposed" else night
        platform = platform_of(archer, datetime.now(UTC))
    plan, workflows, refused = _plan(configuration, platform, watch)
    watch.to("archer")
    with archer_of(configuration) as archer:
        last_plan = _propose(archer, plan)
        night = _apply(configuration, archer, last_plan, plan, watch)
    return replace(night, workflows=workflows, refused=(*refused, *night.refused))


class Watch:
    """Takes the time of phases, of which one always is."""

    def __init__(self) -> None:
        self._phase: Phase = "archer"
        self._since = time.monotonic()
        self._seconds: dict[Phase, float] = {}

    def to(self, phase: Phase) -> None:
        """Another one begins."""
        now = time.monotonic()
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    @property
    def seconds(self) -> Mapping[Phase, float]:
        """That each took until now."""
        self.to(self._phase)
        return dict(self._seconds)


def _plan(
    configuration: Configuration, platform: Platform, watch: Watch
) -> tuple[Plan, int, tuple[str, ...]]:
    """A plan of the history. Workflows in it that nobody told of are proposed, whatever comes of the plan:
    how many changed, and what of them was refused."""
    # Here: this process is for it, and the one that waits is small without them.
    from planning.history import ask
    from planning.planner import NothingKnown, Request, plan
    from planning.solver import Options
    from services.allocator.records import records

    night = configuration.night
    request = Request(
        offers=[*configuration.offers.values()],
        workflows=platform.workflows,
        routes=platform.routes,
        fixed=platform.fixed,
        until=int(time.time() * 1000),
        engine=night.engine,
        options=Options(seed=night.seed, seconds=night.seconds),
        rules=Rules(days=night.days),
        max_moves=configuration.bounds.most_moves,
        revision=platform.revision,
        in_force=platform.plan,
        by=NAME,
    )
    clusters = [offer.cluster for offer in request.offers]
    window = answers.window(clusters, request.until, request.rules)
    phases: Iterator[Phase] = chain(("history",), repeat("search"))

    def progress(sentence: str) -> None:
        log.info(sentence)
        watch.to(next(phases))

    watch.to("history")
    log.info("the history is copied", extra=fields(days=night.days, bucket=configuration.history.bucket))
    with records(configuration.history, request.days) as folder:
        rows = ask(folder, (RUNS, NEEDS), window, request.days)
        unknown = unknown_workflows(rows[RUNS], rows[NEEDS], platform.workflows)
        watch.to("archer")
        change_count, refused = _propose_workflows(configuration, unknown)
        watch.to("history")
        try:
            result = plan(folder, request, progress)
        except NothingKnown as error:
            raise Failure("history", str(error)) from None
        except InvalidFleet as error:
            raise Failure("fleet", str(error)) from None
    if result.basis.engine != night.engine:
        raise Failure(
            "search",
            f"In {night.seconds:g} s the search found nothing better than what is in force: allow more "
            "seconds, or fewer moves.",
        )
    return result, change_count, refused


def _propose_workflows(
    configuration: Configuration, unknown: Mapping[str, UnknownWorkflow]
) -> tuple[int, tuple[str, ...]]:
    """How many are not as they were proposed before, and what was refused: no plan waits for that."""
    change_count = 0
    with archer_of(configuration) as archer:
        from archer import Problem

        names = iter(unknown)
        while batch := [*islice(names, AT_ONCE)]:
            try:
                change_count += archer.propose_workflows(
                    {name: unknown[name].workflow.model_dump(mode="json") for name in batch},
                    {name: unknown[name].measured for name in batch},
                    f"They ran in the last {configuration.night.days} days, and nobody has told of them.",
                )
            except Problem as problem:
                log.warning("workflows are not proposed", extra=fields(says=sentences(problem)))
                return change_count, (problem.kind,)
    if unknown:
        log.info("workflows that nobody told of", extra=fields(count=len(unknown), changed=change_count))
    return change_count, ()


def _propose(archer: "Archer", plan: Plan) -> OwnPlan:
    """The plan as Archer has it. Raises the client's errors."""
    from archer import Problem

    try:
        last_plan = own_plan(archer.propose_plan(as_data(plan)))
    except Problem as problem:
        existing = archer.get_plan(plan.id) if problem.kind == "plan-exists" else None
        # Of the same history, for the second time on a day, there is the same plan, made at another time.
        if existing is None or read({**existing["document"], "made": plan.made}, plan.id) != plan:
            raise
        last_plan = own_plan(existing)
    log.info(
        "a plan is proposed", extra=fields(plan=last_plan.id, gap=plan.basis.gap, routes=len(plan.routes))
    )
    return last_plan


def _apply(
    configuration: Configuration, archer: "Archer", last_plan: OwnPlan, plan: Plan, watch: Watch
) -> Night:
    """Have a plan that waits take effect, where the settings leave that to Archer."""
    from archer import Problem

    night = Night(
        result=None, plan=last_plan.id, proposed=last_plan.proposed, gap=plan.basis.gap, seconds=watch.seconds
    )
    if last_plan.state != WAITING:
        return night
    revision = plan.basis.revision
    if not configuration.bounds.by_itself or revision is None:
        return replace(night, result="proposed")
    try:
        archer.apply_plan(
            last_plan.id, revision, "It is the plan of the night, within its bounds.", by_itself=True
        )
    except Problem as problem:
        reasons = tuple(sentences(problem))
        log.warning("the plan waits for a person", extra=fields(plan=last_plan.id, says=reasons))
        return replace(night, result="waits", says=reasons, refused=(problem.kind,), seconds=watch.seconds)
    log.info("the plan is in force", extra=fields(plan=last_plan.id))
    return replace(night, result="applied", seconds=watch.seconds)
