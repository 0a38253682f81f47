"""Settings of YuniKorn's queues, `root.<organization>.<project>.tier<n>`."""

from typing import Annotated

from pydantic import Field

from stacks.settings.section import Name, Section

TierNumber = Annotated[int, Field(ge=1, le=3)]


class Resources(Section):
    """An amount of cluster resources, in Kubernetes quantities."""

    cpu: str = Field(pattern=r"^\d+m?$", description="Cores, as Kubernetes writes them: 4, 500m.")
    memory: str = Field(pattern=r"^\d+(Mi|Gi|Ti)$", description="Memory: 512Mi, 64Gi, 2Ti.")


class Tier(Section):
    """A leaf queue, `root.<organization>.<project>.tier<n>`."""

    guaranteed: Resources
    maximum: Resources


class Project(Section):
    """The queues of a project: one a tier, 1 the most critical."""

    tiers: dict[TierNumber, Tier] = Field(min_length=1, description="Leaf queues, by tier: 1, 2 or 3.")


class Organization(Section):
    """The projects of an organization."""

    projects: dict[Name, Project] = Field(min_length=1, description="Projects, by name.")


class Queues(Section):
    """YuniKorn's queues; each cluster has them all."""

    organizations: dict[Name, Organization] = Field(min_length=1, description="Organizations, by name.")
