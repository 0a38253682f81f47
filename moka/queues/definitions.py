"""Settings of YuniKorn's queues, `root.<organization>.<project>.tier<n>`."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from moka.documents import Cpu, Memory, Name, Section

TierNumber = Annotated[int, Field(ge=1, le=3)]
Count = Annotated[int, Field(ge=1)]

CPU = "Cores, as Kubernetes writes them: 4, 500m."
MEMORY = "Memory: 512Mi, 64Gi, 2Ti."
GPU = "NVIDIA GPUs."

DEEPER = ("organizations", "projects", "tiers", "queues", "children")
"""What one would write for queues within."""


class Resources(Section):
    """An amount of cluster resources, in Kubernetes quantities."""

    cpu: Cpu = Field(description=CPU)
    memory: Memory = Field(description=MEMORY)
    gpu: int | None = Field(default=None, ge=1, description=GPU)


class Maximum(Section):
    """The most of some resources, or of the cluster's capacity; of what is not named, as the parent."""

    cpu: Cpu | None = Field(default=None, description=CPU)
    memory: Memory | None = Field(default=None, description=MEMORY)
    gpu: int | None = Field(default=None, ge=1, description=GPU)
    percent: int | None = Field(
        default=None, ge=1, le=100, description="Hundredths of the cluster's capacity, instead of amounts."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        amounts = [self.cpu, self.memory, self.gpu]
        if self.percent is not None and any(each is not None for each in amounts):
            raise ValueError("has percent and amounts; give one of them")
        if self.percent is None and all(each is None for each in amounts):
            raise ValueError("names nothing; give cpu, memory, gpu or percent, or leave it out")
        return self


class Limit(Section):
    """What each of some users, and each of some groups, may have in a queue at a time.

    Of several groups of a user, the first that is named counts. Pods say whose they are by the annotation
    `yunikorn.apache.org/user.info`.
    """

    users: list[str] = Field(
        default_factory=list, description="Users; `*` are all whom no other limit here names."
    )
    groups: list[str] = Field(
        default_factory=list, description="Groups; `*` are all whom no other limit here names."
    )
    max_applications: Count | None = Field(default=None, description="Jobs that run at a time.")
    maximum: Maximum | None = Field(default=None, description="The most that they may have.")


class Shared(Section):
    """What organizations, projects and tiers have in common."""

    instead = dict.fromkeys(DEEPER, "queues are organization, project and tier, and no deeper")

    guaranteed: Resources | None = Field(
        default=None, description="What it gets back by preemption when others have it; nothing by default."
    )
    weight: Count | None = Field(
        default=None,
        description="Instead of `guaranteed`: its part, beside other weights, of what amounts beside it "
        "leave of the parent's guarantee; at the top, of the cluster's capacity.",
    )
    maximum: Maximum | None = Field(
        default=None, description="What it never exceeds; by default what the parent may have."
    )
    max_applications: Count | None = Field(
        default=None, description="Jobs that run at a time; others wait. By default as the parent."
    )
    limits: list[Limit] = Field(default_factory=list, description="What single users and groups may have.")

    @model_validator(mode="after")
    def _promised_one_way(self) -> Self:
        if self.guaranteed is not None and self.weight is not None:
            raise ValueError("has guaranteed and weight; give one of them")
        return self


class Tier(Shared):
    """A leaf queue, `root.<organization>.<project>.tier<n>`, in which jobs run."""


class Project(Shared):
    """The queues of a project: one a tier, 1 the most critical."""

    tiers: dict[TierNumber, Tier] = Field(min_length=1, description="Leaf queues, by tier: 1, 2 or 3.")


class Organization(Shared):
    """The projects of an organization."""

    projects: dict[Name, Project] = Field(min_length=1, description="Projects, by name.")


class TierPolicy(Section):
    """How a tier differs from what tiers are: what is not said stays as it is."""

    preemption: Literal["default", "fence", "disabled"] | None = Field(
        default=None,
        description="default: takes back what it is guaranteed, and others may take from it; fence: takes "
        "from nobody; disabled: nobody takes from it, as from tier 1.",
    )
    delay_seconds: int | None = Field(
        default=None,
        ge=1,
        le=3600,
        description="How long a pod waits before others are preempted for it: by default 5, 30, 60 by tier.",
    )
    sort: Literal["fifo", "fair"] | None = Field(
        default=None,
        description="Which job goes first: fifo, by default, or the one that has least (fair). YuniKorn "
        "refuses gangs where it is fair.",
    )


class Queues(Section):
    """YuniKorn's queues; each cluster has them all."""

    capacity: Resources | None = Field(
        default=None,
        description="What weights and percents are of; a cluster may have its own, `capacity`.",
    )
    tiers: dict[TierNumber, TierPolicy] = Field(
        default_factory=dict, description="Policies of tiers, by tier, where they differ from the usual ones."
    )
    organizations: dict[Name, Organization] = Field(min_length=1, description="Organizations, by name.")
