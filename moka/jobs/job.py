"""A Spark job, as its owner describes it; moka/jobs/application.py turns it into a SparkApplication."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from moka.documents import Form, Section
from moka.images import Image
from moka.jobs.versions import SparkVersion
from moka.names import queue_path


def _not_a_path(queue: object) -> object:
    if isinstance(queue, str) and (path := re.fullmatch(r"root\.(.+)\.tier(\d)", queue)):
        raise ValueError(f"write queue {path[1]} and tier {path[2]}")
    return queue


SparkMemory = Annotated[str, Form(r"[1-9]\d*([mgt]|[MGT]i)", "write memory as 8g or 512m")]
CoreRequest = Annotated[str, Form(r"(?=.*[1-9])\d+(\.\d{1,3}|m)?", "write cores as 2, 1.5 or 500m")]
"""Kubernetes knows no less than a thousandth of a core."""

Zone = Annotated[
    str, Form(r"(any|one|[a-z]{2}(-[a-z0-9]+)+)", "write any, one, or a zone, such as us-east-1a")
]
EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ObjectName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
ConfKey = Annotated[str, Field(pattern=r"^spark\.\S+$")]
LabelKey = Annotated[
    str, Field(pattern=r"^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")
]
LabelValue = Annotated[str, Field(pattern=r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$")]
Architecture = Literal["arm64", "amd64", "any"]
Language = Literal["scala", "java", "python", "r"]


class JobSection(Section):
    """A part of a job."""

    instead: ClassVar[Mapping[str, str]] = {
        "sparkConf": "Spark configuration is called conf",
        "spec": "write a job like examples/jobs/pi.yaml, not the SparkApplication that it becomes",
        "template": "the platform sets pod templates",
        "priority": "a job's priority is its tier",
        "priority_class": "a job's priority is its tier",
        "service_account": "it is that of the namespace",
        "tolerations": "they follow from the architecture",
        "node_selector": "it follows from the architecture",
    }


class Driver(JobSection):
    """The driver's pod."""

    cores: int = Field(default=1, ge=1, le=192, description="Cores that Spark uses.")
    core_request: CoreRequest | None = Field(
        default=None, description="Cores that the pod requests, by default `cores`: 500m, 1.5."
    )
    memory: SparkMemory = Field(default="2g", description="Heap of the JVM: 8g or 8Gi, which are the same.")
    overhead: SparkMemory | None = Field(
        default=None,
        description="Memory beside the heap; by default 10% of it, 40% with Python or R, at least 384m.",
    )


