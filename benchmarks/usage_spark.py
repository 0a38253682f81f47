"""What was used, by Spark: the percentile allocation's questions to thirty days of millions of runs, and of
three times as many."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench import LOG
from benchmarks.measure import Measured, run
from localcloud.cloud import REPOSITORY
from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage import places
from moka.usage.questions import AMOUNTS, DAYS, NEEDS
from moka.usage.records import TABLES
from tests.support import usage_history, usage_job

RUNS = int(os.environ.get("MOKA_USAGE_RUNS", "6000000"))
TIMES = 3
QUEUES, CLUSTERS = 2_000, 10
MAX_RATIO = 1.2
"""Of the growth of time to that of runs."""

QUESTIONS = (AMOUNTS, NEEDS, DAYS)
THREADS, HEAP = 2, "6g"
CONF = {"spark.sql.shuffle.partitions": "32"}


def table() -> str:
    """Measure; the table."""
    start, few, many = (_measure(runs) for runs in (0, RUNS, TIMES * RUNS))
    seconds, cpu = (
        (getattr(many, name) - getattr(start, name)) / (getattr(few, name) - getattr(start, name)) / TIMES
        for name in ("seconds", "cpu_seconds")
    )
    names = ", ".join(question.name for question in QUESTIONS)
    lines = [
        f"{QUEUES:,} queues, {CLUSTERS} clusters, 30 days, four of five runs jobs of Archer; `examples/jobs/"
        f"usage_questions.py` with the questions {names}, by pyspark with `local[{THREADS}]` and a heap of "
        f"{HEAP}; one run of each, of a process from its start.",
        "",
        "| runs | seconds | of CPU | memory |",
        "| --- | --- | --- | --- |",
        *(_line(runs, measurement) for runs, measurement in ((0, start), (RUNS, few), (TIMES * RUNS, many))),
        "",
        f"| {TIMES} times as many runs, without the start "
        f"| ratio to {TIMES} times the seconds | at most | of CPU |",
        "| --- | --- | --- | --- |",
        f"| of {RUNS:,} | {seconds:.2f} | {MAX_RATIO} | {cpu:.2f} |",
    ]
    return "\n".join(lines) + "\n"


def _line(runs: int, measurement: Measured) -> str:
    return (
        f"| {runs:,} | {measurement.seconds:.1f} s | {measurement.cpu_seconds:.1f} s "
        f"| {measurement.mebibytes / 1024:.1f} GiB |"
    )


def _measure(runs: int) -> Measured:
    with TemporaryDirectory() as name:
        folder, history = Path(name), Path(name, "history")
        print(f"usage_spark: {runs} runs ...", end=" ", flush=True)
        for table in TABLES.values():
            (history / places.prefix(table.name)).mkdir(parents=True)
        if runs:
            usage_history.write_runs(history, runs, queues=QUEUES, clusters=CLUSTERS)
        clusters = usage_history.clusters_of(CLUSTERS)
        window = answers.window(clusters, usage_history.BEGAN + 30 * usage_history.DAY, Rules())
        (folder / "asked.json").write_text(window.as_json())
        command = usage_job.command(
            folder,
            *(
                f"--history=file:{history}",
                f"--asked=file:{folder}/asked.json",
                f"--to=file:{folder}/answers",
            ),
            *(question.name for question in QUESTIONS),
            threads=THREADS,
            heap=HEAP,
            conf=CONF,
        )
        environment = usage_job.environment()
        measurement = run(command, REPOSITORY, environment, LOG)
        print(f"{measurement.seconds:.1f} s, {measurement.cpu_seconds:.1f} s of CPU", flush=True)
        return measurement
