"""The settings of an environment: what `stacks/<environment>.yaml` may say, read and checked.

Everything is checked before the first resource is registered, and every mistake is told at once.
"""

import difflib
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from components.aws.node_group import Architecture, Role
from components.kubernetes.queues import Queue
from components.kubernetes.queues import Resources as QueueResources
from stacks.addons import ADDONS

FOLDER = Path(__file__).resolve().parent

Name = Annotated[str, Field(pattern=r"^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$")]
"""A name that is part of resource names: lower case, digits and dashes, at most 30 characters."""

LayerName = Literal[
    "foundation", "cluster", "scheduling", "shuffle", "access", "spark", "logs", "metrics", "history"
]


def _known_version(version: str) -> str:
    if version not in ADDONS:
        raise ValueError(f"is {version!r}; stacks/addons.py pins add-ons for {', '.join(ADDONS)}")
    return version


KubernetesVersion = Annotated[str, AfterValidator(_known_version)]


class SettingsError(Exception):
    """All that is wrong with a settings file, a line a mistake."""


class Section(BaseModel):
    """A part of the settings: frozen, and no key is taken in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Network(Section):
    """The VPC of a foundation."""

    cidr: IPv4Network = Field(description="Address range of the VPC, at most /16.")
    zones: list[str] = Field(
        min_length=2, max_length=3, description="Availability zones; their order decides addresses."
    )
    nat: Literal["single", "zonal"] = Field(
        default="zonal", description="NAT gateways: one for all zones (cheaper), or one in every zone."
    )


class Foundation(Section):
    """What an environment has once per account and region: network, key, buckets."""

    account: str = Field(pattern=r"^\d{12}$", description="AWS account id, twelve digits, quoted.")
    region: str = Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$", description="AWS region.")
    deployer: str = Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$",
        description="IAM role or user that runs `pulumi up`; administrator of the clusters.",
    )
    network: Network


class NodeGroup(Section):
    """A set of equal machines of a cluster."""

    role: Role
    architecture: Architecture
    instance_types: list[str] = Field(min_length=1, description="EC2 instance types of that architecture.")
    minimum: int = Field(ge=0, description="Machines that are always there.")
    maximum: int = Field(ge=1, le=450, description="Machines that may be there; EKS takes 450 a group.")
    desired: int = Field(ge=0, description="Machines at the start; later the autoscaler's business.")
    spot: bool = Field(default=False, description="Spot capacity instead of on-demand.")
    disk: int = Field(default=100, ge=20, description="Root volume, GiB.")

    @model_validator(mode="after")
    def _sizes_in_order(self) -> Self:
        if not self.minimum <= self.desired <= self.maximum:
            raise ValueError(
                f"sizes must be in order, minimum <= desired <= maximum, "
                f"and are {self.minimum}, {self.desired}, {self.maximum}"
            )
        return self


class Shuffle(Section):
    """Celeborn on a cluster."""

    workers: int = Field(ge=2, description="Workers, one a node with role shuffle; data is kept twice.")
    gib: int = Field(ge=10, description="Instance storage of a node that a worker may take, GiB.")


class Cluster(Section):
    """An EKS cluster and its node groups."""

    foundation: Name = Field(description="Foundation that it stands on, one of `foundations`.")
    version: KubernetesVersion = Field(description="Kubernetes version, one that stacks/addons.py knows.")
    node_groups: dict[Name, NodeGroup] = Field(min_length=1, max_length=30)
    shuffle: Shuffle


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

    tiers: dict[Literal[1, 2, 3], Tier] = Field(min_length=1)


class Organization(Section):
    """The projects of an organization."""

    projects: dict[Name, Project] = Field(min_length=1)


class Charts(Section):
    """Where charts and images come from, and what this environment sets differently."""

    mirror: str | None = Field(
        default=None,
        description="Private registry, host and path, that mirrors every chart and image.",
    )
    values: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Values over those in charts-values/, by release."
    )


class SliceSettings(Section):
    """A part of the environment that one Pulumi stack deploys: of these layers, for these clusters.

    Only `layers`: those, everywhere. Only `clusters`: those clusters and all on them, without the
    foundation. Both: those layers of those clusters.
    """

    layers: list[LayerName] = Field(default_factory=list)
    clusters: list[Name] = Field(default_factory=list)


class Environment(Section):
    """An environment: all that `stacks/<environment>.yaml` says."""

    environment: Name = Field(description="Name of the environment, as in the name of the file.")
    organization: Name = Field(description="Prefix of names that are global in AWS, such as buckets.")
    home: Name = Field(description="Cluster on which the History Server runs, near the event logs.")
    retain: bool = Field(
        default=True,
        description="Keep and protect what holds data (buckets, keys) when a stack lets go of it.",
    )
    foundations: dict[Name, Foundation] = Field(min_length=1)
    clusters: dict[Name, Cluster] = Field(min_length=1)
    queues: dict[Name, Organization] = Field(min_length=1, description="Queues, by organization.")
    job_namespaces: list[Name] = Field(min_length=1, description="Namespaces in which Spark jobs run.")
    domain: str = Field(description="Domain under which UIs get host names.")
    charts: Charts = Charts()
    slices: dict[Name, SliceSettings] = Field(
        default_factory=dict,
        description="Stacks that share the environment out; one stack for all when empty.",
    )

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        wrong = list(_unknown_names(self)) + list(_shared_places(self))
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    @property
    def prefix(self) -> str:
        """First part of names that are unique in AWS."""
        return f"{self.organization}-{self.environment}"

    def leaf_queues(self) -> list[Queue]:
        """The queues that jobs run in."""
        return [
            Queue(
                organization=organization,
                project=project,
                tier=number,
                guaranteed=QueueResources(**tier.guaranteed.model_dump()),
                maximum=QueueResources(**tier.maximum.model_dump()),
            )
            for organization, projects in self.queues.items()
            for project, tiers in projects.projects.items()
            for number, tier in tiers.tiers.items()
        ]

    @property
    def home_foundation(self) -> str:
        """Foundation that the home cluster stands on."""
        return self.clusters[self.home].foundation


def _unknown_names(settings: Environment) -> Iterator[str]:
    if settings.home not in settings.clusters:
        yield f"home: no cluster is named {settings.home!r}; there are {_listed(settings.clusters)}"
    for name, cluster in settings.clusters.items():
        if cluster.foundation not in settings.foundations:
            yield (
                f"clusters.{name}.foundation: no foundation is named {cluster.foundation!r}; "
                f"there are {_listed(settings.foundations)}"
            )
    for name, piece in settings.slices.items():
        for cluster_name in piece.clusters:
            if cluster_name not in settings.clusters:
                yield (
                    f"slices.{name}.clusters: no cluster is named {cluster_name!r}; "
                    f"there are {_listed(settings.clusters)}"
                )


def _shared_places(settings: Environment) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for name, foundation in settings.foundations.items():
        first = seen.setdefault((foundation.account, foundation.region), name)
        if first != name:
            yield (
                f"foundations.{name}: account {foundation.account} in {foundation.region} has the foundation "
                f"{first!r} already; an account and region has one"
            )


def _listed(names: Iterator[str] | dict[str, Any]) -> str:
    return ", ".join(sorted(names))


def path_of(environment: str) -> Path:
    """The settings file of an environment."""
    return FOLDER / f"{environment}.yaml"


def load(environment: str) -> Environment:
    """The checked settings of an environment, from `stacks/<environment>.yaml`.

    Raises SettingsError with every mistake in the file, a line each.
    """
    path = path_of(environment)
    if not path.is_file():
        known = _listed({p.stem: p for p in FOLDER.glob("*.yaml") if not p.stem.startswith("Pulumi")})
        raise SettingsError(
            f"Environment {environment!r} has no settings: stacks/{path.name} is not there, only {known}."
        )
    return parse(path.read_text(), f"stacks/{path.name}", environment)


def parse(text: str, where: str, environment: str | None = None) -> Environment:
    """The checked settings in a text; `where` names it in messages."""
    try:
        written = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(written, dict):
        raise SettingsError(f"{where} must hold keys and values, as stacks/local.yaml does.")
    try:
        settings = Environment.model_validate(written)
    except ValidationError as error:
        raise SettingsError("\n".join(_mistakes(error, where))) from None
    if environment is not None and settings.environment != environment:
        raise SettingsError(
            f"{where}: environment is {settings.environment!r} and must be {environment!r}, "
            "as the file is named."
        )
    return settings


def _mistakes(error: ValidationError, where: str) -> Iterator[str]:
    for mistake in error.errors(include_url=False):
        at = ".".join(str(part) for part in mistake["loc"] if part != "[key]")
        if mistake["type"] == "extra_forbidden":
            yield f"{where}: {at}: unknown key; {_near(mistake['loc'])}"
        elif mistake["type"] == "missing":
            yield f"{where}: {at}: is missing."
        elif mistake["type"] == "value_error":
            message = mistake["msg"].removeprefix("Value error, ")
            yield f"{where}: {at + ': ' if at else ''}{message}."
        else:
            yield f"{where}: {at}: is {mistake['input']!r}; {mistake['msg'][0].lower()}{mistake['msg'][1:]}."


def _near(location: tuple[int | str, ...]) -> str:
    known = _keys_at(location[:-1])
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(sorted(known))}."


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    """Keys of the section at a place in the file; the model's own annotations are the only source."""
    section: Any = Environment
    for part in location:
        if isinstance(section, type) and issubclass(section, Section) and part in section.model_fields:
            section = section.model_fields[str(part)].annotation
        else:  # a key of a mapping, or an index of a list: what matters is what it holds
            section = section.__args__[-1]
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, Section) else []
