"""`make bench`: `local` beside the floor, in one run; the table goes to docs/benchmarks.md."""

import os
import platform
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from statistics import median

import psutil

from benchmarks.measure import Measured, run
from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine

FOLDER = REPOSITORY / ".local" / "bench"
PAGE = REPOSITORY / "docs" / "benchmarks.md"
START, END = "<!-- make bench -->\n", "<!-- end of make bench -->\n"
PREVIEWS = 5
"""A preview is short, so it is taken this often; the median counts."""

STEPS = ("preview", "up", "no-change preview", "destroy")
LIMITS = {"preview": 1.25, "no-change preview": 1.5}
"""Ratios to the floor that we hold ourselves to."""


def main() -> int:
    """Measure, print, write; exit status."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    cloud = Cloud(FOLDER / "cloud")
    os.environ["MOKA_CLOUD"] = str(cloud.home)
    local = Engine(cloud)
    floor = Engine(cloud, REPOSITORY / "benchmarks" / "floor")
    commands.start(local)
    try:
        ours, resources = _steps(local, "local")
        floor.select("floor")
        floor.ask("config", "set", "resources", str(resources), "--stack", "floor")
        least, _ = _steps(floor, "floor")
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)} failed: see {FOLDER / 'log'}", file=sys.stderr)
        return 1
    finally:
        commands.stop(local)
        (REPOSITORY / "benchmarks" / "floor" / "Pulumi.floor.yaml").unlink(missing_ok=True)
    table = _table(ours, least, resources)
    print(table)
    _write(table)
    return 0


def _steps(engine: Engine, stack: str) -> tuple[dict[str, Measured], int]:
    """Each step of a stack's life, measured, and how many resources it had."""
    engine.select(stack)

    def pulumi(*arguments: str) -> Measured:
        command = ["pulumi", *arguments, "--stack", stack, "--non-interactive"]
        print(f"{stack}: {' '.join(arguments)} ...", end=" ", flush=True)
        measured = run(command, engine.project, engine.environment(), FOLDER / "log")
        print(f"{measured.seconds:.1f} s", flush=True)
        return measured

    def previews() -> Measured:
        taken = [pulumi("preview") for _ in range(PREVIEWS)]
        return Measured(median(m.seconds for m in taken), max(m.mebibytes for m in taken))

    made = {"preview": previews(), "up": pulumi("up", "--yes", "--skip-preview")}
    resources = len(engine.resources(stack))
    made["no-change preview"] = previews()
    made["destroy"] = pulumi("destroy", "--yes", "--skip-preview")
    return made, resources


def _table(ours: dict[str, Measured], least: dict[str, Measured], resources: int) -> str:
    memory = psutil.virtual_memory().total / 2**30
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}; {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} "
        f"{platform.machine()}, Python {platform.python_version()}; {resources} resources; previews are the "
        f"median of {PREVIEWS}.",
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


def _write(table: str) -> None:
    page = PAGE.read_text()
    before, after = page.split(START)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
