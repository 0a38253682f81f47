"""The report of a day of ten clusters: from records as Parquet to a page, a document and metrics."""

import os
import resource
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import LOG
from benchmarks.measure import median_of, run
from localcloud.cloud import REPOSITORY
from moka.queues.resources import Resources
from moka.usage.report.day import QUESTIONS, Day, report
from moka.usage.report.metrics import as_metrics
from moka.usage.report.page import as_page
from moka.usage.report.sizes import ClusterSize, Machine, QueueSize
from moka.workflows.definitions import Workflow
from planning.history import ask
from tests.support import usage_history

RUNS, QUEUES, CLUSTERS = 200_000, 2_000, 10
ROUNDS = 3
MAX_SECONDS = 5

CORES, GIB = 16, 128
"""Of a machine."""


def table() -> str:
    """Measure; the table."""
    with TemporaryDirectory() as folder:
        print(f"usage_report: {RUNS} runs ...", end=" ", flush=True)
        usage_history.write_runs(Path(folder), RUNS, queues=QUEUES, clusters=CLUSTERS, days=1)
        command = [sys.executable, "-m", "benchmarks.usage_report", folder]
        measurement = median_of([run(command, REPOSITORY, os.environ, LOG) for _ in range(ROUNDS)])
        print(f"{measurement.seconds:.1f} s, {measurement.cpu_seconds:.1f} s of CPU", flush=True)
    lines = [
        f"a day of {CLUSTERS} clusters, {QUEUES:,} queues with as many workflows, each with an SLO; medians "
        f"of {ROUNDS} of a process from its start: it asks DuckDB with two threads, and writes page, JSON "
        "and metrics.",
        "",
        "| runs | seconds | of CPU | memory | at most |",
        "| --- | --- | --- | --- | --- |",
        f"| {RUNS:,} | {measurement.seconds:.1f} s | {measurement.cpu_seconds:.1f} s "
        f"| {measurement.mebibytes / 1024:.1f} GiB | {MAX_SECONDS} s |",
    ]
    return "\n".join(lines) + "\n"


def reported(folder: Path) -> None:
    """Report the day in a folder, and print how long it took."""
    start = time.perf_counter()
    began = datetime.fromtimestamp(usage_history.BEGAN / 1000, UTC)
    day = Day(
        environment="bench",
        day=began.date(),
        made=datetime.now(UTC),
        clusters=[_size(number) for number in range(CLUSTERS)],
        workflows={f"workflow-{number}": _workflow(number) for number in range(QUEUES)},
    )
    answers = ask(folder, QUESTIONS, day.scope, [day.day])
    answered = time.perf_counter()
    result = report(day, answers)
    made = time.perf_counter()
    texts = [result.as_json(), as_page(result), as_metrics(result)]
    done = time.perf_counter()
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    rows = {question.name: len(rows) for question, rows in answers.items()}
    print(
        f"{rows} in {answered - start:.1f} s, made in {made - answered:.1f} s, written in "
        f"{done - made:.1f} s ({[len(text) // 1024 for text in texts]} KiB), {mebibytes} MiB"
    )


def _size(number: int) -> ClusterSize:
    machine = Machine(cpu=CORES * 1000, memory=GIB * 1024, usd=1.0)
    queues = {
        f"root.org-{queue % 17}.project-{queue}.tier{1 + queue % 3}": QueueSize(
            guaranteed=Resources.of(cpu="32", memory="256Gi")
        )
        for queue in range(number, QUEUES, CLUSTERS)
    }
    return ClusterSize(
        name=f"batch-{number}",
        machine="r8g.4xlarge",
        machines={"r8g.4xlarge": machine},
        resources=Resources.of(cpu=str(CORES * 1_000), memory=f"{GIB * 1_000}Gi"),
        queues=queues,
    )


def _workflow(number: int) -> Workflow:
    return Workflow(
        tier=1 + number % 3,
        slo_hours=0.5,
        owner="ada@acme.example",
        project=f"org-{number % 17}.project-{number}",
        cluster=f"batch-{number % CLUSTERS}",
    )


if __name__ == "__main__":
    reported(Path(sys.argv[1]))
