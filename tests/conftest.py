"""What tests on the real engine share, short ones and long ones."""

import json
import subprocess
import sys

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine


class Pulumi:
    """`pulumi` itself, for an engine's project and cloud, as a person runs it."""

    def run(self, engine: Engine, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """However it ends."""
        return subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=engine.project,
            env={**engine.environment(), **variables},
            capture_output=True,
            text=True,
        )

    def __call__(self, engine: Engine, *arguments: str, **variables: str) -> str:
        """What it prints; the test fails with all that it said when it fails."""
        done = self.run(engine, *arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def steps(self, engine: Engine, stack: str) -> dict[str, str]:
        """What a preview would do, by logical name; nothing for what stays the same."""
        told = json.loads(self(engine, "preview", "--json", "--stack", stack))
        return {
            s["urn"].rsplit("::", 1)[-1]: s["op"] for s in told["steps"] if s["op"] not in ("same", "read")
        }


@pytest.fixture(scope="session")
def pulumi() -> Pulumi:
    """Run `pulumi`."""
    return Pulumi()


@pytest.fixture(scope="session")
def module():
    """Run a module of a project's own, such as `commands.rollout`, in its cloud's environment."""

    def run(engine: Engine, name: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", name, *arguments],
            cwd=engine.project,
            env={**engine.environment(), "PYTHONPATH": str(REPOSITORY), **variables},
            capture_output=True,
            text=True,
        )

    return run
