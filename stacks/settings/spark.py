"""Settings of the Spark Operator and of the namespaces in which jobs run."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from moka.documents import Count, Cpu, Form, Memory, Name, Section
from moka.images import OwnImage
from moka.jobs.versions import SparkVersion
from moka.queues.claims import ANY, Claim
from stacks.settings.fields import Cidr
from stacks.settings.login import Group

HostPath = Annotated[
    str,
    Form(
        r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+",
        "write an absolute path such as /mnt/models, without a final slash",
    ),
]
Namespace = Annotated[
    str, Form(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", "write lower case, digits and dashes, at most 63")
]
Package = Annotated[
    str, Form(r"[^:,\s]+:[^:,\s]+:[^:,\s]+", "write Maven coordinates, group:artifact:version")
]
Repository = Annotated[str, Form(r"https://[^,\s]+", "write the URL of a repository, https://...")]
Port = Annotated[int, Field(ge=1, le=65535)]


class Quota(Section):
    """What a job namespace may hold at a time, all its jobs together.

    By default nothing is limited here: queues limit what jobs may use, and `executors_per_job` what one asks
    for. The API server refuses a pod where two change the quota at once, and a job goes on without its gang.
    """

    applications: Count | None = Field(
        default=None,
        description="SparkApplications, including finished ones that still exist; by default any number. "
        "On a new cluster it can take minutes until Kubernetes counts them, and `up` waits "
        "for it.",
    )
    pods: Count | None = Field(
        default=None,
        description="Pods that have not finished, including the placeholders of gang scheduling; by default "
        "any number.",
    )
    cpu: Cpu | None = Field(
        default=None, description="Cores that those pods request in total; by default any number."
    )
    memory: Memory | None = Field(
        default=None, description="Memory that those pods request in total; by default any amount."
    )


class ContainerSize(Section):
    """The most that one container may request."""

    cpu: Cpu = Field(default="128", description="Cores, as Kubernetes writes them: 4, 500m.")
    memory: Memory = Field(default="1Ti", description="Memory: 512Mi, 64Gi, 2Ti.")


class Egress(Section):
    """Where drivers and executors may connect to, besides what Spark needs: networks, or a namespace."""

    # The VPC CNI takes no more in one rule of a network policy (EKS User Guide, "Limit Pod traffic with
    # Kubernetes network policies").
    ports: list[Port] = Field(min_length=1, max_length=24, description="TCP ports.")
    cidrs: list[Cidr] = Field(default_factory=list, description="Networks.")
    namespace: Namespace | None = Field(default=None, description="Namespace in the cluster.")


class QueueClaim(Section):
    """Queues that jobs of a namespace may name."""

    organization: Name = Field(description="Of the queues.")
    project: Name | Literal["*"] = Field(default=ANY, description="Of it; `*` for all.")
    tiers: list[Literal[1, 2, 3]] = Field(default=[1, 2, 3], min_length=1, description="Of the project.")

    @property
    def pattern(self) -> str:
        """Regular expression of the paths of these queues."""
        return Claim(organization=self.organization, project=self.project, tiers=self.tiers).pattern


class JobNamespace(Section):
    """A namespace in which Spark jobs run; every cluster has it."""

    quota: Quota = Quota()
    largest_container: ContainerSize = ContainerSize()
    executors_per_job: Count = Field(
        default=5_000,
        description="Executors that one job may ask for at the most: the API server refuses "
        "SparkApplications that ask for more, or for dynamic allocation without a maximum.",
    )
    pod_security: Literal["baseline", "privileged"] = Field(
        default="baseline",
        description="Level of the Pod Security Standards that is enforced. `privileged` lets pods mount "
        "folders of their node. `restricted` is not possible: it refuses the placeholders of "
        "gang scheduling.",
    )
    host_paths: list[HostPath] = Field(
        default_factory=list,
        description="Folders of nodes that jobs may mount, with everything in them; by default none. "
        "Requires `pod_security: privileged`.",
    )
    isolated: bool = Field(
        default=True,
        description="Network policies allow only what Spark needs, and `egress`; false: no network policies.",
    )
    peer_ports: Literal["spark", "any"] = Field(
        default="spark",
        description="Ports that drivers and executors have for each other: Spark's own, or `any`, as for "
        "distributed training; every node then keeps a longer list of their addresses.",
    )
    egress: dict[Name, Egress] = Field(
        default_factory=dict, description="Other places that its pods may connect to, by name."
    )
    archer_only: bool = Field(
        default=False,
        description="Only Archer makes SparkApplications here: the API server refuses those of anybody else. "
        "Requires `archer`.",
    )
    claims: list[QueueClaim] | None = Field(
        default=None,
        min_length=1,
        description="Queues that its jobs may run in, by default any, tier 1 included: the API server "
        "refuses jobs that name others.",
    )
    own_key: bool = Field(
        default=False,
        description="What its jobs stage, and their code, is in buckets of its own, encrypted with a key of "
        "its own; what they had in the shared ones stays there.",
    )
    celeborn: bool | None = Field(
        default=None,
        description="Its jobs may shuffle on Celeborn, which is shared and asks nobody who he is; by "
        "default they may, unless the namespace has `own_key` or nodes of its own.",
    )
    uses: dict[Name, Literal["read", "write"]] = Field(
        default_factory=dict,
        description="Name of one of `uses` -> what its jobs may do there, by default nothing; write includes "
        "read.",
    )
    metastore: Name | None = Field(
        default=None,
        description="Name of one of `metastores`, in which its jobs look for tables; none by default.",
    )
    viewers: list[Group] = Field(
        default_factory=list,
        description="Groups of `ingress.login` that see the live UIs of its jobs; by default all who have "
        "logged in.",
    )


def queue_patterns(namespaces: Mapping[str, JobNamespace]) -> dict[str, list[str]]:
    """Namespace -> regular expressions of the queues that its jobs may name, of those with claims."""
    return {
        name: [claim.pattern for claim in space.claims]
        for name, space in namespaces.items()
        if space.claims is not None
    }


def executor_bounds(namespaces: Mapping[str, JobNamespace]) -> dict[str, int]:
    """Namespace -> executors that one of its jobs may ask for at the most."""
    return {name: space.executors_per_job for name, space in namespaces.items()}


class Operator(Section):
    """A release of the Spark Operator."""

    namespaces: list[Name] | None = Field(
        default=None,
        min_length=1,
        description="Job namespaces whose applications it runs; all of them if it is the only release.",
    )
    applications_per_minute: int = Field(
        default=20,
        ge=1,
        description="Applications that it can submit in a minute; the size of its pods follows from it.",
    )


class EventLogs(Section):
    """How event logs are uploaded."""

    seconds: int = Field(
        default=10,
        ge=5,
        le=300,
        description="Seconds between uploads: so much, and 5 more, can a node that is lost take with it. "
        "Each driver whose log has grown makes a request that often.",
    )


class CelebornDefault(Section):
    """Which jobs shuffle on Celeborn without asking for it, where a cluster has it.

    Only jobs with dynamic allocation, which lose shuffle data with executors that go, and an image of the
    platform's.
    """

    clients: list[SparkVersion] = Field(
        default_factory=list,
        description="Spark versions whose image in `spark.images` has Celeborn's client; by default none, "
        "and no job shuffles there without asking for it.",
    )
    cores: int = Field(
        default=500,
        ge=1,
        le=1_000_000,
        description="Cores of all executors that such a job may have, at the least.",
    )


class Spark(Section):
    """How Spark applications run."""

    instead: ClassVar[Mapping[str, str]] = {
        "driver_finalizer_image": "write `services: {driver_finalizer: {image: ...}}` at the top of the file"
    }

    operators: dict[Name, Operator] = Field(
        default_factory=lambda: {"spark-operator": Operator()},
        min_length=1,
        max_length=20,
        description="Releases of the Spark Operator on each cluster, by name; by default one for all job "
        "namespaces.",
    )
    images: dict[SparkVersion, OwnImage] = Field(
        default_factory=dict,
        description="Spark version -> image of jobs that name none, with S3A and what "
        "docs/jobs.md says of images; by default every job has to name its own.",
    )
    packages: list[Package] = Field(
        default_factory=list,
        description="Maven packages that jobs may name, `group:artifact:version`; by default none. Spark has "
        "the operator fetch and load them, so what is in them runs with its rights, in all its namespaces.",
    )
    repositories: list[Repository] = Field(
        default_factory=list, description="Maven repositories that jobs may name, besides Maven Central."
    )
    celeborn: CelebornDefault = CelebornDefault()
    event_logs: EventLogs = EventLogs()
