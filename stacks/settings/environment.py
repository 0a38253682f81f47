"""The settings of an environment: the model of `stacks/<environment>.yaml`."""

from datetime import datetime
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field

from moka import pages
from moka.allocation.cluster_settings import ClusterSettings
from moka.control_plane_logs import LogDays
from moka.documents import Form, Name, Section
from moka.images import ECR_NAME, RegistryPath
from moka.machines.node_roles import Role
from moka.names import (
    ARCHER_WORKER_IDENTITY,
    ENVIRONMENT_TAG,
    JOB_DATA,
    MANAGED_BY_TAG,
    Data,
    archer_role_name,
    bucket_name,
    eks_cluster_name,
    environment_prefix,
    own_data,
    preview_role_name,
    role_path,
)
from moka.partition import partition
from moka.queues import QueueTree
from moka.queues import Resources as Amounts
from moka.queues.calendar import Calendar, Nodes
from moka.queues.definitions import Queues
from moka.registries import Upstream
from moka.submission.configuration import REQUEST_DAYS
from stacks.layer_table import LayerName
from stacks.settings.allocation import Allocation
from stacks.settings.archer import Archer
from stacks.settings.ci import Ci
from stacks.settings.cluster import Cluster
from stacks.settings.database import Database
from stacks.settings.fields import Account, Cidr, Days, Domain, Secret, is_private
from stacks.settings.foundation import Foundation
from stacks.settings.history import History
from stacks.settings.ingress import Ingress
from stacks.settings.logs import Logs
from stacks.settings.metastore import Metastore
from stacks.settings.metrics import Metrics
from stacks.settings.queue_calendar import queue_calendar
from stacks.settings.services import Services
from stacks.settings.spark import JobNamespace, Spark
from stacks.settings.uses import Use


class Charts(Section):
    """Where charts and images come from, and values that differ in this environment."""

    mirror: RegistryPath | None = Field(
        default=None,
        description="Private registry, host and path, that mirrors every chart and image, such as "
        "`registry.example/mirror`.",
    )
    values: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Values that override those in charts-values/, by release."
    )


class Slice(Section):
    """A part of the environment that one Pulumi stack deploys.

    With only `layers`: those layers, everywhere. With only `clusters`: those clusters and everything on them,
    without the foundation. With both: those layers of those clusters.
    """

    layers: list[LayerName] = Field(default_factory=list, description="Only these layers.")
    clusters: list[Name] = Field(default_factory=list, description="Only these clusters.")


class Retention(Section):
    """How long logs and other data are kept."""

    event_logs: Days = Field(default=30, description="Days that the History Server can show a job.")
    event_logs_hot: Days = Field(
        default=5,
        description="Days that a job is in the History Server's list; later it opens by its own address.",
    )
    job_logs: Days = Field(default=90, description="Days that logs of drivers and executors are kept.")
    system_logs: Days = Field(default=90, description="Days that logs of all other pods are kept.")
    resource_usage: Days = Field(default=400, description="Days that the resource usage of jobs is kept.")
    jobs: Days = Field(
        default=90,
        ge=REQUEST_DAYS,
        description="Days that Archer's database keeps a job, at least; then its month goes to the bucket of "
        "resource usage as Parquet, where it is kept as long as that. Plans that never took effect go after "
        "as many.",
    )
    plans: Days = Field(
        default=400, description="Days that a plan of queues can be rolled back to, after it was in force."
    )
    staging: Days = Field(
        default=7, description="Days that files staged by jobs are kept, longer than any job runs."
    )
    access_logs: Days = Field(default=90, description="Days that records of access to buckets are kept.")
    control_plane_logs: LogDays = Field(
        default=90, description="Days that logs of EKS control planes are kept, as CloudWatch Logs allows."
    )
    flow_logs: Days = Field(default=30, description="Days that VPC flow logs are kept.")


RepositoryName = Annotated[
    str,
    Form(
        rf"(?=.{{2,128}}$){ECR_NAME}",
        "ECR takes names such as team/spark: lower case and digits, and one dot, dash, underscore or slash "
        "between them",
    ),
]
"""A repository of ECR, with room for the environment's prefix."""


