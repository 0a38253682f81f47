"""Settings of a cluster and its node groups."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from moka.addon_versions import ADDON_VERSIONS
from moka.control_plane_logs import LOG_TYPES, LogClass, LogDays, LogType
from moka.control_plane_tiers import Tier
from moka.documents import Count, Form, Name, Section
from moka.jobs.job_target import ExecutorZone
from moka.machines.instance_types import Architecture, InstanceType, instance_type
from moka.machines.node_roles import ROLES, Role
from moka.machines.profiles import NodeOrder, Profile, node_order
from moka.names import JobsLevel, jobs_group, startup_taint
from moka.queues.definitions import Resources
from stacks.settings.bootstrap import BootstrapDaemonSet
from stacks.settings.fields import (
    Ami,
    AutoScalingCron,
    Cidr,
    NodeLabel,
    NodeLabelValue,
    Principal,
    Reservation,
)
from stacks.settings.shuffle import Shuffle


def _version_with_addons(version: str) -> str:
    if version not in ADDON_VERSIONS:
        raise ValueError(f"moka/addon_versions.py pins add-ons for {', '.join(ADDON_VERSIONS)}")
    return version


AMI_RELEASE_FORM = "write version and date, such as 1.35.8-20260930"


def _of_a_day(release: str) -> str:
    try:
        date.fromisoformat(release.rpartition("-")[2])
    except ValueError:
        raise ValueError(AMI_RELEASE_FORM) from None
    return release


def _instance_type_name(name: str) -> str:
    instance_type(name)
    return name


KubernetesVersion = Annotated[str, AfterValidator(_version_with_addons)]
InstanceTypeName = Annotated[str, AfterValidator(_instance_type_name)]
InstanceTypes = Annotated[list[InstanceTypeName], Field(min_length=1, max_length=20)]
AmiRelease = Annotated[
    str,
    Form(r"[0-9]+\.[0-9]+\.[0-9]+-20[0-9]{6}", AMI_RELEASE_FORM),
    AfterValidator(_of_a_day),
    Field(description="Release of the EKS AMI, such as 1.35.8-20260930."),
]


ScriptName = Annotated[
    str,
    Form(
        r"([A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\.sh",
        "write the path of a file beside this one, such as nodes/mounts.sh",
    ),
]


Nodes = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Disk(Section):
    """The root disk of a node, gp3 and encrypted."""

    # Bounds: boto/botocore: ec2/service-2.json.gz, EbsBlockDevice, as raised in September 2025.

    gib: int = Field(
        default=100,
        ge=20,
        le=65_536,
        description="Size, GiB. Of executors without instance storage at least 20, and 10 a vCPU.",
    )
    iops: int = Field(default=3000, ge=3000, le=80_000, description="Operations a second; at most 500 a GiB.")
    mibps: int = Field(
        default=125,
        ge=125,
        le=2000,
        description="Throughput, MiB a second; at most a quarter of iops. Of executors without instance "
        "storage at least 125 for 16 vCPUs.",
    )


class Schedule(Section):
    """A change of a group's bounds at fixed times."""

    cron: AutoScalingCron = Field(
        description="Cron expression: minute, hour, day of month, month, day of week: `0 20 * * MON-FRI`."
    )
    minimum: Nodes = Field(description="The group's minimum from then on.")
    maximum: Count | None = Field(
        default=None,
        description="The group's maximum from then on, of executors only: Auto Scaling ends machines beyond "
        "it, whatever runs there.",
    )


class Generation(Section):
    """An earlier generation of a node group: tainted, and kept until its drivers have finished."""

    instance_types: InstanceTypes = Field(description="Instance types of its nodes.")
    ami_release: AmiRelease | None = Field(default=None, description="Release of its AMI.")
    ami: Ami | None = Field(default=None, description="Its AMI, where that is not of EKS.")
    per_zone: bool | None = Field(
        default=None,
        description="Whether it is a managed node group for each zone; by default as the present generation.",
    )


