"""What the rules cost: `local` with them, beside a laptop that says yes to whatever it is asked."""

import os
import sys

from benchmarks.bench import CLOUD, LOG
from benchmarks.measure import Measured, median_of, run
from localcloud.cloud import REPOSITORY

ROUNDS = 3
"""Times that each comes up, in turn."""

PREVIEWS = 5
"""No-change previews of each round."""

UNCHECKED = {"PYTHONPATH": str(REPOSITORY / "benchmarks" / "unchecked")}
MAX_RATIOS = {"up": 1.2, "no-change preview": 1.1}
"""Of the laptop with its rules to the one without."""


def table() -> str:
    """Measure; the table."""
    laptops = {"checked": dict[str, str](), "unchecked": UNCHECKED}
    runs: dict[tuple[str, str], list[Measured]] = {}
    for _ in range(ROUNDS):
        for name, variables in laptops.items():
            runs.setdefault((name, "up"), []).append(_command(name, "up", variables))
            previews = [_command(name, "preview", variables) for _ in range(PREVIEWS)]
            runs.setdefault((name, "no-change preview"), []).extend(previews)
            _command(name, "down", variables)
    lines = [
        f"the median of {ROUNDS} ups and {ROUNDS * PREVIEWS} previews of each, in turn.",
        "",
        "| step | with the rules | without | ratio | at most | CPU with | without | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for step, limit in MAX_RATIOS.items():
        checked, unchecked = median_of(runs["checked", step]), median_of(runs["unchecked", step])
        lines.append(
            f"| {step} | {checked.seconds:.1f} s | {unchecked.seconds:.1f} s "
            f"| {checked.seconds / unchecked.seconds:.2f} | {limit} "
            f"| {checked.cpu_seconds:.1f} s | {unchecked.cpu_seconds:.1f} s "
            f"| {checked.cpu_seconds / unchecked.cpu_seconds:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _command(name: str, verb: str, variables: dict[str, str]) -> Measured:
    """Run a command of the laptop cloud for `local`."""
    command = [sys.executable, "-m", "localcloud", verb, "--stack", "local"]
    print(f"local, {name}: {verb} ...", end=" ", flush=True)
    environment = {**os.environ, "MOKA_CLOUD": str(CLOUD.home), **variables}
    measurement = run(command, REPOSITORY, environment, LOG)
    print(f"{measurement.seconds:.1f} s, {measurement.cpu_seconds:.1f} s of CPU", flush=True)
    return measurement