class PullThrough(Section):
    """An upstream registry whose images ECR fetches when they are first pulled, and caches."""

    secret: Secret | None = Field(
        default=None, description="Secret with the credentials for it; docker.io and ghcr.io require one."
    )


class Registry(Section):
    """ECR repositories, for this environment and for other accounts that may pull from it."""

    foundation: Name = Field(description="Foundation whose account and region hold the repositories.")
    repositories: list[RepositoryName] = Field(
        default_factory=list,
        description="Repositories for images of your own, under the environment's prefix.",
    )
    pull_through: dict[Upstream, PullThrough] = Field(
        default_factory=dict, description="Upstream registries that ECR caches, by host."
    )
    readers: list[Account] = Field(default_factory=list, description="Other accounts that may pull.")


class Grant(Section):
    """Another environment that may use data of this one."""

    environment: Name = Field(description="The other environment, of the same organization.")
    account: Account
    data: list[Data] = Field(min_length=1, description="Data that it may use.")
    access: Literal["read", "write"] = Field(
        default="read", description="What it may do with them; write includes read."
    )


def _queues_or_file(schema: dict[str, Any]) -> None:
    """In JSON Schema, one of the two keys is required."""
    schema["required"].remove("queues")
    schema["oneOf"] = [{"required": ["queues"]}, {"required": ["queues_from"]}]


