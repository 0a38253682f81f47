"""The allocation of a fleet: which workflow runs on which cluster, and what queues get.

Objectives in their order (moka/allocation/fleet.py): each has a bound by the relaxation, and a plan within a
tolerance of it is as good as any; then the next objective decides. So the last thousandth of a peak is not
worth a hundred moves.

1. The relaxation tells the bounds, and whether every tier can have all it asks.
2. It is made whole for the fewest moves within the tolerances of all the other objectives (improvement.py).
3. Where that leads nowhere, or not near enough, objective by objective, with CP-SAT on neighbourhoods.

A fleet that is small enough CP-SAT has as a whole.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from moka.allocation.fleet import (
    CRITICAL,
    OBJECTIVES,
    Fleet,
    FleetPlan,
    NodeWorth,
    Objective,
    ObjectiveName,
)
from moka.allocation.fleet_amounts import served_shares, share_out
from moka.allocation.fleet_loads import measures
from moka.allocation.fleet_percentile import at_home
from moka.allocation.fleet_remarks import binding
from moka.allocation.percentile import Allocation
from planning.formulation import SLACKS, formulate
from planning.improvement import Budget, improved, measured, rounded_in_groups
from planning.problem import Numbers, Problem
from planning.relaxation import Relaxation
from planning.search import everything, search

TOLERANCE = 10
"""Thousandths of its bound by which an objective may be above it for the sake of those after it."""

TIGHTER = 0.3
"""Part of the tolerance that the relaxation has of it, before it is made whole."""

SMALL = 500
"""Choices of all workflows together, up to which CP-SAT has them all at once."""

WHOLE: tuple[ObjectiveName, ...] = ("peak", "balance", "moves")


@dataclass(frozen=True, kw_only=True)
class Options:
    """How long is searched, and by what chance.

    work: of the solvers' count, in which the same fleet and seed have the same plan, about seconds of a core.
    seconds: by the clock, the last resort; a plan that it ends says so.
    tolerance: thousandths of a bound.
    """

    seed: int = 1
    work: float = 20
    seconds: float = 120
    tolerance: int = TOLERANCE


def solve(
    fleet: Fleet, percentile: Mapping[str, Allocation] | None = None, options: Options | None = None
) -> FleetPlan:
    """Allocate a fleet.

    percentile: what the percentile algorithm has for each cluster, the answer where nothing better is found
    in time; by default, every workflow at home with amounts by the hour.
    """
    options = options or Options()
    problem = Problem(fleet)
    run = _Run(problem, options)
    placements = run.placements()
    names = problem.names(placements)
    before = measures(fleet, problem.names(problem.homes)).values()
    values = measures(fleet, names).values()
    if run.nothing or [*values.values()] > [*before.values()]:
        return at_home(fleet, percentile or {}, run.objectives(before, before), run.sentences())
    queues = share_out(fleet, names)
    return FleetPlan(
        method="cp-sat",
        placements=names,
        queues=queues,
        objectives=run.objectives(values, before),
        expected=served_shares(fleet, names, queues),
        binding=binding(fleet, names, queues),
        nodes=run.nodes,
        says=run.sentences(),
        repeatable=not run.budget.by_clock,
    )


class _Run:
    """One search.

    bounds: by objective. limits: what objectives may be for the sake of those after them.
    nodes: what machines are worth. nothing: whether the clock ended it before anything was found.
    """

    def __init__(self, problem: Problem, options: Options) -> None:
        self.problem, self.options = problem, options
        self.budget = Budget(work=options.work, ends=time.monotonic() + options.seconds)
        self.bounds: dict[ObjectiveName, int] = dict.fromkeys(OBJECTIVES, 0)
        self.limits: dict[ObjectiveName, int] = {"moves": problem.fleet.max_moves}
        self.tighter: dict[ObjectiveName, int] = dict(self.limits)
        self.nodes: tuple[NodeWorth, ...] = ()
        self.nothing = False

    def placements(self) -> Numbers:
        """Where workflows go."""
        free = everything(self.problem)
        if not free:
            self._only_way()
            return self.problem.homes
        if int(self.problem.allowed[free].sum()) <= SMALL:
            return self._small(free)
        return self._large(free)

    def objectives(
        self, values: Mapping[ObjectiveName, int], before: Mapping[ObjectiveName, int]
    ) -> tuple[Objective, ...]:
        """What was reached."""
        return tuple(
            Objective(
                name=name, value=values[name], bound=min(self.bounds[name], values[name]), before=before[name]
            )
            for name in OBJECTIVES
        )

    def sentences(self) -> tuple[str, ...]:
        """What is to be known of the search."""
        seconds = f"{self.options.seconds:g} s"
        if self.nothing:
            return (
                f"Nothing better than every workflow at home was found in {seconds}: it is the answer of the "
                "percentile algorithm. Give it more time.",
            )
        if self.budget.by_clock:
            return (
                f"The search was ended after {seconds} by the clock: the same fleet may get another plan the "
                "next time.",
            )
        return ()

    def _only_way(self) -> None:
        values = measured(self.problem, self.problem.homes).values()
        self.bounds.update(values)

    def _target(self, name: ObjectiveName) -> int:
        return self.bounds[name] + self.bounds[name] * self.options.tolerance // 1000

    def _small(self, free: list[int]) -> Numbers:
        """All at once, objective by objective."""
        best = self.problem.homes
        self._relax(free, short=True)
        for name in OBJECTIVES:
            value = self._value(best, name)
            self._bound(name)
            if value > self.bounds[name]:
                effort = self.budget.effort(self.options.work / len(OBJECTIVES))
                result = search(self.problem, best, free, name, self.limits, effort, self.options.seed)
                self.budget.spend(result)
                if result.placements is not None:
                    best, value = result.placements, result.value
                    self.bounds[name] = max(self.bounds[name], result.bound)
            self.limits[name] = max(value, self._target(name))
        self._unless_nothing(best)
        return best

    def _relax(self, free: list[int], *, short: bool) -> None:
        """Bounds of all objectives by the relaxation, each within the tolerances of those before it."""
        self.limits = {"moves": self.problem.fleet.max_moves}
        if not short:
            self.limits.update({**dict.fromkeys(SLACKS, 0), "peak": CRITICAL})
        formulation = formulate(self.problem, self.problem.homes, free, self.limits, short=short)
        self.relaxation = relaxation = Relaxation(self.problem, formulation)
        limits, self.tighter = dict(self.limits), dict(self.limits)
        self.nodes = ()
        for name in OBJECTIVES if short else WHOLE:
            optimum = relaxation.smallest(name, limits, self.budget.seconds)
            if optimum is None:
                self.budget.by_clock = self.budget.by_clock or not self.budget.left()
                return
            self.bounds[name] = optimum.bound
            if optimum.bound and not self.nodes:
                self.nodes = tuple(
                    NodeWorth(cluster=cluster.name, objective=name, gain=gain)
                    for cluster, gain in zip(self.problem.fleet.clusters, relaxation.worth(), strict=True)
                )
            if name != "moves":
                limits[name] = self._target(name)
                room = int(self.bounds[name] * self.options.tolerance * TIGHTER / 1000) + 1
                self.tighter[name] = min(self.bounds[name] + room, limits.get(name, self.bounds[name] + room))

    def _bound(self, name: ObjectiveName) -> None:
        """The bound of an objective within what those before it came to, which may be above their targets."""
        optimum = self.relaxation.smallest(name, self.limits, self.budget.seconds)
        self.bounds[name] = 0 if optimum is None else optimum.bound

    def _large(self, free: list[int]) -> Numbers:
        peak = self._least_peak(free)
        short = peak is None or peak + peak * self.options.tolerance // 1000 >= CRITICAL
        best = None if short else self._whole(free, short=False)
        if best is None:
            best = self._whole(free, short=True)
        if best is None:
            best = self.problem.homes
        self._unless_nothing(best)
        return best

    def _least_peak(self, free: list[int]) -> int | None:
        """The relaxation's, where nothing but the moves is limited."""
        limits: dict[ObjectiveName, int] = {"moves": self.problem.fleet.max_moves, "peak": CRITICAL}
        formulation = formulate(self.problem, self.problem.homes, free, limits, short=False)
        optimum = Relaxation(self.problem, formulation).smallest("peak", limits, self.budget.seconds)
        return None if optimum is None else optimum.bound

    def _whole(self, free: list[int], *, short: bool) -> Numbers | None:
        """A plan within the limits of all tiers, or with what they lack."""
        self._relax(free, short=short)
        limits = dict(self.limits)
        for name in OBJECTIVES:
            if name != "moves":
                limits[name] = self._target(name)
        best = rounded_in_groups(
            self.problem,
            self.problem.homes,
            "moves",
            limits,
            self.tighter,
            self.budget,
            self.options.seed,
            short=short,
        )
        if best is None:
            best = self._in_order(short=short)
        else:
            self.limits = limits
        if best is not None:
            best = self._better(best, "moves", short=short)
        return best

    def _in_order(self, *, short: bool) -> Numbers | None:
        """Objective by objective, from every workflow at home where that is within the limits."""
        best = self.problem.homes if short else None
        for name in OBJECTIVES if short else WHOLE:
            self._bound(name)
            if name == "moves":
                continue
            rounding = rounded_in_groups(
                self.problem,
                self.problem.homes,
                name,
                self.limits,
                self.limits,
                self.budget,
                self.options.seed,
                short=short,
            )
            if rounding is not None and (
                best is None or self._value(rounding, name) < self._value(best, name)
            ):
                best = rounding
            if best is None:
                return None
            best = self._better(best, name, short=short)
            self.limits[name] = max(self._value(best, name), self._target(name))
        return best

    def _better(self, best: Numbers, name: ObjectiveName, *, short: bool) -> Numbers:
        return improved(
            self.problem,
            best,
            name,
            self.limits,
            self._target(name),
            self.budget,
            self.options.seed,
            short=short,
        )

    def _value(self, placements: Numbers, name: ObjectiveName) -> int:
        return measured(self.problem, placements).values()[name]

    def _unless_nothing(self, best: Numbers) -> None:
        self.nothing = self.budget.by_clock and bool(np.array_equal(best, self.problem.homes))
