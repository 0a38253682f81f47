"""`pulumi` and `moka`, run for a stack on a laptop cloud as a person runs them."""

import json
import subprocess
import sys
from dataclasses import dataclass
from subprocess import CompletedProcess, Popen
from typing import Any

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine


@dataclass(frozen=True)
class PulumiStack:
    """A stack of an engine's project. `variables` are environment variables beyond the engine's own."""

    engine: Engine
    name: str

    def try_run(self, *arguments: str, **variables: str) -> CompletedProcess[str]:
        """Run `pulumi`; it may fail."""
        return subprocess.run(**self._process(arguments, variables), capture_output=True)

    def run(self, *arguments: str, **variables: str) -> str:
        """Run `pulumi` -> its output. The test fails with all that it printed when it fails."""
        return succeeded(self.try_run(*arguments, **variables)).stdout

    def start(self, *arguments: str, **variables: str) -> Popen[str]:
        """Start `pulumi`, in a process group of its own, with errors in its output."""
        process = self._process(arguments, variables)
        return Popen(**process, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def _process(self, arguments: tuple[str, ...], variables: dict[str, str]) -> dict[str, Any]:
        return {
            "args": ["pulumi", *arguments, "--stack", self.name, "--non-interactive"],
            "cwd": self.engine.project,
            "env": {**self.engine.environment(), **variables},
            "text": True,
        }

    def up(self, **variables: str) -> str:
        """`pulumi up`, without a preview before it."""
        return self.run("up", "--yes", "--skip-preview", **variables)

    def destroy(self) -> str:
        """`pulumi destroy`, without a preview before it."""
        return self.run("destroy", "--yes", "--skip-preview")

    def expect_no_changes(self) -> None:
        """A preview shows no change, with the stack's file as the engine copies it."""
        copy = str(self.engine.config_file(self.name))
        self.run("preview", "--config-file", copy, "--expect-no-changes")

    def steps(self, **variables: str) -> list[dict[str, Any]]:
        """The steps of a preview that change something."""
        preview = json.loads(self.run("preview", "--json", **variables))
        return [step for step in preview["steps"] if step["op"] not in ("same", "read")]

    def operations(self, **variables: str) -> dict[str, str]:
        """Logical name -> operation that a preview shows; what stays the same is left out."""
        return {step["urn"].rsplit("::", 1)[-1]: step["op"] for step in self.steps(**variables)}

    def outputs(self) -> dict[str, Any]:
        """What the program exports, secrets included."""
        outputs: dict[str, Any] = json.loads(self.run("stack", "output", "--json", "--show-secrets"))
        return outputs

    def state(self) -> list[dict[str, Any]]:
        """The resources of its state, as `pulumi stack export` has them."""
        resources: list[dict[str, Any]] = json.loads(self.run("stack", "export"))["deployment"]["resources"]
        return resources


def read_until(process: Popen[str], words: str) -> None:
    """Read what a process prints up to these words; the test fails with all of it where they do not come."""
    lines = []
    assert process.stdout
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return
    raise AssertionError("".join(lines))


def moka(engine: Engine, command: str, *arguments: str, **variables: str) -> CompletedProcess[str]:
    """Run `moka`, for example its command `rollout`, in an engine's project and cloud; it may fail."""
    return subprocess.run(
        [sys.executable, "-m", "commands", command, *arguments],
        cwd=engine.project,
        env={**engine.environment(), "PYTHONPATH": str(REPOSITORY), **variables},
        capture_output=True,
        text=True,
    )


def leftovers(engine: Engine, environment: str, *options: str) -> list[dict[str, Any]]:
    """What `moka leftovers --json` finds: what stands in AWS with an environment's tags, and no stack has."""
    done = moka(engine, "leftovers", environment, "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    things: list[dict[str, Any]] = json.loads(done.stdout)
    return things


def succeeded(process: CompletedProcess[str]) -> CompletedProcess[str]:
    """The process, which must have succeeded; the test fails with all that it printed otherwise."""
    assert process.returncode == 0, process.stdout + process.stderr
    return process
