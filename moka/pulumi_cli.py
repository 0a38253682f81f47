"""What is asked of pulumi's command line, and done by it."""

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

State = dict[str, Any]
"""What `pulumi stack export` prints."""


class PulumiFailed(Exception):
    """Pulumi's command line failed: which command, and what it said."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(f"{sentence}: {output}" if output else sentence)
        self.sentence: str = sentence
        self.output: str = output

    def in_short(self) -> str:
        """The sentence, with the first line of what pulumi said."""
        return f"{self.sentence}: {self.output.splitlines()[0]}" if self.output else self.sentence


def pulumi(
    *arguments: str,
    text: str | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What `pulumi ARGUMENTS` prints.

    text: what it reads. folder, environment: where and with what variables it runs, if not with our own.
    Raises PulumiFailed.
    """
    command = ["pulumi", *arguments, "--non-interactive"]
    try:
        completed = subprocess.run(
            command, input=text, cwd=folder, env=environment, capture_output=True, text=True
        )
    except FileNotFoundError:
        raise PulumiFailed("There is no pulumi on PATH: install it from pulumi.com.") from None
    if completed.returncode:
        output = (completed.stderr or completed.stdout).strip()
        raise PulumiFailed(f"pulumi {' '.join(arguments)} failed", output or "without output")
    return completed.stdout


def stacks() -> dict[str, dict[str, Any]]:
    """Name -> stack of the project, as `pulumi stack ls` shows it. Raises PulumiFailed."""
    entries = json.loads(pulumi("stack", "ls", "--json"))
    names = [str(entry["name"]).rpartition("/")[2] for entry in entries]
    return {name: {**entry, "name": name} for name, entry in sorted(zip(names, entries, strict=True))}


def meant(name: str, stacks: Iterable[str]) -> list[str]:
    """Of some stacks those that a name means: one, or all of an environment."""
    return [stack for stack in stacks if name in (stack, stack.partition(".")[0])]


def export(stack: str, *options: str) -> State:
    """The state of a stack, its secrets encrypted unless options say otherwise. Raises PulumiFailed."""
    state: State = json.loads(pulumi("stack", "export", *options, "--stack", stack))
    return state
