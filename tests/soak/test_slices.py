"""`local` in slices, a stack each, on the real engine."""

import subprocess

from localcloud import commands
from localcloud.engine import Engine

QUIET = ("--non-interactive",)
SLICES = """
slices:
  shared: {layers: [foundation]}
  spark-a: {clusters: [spark-a]}
"""


def unchanged(engine: Engine, stack: str) -> bool:
    told = subprocess.run(
        ["pulumi", "preview", "--stack", stack, "--non-interactive", "--expect-no-changes"],
        cwd=engine.project,
        env=engine.environment(),
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return True


def kinds(engine: Engine, *stacks: str) -> set[tuple[str, str]]:
    """Type and logical name of what the stacks have, but for what reads another stack."""
    return {
        (r.type, r.name)
        for stack in stacks
        for r in engine.resources(stack)
        if r.type not in ("pulumi:pulumi:StackReference", "pulumi:providers:pulumi", "pulumi:providers:aws")
    }


def test_an_environment_in_two_slices_has_the_same_resources_as_in_one(copied):
    assert commands.up(copied, "local", QUIET) == 0
    whole = kinds(copied, "local")
    assert commands.down(copied, "local", QUIET) == 0

    settings = copied.project / "stacks" / "local.yaml"
    settings.write_text(settings.read_text() + SLICES)
    for name in ("shared", "spark-a"):
        file = copied.project / "stacks" / f"Pulumi.local.{name}.yaml"
        file.write_text(f"config:\n  moka:environment: local\n  moka:slice: {name}\n")
    for name in ("shared", "spark-a"):
        assert commands.up(copied, f"local.{name}", QUIET) == 0

    assert kinds(copied, "local.shared", "local.spark-a") == whole
    assert unchanged(copied, "local.shared")
    assert unchanged(copied, "local.spark-a")
    for name in ("spark-a", "shared"):
        assert commands.down(copied, f"local.{name}", QUIET) == 0
