"""A fleet allocated by CP-SAT and by the percentile algorithm, and what would have been with either."""

import json
import os
import resource
import sys
import time
from collections.abc import Mapping
from typing import Any

from benchmarks.bench import LOG
from benchmarks.measure import Measured, run
from localcloud.cloud import REPOSITORY
from moka.allocation.curve import curves
from moka.allocation.fleet import Fleet, FleetPlan
from moka.allocation.fleet_percentile import at_home
from moka.allocation.percentile import allocate
from moka.allocation.replay.runs import RecordedRuns
from moka.allocation.replay.scenario import Scenario
from moka.allocation.replay.simulator import replay
from moka.allocation.replay.slo import kept_by_tier, workflow_replays
from moka.allocation.rules import Rules
from moka.usage.records import DAY
from planning.example_history import BEGAN, ExampleHistory
from planning.solver import solve

SIZES = ((100, 30, 4), (500, 150, 10), (2_000, 500, 10))
"""Workflows, queues, clusters."""

JOBS_EACH = 100
"""A day, of a workflow."""

DAYS = 3
"""Of history, from which workflows' demand and queues' curves are."""

REPLAYED, TIMES = 5, 2
"""The day that is replayed, and how many times as many runs as usual it has."""

MAX_SECONDS, MAX_GAP = 60, 0.01
"""For the largest fleet, on two cores."""

MAX_EXPECTATION = 20
"""Seconds, for the largest fleet: what a plan says of SLOs."""


def table() -> str:
    """Measure; the table."""
    answers = [_measure(*size) for size in SIZES]
    lines = [
        "one run of a process from its start for each fleet, 24 hours, a quarter of its workflows may move; "
        f"the history is made up. Replayed is a day with {TIMES} times as many runs as usual.",
        "",
        "| workflows, queues, clusters | plan | of CPU | peak, of its bound | balance | moves | at most |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_line(size, *answer) for size, answer in zip(SIZES, answers, strict=True)),
        "",
        "| workflows | runs replayed | on | of CPU | SLOs kept by tier: percentile | CP-SAT | "
        "hours waited: percentile | CP-SAT |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_replay_line(size, answer) for size, (_, answer) in zip(SIZES, answers, strict=True)),
        "",
        "| workflows | runs of a day as usual | replayed with both plans | of CPU | at most |",
        "| --- | --- | --- | --- | --- |",
        *(_expectation_line(size, answer) for size, (_, answer) in zip(SIZES, answers, strict=True)),
    ]
    return "\n".join(lines) + "\n"


def _measure(workflows: int, queues: int, clusters: int) -> tuple[Measured, dict[str, Any]]:
    print(f"allocation: {workflows} workflows ...", end=" ", flush=True)
    command = [sys.executable, "-m", "benchmarks.allocation", *map(str, (workflows, queues, clusters))]
    measurement = run(command, REPOSITORY, os.environ, LOG)
    answer = json.loads(LOG.read_text().splitlines()[-1])
    print(f"planned in {answer['seconds']:.1f} s, {answer['cpu']:.1f} s of CPU", flush=True)
    return measurement, answer


def _line(size: tuple[int, int, int], measurement: Measured, answer: Mapping[str, Any]) -> str:
    limit = f"{MAX_SECONDS} s to {MAX_GAP:.0%}" if size == SIZES[-1] else ""
    cells = [
        f"{answer['values'][name]} of {answer['bounds'][name]}, {answer['gaps'][name]:.1%}"
        for name in ("peak", "balance", "moves")
    ]
    plan = f"{answer['seconds']:.1f} s | {answer['cpu']:.1f} s"
    return f"| {', '.join(map(str, size))} | {plan} | {' | '.join(cells)} | {limit} |"


def _replay_line(size: tuple[int, int, int], answer: Mapping[str, Any]) -> str:
    home, planned = answer["replays"]
    counts = [
        ", ".join(f"{kept} of {known}" for kept, known in item["kept"].values()) for item in (home, planned)
    ]
    hours = [f"{item['waited']:.0f}" for item in (home, planned)]
    cost = f"{answer['runs']:,} | {planned['seconds']:.1f} s | {planned['cpu']:.1f} s"
    return f"| {size[0]} | {cost} | {' | '.join(counts)} | {' | '.join(hours)} |"


