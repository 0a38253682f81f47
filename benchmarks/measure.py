"""Time and memory of a command with all that it starts."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

INTERVAL_SECONDS = 0.1
"""Between two looks at the processes."""


@dataclass(frozen=True)
class Measured:
    """One run, of a whole process tree.

    seconds: wall clock.
    cpu_seconds: of all processes; beside other work it tells more than the clock. What a process takes in
        the last moments of its life may be missing.
    mebibytes: peak of the resident memory.
    """

    seconds: float
    cpu_seconds: float
    mebibytes: float


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> Measured:
    """Run a command to its end and measure it.

    Raises subprocess.CalledProcessError when it fails; `log` holds what it printed.
    """
    with log.open("ab") as out:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=out, stderr=out)
        tree = psutil.Process(process.pid)
        peak, cpu = 0, dict[int, float]()
        while process.poll() is None:
            peak = max(peak, _resident(tree, cpu))
            time.sleep(INTERVAL_SECONDS)
        seconds = time.monotonic() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(seconds, sum(cpu.values()), peak / 2**20)


def median_of(runs: Sequence[Measured]) -> Measured:
    """Median times of several runs, and the most memory."""
    return Measured(
        median(run.seconds for run in runs),
        median(run.cpu_seconds for run in runs),
        max(run.mebibytes for run in runs),
    )


def _resident(process: psutil.Process, cpu: dict[int, float]) -> int:
    """Resident memory of a process and its children, in bytes; `cpu` gets the CPU seconds of each, by pid."""
    total = 0
    try:
        for member in [process, *process.children(recursive=True)]:
            try:
                times = member.cpu_times()
                cpu[member.pid] = times.user + times.system
                total += member.memory_info().rss
            except psutil.NoSuchProcess:
                continue
    except psutil.NoSuchProcess:
        pass
    return total