class NodeGroup(Section):
    """A set of equal EC2 instances with a role."""

    role: Role = Field(description="What runs on its nodes; only system nodes take other pods, too.")
    architecture: Architecture = Field(
        description="Of the processors: arm64 is Graviton, amd64 is Intel or AMD."
    )
    instance_types: InstanceTypes = Field(
        description="EC2 instance types of that architecture that the region offers, the first preferred."
    )
    minimum: Nodes = Field(description="Smallest number of nodes, all zones together.")
    maximum: Count = Field(description="Largest number of nodes, all zones together.")
    desired: Nodes | None = Field(
        default=None,
        description="Number of nodes at the start, by default the minimum; then the autoscaler decides.",
    )
    spot: bool = Field(default=False, description="Spot capacity instead of on-demand.")
    disk: Disk = Disk()
    max_pods: int | None = Field(
        default=None, ge=8, le=250, description="Pods on a node; by default what its role needs."
    )
    zones: list[str] | None = Field(
        default=None, min_length=1, description="Zones of its nodes, by default all zones of the foundation."
    )
    per_zone: bool | None = Field(
        default=None,
        description="Make a managed node group for each zone, so that the autoscaler can choose the zone and "
        "Auto Scaling moves no machine; by default only executors span zones.",
    )
    capacity_reservations: dict[str, Reservation] = Field(
        default_factory=dict, description="Zone -> capacity reservation that its nodes use."
    )
    job_namespace: Name | None = Field(
        default=None,
        description="Only jobs of this namespace come to its nodes, and they to no others; for roles driver "
        "and executor.",
    )
    labels: dict[NodeLabel, NodeLabelValue] = Field(
        default_factory=dict, description="Labels of its nodes, besides those that the platform sets."
    )
    schedule: dict[Name, Schedule] = Field(
        default_factory=dict, max_length=125, description="Scheduled changes of the bounds, by name."
    )
    time_zone: str = Field(default="Etc/UTC", description="Time zone of the schedule, such as Europe/Berlin.")
    ami_release: AmiRelease | None = Field(
        default=None, description="Release of its AMI; by default EKS's newest when the group is created."
    )
    ami: Ami | None = Field(
        default=None,
        description="AMI of your own in place of EKS's: built upon EKS's of AL2023, for the cluster's "
        "Kubernetes version and of the group's architecture.",
    )
    user_data: list[ScriptName] = Field(
        default_factory=list,
        max_length=10,
        description="Shell scripts that its nodes run before they join, in order: paths of files beside the "
        "settings.",
    )
    generation: int = Field(
        default=1,
        ge=1,
        le=9999,
        description="Raise it by one when instance types or AMI change: a new group is created beside it.",
    )
    retiring: dict[int, Generation] = Field(
        default_factory=dict, description="Earlier generations that are still to be removed, by number."
    )

    @model_validator(mode="after")
    def _sizes_in_order(self) -> Self:
        if not self.minimum <= self.initial <= self.maximum:
            raise ValueError(
                "sizes must be in order, minimum <= desired <= maximum, but are "
                f"{self.minimum}, {self.initial}, {self.maximum}"
            )
        return self

    @property
    def initial(self) -> int:
        """Nodes at the start."""
        return self.minimum if self.desired is None else self.desired

    @property
    def zonal(self) -> bool:
        """Whether it is a managed node group for each zone."""
        return ROLES[self.role].zonal if self.per_zone is None else self.per_zone

    def effective_zones(self, foundation_zones: Sequence[str]) -> tuple[str, ...]:
        """Zones of its nodes: its own choice, or else all of the foundation."""
        return tuple(self.zones or foundation_zones)


class Access(Section):
    """A principal that may access a cluster, by an EKS access entry."""

    principal: Principal
    policy: Literal["admin", "edit", "view"] | None = Field(
        default=None,
        description="What the principal may do with Kubernetes' own objects, by an access policy of EKS; "
        "these allow nothing with SparkApplications, but for `admin` of the whole cluster.",
    )
    jobs: JobsLevel | None = Field(
        default=None,
        description="view: see SparkApplications, pods, their logs, events and quotas; edit: submit, change "
        "and delete SparkApplications, too.",
    )
    namespaces: list[Name] = Field(
        default_factory=list,
        description="Only in these namespaces; by default `policy` holds in the whole cluster, and `jobs` in "
        "every job namespace.",
    )

    @model_validator(mode="after")
    def _allows_something(self) -> Self:
        if self.policy is None and self.jobs is None:
            raise ValueError("allows nothing; set policy, jobs, or both")
        return self

    def groups(self, job_namespaces: Iterable[str]) -> tuple[str, ...]:
        """Kubernetes groups that the principal is in, of a cluster with these job namespaces."""
        if self.jobs is None:
            return ()
        return tuple(
            jobs_group(namespace, self.jobs)
            for namespace in job_namespaces
            if not self.namespaces or namespace in self.namespaces
        )


