"""`local` beside the floor: every step of a stack's life."""

from benchmarks.bench import Stack, floor
from benchmarks.measure import Measured, median_of
from localcloud.cloud import REPOSITORY

PREVIEWS = 5
"""Previews of each, as they are short; the median counts."""

STEPS = ("preview", "up", "no-change preview", "destroy")
MAX_RATIOS = {"preview": 1.25, "no-change preview": 1.5}
"""Ratios to the floor that may not be exceeded."""

KUBERNETES = 2
"""Providers of Kubernetes of a cluster: ours, and one that pulumi_eks makes for itself."""


def table() -> str:
    """Measure; the table."""
    local = Stack(REPOSITORY, "local")
    local.engine.select("local")
    steps, resources = _steps(local)
    floor_steps, _ = _steps(floor("floor-of-local", resources, KUBERNETES))
    lines = [
        f"{resources} resources; previews are the median of {PREVIEWS}.",
        "",
        "| step | local | floor | ratio | at most | memory of local | memory of floor | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for step in STEPS:
        run, base = steps[step], floor_steps[step]
        lines.append(
            f"| {step} | {run.seconds:.1f} s | {base.seconds:.1f} s | {run.seconds / base.seconds:.2f} "
            f"| {MAX_RATIOS.get(step, '')} | {run.mebibytes:.0f} MiB | {base.mebibytes:.0f} MiB "
            f"| {run.mebibytes / base.mebibytes:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _steps(stack: Stack) -> tuple[dict[str, Measured], int]:
    """Each step of a stack's life, measured, and how many resources it had."""

    def previews() -> Measured:
        return median_of([stack.pulumi("preview") for _ in range(PREVIEWS)])

    steps = {"preview": previews(), "up": stack.pulumi("up", "--yes", "--skip-preview")}
    resources = len(stack.engine.resources(stack.name))
    steps["no-change preview"] = previews()
    steps["destroy"] = stack.pulumi("destroy", "--yes", "--skip-preview")
    return steps, resources
