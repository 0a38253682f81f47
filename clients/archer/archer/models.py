"""Types of what Archer takes and answers: made of openapi.json by `make schema`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class Amounts(TypedDict, closed=True):
    """
    Amounts of some resources, in Kubernetes quantities.
    """

    cpu: NotRequired[str | None]
    """
    Cores, as Kubernetes writes them: 4, 500m.
    """
    gpu: NotRequired[int | None]
    """
    NVIDIA GPUs.
    """
    memory: NotRequired[str | None]
    """
    Memory: 512Mi, 64Gi, 2Ti.
    """


class AppliedModel(TypedDict):
    """
    What is in force from now on.
    """

    after: NotRequired[int | None]
    at: str
    by: str
    kind: Literal["settings", "apply", "rollback", "withdrawal"]
    left_out: NotRequired[list[str]]
    """
    What of a plan of before is not, and why.
    """
    number: int
    plan: NotRequired[str | None]
    """
    Empty where the settings hold.
    """
    why: str


class ApplyModel(TypedDict):
    """
    That a plan is to take effect.
    """

    by_itself: NotRequired[bool]
    """
    Nobody has looked at it: it takes effect only where the settings let it, and changes no more than they say.
    """
    request: NotRequired[str]
    """
    Yours for this request: sent again, it gets the same answer.
    """
    revision: int
    """
    That is in force now: of another, nothing changes.
    """
    why: str


class BatchedModel(TypedDict):
    """
    What became of a job of a batch.
    """

    id: NotRequired[str | None]
    new: NotRequired[bool]
    problem: NotRequired[dict[str, Any] | None]
    """
    Why it was not taken.
    """


class BroughtModel(TypedDict):
    """
    What a cluster has of what is in force.
    """

    brought: NotRequired[str | None]
    cluster: str
    revision: int
    """
    That it has: of another than the one in force, not yet.
    """


class ChangedModel(TypedDict):
    """
    What a request changed.
    """

    changed: int
    """
    Workflows that are not as they were.
    """


class ClusterModel(TypedDict):
    """
    A cluster, as far as jobs go.
    """

    cordoned: NotRequired[str | None]
    """
    Why it takes no jobs; empty where it does.
    """
    healthy: bool
    """
    Whether its API server answers.
    """
    name: str
    namespaces: list[str]
    queues: list[str]
    waiting: int
    """
    Jobs that wait for it, counted up to 10,000.
    """


class ClustersModel(TypedDict):
    """
    The clusters of the environment.
    """

    clusters: list[ClusterModel]


class CordonModel(TypedDict):
    """
    Why a cluster is to take no jobs.
    """

    why: str


class Dependencies(TypedDict, closed=True):
    """
    Files for drivers and executors besides the image; each the URL of one file, such as `s3a://`, `local://`.
    """

    archives: NotRequired[list[str]]
    """
    Archives to unpack, `url#folder`.
    """
    exclude_packages: NotRequired[list[str]]
    """
    `group:artifact` to leave out of those.
    """
    files: NotRequired[list[str]]
    """
    Files in the working directory.
    """
    jars: NotRequired[list[str]]
    """
    Jars on the class path.
    """
    packages: NotRequired[list[str]]
    """
    Maven coordinates, `group:artifact:version`, of those that the platform allows.
    """
    py_files: NotRequired[list[str]]
    """
    Python modules, .py, .zip or .egg.
    """
    repositories: NotRequired[list[str]]
    """
    Repositories besides Maven Central, of those that it allows.
    """


class Driver(TypedDict, closed=True):
    """
    The driver's pod.
    """

    core_request: NotRequired[str | None]
    """
    Cores that the pod requests, by default `cores`: 500m, 1.5.
    """
    cores: NotRequired[int]
    """
    Cores that Spark uses.
    """
    memory: NotRequired[str]
    """
    Heap of the JVM: 8g or 8Gi, which are the same.
    """
    overhead: NotRequired[str | None]
    """
    Memory beside the heap; by default 10% of it, 40% with Python or R, at least 384m.
    """


class DynamicAllocation(TypedDict, closed=True):
    """
    Executors that come and go with the work.
    """

    idle_seconds: NotRequired[int]
    """
    Seconds after which an executor without work is removed.
    """
    initial: NotRequired[int | None]
    """
    Executors at the start, by default the minimum.
    """
    maximum: int
    """
    Executors at most.
    """
    minimum: NotRequired[int]
    """
    Executors at least.
    """


class EventModel(TypedDict):
    """
    What happened to a job.
    """

    at: str
    attempt: int
    message: str
    number: int
    reason: str
    state: Literal[
        "accepted", "queued", "submitting", "submitted", "running", "succeeded", "failed", "cancelled", "lost"
    ]


class EventsModel(TypedDict):
    """
    What happened to a job, in order.
    """

    events: list[EventModel]


class Executor(TypedDict, closed=True):
    """
    The executors' pods: `instances` of them, or as many as `dynamic` allows.
    """

    core_request: NotRequired[str | None]
    """
    Cores that a pod requests, by default `cores`: 500m, 1.5.
    """
    cores: NotRequired[int]
    """
    Cores, each for one task at a time.
    """
    dynamic: NotRequired[DynamicAllocation | None]
    """
    In place of `instances`.
    """
    gpus: NotRequired[int | None]
    """
    NVIDIA GPUs of each, on nodes with GPUs; by default none.
    """
    instances: NotRequired[int | None]
    """
    Executors, by default 2.
    """
    memory: NotRequired[str]
    """
    Heap of the JVM: 8g or 8Gi, which are the same.
    """
    off_heap: NotRequired[str | None]
    """
    Memory that Spark manages outside of the heap; by default none.
    """
    overhead: NotRequired[str | None]
    """
    Memory beside the heap; by default 10% of it, 40% with Python or R, at least 384m.
    """
    zone: NotRequired[str | None]
    """
    Zone of all of them: one, which the platform chooses, any, or one by its name; by default as the cluster has it.
    """


class ExpectedSlo(TypedDict, closed=True):
    """
    Which part of the runs of a workflow is in time.
    """

    before: NotRequired[float | None]
    """
    As it was in the window.
    """
    expected: float
    """
    In the same replay with this plan.
    """
    in_force: NotRequired[float | None]
    """
    In a replay of runs with what was in force when the plan was made.
    """
    tier: int
    """
    Of the workflow.
    """


class HostMount(TypedDict, closed=True):
    """
    A folder of the node that drivers and executors see, of those that the platform allows.
    """

    mount: str
    """
    Where it is in the pods.
    """
    path: str
    """
    Folder of the node.
    """
    propagation: NotRequired[Literal["None", "HostToContainer"]]
    """
    Whether running pods see what the node mounts below it, such as a FUSE mount: `HostToContainer`; what pods mount, the node never sees.
    """
    read_only: NotRequired[bool]
    """
    Pods may only read it.
    """


class HourAmounts(TypedDict, closed=True):
    """
    What a queue has in an hour.
    """

    guaranteed: NotRequired[Amounts | None]
    """
    What it gets back by preemption; nothing where it is left out.
    """
    max_applications: NotRequired[int | None]
    """
    Jobs that run at a time; as the settings have it where it is left out.
    """
    maximum: NotRequired[Amounts | None]
    """
    What it never exceeds; what is left out is as the settings have it.
    """


class JobModel(TypedDict):
    """
    A job as it is now.
    """

    attempt: int
    """
    Number of the last attempt.
    """
    cluster: NotRequired[str | None]
    ended: NotRequired[str | None]
    id: str
    message: NotRequired[str | None]
    """
    The same for people.
    """
    name: str
    namespace: NotRequired[str | None]
    owner: str
    """
    Who submitted it.
    """
    queue: str
    """
    `organization.project`.
    """
    reason: NotRequired[str | None]
    """
    Why it ended so, in a word for programs.
    """
    started: NotRequired[str | None]
    state: Literal[
        "accepted", "queued", "submitting", "submitted", "running", "succeeded", "failed", "cancelled", "lost"
    ]
    submitted: str
    tier: int
    wanted: NotRequired[Literal["run", "stop", "delete"] | None]
    """
    Empty once it has ended.
    """
    workflow: NotRequired[str | None]


class LinksModel(TypedDict):
    """
    Where more of a job is to be seen.
    """

    history: NotRequired[str | None]
    """
    Its page in the Spark History Server.
    """
    ui: NotRequired[str | None]
    """
    Its UI, while its driver runs.
    """


class LogPartModel(TypedDict):
    """
    A part of a log, in a stream: whole lines, as far as these are not longer than 1 MiB.
    """

    text: str


class MistakeModel(TypedDict):
    """
    What is wrong at a place.
    """

    at: str
    """
    Place in the request: a field, with dots; or a parameter.
    """
    says: str
    """
    What is wrong with it, and what would be right.
    """


class PageModel(TypedDict):
    """
    Some jobs, the newest first.
    """

    jobs: list[JobModel]
    next: NotRequired[str | None]
    """
    Give it as `cursor` for those before; empty at the end.
    """


class PlanModel(TypedDict):
    """
    A plan, but for what is in it.
    """

    id: str
    made: str
    made_by: str
    proposed: str
    proposed_by: str
    refused_by: NotRequired[str | None]
    state: Literal["proposed", "applied", "superseded", "refused"]
    """
    Only one is applied: the one in force.
    """
    why: NotRequired[str | None]
    """
    It was refused.
    """


class PlannedQueue(TypedDict, closed=True):
    """
    What a queue gets, and why.
    """

    hours: list[HourAmounts]
    """
    One for all hours, or 24: the first is from 0:00 to 1:00, UTC.
    """
    reasons: NotRequired[list[str]]
    """
    Of these amounts, a sentence each.
    """


class PlannedRoute(TypedDict, closed=True):
    """
    Where the runs of a workflow go.
    """

    architecture: NotRequired[Literal["arm64", "amd64", "any"] | None]
    """
    In place of the job's own.
    """
    cluster: str
    """
    Cluster of the settings.
    """
    namespace: NotRequired[str | None]
    """
    In place of the job's own.
    """
    queue: NotRequired[str | None]
    """
    In place of the job's own.
    """
    why: str
    """
    For people.
    """


class PodModel(TypedDict):
    """
    A pod that has logs.
    """

    executor: NotRequired[int | None]
    """
    Number of an executor, as Spark calls it.
    """
    name: str
    role: Literal["driver", "executor"]


class PodsModel(TypedDict):
    """
    The pods of an attempt that have logs.
    """

    attempt: int
    pods: list[PodModel]


class ProblemModel(TypedDict):
    """
    An error (RFC 9457).
    """

    detail: str
    """
    What is wrong, where, and what to do.
    """
    job: NotRequired[str | None]
    """
    The job that it is about, where there is another.
    """
    mistakes: NotRequired[list[MistakeModel] | None]
    """
    All that is wrong.
    """
    status: int
    """
    The status of the answer.
    """
    title: str
    """
    What it is, in a few words.
    """
    type: str
    """
    `urn:archer:<kind>`, for programs.
    """


class ReasonModel(TypedDict):
    """
    Why a plan is not to take effect.
    """

    why: str


class Restart(TypedDict, closed=True):
    """
    Whether a job runs again once its driver has ended. A failed submission is always repeated.
    """

    policy: NotRequired[Literal["never", "on-failure", "always"]]
    """
    `always`, also after a success, is for streams.
    """
    retries: NotRequired[int]
    """
    Attempts after the first, with `on-failure`.
    """
    seconds: NotRequired[int]
    """
    Pause before the first retry; it grows with each.
    """


class RevisionModel(TypedDict):
    """
    What is in force, or was.
    """

    after: NotRequired[int | None]
    at: str
    by: str
    kind: Literal["settings", "apply", "rollback", "withdrawal"]
    number: int
    plan: NotRequired[str | None]
    """
    Empty where the settings hold.
    """
    why: str


class RouteModel(TypedDict):
    """
    Where the jobs of a workflow go.
    """

    architecture: NotRequired[Literal["arm64", "amd64", "any"] | None]
    cluster: NotRequired[str | None]
    namespace: NotRequired[str | None]
    queue: NotRequired[str | None]
    why: str
    workflow: str
    """
    Its name, or a pattern with `*` and `?`.
    """


class SecretKey(TypedDict, closed=True):
    """
    A key of a Secret in the job's namespace.
    """

    key: str
    """
    Key in it.
    """
    name: str
    """
    Name of the Secret.
    """


class StepModel(TypedDict):
    """
    That something else is to be in force.
    """

    request: NotRequired[str]
    """
    Yours for this request: sent again, it gets the same answer.
    """
    revision: int
    """
    That is in force now: of another, nothing changes.
    """
    why: str


class SubmittedModel(TypedDict):
    """
    A job that was taken.
    """

    id: str
    new: bool
    """
    Whether this request made it; it may have come before.
    """


class Unique(TypedDict, closed=True):
    """
    At most one active job of this key in a project; Archer sees to it.
    """

    key: str
    """
    What it is one of, such as a table and its day: `orders/2026-11-23`. Visible ASCII.
    """
    second: NotRequired[Literal["refuse", "return", "replace"]]
    """
    What happens to a second: `refuse` it, `return` the first in its place, or `replace` the first, which is stopped, and has ended before the second starts.
    """


class ValidationModel(TypedDict):
    """
    Where a job would go.
    """

    cluster: str | None
    """
    Empty while no cluster takes it.
    """
    message: str
    """
    Why it would wait.
    """


class WhyModel(TypedDict):
    """
    Why a job waits.
    """

    as_of: str
    """
    When that was seen.
    """
    message: str
    """
    For people.
    """
    since: str
    """
    From when on it is so.
    """
    state: Literal[
        "accepted", "queued", "submitting", "submitted", "running", "succeeded", "failed", "cancelled", "lost"
    ]
    word: str
    """
    For programs: one of nothing, stop, replaced job, pause, no cluster, placing, cluster cordoned, cluster away, turn, pace, operator busy, submission, scheduler, queue full, user limit, max applications, no machine, image, start.
    """


class Window(TypedDict, closed=True):
    """
    A part of the history.
    """

    began: str
    ended: str


class Workflow(TypedDict, closed=True):
    """
    What is known of a workflow but for what it used.
    """

    cluster: str
    """
    Its home: the cluster in the settings on which it runs.
    """
    owner: str
    """
    Whom to ask: a team, or an address.
    """
    project: str
    """
    Whose queues it runs in: `<organization>.<project>`.
    """
    slo_hours: NotRequired[float | None]
    """
    Hours from a run's submission in which it has to be done; none where it is left out.
    """
    tier: int
    """
    How critical it is: 1, 2 or 3, 1 the most.
    """


class WorkflowModel(TypedDict, closed=True):
    """
    A workflow, with its history.
    """

    by: str
    cluster: str
    """
    Its home: the cluster in the settings on which it runs.
    """
    ended: NotRequired[str | None]
    ended_by: NotRequired[str | None]
    measured: NotRequired[dict[str, Any] | None]
    owner: str
    """
    Whom to ask: a team, or an address.
    """
    project: str
    """
    Whose queues it runs in: `<organization>.<project>`.
    """
    proposed: bool
    """
    Whether nobody has said so yet.
    """
    since: str
    slo_hours: NotRequired[float | None]
    """
    Hours from a run's submission in which it has to be done; none where it is left out.
    """
    tier: int
    """
    How critical it is: 1, 2 or 3, 1 the most.
    """
    why: str
    workflow: str


class WorkflowsModel(TypedDict):
    """
    Workflows by name, what holds now before what held.
    """

    workflows: list[WorkflowModel]


class WrittenRouteModel(TypedDict):
    """
    A route, with its history.
    """

    architecture: NotRequired[Literal["arm64", "amd64", "any"] | None]
    by: str
    cluster: NotRequired[str | None]
    ended: NotRequired[str | None]
    ended_by: NotRequired[str | None]
    id: int
    namespace: NotRequired[str | None]
    plan: NotRequired[str | None]
    """
    That set it; empty where somebody did.
    """
    queue: NotRequired[str | None]
    since: str
    why: str
    workflow: str
    """
    Its name, or a pattern with `*` and `?`.
    """


class AttemptModel(TypedDict):
    """
    An attempt to run a job, by an application of its own.
    """

    application: str
    """
    Name of its SparkApplication.
    """
    cluster: str
    ended: NotRequired[str | None]
    links: NotRequired[LinksModel]
    message: NotRequired[str | None]
    namespace: str
    number: int
    reason: NotRequired[str | None]
    spark_id: NotRequired[str | None]
    """
    Spark's id of the run.
    """
    started: NotRequired[str | None]
    state: NotRequired[
        Literal[
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
        | None
    ]
    """
    How it ended.
    """
    submitted: str


class Basis(TypedDict, closed=True):
    """
    What a plan goes by.
    """

    bound: NotRequired[float | None]
    """
    What no plan can be better than.
    """
    engine: Literal["percentile", "cp-sat"]
    """
    How it was found.
    """
    gap: NotRequired[float | None]
    """
    By which part a better one might be better, at the most.
    """
    objective: NotRequired[float | None]
    """
    How good this one is, in the same measure.
    """
    revision: NotRequired[int | None]
    """
    Of what was in force when it was made; it is compared with that.
    """
    seed: NotRequired[int | None]
    """
    With the same, it is found again.
    """
    window: Window
    """
    The history that it looked at.
    """


class BatchModel(TypedDict):
    """
    What became of the jobs of a batch, in their order.
    """

    jobs: list[BatchedModel]


class Job(TypedDict, closed=True):
    """
    A Spark job: all keys of a job file.
    """

    annotations: NotRequired[dict[str, str]]
    """
    Annotations of the application, not of its pods.
    """
    architecture: NotRequired[Literal["arm64", "amd64", "any"]]
    """
    Architecture of its machines; `any` is for images with both, wherever there is room.
    """
    arguments: NotRequired[list[str]]
    """
    Arguments, each as text.
    """
    celeborn: NotRequired[bool | None]
    """
    Keep shuffle data on Celeborn; by default, large jobs whose executors come and go do, where the settings say that the platform's image has its client.
    """
    conf: NotRequired[dict[str, str | int | float | bool]]
    """
    Spark configuration, except keys that the platform sets.
    """
    dependencies: NotRequired[Dependencies]
    driver: NotRequired[Driver]
    env: NotRequired[dict[str, str]]
    """
    Environment variables of drivers and executors; nothing secret.
    """
    executor: NotRequired[Executor]
    groups: NotRequired[list[str]]
    """
    Groups of the user, whose limits count.
    """
    host_mounts: NotRequired[list[HostMount]]
    """
    Folders of its nodes to mount.
    """
    image: NotRequired[str | None]
    """
    Image; by default the platform's for this Spark version.
    """
    image_pull_secrets: NotRequired[list[str]]
    """
    Secrets of type dockerconfigjson in the job's namespace.
    """
    labels: NotRequired[dict[str, str]]
    """
    Labels of the application and its pods.
    """
    language: NotRequired[Literal["scala", "java", "python", "r"]]
    """
    What it is written in.
    """
    main_class: NotRequired[str | None]
    """
    Main class, only for Scala and Java.
    """
    main_file: str
    """
    Jar or script: a URL, `local://` for a file of the image.
    """
    name: str
    """
    Lower case, digits and dashes; unique in its namespace, part of the address of its UI.
    """
    namespace: str
    """
    Job namespace to run in.
    """
    python: NotRequired[str | None]
    """
    Python interpreter in the image, by default its `python3`.
    """
    queue: str
    """
    `organization.project` whose queue it waits in; `tier` selects the queue.
    """
    restart: NotRequired[Restart]
    scratch_gib: NotRequired[int | None]
    """
    GiB that a pod may spill and shuffle on its node; by default any.
    """
    secrets: NotRequired[dict[str, SecretKey]]
    """
    Environment variable -> key of a Secret with its value.
    """
    spark_version: NotRequired[Literal["4.1", "3.5"]]
    """
    Spark version of the image.
    """
    tier: Literal[1, 2, 3]
    """
    How critical it is: from 1, never preempted, to 3, which waits for all others.
    """
    ttl_seconds: NotRequired[int]
    """
    Seconds after its end until it is deleted with its pods.
    """
    uid: NotRequired[int]
    """
    User id of its processes; by default the image's.
    """
    unique: NotRequired[Unique | None]
    """
    At most one of its kind, submitted to Archer.
    """
    user: NotRequired[str | None]
    """
    User it runs for, whose limits count.
    """
    workflow: NotRequired[str | None]
    """
    What it is a part of and comes back with, such as a DAG: what Archer's routes are for.
    """


class PlannedCluster(TypedDict, closed=True):
    """
    What the queues of a cluster get; one that is not here stays as the settings have it.
    """

    queues: NotRequired[dict[str, PlannedQueue]]
    """
    By path.
    """
    says: NotRequired[list[str]]
    """
    Limits that bind, and what one more node would buy.
    """
    settings: str
    """
    Of the queues in the settings for which it was made.
    """


class PlansModel(TypedDict):
    """
    Plans, the latest first.
    """

    clusters: list[BroughtModel]
    """
    Which said what queues they have.
    """
    in_force: RevisionModel
    plans: list[PlanModel]
    revisions: list[RevisionModel]
    """
    What was in force, the last 100, the latest first.
    """


class ProposedWorkflowsModel(TypedDict):
    """
    Workflows that nobody has told of.
    """

    measured: NotRequired[dict[str, dict[str, Any]]]
    """
    What is known of them from what they used.
    """
    why: str
    workflows: dict[str, Workflow]


class RoutesModel(TypedDict):
    """
    Routes, the latest first.
    """

    routes: list[WrittenRouteModel]


class SentWorkflowsModel(TypedDict):
    """
    Workflows as they are from now on; others stay as they are.
    """

    why: str
    workflows: dict[str, Workflow]


class WholeJobModel(TypedDict):
    """
    A job with its attempts.
    """

    attempt: int
    """
    Number of the last attempt.
    """
    attempts: NotRequired[list[AttemptModel]]
    cluster: NotRequired[str | None]
    ended: NotRequired[str | None]
    id: str
    message: NotRequired[str | None]
    """
    The same for people.
    """
    name: str
    namespace: NotRequired[str | None]
    owner: str
    """
    Who submitted it.
    """
    queue: str
    """
    `organization.project`.
    """
    reason: NotRequired[str | None]
    """
    Why it ended so, in a word for programs.
    """
    started: NotRequired[str | None]
    state: Literal[
        "accepted", "queued", "submitting", "submitted", "running", "succeeded", "failed", "cancelled", "lost"
    ]
    submitted: str
    tier: int
    wanted: NotRequired[Literal["run", "stop", "delete"] | None]
    """
    Empty once it has ended.
    """
    workflow: NotRequired[str | None]


class Plan(TypedDict, closed=True):
    """
    What queues get by the hour and where workflows run.
    """

    basis: Basis
    """
    What it goes by.
    """
    by: str
    """
    Who, or what, made it.
    """
    clusters: dict[str, PlannedCluster]
    """
    Clusters, by name.
    """
    differences: NotRequired[list[str]]
    """
    From what was in force when it was made, a sentence each.
    """
    format: Literal["moka-plan/1"]
    """
    Format of this file, with its version.
    """
    id: str
    """
    Its name, which no other plan has.
    """
    made: str
    """
    When it was made.
    """
    routes: NotRequired[dict[str, PlannedRoute]]
    """
    Where workflows run; others go where they fit.
    """
    says: NotRequired[list[str]]
    """
    What is to be known of all of it.
    """
    slos: NotRequired[dict[str, ExpectedSlo]]
    """
    What is expected of workflows that have an SLO.
    """


class WholePlanModel(TypedDict):
    """
    A plan.
    """

    document: Plan
    id: str
    made: str
    made_by: str
    proposed: str
    proposed_by: str
    refused_by: NotRequired[str | None]
    state: Literal["proposed", "applied", "superseded", "refused"]
    """
    Only one is applied: the one in force.
    """
    why: NotRequired[str | None]
    """
    It was refused.
    """
