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
    measured = run(command, REPOSITORY, os.environ, LOG)
    answer = json.loads(LOG.read_text().splitlines()[-1])
    print(f"planned in {answer['seconds']:.1f} s, {answer['cpu']:.1f} s of CPU", flush=True)
    return measured, answer


def _line(size: tuple[int, int, int], measured: Measured, answer: Mapping[str, Any]) -> str:
    limit = f"{MAX_SECONDS} s to {MAX_GAP:.0%}" if size == SIZES[-1] else ""
    reached = [
        f"{answer['values'][name]} of {answer['bounds'][name]}, {answer['gaps'][name]:.1%}"
        for name in ("peak", "balance", "moves")
    ]
    plan = f"{answer['seconds']:.1f} s | {answer['cpu']:.1f} s"
    return f"| {', '.join(map(str, size))} | {plan} | {' | '.join(reached)} | {limit} |"


def _replay_line(size: tuple[int, int, int], answer: Mapping[str, Any]) -> str:
    home, planned = answer["replays"]
    kept = [
        ", ".join(f"{kept} of {known}" for kept, known in one["kept"].values()) for one in (home, planned)
    ]
    waited = [f"{one['waited']:.0f}" for one in (home, planned)]
    took = f"{answer['runs']:,} | {planned['seconds']:.1f} s | {planned['cpu']:.1f} s"
    return f"| {size[0]} | {took} | {' | '.join(kept)} | {' | '.join(waited)} |"


def _expectation_line(size: tuple[int, int, int], answer: Mapping[str, Any]) -> str:
    one = answer["expectation"]
    limit = f"{MAX_EXPECTATION} s" if size == SIZES[-1] else ""
    return f"| {size[0]} | {one['runs']:,} | {one['seconds']:.1f} s | {one['cpu']:.1f} s | {limit} |"


def planned(workflows: int, queues: int, clusters: int) -> dict[str, Any]:
    """What was measured of a fleet."""
    history = ExampleHistory(
        workflows=workflows, queues=queues, clusters=clusters, jobs=workflows * JOBS_EACH
    )
    fleet = history.fleet(DAYS)
    start, cpu = time.perf_counter(), time.process_time()
    plan = solve(fleet)
    took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    today = _percentile(history, fleet)
    return {
        **took,
        "values": {one.name: one.value for one in plan.objectives},
        "bounds": {one.name: one.bound for one in plan.objectives},
        "gaps": {one.name: one.gap for one in plan.objectives},
        "repeatable": plan.repeatable,
        "runs": sum(1 for _ in history.runs(REPLAYED, TIMES)),
        "replays": [_replayed(history, fleet, one) for one in (today, plan)],
        "expectation": _expectation(history, fleet, [today, plan]),
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _expectation(history: ExampleHistory, fleet: Fleet, plans: list[FleetPlan]) -> dict[str, Any]:
    """What it takes to expect SLOs, once there are runs: a day with what is in force, and with a plan."""
    homes = fleet.homes()
    recorded = RecordedRuns(tuple((homes[run.workflow], run) for run in history.runs(REPLAYED)))
    start, cpu = time.perf_counter(), time.process_time()
    for plan in plans:
        scenario = Scenario(clusters=fleet.clusters, queues=plan.queues, placements=plan.placements)
        for _ in scenario.outcomes(recorded, {}, until=BEGAN + (REPLAYED + 2) * DAY):
            pass
    return {
        "runs": len(recorded.runs),
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
    }


def _percentile(history: ExampleHistory, fleet: Fleet) -> FleetPlan:
    """The percentile algorithm's answer, from as many days as the fleet's demand."""
    homes = fleet.homes()
    intervals = (
        one for day in range(DAYS) for run in history.runs(day) for one in run.intervals(homes[run.workflow])
    )
    clusters = [there.cluster for there in fleet.clusters]
    known = curves(intervals, clusters, BEGAN, BEGAN + DAYS * DAY)
    paths = [queue.path for queue in fleet.queues]
    rules = Rules(days=DAYS)
    return at_home(
        fleet, {cluster.name: allocate(cluster, paths, known, rules=rules) for cluster in clusters}
    )


def _replayed(history: ExampleHistory, fleet: Fleet, plan: FleetPlan) -> dict[str, Any]:
    """What would have been with a plan."""
    runs = [*history.runs(REPLAYED, TIMES)]
    start, cpu = time.perf_counter(), time.process_time()
    outcomes = []
    for there in fleet.clusters:
        own = [one for one in runs if plan.placements[one.workflow] == there.name]
        outcomes += replay(there, plan.queues, own, until=BEGAN + (REPLAYED + 2) * DAY)
    took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    slos = {habit.name: habit.slo_hours for habit in history.habits}
    replays = workflow_replays(outcomes, slos, {habit.name: habit.tier for habit in history.habits})
    return {
        **took,
        "kept": kept_by_tier(replays),
        "waited": sum(one.waited for one in replays) / 3_600_000,
        "lost": sum(one.preempted_pods for one in replays),
    }


if __name__ == "__main__":
    print(json.dumps(planned(*map(int, sys.argv[1:]))))