def _expectation_line(size: tuple[int, int, int], answer: Mapping[str, Any]) -> str:
    figures = answer["expectation"]
    limit = f"{MAX_EXPECTATION} s" if size == SIZES[-1] else ""
    return (
        f"| {size[0]} | {figures['runs']:,} | {figures['seconds']:.1f} s | {figures['cpu']:.1f} s | {limit} |"
    )


def planned(workflows: int, queues: int, clusters: int) -> dict[str, Any]:
    """What was measured of a fleet."""
    history = ExampleHistory(
        workflows=workflows, queues=queues, clusters=clusters, jobs=workflows * JOBS_EACH
    )
    fleet = history.fleet(DAYS)
    start, cpu = time.perf_counter(), time.process_time()
    plan = solve(fleet)
    cost = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    today = _percentile(history, fleet)
    return {
        **cost,
        "values": {objective.name: objective.value for objective in plan.objectives},
        "bounds": {objective.name: objective.bound for objective in plan.objectives},
        "gaps": {objective.name: objective.gap for objective in plan.objectives},
        "repeatable": plan.repeatable,
        "runs": sum(1 for _ in history.runs(REPLAYED, TIMES)),
        "replays": [_replay_figures(history, fleet, fleet_plan) for fleet_plan in (today, plan)],
        "expectation": _expectation(history, fleet, [today, plan]),
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _expectation(history: ExampleHistory, fleet: Fleet, plans: list[FleetPlan]) -> dict[str, Any]:
    """What it takes to expect SLOs, once there are runs: a day with what is in force, and with a plan."""
    homes = fleet.homes()
    recordings = RecordedRuns(tuple((homes[run.workflow], run) for run in history.runs(REPLAYED)))
    start, cpu = time.perf_counter(), time.process_time()
    for plan in plans:
        scenario = Scenario(clusters=fleet.clusters, queues=plan.queues, placements=plan.placements)
        for _ in scenario.outcomes(recordings, {}, until=BEGAN + (REPLAYED + 2) * DAY):
            pass
    return {
        "runs": len(recordings.runs),
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
    }


def _percentile(history: ExampleHistory, fleet: Fleet) -> FleetPlan:
    """The percentile algorithm's answer, from as many days as the fleet's demand."""
    homes = fleet.homes()
    intervals = (
        interval
        for day in range(DAYS)
        for run in history.runs(day)
        for interval in run.intervals(homes[run.workflow])
    )
    clusters = [member.cluster for member in fleet.clusters]
    demand = curves(intervals, clusters, BEGAN, BEGAN + DAYS * DAY)
    paths = [queue.path for queue in fleet.queues]
    rules = Rules(days=DAYS)
    return at_home(
        fleet, {cluster.name: allocate(cluster, paths, demand, rules=rules) for cluster in clusters}
    )


def _replay_figures(history: ExampleHistory, fleet: Fleet, plan: FleetPlan) -> dict[str, Any]:
    """What would have been with a plan."""
    runs = [*history.runs(REPLAYED, TIMES)]
    start, cpu = time.perf_counter(), time.process_time()
    outcomes = []
    for member in fleet.clusters:
        own = [run for run in runs if plan.placements[run.workflow] == member.name]
        outcomes += replay(member, plan.queues, own, until=BEGAN + (REPLAYED + 2) * DAY)
    cost = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    slos = {habit.name: habit.slo_hours for habit in history.habits}
    replays = workflow_replays(outcomes, slos, {habit.name: habit.tier for habit in history.habits})
    return {
        **cost,
        "kept": kept_by_tier(replays),
        "waited": sum(outcome.waited for outcome in replays) / 3_600_000,
        "lost": sum(outcome.preempted_pods for outcome in replays),
    }


if __name__ == "__main__":
    print(json.dumps(planned(*map(int, sys.argv[1:]))))
