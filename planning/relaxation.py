"""The relaxation, in which workflows can be divided between clusters: what no plan is better than.

Linear, and solved by GLOP, which follows no clock and has no chance in it. What is near a whole number is not
below it (`bound`): all objectives are whole.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ortools.linear_solver import pywraplp

from moka.allocation.fleet import ObjectiveName
from planning.formulation import Formulation
from planning.problem import Numbers, Problem

CLOSE = 1e-4
"""Below which a part of a whole is one of the solver's rounding."""


@dataclass(frozen=True)
class Optimum:
    """An optimum of the relaxation.

    value: of the objective. parts: [workflow, cluster], 0 to 1.
    """

    value: float
    parts: Mapping[int, Mapping[int, float]]

    @property
    def bound(self) -> int:
        """What no whole plan is below."""
        return math.ceil(self.value - CLOSE * max(1.0, abs(self.value)))


class Relaxation:
    """Rows without the wholeness of their columns. Objectives and bounds may change between solutions."""

    def __init__(self, problem: Problem, formulation: Formulation) -> None:
        self.problem, self.formulation = problem, formulation
        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        infinity = self.solver.infinity()
        self.columns = [
            self.solver.NumVar(lower, upper, "")
            for lower, upper in zip(formulation.lower, formulation.upper, strict=True)
        ]
        for choices in formulation.choices.values():
            constraint = self.solver.Constraint(1, 1)
            for column in choices.values():
                constraint.SetCoefficient(self.columns[column], 1)
        self.rows = []
        for row in formulation.rows:
            constraint = self.solver.Constraint(-infinity, row.most)
            for column, coefficient in zip(row.columns.tolist(), row.coefficients.tolist(), strict=True):
                constraint.SetCoefficient(self.columns[column], coefficient)
            self.rows.append(constraint)

    def smallest(
        self, objective: ObjectiveName, limits: Mapping[ObjectiveName, int], seconds: float
    ) -> Optimum | None:
        """The least that an objective can be within limits of others; None where they cannot be kept, or that
        was not found in its time."""
        self.solver.SetTimeLimit(max(1, int(seconds * 1000)))
        for name, column in self.formulation.objectives.items():
            self.columns[column].SetUb(
                min(limits.get(name, self.formulation.upper[column]), self.formulation.upper[column])
            )
        self.solver.Minimize(self.columns[self.formulation.objectives[objective]])
        status = self.solver.Solve()
        if status != pywraplp.Solver.OPTIMAL:
            # Where it went on from is not always a good start for another objective.
            parameters = pywraplp.MPSolverParameters()
            parameters.SetIntegerParam(parameters.INCREMENTALITY, parameters.INCREMENTALITY_OFF)
            parameters.SetIntegerParam(parameters.PRESOLVE, parameters.PRESOLVE_OFF)
            status = self.solver.Solve(parameters)
        if status != pywraplp.Solver.OPTIMAL:
            return None
        return Optimum(
            self.solver.Objective().Value(),
            {
                workflow: {
                    cluster: self.columns[column].solution_value() for cluster, column in choices.items()
                }
                for workflow, choices in self.formulation.choices.items()
            },
        )

    def worth(self) -> list[float]:
        """What a machine more on each cluster would take off the objective that was solved last.

        By the duals of its rows, so at the margin: d objective = dual x (d most - d coefficient x value).
        """
        gains = [0.0] * len(self.problem.machines)
        for row, (cluster, coefficient, most) in self.formulation.capacity.items():
            dual = self.rows[row].dual_value()
            if dual:
                last = self.columns[int(self.formulation.rows[row].columns[-1])]
                gains[cluster] -= dual * (most - (coefficient * last.solution_value() if coefficient else 0))
        return [max(gain, 0.0) for gain in gains]


def rounded(parts: Mapping[int, Mapping[int, float]], placements: Numbers) -> tuple[Numbers, list[int]]:
    """Each workflow where most of it is, and those that are divided, the most divided first."""
    result = placements.copy()
    divided = []
    for workflow, shares in parts.items():
        cluster = max(shares, key=lambda candidate: (shares[candidate], -candidate))
        result[workflow] = cluster
        if shares[cluster] < 1 - CLOSE:
            divided.append((shares[cluster], workflow))
    return result, [workflow for _, workflow in sorted(divided)]
