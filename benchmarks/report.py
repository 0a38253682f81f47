"""Reports: the time that one takes on a preview of three thousand resources, beside reading it as JSON."""

import gzip
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.bench import FOLDER
from localcloud.cloud import REPOSITORY

RESOURCES = 3_000
RUNS = 5
"""Runs of each, in turn; the median counts."""

MAX_SECONDS = 2.0

RECORDED = REPOSITORY / "tests" / "unit" / "report" / "previews"
PREVIEWS = {"everything is new": "new", "everything is replaced": "renamed"}
"""What happens -> the recorded preview of `local` that is repeated until it has as many resources."""

NAMES = (("spark-a", "spark-{}"), ("main-", "main{}-"), ('::main"', '::main{}"'))
"""Parts of names, and what they are in each copy."""

READ = "import json, sys; [json.loads(line) for line in open(sys.argv[1])]"


def table() -> str:
    """Measure; the table."""
    lines = [
        f"the median of {RUNS}, each a process of its own; CPU is what to compare.",
        "",
        "| preview | resources | size | seconds | CPU | at most | CPU of reading it as JSON | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=FOLDER) as folder:
        for name, file_name in PREVIEWS.items():
            path = Path(folder) / file_name
            number = _write(file_name, path)
            report = [sys.executable, "-m", "commands", "report", str(path)]
            read = [sys.executable, "-c", READ, str(path)]
            runs = [(_measure(report), _measure(read)) for _ in range(RUNS)]
            seconds = median(run[0][0] for run in runs)
            cpu, floor = (median(run[index][1] for run in runs) for index in (0, 1))
            lines.append(
                f"| {name} | {number:,} | {path.stat().st_size / 2**20:.1f} MiB | {seconds:.2f} s | "
                f"{cpu:.2f} s | {MAX_SECONDS:.0f} s | {floor:.2f} s | {cpu / floor:.1f} |"
            )
    return "\n".join(lines) + "\n"


def _write(recorded: str, path: Path) -> int:
    """Write a preview of as many resources, as the stream of events; how many there are."""
    text = gzip.decompress((RECORDED / f"{recorded}.gz").read_bytes()).decode()
    steps = list(_steps(text))
    copies = -(-RESOURCES // len(steps))
    summary = (
        '{"sequence": 0, "timestamp": 0, "summaryEvent": {"isPreview": true, "PolicyPacks": {"moka": "1"}}}'
    )
    lines = [_copy(line, number) for number in range(copies) for line in steps]
    path.write_text("\n".join([*lines, summary]))
    return len(lines)


def _steps(text: str) -> Iterator[str]:
    """Events of steps; a digest's steps as such."""
    if text.startswith('{"sequence"') or "\n" in text:
        yield from (line for line in text.splitlines() if '"resourcePreEvent"' in line)
        return
    for step in json.loads(text)["steps"]:
        metadata = {"op": step["op"], "urn": step["urn"], "old": None, "new": step["newState"]}
        yield json.dumps({"sequence": 0, "timestamp": 0, "resourcePreEvent": {"metadata": metadata}})


def _copy(line: str, number: int) -> str:
    for part, pattern in NAMES:
        line = line.replace(part, pattern.format(number))
    return line


def _measure(command: Sequence[str]) -> tuple[float, float]:
    """Seconds, and CPU seconds, of a command; reports of grave changes end with a status of their own."""
    start = time.monotonic()
    null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(
        command[0], [*command], {**os.environ, "PYTHONPATH": str(REPOSITORY)}, file_actions=null
    )
    _, status, usage = os.wait4(process, 0)
    seconds = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_utime + usage.ru_stime
