"""Settings of YuniKorn's queues, `root.<organization>.<project>.tier<n>`."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from moka.documents import Count, Cpu, Memory, Name, Section

TierNumber = Annotated[int, Field(ge=1, le=3)]

CPU = "Cores, as Kubernetes writes them: 4, 500m."
MEMORY = "Memory: 512Mi, 64Gi, 2Ti."
GPU = "NVIDIA GPUs."

DEEPER = ("organizations", "projects", "tiers", "queues", "children")
"""Keys that one may expect for queues below a tier."""


class Resources(Section):
    """An amount of cluster resources, in Kubernetes quantities."""

    cpu: Cpu = Field(description=CPU)
    memory: Memory = Field(description=MEMORY)
    gpu: Count | None = Field(default=None, description=GPU)


class Maximum(Section):
    """Amounts of some resources, or a percentage of the capacity; for others, the parent's maximum holds."""

    cpu: Cpu | None = Field(default=None, description=CPU)
    memory: Memory | None = Field(default=None, description=MEMORY)
    gpu: Count | None = Field(default=None, description=GPU)
    percent: int | None = Field(
        default=None, ge=1, le=100, description="Percentage of the cluster's capacity, instead of amounts."
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        amounts = [self.cpu, self.memory, self.gpu]
        if self.percent is not None and any(amount is not None for amount in amounts):
            raise ValueError("has both percent and amounts; keep one")
        if self.percent is None and all(amount is None for amount in amounts):
            raise ValueError("is empty; set cpu, memory, gpu or percent, or remove it")
        return self


class Limit(Section):
    """What each of some users, and each of some groups, may use in a queue at a time.

    A user of several groups counts to the first that is listed. Pods name their user in the annotation
    `yunikorn.apache.org/user.info`. Nothing is preempted for somebody who is at a limit. So of one above
    queues of tier 1, those of tiers 2 and 3 have to leave something, by limits or bounds of their own.
    """

    users: list[str] = Field(
        default_factory=list, description="Users; `*` stands for all that no other limit here names."
    )
    groups: list[str] = Field(
        default_factory=list, description="Groups; `*` stands for all that no other limit here names."
    )
    max_applications: Count | None = Field(default=None, description="Jobs that run at a time.")
    maximum: Maximum | None = Field(default=None, description="What they never exceed.")


class Shared(Section):
    """What organizations, projects and tiers have in common."""

    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(
        DEEPER, "queues have three levels: organization, project and tier"
    )

    guaranteed: Resources | None = Field(
        default=None,
        description="What its jobs get back by preemption when others use it: from queues of their own tier "
        "and those below, but never tier 1, that have more than they are guaranteed. Nothing by default.",
    )
    weight: Count | None = Field(
        default=None,
        description="Instead of `guaranteed`: its share, by weight, of what the amounts beside it leave "
        "of the parent's guarantee; at the top, of the cluster's capacity.",
    )
    maximum: Maximum | None = Field(
        default=None, description="What it never exceeds; by default the parent's maximum."
    )
    max_applications: Count | None = Field(
        default=None,
        description="Jobs of all tiers that run at a time; others wait. By default as many as in the parent. "
        "Where there are queues of tier 1 below, those of the other tiers have to leave room for them.",
    )
    limits: list[Limit] = Field(default_factory=list, description="Limits of single users and groups.")

    @model_validator(mode="after")
    def _guaranteed_one_way(self) -> Self:
        if self.guaranteed is not None and self.weight is not None:
            raise ValueError("has both guaranteed and weight; keep one")
        return self


class Tier(Shared):
    """A leaf queue, `root.<organization>.<project>.tier<n>`, in which jobs run."""


class Project(Shared):
    """The queues of a project: one for each tier, 1 the most critical."""

    tiers: dict[TierNumber, Tier] = Field(min_length=1, description="Leaf queues, by tier: 1, 2 or 3.")


class Organization(Shared):
    """The projects of an organization."""

    projects: dict[Name, Project] = Field(min_length=1, description="Projects, by name.")


class TierPolicy(Section):
    """How a tier differs from the defaults; what is left out stays as it is."""

    preemption: Literal["default", "fence", "disabled"] | None = Field(
        default=None,
        description="default: takes back what it is guaranteed, and others may take from it; fence: "
        "takes from nobody; disabled: nobody takes from it, as with tier 1.",
    )
    delay_seconds: int | None = Field(
        default=None,
        ge=1,
        le=3600,
        description="How long a pod waits before others are preempted for it; by default 5, 30 and 60 "
        "seconds in tiers 1, 2 and 3.",
    )
    sort: Literal["fifo", "fair"] | None = Field(
        default=None,
        description="Which job goes first: the oldest (fifo, the default), or the one that uses least "
        "(fair). With fair, YuniKorn refuses gang scheduling.",
    )


class Queues(Section):
    """YuniKorn's queues; every cluster has all of them."""

    capacity: Resources | None = Field(
        default=None,
        description="What weights and percentages are shares of; a cluster may have its own `capacity`.",
    )
    tiers: dict[TierNumber, TierPolicy] = Field(
        default_factory=dict, description="Policies of tiers, where they differ from the defaults."
    )
    organizations: dict[Name, Organization] = Field(min_length=1, description="Organizations, by name.")
