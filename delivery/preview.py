"""A preview of a stack, run by a command and kept as the events that the engine writes.

Streamed events are kept rather than the digest that `pulumi preview --json` writes by default: only they have
what policies say (pulumi/pulumi: pkg/backend/display/json.go, ShowPreviewDigest leaves policy events out).
"""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from previews import Preview, UnreadablePreview, read

STREAMED = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
PREVIEW = ("pulumi", "preview", "--stack", "{stack}", "--json", "--non-interactive")
WITH_POLICIES = (*PREVIEW, "--policy-pack", "policies")

COMMAND_NOT_FOUND = 127
"""Exit status, as shells have it."""


@dataclass(frozen=True)
class Run:
    """How a preview of a stack ended, and its events as they were printed."""

    stack: str
    status: int
    events: str

    @cached_property
    def _outcome(self) -> Preview | UnreadablePreview:
        try:
            preview = read(self.events, f"The preview of {self.stack}")
        except UnreadablePreview as error:
            return error
        if preview.stack != self.stack:
            return UnreadablePreview(
                f"The preview of {self.stack} is of stack {preview.stack}: preview {{stack}} by the command."
            )
        return preview

    @property
    def preview(self) -> Preview:
        """What it would do, even where a policy refuses that. Raises UnreadablePreview."""
        if isinstance(self._outcome, UnreadablePreview):
            raise self._outcome
        return self._outcome

    @property
    def problems(self) -> list[str]:
        """Why it is no good preview: errors and violations of mandatory policies as they are said, or how it
        ended; nothing where it is one."""
        if isinstance(self._outcome, UnreadablePreview):
            return [*self._outcome.errors] or [str(self._outcome)]
        if self._outcome.refusals:
            return [*self._outcome.refusals]
        return [f"The preview of {self.stack} ended with status {self.status}."] if self.status else []


def run(stack: str, command: Sequence[str], say: Callable[[str], None]) -> Run:
    """Run a command that prints the events of a preview of a stack, put in place of `{stack}`.

    say: is given each line that it prints besides.
    """
    words = [word.replace("{stack}", stack) for word in command]
    events: list[str] = []
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **STREAMED},
        )
    except OSError as error:
        say(f"{words[0]} cannot be run: {error.strerror}.")
        return Run(stack, COMMAND_NOT_FOUND, "")
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            # An event, or what is left of one: whether it is whole is for the reader of previews to say.
            if line.startswith("{"):
                if not _is_debug(line):
                    events.append(line)
            else:
                say(line.rstrip("\n"))
    return Run(stack, process.returncode, "".join(events))


def _is_debug(line: str) -> bool:
    """Whether an event is a message for who debugs the engine, which is not kept.

    Pulumi's SDK for Python writes outputs of the stack into some, secrets in plain, and the engine sends them
    into the stream whether or not it was told `--debug` (pulumi 3.250: runtime/resource.py,
    register_resource_outputs; found by tests/local/kubernetes/test_planted_secrets.py).
    """
    try:
        message = json.loads(line).get("diagnosticEvent")
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("severity") == "debug"


def as_markdown(run: Run, reasons: Sequence[str]) -> str:
    """What a reviewer is told where there is no report: how the preview ended, and why nothing is known."""
    lines = [f"### {run.stack}: no report", "", f"Its preview ended with status {run.status}.", ""]
    # Indented by four, whatever is in a message stays text.
    return "\n".join([*lines, *(f"    {line}" for line in "\n".join(reasons).splitlines())]) + "\n"


def write(path: Path, text: str) -> None:
    """Write a file, and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
