"""A preview of a stack, kept as the events that the engine writes.

Streamed events are kept rather than the digest that `pulumi preview --json` writes by default: only they have
what policies say (pulumi/pulumi: pkg/backend/display/json.go, ShowPreviewDigest leaves policy events out).
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Event = dict[str, Any]

STREAMED = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
PREVIEW = ("pulumi", "preview", "--stack", "{stack}", "--json", "--non-interactive")
WITH_POLICIES = (*PREVIEW, "--policy-pack", "policies")

COMMAND_NOT_FOUND = 127
"""Exit status, as shells have it."""


@dataclass(frozen=True)
class Run:
    """How a preview ended, and its events in order."""

    status: int
    events: list[Event]

    @property
    def complete(self) -> bool:
        """Whether the engine came to its end without an error."""
        return self.status == 0 and any("summaryEvent" in event for event in self.events)

    @property
    def messages(self) -> list[str]:
        """Errors and violations of mandatory policies, as the engine says them."""
        return list(_messages(self.events))


def run(stack: str, command: Sequence[str], say: Callable[[str], None]) -> Run:
    """Run a command that prints the events of a preview of a stack, put in place of `{stack}`.

    say: is given each line that it prints besides.
    """
    words = [word.replace("{stack}", stack) for word in command]
    events: list[Event] = []
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env={**os.environ, **STREAMED}
        )
    except OSError as error:
        say(f"{words[0]} cannot be run: {error.strerror}.")
        return Run(COMMAND_NOT_FOUND, events)
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            event = _event(line)
            if event is None:
                say(line.rstrip("\n"))
            else:
                events.append(event)
    return Run(process.returncode, events)


def write(path: Path, events: Sequence[Event]) -> None:
    """Write events, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events))


def as_markdown(stack: str, run: Run) -> str:
    """What a reviewer is told where there is no report: how the preview ended, and what it complained of."""
    ending = "ended well" if run.complete else f"failed with status {run.status}"
    if run.status == 0 and not run.complete:
        ending = "was cut off"
    lines = [f"### {stack}: no report", "", f"Its preview {ending}."]
    if run.messages:
        # Indented by four, whatever is in a message stays text.
        text = "\n".join(run.messages)
        lines += ["", *(f"    {line}" for line in text.splitlines())]
    return "\n".join(lines) + "\n"


def _event(line: str) -> Event | None:
    """The event in a line; None if it is something else that a command prints."""
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "sequence" in event else None


def _messages(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        diagnostic, violation = event.get("diagnosticEvent", {}), event.get("policyEvent", {})
        if diagnostic.get("severity") == "error":
            yield str(diagnostic.get("message", "")).strip()
        if violation.get("enforcementLevel") == "mandatory":
            name = str(violation.get("resourceUrn", "")).rpartition("::")[2]
            yield f"{violation.get('policyName')}: {name}: {str(violation.get('message', '')).strip()}"
