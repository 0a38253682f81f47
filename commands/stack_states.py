"""States of an environment's stacks, as the `pulumi` at hand gives them."""

import json
import subprocess

from stacks.state_move import State


class PulumiFailed(Exception):
    """What pulumi said."""


def existing_stacks(environment: str) -> list[str]:
    """Stacks of an environment that there are. Raises PulumiFailed."""
    stacks = json.loads(pulumi("stack", "ls", "--json"))
    names = [str(stack["name"]).rpartition("/")[2] for stack in stacks]
    return [name for name in names if name.partition(".")[0] == environment]


def export(stack: str, *options: str) -> State:
    """The state of a stack. Raises PulumiFailed."""
    state: State = json.loads(pulumi("stack", "export", *options, "--stack", stack))
    return state


def pulumi(*arguments: str, text: str | None = None) -> str:
    """What pulumi prints; `text` is what it reads. Raises PulumiFailed."""
    try:
        completed = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"], input=text, capture_output=True, text=True
        )
    except FileNotFoundError:
        raise PulumiFailed("There is no pulumi on PATH: install it from pulumi.com.") from None
    if completed.returncode:
        output = (completed.stderr or completed.stdout).strip()
        raise PulumiFailed(f"pulumi {' '.join(arguments)} failed: {output}")
    return completed.stdout
