"""A disk that fills up during an `up`, told by a limit on the size of files: a write of the state fails."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.errors import Refusal
from tests.support.cut_off import network_stack, recover
from tests.support.kills import ONCE, existing
from tests.support.pulumi_stack import PulumiStack

pytestmark = pytest.mark.usefixtures("checkpoints")

SPACE = 20_000
"""Bytes that a file may have: less than the state of the network, more than that of its first resources."""


def up_on_a_full_disk(stack: PulumiStack, log: Path) -> int:
    """`make up`, without the set-up; its exit status."""
    command = ["-m", "localcloud", "--project", str(stack.engine.project), "up", "--stack", stack.name]
    # The engine tries each write for half a minute.
    with log.open("w") as output:
        return subprocess.run(
            [sys.executable, *command, "--", "--non-interactive", "--parallel", "1"],
            cwd=REPOSITORY,
            env=stack.engine.environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SPACE, SPACE)),
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode


def test_what_was_made_meanwhile_is_found_and_the_same_up_goes_on(tmp_path, capfd):
    with network_stack(tmp_path) as stack:
        file, log = stack.engine.state_file("dev"), tmp_path / "up.log"

        assert up_on_a_full_disk(stack, log) != 0

        assert "failed to save snapshot" in log.read_text()
        for spoiled in (file.path, file.backup):
            with pytest.raises(ValueError):
                json.loads(spoiled.read_text())
        assert existing(stack)["networks"] == 1
        with pytest.raises(Refusal, match=r"run `make recover STACK=dev ARGS=--rebuild`"):
            commands.up(stack.engine, "dev", ("--non-interactive",))
        assert "dev.json, from before pulumi's last run, is in force" in capfd.readouterr().out
        recovered = recover(stack, "--rebuild", "--yes")
        assert recovered.returncode == 0, recovered.stderr
        assert commands.up(stack.engine, "dev", ("--non-interactive",)) == 0

        assert existing(stack) == ONCE
        stack.expect_no_changes()