class DynamicAllocation(JobSection):
    """Executors that come and go with the work."""

    minimum: int = Field(default=0, ge=0, description="Executors at least.")
    maximum: int = Field(ge=1, description="Executors at most.")
    initial: int | None = Field(
        default=None, ge=0, description="Executors at the start, by default the minimum."
    )
    idle_seconds: int = Field(
        default=60, ge=10, description="Seconds after which an executor without work is removed."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.minimum <= self.at_start <= self.maximum:
            raise ValueError(
                f"has {self.minimum}, {self.at_start} and {self.maximum} executors; set minimum <= initial "
                "<= maximum"
            )
        return self

    @property
    def at_start(self) -> int:
        """Executors at the start."""
        return self.minimum if self.initial is None else self.initial


class Executor(JobSection):
    """The executors' pods: `instances` of them, or as many as `dynamic` allows."""

    cores: int = Field(default=1, ge=1, le=192, description="Cores, each for one task at a time.")
    core_request: CoreRequest | None = Field(
        default=None, description="Cores that a pod requests, by default `cores`: 500m, 1.5."
    )
    memory: SparkMemory = Field(default="4g", description="Heap of the JVM: 8g or 8Gi, which are the same.")
    overhead: SparkMemory | None = Field(
        default=None,
        description="Memory beside the heap; by default 10% of it, 40% with Python or R, at least 384m.",
    )
    off_heap: SparkMemory | None = Field(
        default=None, description="Memory that Spark manages outside of the heap; by default none."
    )
    gpus: int | None = Field(
        default=None,
        ge=1,
        le=16,
        description="NVIDIA GPUs of each, on nodes with GPUs; by default none.",
    )
    zone: Zone | None = Field(
        default=None,
        description="Zone of all of them: one, which the platform chooses, any, or one by its name; by "
        "default as the cluster has it.",
    )
    instances: int | None = Field(default=None, ge=1, description="Executors, by default 2.")
    dynamic: DynamicAllocation | None = Field(default=None, description="In place of `instances`.")

    @model_validator(mode="after")
    def _instances_or_dynamic(self) -> Self:
        if self.instances is not None and self.dynamic is not None:
            raise ValueError("has both instances and dynamic; keep one")
        return self

    @property
    def at_start(self) -> int:
        """Executors at the start, each with a placeholder."""
        return self.dynamic.at_start if self.dynamic else self.instances or 2

    @property
    def at_most(self) -> int:
        """Executors at the most."""
        return self.dynamic.maximum if self.dynamic else self.instances or 2


class Restart(JobSection):
    """Whether a job runs again once its driver has ended. A failed submission is always repeated."""

    policy: Literal["never", "on-failure", "always"] = Field(
        default="never", description="`always`, also after a success, is for streams."
    )
    retries: int = Field(default=3, ge=1, description="Attempts after the first, with `on-failure`.")
    seconds: int = Field(default=60, ge=1, description="Pause before the first retry; it grows with each.")


class Unique(JobSection):
    """At most one active job of this key in a project; Archer sees to it."""

    key: str = Field(
        pattern=r"^[!-~]{1,200}$",
        description="What it is one of, such as a table and its day: `orders/2026-11-23`. Visible ASCII.",
    )
    second: Literal["refuse", "return", "replace"] = Field(
        default="refuse",
        description="What happens to a second: `refuse` it, `return` the first in its place, or "
        "`replace` the first, which is stopped, and has ended before the second starts.",
    )


class Dependencies(JobSection):
    """Files for drivers and executors besides the image; each the URL of one file, such as `s3a://`, `local://`."""

    jars: list[str] = Field(default_factory=list, description="Jars on the class path.")
    files: list[str] = Field(default_factory=list, description="Files in the working directory.")
    py_files: list[str] = Field(default_factory=list, description="Python modules, .py, .zip or .egg.")
    archives: list[str] = Field(default_factory=list, description="Archives to unpack, `url#folder`.")
    packages: list[str] = Field(
        default_factory=list,
        description="Maven coordinates, `group:artifact:version`, of those that the platform allows.",
    )
    exclude_packages: list[str] = Field(
        default_factory=list, description="`group:artifact` to leave out of those."
    )
    repositories: list[str] = Field(
        default_factory=list, description="Repositories besides Maven Central, of those that it allows."
    )


class SecretKey(JobSection):
    """A key of a Secret in the job's namespace."""

    name: ObjectName = Field(description="Name of the Secret.")
    key: str = Field(pattern=r"^[-._a-zA-Z0-9]+$", description="Key in it.")


class HostMount(JobSection):
    """A folder of the node that drivers and executors see, of those that the platform allows."""

    path: str = Field(pattern=r"^/[^:]*$", description="Folder of the node.")
    mount: str = Field(pattern=r"^/[^:]*$", description="Where it is in the pods.")
    read_only: bool = Field(default=True, description="Pods may only read it.")
    propagation: Literal["None", "HostToContainer"] = Field(
        default="None",
        description="Whether running pods see what the node mounts below it, such as a FUSE mount: "
        "`HostToContainer`; what pods mount, the node never sees.",
    )


class Job(JobSection):
    """A Spark job: all keys of a job file."""

    name: str = Field(
        pattern=r"^[a-z]([a-z0-9-]*[a-z0-9])?$",
        max_length=56,
        description="Lower case, digits and dashes; unique in its namespace, part of the address of its UI.",
    )
    namespace: str = Field(description="Job namespace to run in.")
    queue: Annotated[str, BeforeValidator(_not_a_path)] = Field(
        pattern=r"^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$",
        description="`organization.project` whose queue it waits in; `tier` selects the queue.",
    )
    tier: Literal[1, 2, 3] = Field(
        description="How critical it is: from 1, never preempted, to 3, which waits for all others."
    )
    language: Language = Field(default="scala", description="What it is written in.")
    main_file: str = Field(
        min_length=1, description="Jar or script: a URL, `local://` for a file of the image."
    )
    main_class: str | None = Field(default=None, description="Main class, only for Scala and Java.")
    arguments: list[str] = Field(default_factory=list, description="Arguments, each as text.")
    spark_version: SparkVersion = Field(default="4.1", description="Spark version of the image.")
    image: Image | None = Field(
        default=None, description="Image; by default the platform's for this Spark version."
    )
    image_pull_secrets: list[ObjectName] = Field(
        default_factory=list, description="Secrets of type dockerconfigjson in the job's namespace."
    )
    architecture: Architecture = Field(
        default="arm64",
        description="Architecture of its machines; `any` is for images with both, wherever there is room.",
    )
    driver: Driver = Driver()
    executor: Executor = Executor()
    celeborn: bool | None = Field(
        default=None,
        description="Keep shuffle data on Celeborn; by default, large jobs whose executors come and go do, "
        "where the settings say that the platform's image has its client.",
    )
    conf: dict[ConfKey, str | int | float | bool] = Field(
        default_factory=dict, description="Spark configuration, except keys that the platform sets."
    )
    dependencies: Dependencies = Dependencies()
    env: dict[EnvName, str] = Field(
        default_factory=dict, description="Environment variables of drivers and executors; nothing secret."
    )
    secrets: dict[EnvName, SecretKey] = Field(
        default_factory=dict, description="Environment variable -> key of a Secret with its value."
    )
    python: str | None = Field(
        default=None, pattern=r"^/", description="Python interpreter in the image, by default its `python3`."
    )
    user: str | None = Field(default=None, min_length=1, description="User it runs for, whose limits count.")
    groups: list[str] = Field(default_factory=list, description="Groups of the user, whose limits count.")
    uid: int = Field(default=185, ge=1, description="User id of its processes; by default the image's.")
    scratch_gib: int | None = Field(
        default=None,
        ge=1,
        description="GiB that a pod may spill and shuffle on its node; by default any.",
    )
    host_mounts: list[HostMount] = Field(default_factory=list, description="Folders of its nodes to mount.")
    workflow: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$",
        description="What it is a part of and comes back with, such as a DAG: what Archer's routes are for.",
    )
    unique: Unique | None = Field(default=None, description="At most one of its kind, submitted to Archer.")
    restart: Restart = Restart()
    ttl_seconds: int = Field(
        default=3600,
        ge=60,
        le=604_800,
        description="Seconds after its end until it is deleted with its pods.",
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels of the application and its pods."
    )
    annotations: dict[LabelKey, str] = Field(
        default_factory=dict, description="Annotations of the application, not of its pods."
    )

    @property
    def queue_path(self) -> str:
        """The leaf queue, as YuniKorn names it."""
        return queue_path(self.queue, self.tier)
