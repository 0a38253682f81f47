"""A plan: what queues get by the hour and where workflows run, with what it goes by, for review.

The document is `moka-plan/1`, in YAML as people write it, or in JSON as programs do: that of hundreds of
queues by the hour has more values than a file of people may have. docs/operations/plans.md explains it.
"""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from moka.allocation.queue_amounts import AmountsOfHour, Digest, QueueHours, QueuePath, of_hour
from moka.documents import DocumentKind, Form, Name, Section
from moka.mistakes import InvalidDocument
from moka.workflows.definitions import ProjectPath, TierNumber, WorkflowName

FORMAT = "moka-plan/1"

MAX_MIB = 32
"""Of a plan in JSON: 2,000 queues with 24 different hours have 5."""

Share = Annotated[float, Field(ge=0, le=1)]

PlanId = Annotated[
    str,
    Form(
        r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?",
        "write lower case, digits, dots and dashes, at most 63, a letter or digit first and last",
    ),
]


def _time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError("write a time with its zone, such as 2026-11-26T03:00:00Z")
    return text


Time = Annotated[str, AfterValidator(_time)]


class Window(Section):
    """A part of the history."""

    began: Time
    ended: Time


class Basis(Section):
    """What a plan goes by."""

    engine: Literal["percentile", "cp-sat"] = Field(description="How it was found.")
    window: Window = Field(description="The history that it looked at.")
    seed: int | None = Field(default=None, description="With the same, it is found again.")
    gap: Share | None = Field(
        default=None, description="By which part a better one might be better, at the most."
    )
    bound: float | None = Field(default=None, description="What no plan can be better than.")
    objective: float | None = Field(default=None, description="How good this one is, in the same measure.")
    revision: int | None = Field(
        default=None, ge=0, description="Of what was in force when it was made; it is compared with that."
    )


class PlannedQueue(QueueHours):
    """What a queue gets, and why."""

    reasons: list[str] = Field(default_factory=list, description="Of these amounts, a sentence each.")


class PlannedCluster(Section):
    """What the queues of a cluster get; one that is not here stays as the settings have it."""

    settings: Digest = Field(description="Of the queues in the settings for which it was made.")
    queues: dict[QueuePath, PlannedQueue] = Field(default_factory=dict, description="By path.")
    says: list[str] = Field(
        default_factory=list, description="Limits that bind, and what one more node would buy."
    )


class PlannedRoute(Section):
    """Where the runs of a workflow go."""

    cluster: Name = Field(description="Cluster of the settings.")
    namespace: Name | None = Field(default=None, description="In place of the job's own.")
    queue: ProjectPath | None = Field(default=None, description="In place of the job's own.")
    architecture: Literal["arm64", "amd64", "any"] | None = Field(
        default=None, description="In place of the job's own."
    )
    why: str = Field(min_length=1, max_length=1000, description="For people.")


class ExpectedSlo(Section):
    """Which part of the runs of a workflow is in time."""

    tier: TierNumber = Field(description="Of the workflow.")
    before: Share | None = Field(default=None, description="As it was in the window.")
    in_force: Share | None = Field(
        default=None, description="In a replay of runs with what was in force when the plan was made."
    )
    expected: Share = Field(description="In the same replay with this plan.")


class Plan(Section):
    """What queues get by the hour and where workflows run."""

    format: Literal["moka-plan/1"] = Field(description="Format of this file, with its version.")
    id: PlanId = Field(description="Its name, which no other plan has.")
    made: Time = Field(description="When it was made.")
    by: str = Field(min_length=1, max_length=256, description="Who, or what, made it.")
    basis: Basis = Field(description="What it goes by.")
    clusters: dict[Name, PlannedCluster] = Field(min_length=1, description="Clusters, by name.")
    routes: dict[WorkflowName, PlannedRoute] = Field(
        default_factory=dict, description="Where workflows run; others go where they fit."
    )
    slos: dict[WorkflowName, ExpectedSlo] = Field(
        default_factory=dict, description="What is expected of workflows that have an SLO."
    )
    says: list[str] = Field(default_factory=list, description="What is to be known of all of it.")
    differences: list[str] = Field(
        default_factory=list, description="From what was in force when it was made, a sentence each."
    )

    @property
    def moment(self) -> datetime:
        """When it was made, in UTC."""
        return datetime.fromisoformat(self.made).astimezone(UTC)

    def at(self, cluster: str, hour: int) -> AmountsOfHour:
        """What the queues of a cluster get in an hour of the day; nothing where it is none of the plan's."""
        planned = self.clusters.get(cluster)
        return of_hour(planned.queues, hour, planned.settings) if planned else AmountsOfHour(hour)


PLAN_FILE = DocumentKind(model=Plan, example="examples/plans/retail.yaml", noun="plan")


def loads(content: bytes | str, where: str) -> Plan:
    """The plan in a file; `where` names it in messages.

    Whether it fits the settings is another question (moka/allocation/plan_checks.py).
    Raises InvalidDocument with every mistake, a line each.
    """
    data = _json(content, where) if content.lstrip()[:1] in ("{", b"{") else PLAN_FILE.read(content, where)
    return read(data, where)


def read(data: Any, where: str) -> Plan:
    """A plan of plain data, as JSON has it. Raises InvalidDocument."""
    if not isinstance(data, dict):
        raise InvalidDocument(f"{where} must have keys and values, as in {PLAN_FILE.example}.")
    try:
        return PLAN_FILE.validate(data, where)
    except ValidationError as error:
        mistakes = PLAN_FILE.mistakes(error)
    raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes))


def as_data(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return plan.model_dump(mode="json", exclude_defaults=True)


def dumps(plan: Plan) -> str:
    """The text of a plan, in JSON; equal plans give equal text."""
    return json.dumps(as_data(plan), indent=1, sort_keys=True) + "\n"


def _json(content: bytes | str, where: str) -> Any:
    if len(content) > MAX_MIB * 2**20:
        raise InvalidDocument(
            f"{where} has more than {MAX_MIB} MiB: no plan needs that, so look what made it."
        )
    try:
        return json.loads(content, object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"{where} is not text: byte {error.start + 1} is not UTF-8.") from None
    except RecursionError:
        raise InvalidDocument(f"{where} is nested too deeply: write it like {PLAN_FILE.example}.") from None
    except InvalidDocument as error:
        raise InvalidDocument(f"{where}: {error}") from None
    except ValueError as error:
        raise InvalidDocument(f"{where} is not JSON: {error}.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counted = Counter(key for key, _ in pairs)
    if twice := [key for key, count in counted.items() if count > 1]:
        raise InvalidDocument(f"{twice[0][:100]} is there twice; rename or remove one of the two.")
    return dict(pairs)
