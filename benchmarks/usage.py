"""What was used: thirty days of millions of runs asked and allocated, and events made intervals."""

import json
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench import LOG
from benchmarks.measure import Measured, median_of, run
from localcloud.cloud import REPOSITORY
from moka.allocation import answers
from moka.allocation.percentile import allocate
from moka.allocation.rules import Rules
from moka.usage.profiles import Profiler
from moka.usage.questions import AMOUNTS
from tests.support import usage_history

RUNS = (2_000_000, 6_000_000)
QUEUES, CLUSTERS = 2_000, 10
ROUNDS = 3
MAX_SECONDS, MAX_GIB = 10, 4
"""For the larger history, on two cores."""

MAX_RATIO = 1.2
"""Of the growth of time to that of runs."""

MIN_ALLOCATIONS = 10_000
"""A second, on one core."""

ALLOCATIONS, RUNNING, BATCH = 200_000, 20_000, 10_000
"""Of events: allocations that come, that run at a time, and events of an answer."""


def table() -> str:
    """Measure; the table."""
    few, many = (_measure(runs) for runs in RUNS)
    ratio = many.seconds / few.seconds / (RUNS[1] / RUNS[0])
    rates = [_events() for _ in range(ROUNDS)]
    lines = [
        f"{QUEUES} queues, {CLUSTERS} clusters, 30 days; medians of {ROUNDS} of a process from its start: it "
        "asks DuckDB with two threads for the amounts in Parquet, and allocates all clusters.",
        "",
        "| runs | seconds | of CPU | memory | at most |",
        "| --- | --- | --- | --- | --- |",
        _line(RUNS[0], few, ""),
        _line(RUNS[1], many, f"{MAX_SECONDS} s, {MAX_GIB} GiB"),
        "",
        "| three times as many runs | ratio to three times the seconds | at most |",
        "| --- | --- | --- |",
        f"| of {RUNS[0]:,} | {ratio:.2f} | {MAX_RATIO} |",
        "",
        "| events to intervals, with their JSON | allocations a second of CPU | at least |",
        "| --- | --- | --- |",
        f"| {ALLOCATIONS:,}, {RUNNING:,} of them at a time | {median(rates):,.0f} | {MIN_ALLOCATIONS:,} |",
    ]
    return "\n".join(lines) + "\n"


def _line(runs: int, measurement: Measured, limit: str) -> str:
    return (
        f"| {runs:,} | {measurement.seconds:.1f} s | {measurement.cpu_seconds:.1f} s "
        f"| {measurement.mebibytes / 1024:.1f} GiB | {limit} |"
    )


def _measure(runs: int) -> Measured:
    with TemporaryDirectory() as folder:
        print(f"usage: {runs} runs ...", end=" ", flush=True)
        usage_history.write_runs(Path(folder), runs, queues=QUEUES, clusters=CLUSTERS)
        command = [sys.executable, "-m", "benchmarks.usage", folder]
        measurement = median_of([run(command, REPOSITORY, os.environ, LOG) for _ in range(ROUNDS)])
        print(f"{measurement.seconds:.1f} s, {measurement.cpu_seconds:.1f} s of CPU", flush=True)
        return measurement


def allocated(folder: Path) -> None:
    """Allocate all clusters by the history in a folder, and print how long it took."""
    start = time.perf_counter()
    clusters = usage_history.clusters_of(CLUSTERS)
    window = answers.window(clusters, usage_history.BEGAN + 30 * usage_history.DAY, Rules())
    rows = usage_history.ask(
        folder, AMOUNTS, window, threads=2, memory_limit="3GB", preserve_insertion_order=False
    )
    answered = time.perf_counter()
    curves = answers.curves(rows)
    for cluster in clusters:
        queues = [curve.queue for curve in curves if curve.cluster == cluster.name]
        allocation = allocate(cluster, queues, curves)
        print(
            cluster.name, {tier: share.percent for tier, share in allocation.tiers.items()}, *allocation.says
        )
    done = time.perf_counter()
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{len(rows)} rows in {answered - start:.1f} s, allocated in {done - answered:.1f} s, {mebibytes} MiB"
    )


def _events() -> float:
    """Allocations a second of CPU, from YuniKorn's JSON to intervals."""
    texts = [
        json.dumps({"InstanceUUID": "one", "LowestID": 0, "EventRecords": records}) for records in _batches()
    ]
    profiler = Profiler("spark-a", lambda application: application.rpartition("-")[0])
    start = time.process_time()
    for text in texts:
        profiler.batch(json.loads(text))
        profiler.take()
    return ALLOCATIONS / (time.process_time() - start)


def _batches() -> Iterator[list[dict[str, Any]]]:
    """YuniKorn's events: six of each allocation, of its application, its request and its node."""
    choose = random.Random(17)
    applications = [
        (f"daily-{number}-1", f"root.acme.p{number % 500}.tier{number % 3 + 1}") for number in range(2000)
    ]
    records = [_record(0, 4, queue, name, 2, 405) for name, queue in applications]
    running: list[tuple[str, str]] = []
    for number in range(ALLOCATIONS):
        name, _ = choose.choice(applications)
        pod = f"0bcef69e-ab38-4800-b952-{number:012}"
        records += [
            _record(number, kind, of, pod, 2, detail) for kind, of, detail in _details(name, 201, 200)
        ]
        running.append((name, pod))
        if len(running) > RUNNING:
            name, pod = running.pop(0)
            records += [
                _record(number, kind, of, pod, 3, detail) for kind, of, detail in _details(name, 100, 500)
            ]
        if len(records) >= BATCH:
            yield records[:BATCH]
            records = records[BATCH:]
    yield records


def _details(name: str, request: int, allocation: int) -> list[tuple[int, str, int]]:
    return [(2, name, request), (3, "ip-10-0-0-1.ec2.internal", 303), (2, name, allocation)]


def _record(number: int, kind: int, of: str, reference: str, change: int, detail: int) -> dict[str, Any]:
    return {
        "type": kind,
        "objectID": of,
        "timestampNano": usage_history.BEGAN * 1_000_000 + number * 100_000,
        "eventChangeType": change,
        "eventChangeDetail": detail,
        "referenceID": reference,
        "resource": {
            "resources": {"memory": {"value": 8 << 30}, "pods": {"value": 1}, "vcore": {"value": 2000}}
        },
    }


if __name__ == "__main__":
    allocated(Path(sys.argv[1]))
