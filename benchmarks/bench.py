"""Shared by the benchmarks: a cloud of their own, stacks in it to measure, the floor to compare with."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from benchmarks.measure import Measured, run
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine

FOLDER = REPOSITORY / ".local" / "bench"
LOG = FOLDER / "log"
"""What the measured commands print."""

CLOUD = Cloud(FOLDER / "cloud")


@dataclass(frozen=True)
class Stack:
    """A stack that is measured.

    project: folder of its Pulumi project.
    variables: environment of its program, besides the engine's.
    """

    project: Path
    name: str
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The engine for its project."""
        return Engine(CLOUD, self.project)

    def pulumi(self, verb: str, *arguments: str) -> Measured:
        """Run `pulumi` on the stack, and measure it. Raises subprocess.CalledProcessError when it fails."""
        engine = self.engine
        config = ("--config-file", str(engine.config_file(self.name)))
        command = ["pulumi", verb, *arguments, "--stack", self.name, *config, "--non-interactive"]
        print(f"{self.project.name}, {self.name}: {verb} ...", end=" ", flush=True)
        measurement = run(command, self.project, {**engine.environment(), **self.variables}, LOG)
        print(f"{measurement.seconds:.1f} s, {measurement.cpu_seconds:.1f} s of CPU", flush=True)
        return measurement


def floor(name: str, resources: int, kubernetes: int, *, paced: bool = False) -> Stack:
    """A stack that does the least that is possible with as many resources.

    name: of its folder.
    resources: how many there are, providers included.
    kubernetes: providers of Kubernetes among them, each of which starts a plugin.
    paced: with what our own program does to the SDK's pace.
    """
    folder = FOLDER / name
    shutil.copytree(REPOSITORY / "benchmarks" / "floor", folder)
    description = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    write(folder / "Pulumi.yaml", {**description, "runtime": RUNTIME})
    write(
        folder / "Pulumi.floor.yaml",
        {"config": {"floor:resources": resources, "floor:kubernetes": kubernetes}},
    )
    stack = Stack(folder, "floor", {"MOKA_PACED": "1", "PYTHONPATH": str(REPOSITORY)} if paced else {})
    stack.engine.select("floor")
    return stack


RUNTIME = {"name": "python", "options": {"virtualenv": str(REPOSITORY / ".local" / "venv")}}


def write(path: Path, content: object) -> None:
    """Write a YAML file."""
    path.write_text(yaml.safe_dump(content, sort_keys=False))
