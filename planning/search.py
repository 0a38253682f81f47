"""CP-SAT on a part of the workflows, the same for the same seed.

CP-SAT with several workers follows the clock, unless they take turns (`interleave_search`: "The search is
deterministic (independently of num_workers!)"), and a limit of time unless it is of its own count of work
(`max_deterministic_time`): google/or-tools: ortools/sat/sat_parameters.proto.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from moka.allocation.fleet import ObjectiveName
from planning.formulation import Formulation, formulate
from planning.problem import Numbers, Problem


@dataclass(frozen=True)
class Effort:
    """What a search may take.

    work: of CP-SAT's count, about seconds. seconds: by the clock, the last resort.
    workers: that take turns.
    """

    work: float
    seconds: float
    workers: int = 1


@dataclass(frozen=True)
class SearchResult:
    """What a search came to.

    placements: None where there is none. bound: of the objective, for the workflows that were free.
    complete: whether nothing better is to be found for them. by_clock: whether the clock ended it.
    work: that it took.
    """

    placements: Numbers | None
    value: int
    bound: int
    complete: bool
    by_clock: bool
    work: float


def search(
    problem: Problem,
    placements: Numbers,
    free: Sequence[int],
    objective: ObjectiveName,
    limits: Mapping[ObjectiveName, int],
    effort: Effort,
    seed: int,
    *,
    clusters: Sequence[int] | None = None,
    short: bool = True,
) -> SearchResult:
    """Move some workflows so that an objective gets small, within the limits of all objectives.

    The others stay. placements: of all workflows, from which the search starts.
    """
    formulation = formulate(problem, placements, free, limits, clusters=clusters, short=short)
    model, variables = _model(formulation)
    model.minimize(variables[formulation.objectives[objective]])
    for workflow, choices in formulation.choices.items():
        for cluster, column in choices.items():
            model.add_hint(variables[column], int(placements[workflow] == cluster))
    solver = cp_model.CpSolver()
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = effort.work
    solver.parameters.max_time_in_seconds = effort.seconds
    solver.parameters.num_workers = effort.workers
    solver.parameters.interleave_search = effort.workers > 1
    status = solver.status_name(solver.solve(model))
    complete = status in ("OPTIMAL", "INFEASIBLE")
    work = solver.response_proto.deterministic_time
    by_clock = not complete and solver.wall_time >= effort.seconds
    if status not in ("OPTIMAL", "FEASIBLE"):
        return SearchResult(None, 0, 0, complete, by_clock, work)
    result = placements.copy()
    for workflow, choices in formulation.choices.items():
        result[workflow] = next(
            cluster for cluster, column in choices.items() if solver.boolean_value(variables[column])
        )
    return SearchResult(
        result,
        int(solver.value(variables[formulation.objectives[objective]])),
        round(solver.best_objective_bound),
        complete,
        by_clock,
        work,
    )


def _model(formulation: Formulation) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    model = cp_model.CpModel()
    variables = [
        model.new_int_var(lower, upper, "")
        for lower, upper in zip(formulation.lower, formulation.upper, strict=True)
    ]
    for choices in formulation.choices.values():
        model.add_exactly_one([variables[column] for column in choices.values()])
    for row in formulation.rows:
        terms = [variables[column] for column in row.columns]
        model.add(cp_model.LinearExpr.weighted_sum(terms, row.coefficients.tolist()) <= row.most)
    return model, variables


def everything(problem: Problem) -> list[int]:
    """All workflows that have a choice."""
    return np.flatnonzero(problem.allowed.sum(axis=1) > 1).tolist()
