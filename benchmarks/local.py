"""`local` beside the floor: every step of a stack's life."""

from benchmarks.bench import Stack, floor
from benchmarks.measure import Measured, middle
from localcloud.cloud import REPOSITORY

PREVIEWS = 5
"""A preview is short, so it is taken this often; the median counts."""

STEPS = ("preview", "up", "no-change preview", "destroy")
LIMITS = {"preview": 1.25, "no-change preview": 1.5}
"""Ratios to the floor that we hold ourselves to."""

KUBERNETES = 2
"""Providers of Kubernetes of a cluster: ours, and one that pulumi_eks makes for itself."""


def table() -> str:
    """Measure, and tell."""
    local = Stack(REPOSITORY, "local")
    local.engine.select("local")
    ours, resources = _steps(local)
    least, _ = _steps(floor("floor-of-local", resources, KUBERNETES))
    lines = [
        f"{resources} resources; previews are the median of {PREVIEWS}.",
        "",
        "| step | local | floor | ratio | at most | memory of local | memory of floor | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for step in STEPS:
        mine, base = ours[step], least[step]
        lines.append(
            f"| {step} | {mine.seconds:.1f} s | {base.seconds:.1f} s | {mine.seconds / base.seconds:.2f} "
            f"| {LIMITS.get(step, '')} | {mine.mebibytes:.0f} MiB | {base.mebibytes:.0f} MiB "
            f"| {mine.mebibytes / base.mebibytes:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _steps(stack: Stack) -> tuple[dict[str, Measured], int]:
    """Each step of a stack's life, measured, and how many resources it had."""

    def previews() -> Measured:
        return middle([stack.pulumi("preview") for _ in range(PREVIEWS)])

    made = {"preview": previews(), "up": stack.pulumi("up", "--yes", "--skip-preview")}
    resources = len(stack.engine.resources(stack.name))
    made["no-change preview"] = previews()
    made["destroy"] = stack.pulumi("destroy", "--yes", "--skip-preview")
    return made, resources