class ControlPlaneLogs(Section):
    """Logs of an EKS control plane, which go to CloudWatch Logs."""

    types: list[LogType] = Field(
        default_factory=lambda: list(LOG_TYPES),
        description="Those that it writes, by default all; audit is by far the most.",
    )
    days: LogDays | None = Field(
        default=None, description="Days that they are kept; by default `retention.control_plane_logs`."
    )
    log_class: LogClass = Field(
        default="standard",
        description="Of their log group: infrequent-access takes them in at half the price, for Logs "
        "Insights only. For a new cluster: a change replaces the group, which `up` refuses with `retain`.",
    )


class Cluster(Section):
    """An EKS cluster and its node groups."""

    foundation: Name = Field(description="Foundation of the cluster, one of `foundations`.")
    version: KubernetesVersion = Field(
        description="Kubernetes version, one for which moka/addon_versions.py pins add-ons."
    )
    profile: Profile = Field(
        description="batch: a fixed number of on-demand or reserved nodes, or by a schedule; adhoc: "
        "autoscaled, spot welcome. docs/operations/node-groups.md has what it decides."
    )
    service_cidr: Cidr | None = Field(
        default=None,
        description="Addresses of Services, /12 to /24, none of a network that is connected to the VPC; by "
        "default EKS takes 10.100.0.0/16 or 172.20.0.0/16. It cannot be changed later.",
    )
    public_access: list[Cidr] = Field(
        default_factory=list,
        description="Networks of the internet that can reach the API server; by default none.",
    )
    support: Literal["standard", "extended"] = Field(
        default="standard",
        description="What happens when standard support of its Kubernetes version ends: with standard, "
        "EKS upgrades the cluster; extended pays for longer support.",
    )
    zonal_shift: bool = Field(default=True, description="Let AWS move traffic away from an impaired zone.")
    control_plane_tier: Tier = Field(
        default="standard",
        description="What its control plane carries: with standard EKS follows the load, the others are "
        "there from the start, at a price by the hour (docs/operations/clusters.md).",
    )
    control_plane_logs: ControlPlaneLogs = ControlPlaneLogs()
    access: dict[Name, Access] = Field(
        default_factory=dict, description="Who may access the cluster besides the deployer, by name."
    )
    node_groups: dict[Name, NodeGroup] = Field(min_length=1, description="Node groups, by name.")
    executor_zone: ExecutorZone = Field(
        default="one",
        description="Where executors of a job are that does not say: in one zone, where its groups are one a "
        "zone, or in any; between zones a shuffled TB costs USD 13, with Celeborn 27 to 47.",
    )
    bootstrap: dict[Name, BootstrapDaemonSet] = Field(
        default_factory=dict,
        max_length=10,
        description="DaemonSets that have to be ready on a node before pods of jobs come to it, by name.",
    )
    shuffle: Shuffle | None = Field(
        default=None, description="Celeborn; without it, jobs shuffle on the disks of their executors."
    )
    capacity: Resources | None = Field(
        default=None, description="Capacity of this cluster, in place of `queues.capacity`."
    )

    def startup_taints(self, role: Role) -> list[str]:
        """Taints with which nodes of a role begin, and which the DaemonSets that they wait for take off."""
        return [startup_taint(name) for name, daemon in self.bootstrap.items() if role in daemon.roles]

    @property
    def node_order(self) -> NodeOrder:
        """Order of nodes for pods of jobs."""
        sizes = self.groups_of("driver", "executor")
        return node_order(self.profile, autoscaled=any(group.minimum < group.maximum for group in sizes))

    @property
    def own_nodes(self) -> list[str]:
        """Job namespaces with nodes of their own, in order."""
        return sorted({group.job_namespace for group in self.node_groups.values() if group.job_namespace})

    def groups_of(self, *roles: Role) -> list[NodeGroup]:
        """Its node groups with one of these roles."""
        return [group for group in self.node_groups.values() if group.role in roles]

    @property
    def nodes(self) -> int:
        """Nodes that it may have at most."""
        return sum(group.maximum for group in self.node_groups.values())

    def machines_of(self, role: Role) -> list[InstanceType]:
        """Every instance type of nodes with a role, those of retiring generations included."""
        lists = [
            types
            for group in self.groups_of(role)
            for types in (group.instance_types, *(old.instance_types for old in group.retiring.values()))
        ]
        return [instance_type(name) for types in lists for name in types]
