"""Drift: what is not as the state of a stack has it, because somebody or something changed or deleted it.

`pulumi preview --refresh` asks for every resource and compares it with the state. It takes no lock of the
state, so reading is all that a role needs for it; `pulumi refresh --preview-only` takes one, and with it
writes to the bucket (pulumi/pulumi: pkg/backend/diy/backend.go, Preview and Refresh). What the program would
change besides, as something that is merged waits for its approval, is no drift: it comes after the refresh,
as other operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from delivery.preview import PREVIEW, Run
from previews import Preview, name_of

RELEASES = "urn:pulumi:**kubernetes:helm.sh/v3:Release::**"
"""Releases of Helm: what it keeps of them are Secrets, which a role that only reads must not see."""

COMMAND = (*PREVIEW, "--refresh", "--exclude", RELEASES)

NOT_REFRESHED = (
    "the preview asked for no resource: have the command preview with --refresh, as a stream of events."
)

Status = Literal["none", "drift", "unknown"]
"""Of an environment; `unknown` where it could not be checked, whatever is known."""


@dataclass(frozen=True)
class Drift:
    """A resource that is not as the state has it.

    properties: paths of what differs; none where the resource is gone.
    """

    urn: str
    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        """Type and logical name, as `pulumi` shows them."""
        return f"{self.urn.split('::')[2].rpartition('$')[2]} {name_of(self.urn)}"

    @property
    def says(self) -> str:
        """What is the matter with it."""
        return f"changed: {', '.join(self.properties)}" if self.properties else "is gone"


@dataclass(frozen=True)
class StackDrift:
    """What was found of a stack.

    problem: why it could not be checked; None where it was.
    """

    stack: str
    problem: str | None
    resources: tuple[Drift, ...]


def stack_drift(run: Run) -> StackDrift:
    """The drift of a stack, by a run of COMMAND. A run that did not end well is a problem, whatever it
    saw."""
    if not run.problems:
        if run.preview.refreshed or not _is_deployed(run.preview):
            return StackDrift(run.stack, None, tuple(_drifts(run.preview)))
        return StackDrift(run.stack, NOT_REFRESHED, ())
    return StackDrift(run.stack, " ".join(run.problems), ())


def status(stacks: Sequence[StackDrift]) -> Status:
    """Of an environment with these stacks; one without any was not checked."""
    if not stacks or any(stack.problem for stack in stacks):
        return "unknown"
    return "drift" if any(stack.resources for stack in stacks) else "none"


def as_data(environment: str, stacks: Sequence[StackDrift]) -> dict[str, Any]:
    """For a file in JSON: what `from_data` reads."""
    return {
        "environment": environment,
        "status": status(stacks),
        "stacks": [asdict(stack) for stack in stacks],
    }


def from_data(data: Mapping[str, Any]) -> tuple[str, list[StackDrift]]:
    """Environment and stacks of a file. Raises KeyError or TypeError where it is no such file."""
    stacks = [
        StackDrift(
            stack["stack"],
            stack["problem"],
            tuple(Drift(drift["urn"], tuple(drift["properties"])) for drift in stack["resources"]),
        )
        for stack in data["stacks"]
    ]
    return data["environment"], stacks


def text(environment: str, stacks: Sequence[StackDrift]) -> str:
    """What was found, as Markdown that also reads well as text."""
    lines = [VERDICTS[status(stacks)].format(environment=environment)]
    for stack in stacks:
        if stack.problem:
            lines += ["", f"{stack.stack} could not be checked: {stack.problem}"]
        if stack.resources:
            lines += ["", f"{stack.stack}:", ""]
            lines += [f"- `{drift.name}` {drift.says}" for drift in stack.resources]
    return "\n".join(lines)


VERDICTS: dict[Status, str] = {
    "none": "Everything in {environment} is as it was deployed.",
    # Without, `up` compares the settings with its state, which has it as it was deployed.
    "drift": "{environment} is not as it was deployed. `make up STACK={environment} ARGS=--refresh` puts it "
    "right, or the settings say what is wanted.",
    "unknown": "Whether {environment} is as it was deployed is not known.",
}


def _is_deployed(preview: Preview) -> bool:
    return any(step.old for step in preview.steps)


def _drifts(preview: Preview) -> list[Drift]:
    return [
        Drift(resource.urn, resource.changed)
        for resource in preview.refreshed or ()
        if resource.changed or resource.gone
    ]
