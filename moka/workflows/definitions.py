"""Workflows as a file, of which examples/workflows has one.

format: moka-workflows/1
workflows:
  daily-orders:
    tier: 1
    slo_hours: 4
    owner: orders@acme.example
    project: retail.orders
    cluster: batch-a
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from moka.documents import DocumentKind, Form, Name, Section
from moka.mistakes import InvalidDocument
from moka.names import queue_path

FORMAT = "moka-workflows/1"

TierNumber = Annotated[int, Field(ge=1, le=3)]
WorkflowName = Annotated[
    str,
    Form(
        r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}",
        "write letters, digits, dots, dashes and underscores, at most 200, a letter or digit first",
    ),
]
"""As jobs name it."""

ProjectPath = Annotated[
    str,
    Form(
        r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?\.[a-z]([a-z0-9-]{0,28}[a-z0-9])?",
        "write organization and project with a dot between, as in retail.orders",
    ),
]

MILLIS = 3_600_000
"""Of an hour."""

MAX_SLO_HOURS = 24 * 31
"""A month: what runs more rarely has no history to go by."""


class Workflow(Section):
    """What is known of a workflow but for what it used."""

    tier: TierNumber = Field(description="How critical it is: 1, 2 or 3, 1 the most.")
    slo_hours: float | None = Field(
        default=None,
        gt=0,
        le=MAX_SLO_HOURS,
        description="Hours from a run's submission in which it has to be done; none where it is left out.",
    )
    owner: str = Field(min_length=1, description="Whom to ask: a team, or an address.")
    project: ProjectPath = Field(description="Whose queues it runs in: `<organization>.<project>`.")
    cluster: Name = Field(description="Its home: the cluster in the settings on which it runs.")

    @property
    def queue(self) -> str:
        """Path of the queue in which it runs."""
        return queue_path(self.project, self.tier)


def slo_millis(workflows: Mapping[str, Workflow]) -> dict[str, int]:
    """Workflow -> milliseconds from submission in which a run has to be done; those that have an SLO."""
    return {
        name: round(workflow.slo_hours * MILLIS)
        for name, workflow in workflows.items()
        if workflow.slo_hours is not None
    }


class Workflows(Section):
    """Workflows, by the names that jobs give."""

    format: Literal["moka-workflows/1"] = Field(description="Format of this file, with its version.")
    workflows: dict[WorkflowName, Workflow] = Field(description="Workflows, by name.")


WORKFLOW_FILE = DocumentKind(model=Workflows, example="examples/workflows/retail.yaml", noun="workflows")


def loads(content: bytes | str, where: str) -> Workflows:
    """The workflows in a file; `where` names it in messages.

    Raises InvalidDocument with every mistake, a line each.
    """
    data = WORKFLOW_FILE.read(content, where)
    try:
        return WORKFLOW_FILE.validate(data, where)
    except ValidationError as error:
        mistakes = WORKFLOW_FILE.mistakes(error)
    raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes))
