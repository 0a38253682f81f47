"""What policies cost: previews of `local`, and of twenty clusters, with them and without."""

import json
import os

from benchmarks.bench import FOLDER, Stack
from benchmarks.fleet import MANY, stack_of
from benchmarks.measure import Measured, median_of
from localcloud.cloud import REPOSITORY

PREVIEWS = 3
"""Previews of each, in turn."""

MAX_RATIOS = {"local": 1.2, f"{MANY} clusters": 1.1}
"""Of a preview with policies to one without."""

MAX_SECONDS = 3
"""That policies may add to a preview of `local`."""


def table() -> str:
    """Measure; the table."""
    local = Stack(REPOSITORY, "local")
    local.engine.select("local")
    # Charts that are at hand here are rendered and kept by the first preview.
    charts = "charts of MOKA_CHARTS" if os.environ.get("MOKA_CHARTS") else "no chart at hand to look into"
    lines = [
        f"the median of {PREVIEWS} previews of each, in turn, after one of each; {charts}.",
        "",
        "| environment | with policies | without | ratio | at most | adds | CPU with | without | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, stack in (("local", local), (f"{MANY} clusters", stack_of(MANY))):
        measurement, plain = _measurements(stack)
        difference = measurement.seconds - plain.seconds
        most = f", {MAX_SECONDS} s" if name == "local" else ""
        lines.append(
            f"| {name} | {measurement.seconds:.1f} s | {plain.seconds:.1f} s "
            f"| {measurement.seconds / plain.seconds:.2f} | {MAX_RATIOS[name]}{most} | {difference:.1f} s "
            f"| {measurement.cpu_seconds:.1f} s | {plain.cpu_seconds:.1f} s "
            f"| {measurement.cpu_seconds / plain.cpu_seconds:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _measurements(stack: Stack) -> tuple[Measured, Measured]:
    """Previews of a stack with policies, and without."""
    levels = FOLDER / "levels.json"
    # An environment that policies do not know is judged as strictly as can be; here that would end it.
    levels.write_text(json.dumps({"all": "advisory"}))
    policies = ("--policy-pack", str(REPOSITORY / "policies"), "--policy-pack-config", str(levels))
    runs: dict[tuple[str, ...], list[Measured]] = {policies: [], (): []}
    for arguments in runs:
        stack.pulumi("preview", *arguments)
    for _ in range(PREVIEWS):
        for arguments, measurements in runs.items():
            measurements.append(stack.pulumi("preview", *arguments))
    return median_of(runs[policies]), median_of(runs[()])
