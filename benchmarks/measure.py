"""Time and memory of a command with all that it starts."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Measured:
    """One run. seconds: wall clock. mebibytes: peak of the resident memory of the whole process tree."""

    seconds: float
    mebibytes: float


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> Measured:
    """Run a command to its end and measure it.

    Raises subprocess.CalledProcessError when it fails; `log` holds what it printed.
    """
    with log.open("ab") as out:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=out, stderr=out)
        watched = psutil.Process(process.pid)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _resident(watched))
            time.sleep(0.1)
        seconds = time.monotonic() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(seconds, peak / 2**20)


def _resident(process: psutil.Process) -> int:
    total = 0
    try:
        for one in [process, *process.children(recursive=True)]:
            try:
                total += one.memory_info().rss
            except psutil.NoSuchProcess:
                continue
    except psutil.NoSuchProcess:
        pass
    return total
