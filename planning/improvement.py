"""Placements made better: the relaxation rounded from the largest workflow to the smallest, and CP-SAT on
neighbourhoods of a few clusters.

A neighbourhood is small enough for CP-SAT to search it to its end. Which one is next follows from a seed.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import numpy as np

from moka.allocation.fleet import HOURS, ObjectiveName
from moka.allocation.fleet_loads import Measures, measures
from planning.formulation import formulate
from planning.problem import Numbers, Problem
from planning.relaxation import Relaxation, rounded
from planning.search import Effort, SearchResult, everything, search

GROUPS = (20, 10, 5, 2, 0)
"""Workflows are rounded in groups: those that take more thousandths of a cluster than this."""

NEAR = 60
"""Workflows of a neighbourhood."""

WORK = 0.4
"""Of a neighbourhood, at most."""

LEAST = 0.03
"""Of any search: its rows have to be made."""


@dataclass
class Budget:
    """What is left of the work and the time.

    work: of the solvers' count. ends: by the clock (time.monotonic), the last resort.
    by_clock: whether the clock has ended anything.
    """

    work: float
    ends: float
    by_clock: bool = field(default=False)

    def left(self) -> bool:
        """Whether there is anything left."""
        if self.work > 0 and time.monotonic() >= self.ends:
            self.by_clock = True
        return self.work > 0 and not self.by_clock

    def effort(self, most: float) -> Effort:
        """What one search may take."""
        return Effort(work=min(most, self.work), seconds=self.seconds)

    @property
    def seconds(self) -> float:
        """What is left by the clock."""
        return max(self.ends - time.monotonic(), 0.01)

    def spend(self, result: SearchResult) -> None:
        """Take off what a search took, and no less than what making its rows does."""
        self.work -= max(result.work, LEAST)
        self.by_clock = self.by_clock or result.by_clock


def measured(problem: Problem, placements: Numbers) -> Measures:
    """How good placements are."""
    return measures(problem.fleet, problem.names(placements))


def rounded_in_groups(
    problem: Problem,
    placements: Numbers,
    objective: ObjectiveName,
    limits: Mapping[ObjectiveName, int],
    tighter: Mapping[ObjectiveName, int],
    budget: Budget,
    seed: int,
    *,
    short: bool,
) -> Numbers | None:
    """The relaxation, made whole from the largest workflows to the smallest; None where that leads nowhere.

    Those of a group go where most of each is, before the relaxation is solved anew for all that are smaller;
    the last ones that are still divided are CP-SAT's. tighter: limits of the relaxation, which leave CP-SAT
    room.
    """
    result, free = placements.copy(), everything(problem)
    sizes = _sizes(problem)
    for least in GROUPS:
        if not budget.left():
            return None
        formulation = formulate(problem, result, free, tighter, short=short)
        optimum = Relaxation(problem, formulation).smallest(objective, tighter, budget.seconds)
        if optimum is None:
            return None
        near, divided = rounded(optimum.parts, result)
        if not least:
            effort = budget.effort(WORK * len(GROUPS))
            last = search(problem, near, divided, objective, limits, effort, seed, short=short)
            budget.spend(last)
            return last.placements
        large = [workflow for workflow in free if sizes[workflow] > least]
        result[large] = near[large]
        free = [workflow for workflow in free if sizes[workflow] <= least]
    return result


def _sizes(problem: Problem) -> Numbers:
    """Thousandths of its smallest cluster that each workflow takes in its fullest hour."""
    sizes: Numbers = (problem.demand.max(axis=3) // problem.machines[None]).max(axis=(1, 2))
    return sizes


def improved(
    problem: Problem,
    placements: Numbers,
    objective: ObjectiveName,
    limits: Mapping[ObjectiveName, int],
    target: int,
    budget: Budget,
    seed: int,
    *,
    short: bool,
) -> Numbers:
    """Placements at least as good, until the objective is at a target or half of the budget is used up."""
    least = budget.work / 2
    chance = Random(f"{seed} {objective}")
    best, value = placements, measured(problem, placements).values()[objective]
    while value > target and budget.work > least and budget.left():
        clusters, free = _neighbourhood(problem, best, objective, chance)
        effort = budget.effort(WORK)
        result = search(problem, best, free, objective, limits, effort, seed, clusters=clusters, short=short)
        budget.spend(result)
        if result.placements is not None and result.value <= value:
            best, value = result.placements, result.value
    return best


def _neighbourhood(
    problem: Problem, placements: Numbers, objective: ObjectiveName, chance: Random
) -> tuple[list[int], list[int]]:
    """Clusters, and workflows that are on them and may be moved between them."""
    loads = problem.loads(placements)
    moved = np.flatnonzero((placements != problem.home) & (problem.allowed.sum(axis=1) > 1)).tolist()
    if objective == "balance":
        hours = list(range(HOURS))
    elif objective == "moves":
        hours = [chance.randrange(HOURS)]
    else:
        hours = [int(loads.max(axis=0).argmax())]
    level = loads[:, hours].sum(axis=1)
    if objective == "moves" and moved:
        workflow = chance.choice(moved)
        first = [int(placements[workflow]), int(problem.homes[workflow])]
    else:
        first = [int(level.argmax())]
    others = sorted(range(len(loads)), key=lambda cluster: (level[cluster], cluster))
    clusters = sorted({*first, others[0], chance.choice(others)})
    near = np.flatnonzero(np.isin(placements, clusters) & (problem.allowed.sum(axis=1) > 1)).tolist()
    amounts = problem.demand[near, placements[near]][:, hours].sum(axis=1).max(axis=1) if near else []
    weights = {
        workflow: chance.random() * (1 + float(amount))
        for workflow, amount in zip(near, amounts, strict=True)
    }
    # Where no more may move, others have to go home first.
    back = chance.sample(moved, min(len(moved), NEAR if objective == "moves" else NEAR // 3))
    by_weight = sorted(near, key=lambda workflow: -weights[workflow])
    return clusters, sorted({*back, *by_weight[:NEAR]})
