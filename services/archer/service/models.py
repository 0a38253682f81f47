"""What the API answers."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, Field

from moka.allocation.plan import Plan
from moka.submission.waiting import Wait
from moka.workflows.definitions import Workflow, WorkflowName

StateName = Literal[
    "accepted",
    "queued",
    "submitting",
    "submitted",
    "running",
    "succeeded",
    "failed",
    "cancelled",
    "lost",
]
WantedName = Literal["run", "stop", "delete"]


class LinksModel(BaseModel):
    """Where more of a job is to be seen."""

    ui: str | None = Field(default=None, description="Its UI, while its driver runs.")
    history: str | None = Field(default=None, description="Its page in the Spark History Server.")


class AttemptModel(BaseModel):
    """An attempt to run a job, by an application of its own."""

    number: int
    cluster: str
    namespace: str
    application: str = Field(description="Name of its SparkApplication.")
    spark_id: str | None = Field(default=None, description="Spark's id of the run.")
    submitted: datetime
    started: datetime | None = None
    ended: datetime | None = None
    state: StateName | None = Field(default=None, description="How it ended.")
    reason: str | None = None
    message: str | None = None
    links: LinksModel = LinksModel()


class JobModel(BaseModel):
    """A job as it is now."""

    id: str
    name: str
    owner: str = Field(description="Who submitted it.")
    queue: str = Field(description="`organization.project`.")
    tier: int
    workflow: str | None = None
    state: StateName
    wanted: WantedName | None = Field(default=None, description="Empty once it has ended.")
    reason: str | None = Field(default=None, description="Why it ended so, in a word for programs.")
    message: str | None = Field(default=None, description="The same for people.")
    cluster: str | None = None
    namespace: str | None = None
    attempt: int = Field(description="Number of the last attempt.")
    submitted: datetime
    started: datetime | None = None
    ended: datetime | None = None


class WholeJobModel(JobModel):
    """A job with its attempts."""

    attempts: list[AttemptModel] = []


class WhyModel(BaseModel):
    """Why a job waits."""

    state: StateName
    word: str = Field(description=f"For programs: one of {', '.join(Wait)}.")
    message: str = Field(description="For people.")
    as_of: datetime = Field(description="When that was seen.")
    since: datetime = Field(description="From when on it is so.")


class PodModel(BaseModel):
    """A pod that has logs."""

    name: str
    role: Literal["driver", "executor"]
    executor: int | None = Field(default=None, description="Number of an executor, as Spark calls it.")


class PodsModel(BaseModel):
    """The pods of an attempt that have logs."""

    attempt: int
    pods: list[PodModel]


class LogPartModel(BaseModel):
    """A part of a log, in a stream: whole lines, as far as these are not longer than 1 MiB."""

    text: str


class SubmittedModel(BaseModel):
    """A job that was taken."""

    id: str
    new: bool = Field(description="Whether this request made it; it may have come before.")


class PageModel(BaseModel):
    """Some jobs, the newest first."""

    jobs: list[JobModel]
    next: str | None = Field(
        default=None, description="Give it as `cursor` for those before; empty at the end."
    )


class EventModel(BaseModel):
    """What happened to a job."""

    number: int
    at: datetime
    state: StateName
    attempt: int
    reason: str
    message: str


class EventsModel(BaseModel):
    """What happened to a job, in order."""

    events: list[EventModel]


class ValidationModel(BaseModel):
    """Where a job would go."""

    cluster: str | None = Field(description="Empty while no cluster takes it.")
    message: str = Field(description="Why it would wait.")


class BatchedModel(BaseModel):
    """What became of a job of a batch."""

    id: str | None = None
    new: bool = False
    problem: dict[str, object] | None = Field(default=None, description="Why it was not taken.")


class BatchModel(BaseModel):
    """What became of the jobs of a batch, in their order."""

    jobs: list[BatchedModel]


class ClusterModel(BaseModel):
    """A cluster, as far as jobs go."""

    name: str
    queues: list[str]
    namespaces: list[str]
    cordoned: str | None = Field(default=None, description="Why it takes no jobs; empty where it does.")
    healthy: bool = Field(description="Whether its API server answers.")
    waiting: int = Field(description="Jobs that wait for it, counted up to 10,000.")


class ClustersModel(BaseModel):
    """The clusters of the environment."""

    clusters: list[ClusterModel]


class CordonModel(BaseModel):
    """Why a cluster is to take no jobs."""

    why: str = Field(min_length=1, max_length=1000)


class RouteModel(BaseModel):
    """Where the jobs of a workflow go."""

    workflow: str = Field(
        min_length=1, max_length=200, description="Its name, or a pattern with `*` and `?`."
    )
    cluster: str | None = Field(default=None, max_length=63)
    namespace: str | None = Field(default=None, max_length=63)
    queue: str | None = Field(default=None, max_length=127)
    architecture: Literal["arm64", "amd64", "any"] | None = None
    why: str = Field(min_length=1, max_length=1000)


class WrittenRouteModel(RouteModel):
    """A route, with its history."""

    id: int
    since: datetime
    by: str
    ended: datetime | None = None
    ended_by: str | None = None
    plan: str | None = Field(default=None, description="That set it; empty where somebody did.")


class RoutesModel(BaseModel):
    """Routes, the latest first."""

    routes: list[WrittenRouteModel]


PlanState = Literal["proposed", "applied", "superseded", "refused"]


class PlanModel(BaseModel):
    """A plan, but for what is in it."""

    id: str
    state: PlanState = Field(description="Only one is applied: the one in force.")
    made: datetime
    made_by: str
    proposed: datetime
    proposed_by: str
    refused_by: str | None = None
    why: str | None = Field(default=None, description="It was refused.")


class WholePlanModel(PlanModel):
    """A plan."""

    document: Plan


class BroughtModel(BaseModel):
    """What a cluster has of what is in force."""

    cluster: str
    revision: int = Field(description="That it has: of another than the one in force, not yet.")
    brought: datetime | None = None


class RevisionModel(BaseModel):
    """What is in force, or was."""

    number: int
    after: int | None = None
    plan: str | None = Field(default=None, description="Empty where the settings hold.")
    kind: Literal["settings", "apply", "rollback", "withdrawal"]
    at: datetime
    by: str
    why: str


class AppliedModel(RevisionModel):
    """What is in force from now on."""

    left_out: list[str] = Field(default=[], description="What of a plan of before is not, and why.")


class PlansModel(BaseModel):
    """Plans, the latest first."""

    in_force: RevisionModel
    clusters: list[BroughtModel] = Field(description="Which said what queues they have.")
    revisions: list[RevisionModel] = Field(description="What was in force, the last 100, the latest first.")
    plans: list[PlanModel]


class StepModel(BaseModel):
    """That something else is to be in force."""

    revision: int = Field(ge=0, description="That is in force now: of another, nothing changes.")
    why: str = Field(min_length=1, max_length=1000)
    request: UUID = Field(
        default_factory=uuid4, description="Yours for this request: sent again, it gets the same answer."
    )


class ApplyModel(StepModel):
    """That a plan is to take effect."""

    by_itself: bool = Field(
        default=False,
        description="Nobody has looked at it: it takes effect only where the settings let it, and changes no "
        "more than they say.",
    )


class ReasonModel(BaseModel):
    """Why a plan is not to take effect."""

    why: str = Field(min_length=1, max_length=1000)


class SentWorkflowsModel(BaseModel):
    """Workflows as they are from now on; others stay as they are."""

    workflows: dict[WorkflowName, Workflow] = Field(min_length=1, max_length=10_000)
    why: str = Field(min_length=1, max_length=1000)


class ProposedWorkflowsModel(SentWorkflowsModel):
    """Workflows that nobody has told of."""

    measured: dict[WorkflowName, dict[str, Any]] = Field(
        default={}, description="What is known of them from what they used."
    )


class WorkflowModel(Workflow):
    """A workflow, with its history."""

    workflow: str
    proposed: bool = Field(description="Whether nobody has said so yet.")
    measured: dict[str, Any] | None = None
    since: datetime
    why: str
    by: str
    ended: datetime | None = None
    ended_by: str | None = None


class WorkflowsModel(BaseModel):
    """Workflows by name, what holds now before what held."""

    workflows: list[WorkflowModel]


class ChangedModel(BaseModel):
    """What a request changed."""

    changed: int = Field(description="Workflows that are not as they were.")
