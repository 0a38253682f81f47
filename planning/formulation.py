"""The rows that solvers are given: one description for the relaxation and for CP-SAT.

Columns are whole numbers with bounds. Objectives are columns as well, each no less than what it measures, so
that one is made small by minimizing its column, and kept by an upper bound on it.

What a queue lacks of a demand above its ceiling is no less than that; that it is no more follows from the
limits on slack, which come first.

What the tiers of a cluster lack is counted only where it has to be (`short`): elsewhere they lack nothing,
and below a peak of 90% that follows from the peak.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import COUNTED, CRITICAL, HOURS, OBJECTIVES, ObjectiveName
from moka.allocation.rules import TIERS
from planning.problem import Numbers, Problem

MOST = 10**9
"""Of a column without a bound of its own."""

SLACKS: tuple[ObjectiveName, ...] = ("slack of tier 1", "slack of tier 2", "slack of tier 3")


@dataclass(frozen=True)
class Row:
    """coefficients times columns are at most a number."""

    columns: Numbers
    coefficients: Numbers
    most: int


@dataclass
class Formulation:
    """Columns and rows.

    choices: for each workflow that is free, its columns by cluster; one of them is 1.
    objectives: the column of each.
    capacity: rows that a machine more on a cluster in every hour changes: the cluster, and by how much that
    changes the coefficient of the last column, and the most.
    """

    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    choices: dict[int, dict[int, int]] = field(default_factory=dict)
    objectives: dict[ObjectiveName, int] = field(default_factory=dict)
    capacity: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def column(self, lower: int, upper: int) -> int:
        """A new column."""
        self.lower.append(lower)
        self.upper.append(upper)
        return len(self.lower) - 1

    def at_most(self, columns: Sequence[int], coefficients: Sequence[int], most: int) -> None:
        """A new row."""
        self.rows.append(
            Row(np.array(columns, dtype=np.int64), np.array(coefficients, dtype=np.int64), int(most))
        )


def formulate(
    problem: Problem,
    placements: Numbers,
    free: Sequence[int],
    limits: Mapping[ObjectiveName, int],
    *,
    clusters: Sequence[int] | None = None,
    short: bool = True,
) -> Formulation:
    """The rows for moving some workflows while all others stay where they are placed.

    clusters: to which those may go, besides their homes; by default to all. limits: of objectives.
    short: whether tiers may lack something.
    """
    return _Builder(problem, placements, free, limits, clusters, short).formulation


class _Builder:
    def __init__(
        self,
        problem: Problem,
        placements: Numbers,
        free: Sequence[int],
        limits: Mapping[ObjectiveName, int],
        clusters: Sequence[int] | None,
        short: bool,
    ) -> None:
        self.problem = problem
        self.formulation = formulation = Formulation()
        self.short = short
        everywhere = range(len(problem.machines))
        for workflow in free:
            own = {int(problem.home[workflow]), int(placements[workflow])}
            formulation.choices[workflow] = {
                cluster: formulation.column(0, 1)
                for cluster in everywhere
                if problem.allowed[workflow, cluster]
                and (clusters is None or cluster in clusters or cluster in own)
            }
        for name in OBJECTIVES:
            formulation.objectives[name] = formulation.column(0, limits.get(name, MOST))
        self.fixed = np.ones(len(placements), dtype=bool)
        self.fixed[list(free)] = False
        self.placements = placements
        self.lacking: dict[int, list[int]] = {tier: [] for tier in TIERS}
        # [cluster, tier - 1, hour, resource]: what is placed there whatever the solver does.
        self.base = np.repeat(problem.resting[:, :, None, :], HOURS, axis=2)
        self._place_fixed()
        for cluster in range(len(problem.machines)):
            self._cluster(cluster, limits.get("peak", MOST))
        self._objectives(limits)

    def _place_fixed(self) -> None:
        """What stays goes into the base, but for queues with bounds, which have columns of their own."""
        for workflow in np.flatnonzero(self.fixed).tolist():
            cluster = int(self.placements[workflow])
            if (workflow, cluster) not in self.problem.within:
                tier = self.problem.tier[workflow] - 1
                self.base[cluster, tier] += self.problem.demand[workflow, cluster]
        self.bounded: dict[tuple[int, int], list[Numbers]] = {}
        for queue in self.problem.bounded:
            self._queue(queue.cluster, queue.tier, queue.workflows, queue.floor, queue.ceiling)

    def _queue(
        self,
        cluster: int,
        tier: int,
        workflows: Sequence[int],
        floor: Sequence[int],
        ceiling: Sequence[int],
    ) -> None:
        """A queue with bounds: columns for what it gets by hour and resource, if it is free to change."""
        demand = self.problem.demand[:, cluster]
        staying = [
            workflow
            for workflow in workflows
            if self.fixed[workflow] and self.placements[workflow] == cluster
        ]
        fixed = demand[staying].sum(axis=0) if staying else np.zeros((HOURS, len(COUNTED)), dtype=np.int64)
        coming = [
            (workflow, self.formulation.choices[workflow][cluster])
            for workflow in workflows
            if not self.fixed[workflow] and cluster in self.formulation.choices[workflow]
        ]
        if not coming:
            lacking = np.max(np.maximum(fixed - ceiling, 0), axis=1)
            self.base[cluster, tier - 1] += np.minimum(np.maximum(fixed, floor), ceiling)
            if number := int(lacking.sum()):
                self.lacking[tier].append(self.formulation.column(number, number))
            return
        asks_most = fixed + demand[[workflow for workflow, _ in coming]].sum(axis=0)
        columns_of_queue = np.full((HOURS, len(COUNTED)), -1, dtype=np.int64)
        for hour in range(HOURS):
            lacks = None
            if any(asks_most[hour] > ceiling):
                lacks = self.formulation.column(0, int(max(asks_most[hour] - np.array(ceiling))))
                self.lacking[tier].append(lacks)
            for resource in range(len(COUNTED)):
                low, high = floor[resource], ceiling[resource]
                if asks_most[hour, resource] <= low and lacks is None:
                    self.base[cluster, tier - 1, hour, resource] += low
                    continue
                column = self.formulation.column(low, high)
                columns_of_queue[hour, resource] = column
                columns = [choice for workflow, choice in coming if demand[workflow, hour, resource]]
                amounts = [
                    int(demand[workflow, hour, resource])
                    for workflow, _ in coming
                    if demand[workflow, hour, resource]
                ]
                # Of what is never above its ceiling nothing lacks.
                extra = [] if lacks is None or asks_most[hour, resource] <= high else [lacks]
                self.formulation.at_most(
                    [*columns, column, *extra], [*amounts, -1, *(-1 for _ in extra)], -fixed[hour, resource]
                )
        self.bounded.setdefault((cluster, tier), []).append(columns_of_queue)

    def _cluster(self, cluster: int, peak: int) -> None:
        formulation, problem = self.formulation, self.problem
        columns: dict[int, Numbers] = {}
        demands: dict[int, Numbers] = {}
        for tier in TIERS:
            coming = [
                (workflow, choices[cluster])
                for workflow, choices in formulation.choices.items()
                if problem.tier[workflow] == tier
                and cluster in choices
                and (workflow, cluster) not in problem.within
            ]
            columns[tier] = np.array([column for _, column in coming], dtype=np.int64)
            demands[tier] = problem.demand[[workflow for workflow, _ in coming], cluster]
        day: list[dict[int, int]] = [{} for _ in COUNTED]
        of_day = [0] * len(COUNTED)
        for hour in range(HOURS):
            for resource, sums in enumerate(day):
                used, amounts, base = self._load(cluster, TIERS, hour, resource, columns, demands)
                self._fullest("peak", cluster, used, amounts, base, problem.machines[cluster, hour], 1)
                of_day[resource] += base
                for column, amount in zip(used, amounts, strict=True):
                    sums[column] = sums.get(column, 0) + amount
            if peak > CRITICAL:
                self._tiers(cluster, hour, columns, demands)
        for sums, base in zip(day, of_day, strict=True):
            self._fullest(
                "balance", cluster, [*sums], [*sums.values()], base, problem.machines[cluster].sum(), HOURS
            )

    def _fullest(
        self,
        objective: ObjectiveName,
        cluster: int,
        columns: Sequence[int],
        amounts: Sequence[int],
        base: int,
        machines: int,
        more: int,
    ) -> None:
        """The objective is no less than the part that is used of machines.

        more: how often a machine more would be there.
        """
        self.formulation.capacity[len(self.formulation.rows)] = cluster, -more, 0
        column = self.formulation.objectives[objective]
        self.formulation.at_most([*columns, column], [*amounts, -int(machines)], -base)

    def _tiers(
        self, cluster: int, hour: int, columns: Mapping[int, Numbers], demands: Mapping[int, Numbers]
    ) -> None:
        """What each tier and those above it may have together, and what they lack of it."""
        formulation, problem = self.formulation, self.problem
        second, third = problem.floors[cluster, 1], problem.floors[cluster, 2]
        critical, whole = (int(problem.machines[cluster, hour]) * part for part in (CRITICAL, THOUSANDTHS))
        upto = {
            1: np.minimum(critical - second, whole - second - third),
            2: np.minimum(critical, whole - third),
            3: np.full(len(COUNTED), whole),
        }
        lacking: list[int] = []
        for tier in TIERS:
            rows = [
                self._load(cluster, TIERS[:tier], hour, resource, columns, demands)
                for resource in range(len(COUNTED))
            ]
            if self.short:
                lacking.append(formulation.column(0, MOST))
                self.lacking[tier].append(lacking[-1])
            for resource, (columns_of, amounts, base) in enumerate(rows):
                formulation.capacity[len(formulation.rows)] = (
                    cluster,
                    0,
                    THOUSANDTHS if tier == TIERS[-1] else CRITICAL,
                )
                formulation.at_most(
                    [*columns_of, *lacking],
                    [*amounts, *(-1 for _ in lacking)],
                    int(upto[tier][resource]) - base,
                )

    def _load(
        self,
        cluster: int,
        tiers: Sequence[int],
        hour: int,
        resource: int,
        columns: Mapping[int, Numbers],
        demands: Mapping[int, Numbers],
    ) -> tuple[list[int], list[int], int]:
        """Columns and amounts of what some tiers ask of a cluster in an hour, and what is there anyway."""
        used: list[int] = []
        amounts: list[int] = []
        base = 0
        for tier in tiers:
            base += int(self.base[cluster, tier - 1, hour, resource])
            of_hour = demands[tier][:, hour, resource]
            positions = np.flatnonzero(of_hour)
            used += columns[tier][positions].tolist()
            amounts += of_hour[positions].tolist()
            columns_of_queues = [
                int(array[hour, resource]) for array in self.bounded.get((cluster, tier), ())
            ]
            columns_in_use = [column for column in columns_of_queues if column >= 0]
            used += columns_in_use
            amounts += [1] * len(columns_in_use)
        return used, amounts, base

    def _objectives(self, limits: Mapping[ObjectiveName, int]) -> None:
        formulation = self.formulation
        for tier, name in zip(TIERS, SLACKS, strict=True):
            lacking = self.lacking[tier]
            if self.short:
                formulation.at_most([*lacking, formulation.objectives[name]], [*(1 for _ in lacking), -1], 0)
            else:
                for column in lacking:
                    formulation.upper[column] = 0
        moved = [
            column
            for workflow, choices in formulation.choices.items()
            for cluster, column in choices.items()
            if cluster != self.problem.home[workflow]
        ]
        anyway = int(np.sum(self.fixed & (self.placements != self.problem.home)))
        most = min(limits.get("moves", MOST), self.problem.fleet.max_moves)
        formulation.upper[formulation.objectives["moves"]] = most
        formulation.at_most([*moved, formulation.objectives["moves"]], [*(1 for _ in moved), -1], -anyway)