class Environment(Section):
    """An environment: everything that `stacks/<environment>.yaml` can set."""

    # Queues from a file are added as `queues` before the model sees them.
    model_config = ConfigDict(json_schema_extra=_queues_or_file)

    environment: Name = Field(description="Name of the environment, as in the name of the file.")
    organization: Name = Field(
        description="Prefix of names that are global in AWS, such as those of buckets."
    )
    home: Name = Field(description="Cluster that runs the History Server, near the event logs.")
    retain: bool = Field(
        default=True,
        description="Protect what holds data or is hard to recreate (VPC, keys, buckets, registries, "
        "clusters), and keep it when it is removed from a stack.",
    )
    deployer_network: Cidr | None = Field(
        default=None,
        description="Where `pulumi up` runs, as API servers see it: a network that is connected to the VPCs "
        "and may reach private API servers, or a public address that `public_access` of each cluster has.",
    )
    ci: Ci | None = Field(
        default=None,
        description="CI that may deploy; without, `moka bootstrap` makes no roles, and people deploy.",
    )
    foundations: dict[Name, Foundation] = Field(
        min_length=1, description="Accounts and regions that the environment uses, by name."
    )
    clusters: dict[Name, Cluster] = Field(min_length=1, description="EKS clusters, by name.")
    queues: Queues = Field(description="Queues of YuniKorn; or set `queues_from`.")
    queues_from: str | None = Field(
        default=None,
        description="File beside this one that has the queues instead, such as `prod.queues.yaml`.",
    )
    allocation: Allocation = Field(
        default=Allocation(),
        description="What plans of queues may do; which queues there are, and the maximum of each, no plan "
        "changes.",
    )
    job_namespaces: dict[Name, JobNamespace] = Field(
        min_length=1, description="Namespaces in which Spark jobs run, by name."
    )
    spark: Spark = Field(default=Spark(), description="How Spark applications run.")
    history: History
    services: Services
    database: Database | None = Field(
        default=None, description="PostgreSQL of the platform's services; without it, none that needs one."
    )
    archer: Archer | None = Field(
        default=None,
        description="The submission service, Archer; without it, who may make SparkApplications submits.",
    )
    domain: Domain = Field(description="Domain of the host names of UIs.")
    ingress: Ingress = Ingress()
    metrics: Metrics = Field(default=Metrics(), description="Where metrics go, and what brings them there.")
    charts: Charts = Charts()
    slices: dict[Name, Slice] = Field(
        default_factory=dict,
        description="Parts of the environment with a Pulumi stack each, by name; without any, one stack "
        "deploys everything.",
    )
    tags: dict[str, str] = Field(
        default_factory=dict,
        description="Tags of every AWS resource, besides those that the platform sets; at most 42.",
    )
    logs: Logs = Logs()
    retention: Retention = Retention()
    registry: Registry | None = Field(
        default=None,
        description="ECR repositories; none where `charts.mirror` is the registry of another environment.",
    )
    grants: dict[Name, Grant] = Field(
        default_factory=dict,
        description="Other environments that may use data of this one, by name of the grant.",
    )
    uses: dict[Name, Use] = Field(
        default_factory=dict,
        description="Buckets that jobs may use besides the environment's own, by a name of your choice: "
        "those of namespaces that name it in their `uses`.",
    )
    metastores: dict[Name, Metastore] = Field(
        default_factory=dict,
        description="Where jobs find out which tables there are, by a name of your choice; job namespaces "
        "name theirs.",
    )
    waves: dict[Name, list[Name]] = Field(
        default_factory=dict,
        description="Clusters that a rollout changes together, in the order of the waves: canary first.",
    )

    @property
    def prefix(self) -> str:
        """First part of names that are unique in AWS."""
        return environment_prefix(self.organization, self.environment)

    @property
    def role_path(self) -> str:
        """IAM path of the environment's roles: it tells them from those of other environments."""
        return role_path(self.prefix)

    def previewer(self, foundation: Foundation) -> str | None:
        """ARN of the role with which CI previews in a foundation's account; None without CI."""
        if self.ci is None:
            return None
        return f"{_roles(foundation)}/{preview_role_name(self.prefix)}"

    def profile(self, foundation: Foundation) -> str | None:
        """Profile of the AWS configuration with which a foundation's account is entered.

        None for that of the credentials at hand. Which role stands behind it is not the program's to say: an
        `up` takes another one than a preview, of the same resources.
        """
        return f"{self.prefix}-{foundation.account}" if foundation.assume else None

    @property
    def resource_tags(self) -> dict[str, str]:
        """Tags of every AWS resource of the environment."""
        return {**self.tags, ENVIRONMENT_TAG: self.environment, MANAGED_BY_TAG: "pulumi"}

    @property
    def accounts(self) -> tuple[str, ...]:
        """Ids of the accounts that the environment uses."""
        return tuple(sorted({foundation.account for foundation in self.foundations.values()}))

    @property
    def home_foundation(self) -> str:
        """Name of the home cluster's foundation."""
        return self.clusters[self.home].foundation

    @property
    def history_host(self) -> str:
        """Host name of the History Server's UI."""
        return pages.history_host(self.domain)

    @property
    def home_hosts(self) -> list[str]:
        """Host names that the environment has once, of what is on its home cluster."""
        return [self.history_host, *([self.archer_host] if self.archer else [])]

    @property
    def archer_host(self) -> str:
        """Host name of Archer."""
        return pages.archer_host(self.domain)

    @property
    def archer_url(self) -> str:
        """Address of Archer."""
        return f"{self.ui_scheme}://{self.archer_host}"

    @property
    def usage_bucket(self) -> str:
        """Name of the bucket with the history of what was used."""
        home = self.foundations[self.home_foundation]
        return bucket_name(self.prefix, home.account, home.region, "resource-usage")

    @property
    def bucket_purposes(self) -> list[str]:
        """Last parts of the names of the environment's buckets of data, wherever it has them."""
        own_purposes = (
            own_data(data, namespace) for namespace in self.own_key_namespaces for data in JOB_DATA
        )
        return [*get_args(Data), *own_purposes]

    @property
    def own_key_namespaces(self) -> list[str]:
        """Job namespaces whose staging and code are in buckets of their own, with a key of their own."""
        return [namespace for namespace, space in self.job_namespaces.items() if space.own_key]

    def archer_role(self, cluster: str) -> str:
        """ARN of the role that Archer takes on to enter a cluster."""
        foundation, name = self.foundation_of(cluster), archer_role_name(self.prefix, cluster)
        return f"{_roles(foundation)}{self.role_path}{name}"

    @property
    def archer_workers(self) -> str:
        """ARN of the role of Archer's workers, a pattern: Pulumi ends its name by chance."""
        name = f"{self.home}-{ARCHER_WORKER_IDENTITY}-*"
        return f"{_roles(self.foundation_of(self.home))}{self.role_path}{name}"

    def foundation_of(self, cluster: str) -> Foundation:
        """The foundation of a cluster."""
        return self.foundations[self.clusters[cluster].foundation]

    def api_networks(self, cluster: str) -> list[IPv4Network]:
        """Networks that reach the private API server of a cluster: those of `up`, of people and of Archer."""
        deployer = self.deployer_network
        deployer_networks = [deployer] if deployer is not None and is_private(deployer) else []
        people = self.foundation_of(cluster).api_access.cidrs
        return list(dict.fromkeys([*deployer_networks, *people, *self._archer_networks(cluster)]))

    def _archer_networks(self, cluster: str) -> list[IPv4Network]:
        """Networks from which Archer reaches a cluster.

        Where another VPC is reached, pods have the addresses of their nodes there
        (https://docs.aws.amazon.com/eks/latest/userguide/external-snat.html).
        """
        if self.archer is None or cluster == self.home or self.home not in self.clusters:
            return []
        home = self.foundation_of(self.home)
        if home.network is None:
            return []
        pods = home.network.pod_cidrs if self.foundation_of(cluster) is home else []
        return [home.network.cidr, *pods]

    def clusters_of(self, foundation: str) -> dict[str, Cluster]:
        """The clusters of a foundation, by name."""
        return {name: cluster for name, cluster in self.clusters.items() if cluster.foundation == foundation}

    def zones_of(self, cluster: str) -> list[str]:
        """Zones of a cluster's foundation; none where the settings, not yet checked, lack that foundation."""
        foundation = self.foundations.get(self.clusters[cluster].foundation)
        return foundation.zones if foundation else []

    @property
    def without_celeborn(self) -> list[str]:
        """Job namespaces whose jobs do not use Celeborn: what they shuffle is not for what others share."""
        owners = {name for cluster in self.clusters.values() for name in cluster.own_nodes}
        return [
            name
            for name, space in self.job_namespaces.items()
            if space.celeborn is False or (space.celeborn is None and (space.own_key or name in owners))
        ]

    def role_zones(self, cluster: str, role: Role) -> tuple[str, ...]:
        """Zones in which a cluster has nodes with a role, in order."""
        zones = self.zones_of(cluster)
        groups = self.clusters[cluster].groups_of(role)
        return tuple(sorted({zone for group in groups for zone in group.effective_zones(zones)}))

    def eks_name(self, cluster: str) -> str:
        """Name of a cluster in EKS."""
        return eks_cluster_name(self.prefix, cluster)

    def ui_domain(self, cluster: str) -> str:
        """Domain of a cluster's UIs: a running application's is `<application>.<namespace>.<domain>`."""
        return pages.cluster_domain(cluster, self.domain)

    @property
    def ui_scheme(self) -> str:
        """Scheme of the addresses of pages."""
        return "https" if any(foundation.certificates for foundation in self.foundations.values()) else "http"

    @property
    def history_url(self) -> str:
        """Address of the History Server, as people reach it."""
        return f"{self.ui_scheme}://{self.history_host}"

    def queue_calendar(self, cluster: str) -> Calendar:
        """What the queues of a cluster are shares of, and when schedules change that."""
        return queue_calendar(self.clusters[cluster], self.queues)

    def cluster_settings(self, cluster: str) -> ClusterSettings:
        """What programs are given of a cluster's queues, and what plans are checked with."""
        return ClusterSettings(self.queues, self.queue_calendar(cluster), self.allocation.bounds)

    def capacity(self, cluster: str, at: datetime | None = None) -> Amounts | None:
        """What the weights of queues share out on a cluster; None where the settings do not state it.

        at: with the nodes that schedules allow then; by default with all.
        """
        calendar = self.queue_calendar(cluster)
        return calendar.capacity_of(_nodes(calendar, at))

    def queue_tree(self, cluster: str, at: datetime | None = None) -> QueueTree:
        """The queues of a cluster: what weights and percents come to with its capacity at that time."""
        calendar = self.queue_calendar(cluster)
        return calendar.tree(self.queues, _nodes(calendar, at))[0]


def _nodes(calendar: Calendar, at: datetime | None) -> Nodes:
    return calendar.all_nodes if at is None else calendar.nodes(calendar.changes(at))


def _roles(foundation: Foundation) -> str:
    """Beginning of ARNs of roles in an account."""
    return f"arn:{partition(foundation.region)}:iam::{foundation.account}:role"
