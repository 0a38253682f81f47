"""Settings of metrics: where they go, and how many collectors bring them there."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from moka.collectors import sending
from moka.documents import Count, Form, Name, Section
from stacks.settings.fields import PrefixList, Region, Topic, VpcEndpoint

Url = Annotated[str, Form(r"https?://[^\s/]+(/\S*)?", "write a URL such as https://metrics.example.com/otlp")]
Workspace = Annotated[
    str,
    Form(
        r"arn:aws[a-z-]*:aps:[a-z0-9-]+:[0-9]{12}:workspace/ws-[a-z0-9-]+",
        "write arn:aws:aps:<region>:<account>:workspace/ws-<id>",
    ),
]


class Otlp(Section):
    """A store or collector that takes OTLP over HTTP."""

    endpoint: Url = Field(description="URL to which `/v1/metrics` is added.")
    secret: Name | None = Field(
        default=None,
        description="Secret of yours in namespace `monitoring` whose key `authorization` has the value of "
        "that header; without it, none is sent.",
    )


class RemoteWrite(Section):
    """A store that takes Prometheus' remote write."""

    url: Url | None = Field(default=None, description="Its URL; or set `workspace`.")
    workspace: Workspace | None = Field(
        default=None,
        description="ARN of a workspace of Amazon Managed Prometheus: requests are signed, and allowed.",
    )

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if (self.url is None) == (self.workspace is None):
            raise ValueError("needs either `url` or `workspace`; set one of the two")
        return self


class CloudWatch(Section):
    """CloudWatch's OTLP endpoint."""

    region: Region


class Destination(Section):
    """Where metrics go: one of these. Who wants two sends OTLP to a collector of theirs."""

    otlp: Otlp | None = Field(default=None, description="Any store that takes OTLP over HTTP.")
    remote_write: RemoteWrite | None = Field(
        default=None, description="Amazon Managed Prometheus, or any store that takes remote write."
    )
    cloudwatch: CloudWatch | None = Field(default=None, description="Amazon CloudWatch.")

    @model_validator(mode="after")
    def _single_destination(self) -> Self:
        if len([value for _, value in self if value]) != 1:
            raise ValueError(
                "needs one of `otlp`, `remote_write` and `cloudwatch`; set one of the three, or leave "
                "destination out for a store of its own"
            )
        return self


class Store(Section):
    """A Prometheus on each cluster, where no destination is named."""

    days: Count = Field(default=15, description="Days that metrics are kept.")
    disk_gib: int = Field(
        default=100,
        ge=10,
        le=16384,
        description="Its volume, GiB; one that is there is enlarged by hand first "
        "(docs/operations/alerts.md, StoreNearlyFull).",
    )
    memory_gib: int = Field(default=8, ge=1, le=1024, description="Its memory, GiB: some 8 KiB a series.")


class ManagedGrafana(Section):
    """A workspace of Amazon Managed Grafana, one an environment; it asks Amazon Managed Prometheus."""

    sign_in: Literal["AWS_SSO", "SAML"] = Field(
        default="AWS_SSO",
        description="How people are known: IAM Identity Center, or a SAML provider, set up by hand.",
    )
    prefix_lists: list[PrefixList] = Field(
        default_factory=list, description="Prefix lists of addresses from which it is reached."
    )
    vpc_endpoints: list[VpcEndpoint] = Field(
        default_factory=list, description="VPC endpoints (`grafana-workspace`) from which it is reached."
    )

    @model_validator(mode="after")
    def _reached_from_somewhere(self) -> Self:
        if not self.prefix_lists and not self.vpc_endpoints:
            raise ValueError("is reached from nowhere; name prefix_lists or vpc_endpoints")
        return self


class Metrics(Section):
    """Metrics of every cluster."""

    destination: Destination | None = Field(
        default=None, description="Where they go; by default each cluster has a store of its own."
    )
    store: Store = Store()
    shards: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="Scrapers; by default one for each 1000 nodes at most, and two at least.",
    )
    gateways: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="Replicas of the gateway; by default one for each 500 nodes at most, and two at least.",
    )
    kube_state_metrics_shards: int = Field(
        default=1, ge=1, le=20, description="Parts of kube-state-metrics: one for each 40,000 pods."
    )

    workspace_rules: bool = Field(
        default=True,
        description="Whether alerts and recordings are put into the workspace that metrics go to: by one "
        "environment for each workspace.",
    )
    alerts_topic: Topic | None = Field(
        default=None,
        description="SNS topic that alerts of the workspace go to; without it, where it sends them already.",
    )
    own_grafana: bool = Field(
        default=False,
        description="Whether each cluster has a Grafana with the dashboards, for who may forward a port. "
        "Without, they are in a ConfigMap with the label `grafana_dashboard`, for a Grafana of yours.",
    )
    managed_grafana: ManagedGrafana | None = Field(
        default=None, description="Amazon Managed Grafana, for metrics that go to Amazon Managed Prometheus."
    )

    @model_validator(mode="after")
    def _grafana_can_ask(self) -> Self:
        if self.managed_grafana and not self.workspace:
            raise ValueError(
                "managed_grafana reads destination.remote_write.workspace, which is not set; set it, or "
                "remove managed_grafana"
            )
        if self.own_grafana and self.destination and not self.workspace:
            raise ValueError(
                "own_grafana reads the cluster's own store or a workspace of Amazon Managed Prometheus: "
                "leave destination out, or set destination.remote_write.workspace"
            )
        return self

    @model_validator(mode="after")
    def _alerts_are_of_its_rules(self) -> Self:
        if self.alerts_topic and not (self.workspace and self.workspace_rules):
            raise ValueError(
                "alerts_topic is for rules in destination.remote_write.workspace: name a workspace, and "
                "leave workspace_rules on, or leave alerts_topic out"
            )
        return self

    @property
    def workspace(self) -> str | None:
        """ARN of the workspace of Amazon Managed Prometheus that they go to."""
        write = self.destination.remote_write if self.destination else None
        return write.workspace if write else None

    @property
    def target(self) -> sending.Destination:
        """Where the gateway sends to."""
        if self.destination is None:
            return sending.OwnStore()
        if otlp := self.destination.otlp:
            return sending.Otlp(endpoint=otlp.endpoint, secret=otlp.secret)
        if cloudwatch := self.destination.cloudwatch:
            return sending.CloudWatch(region=cloudwatch.region)
        write = self.destination.remote_write
        assert write is not None
        if write.workspace:
            return sending.RemoteWrite(url=sending.workspace_url(write.workspace), workspace=write.workspace)
        return sending.RemoteWrite(url=write.url or "")
