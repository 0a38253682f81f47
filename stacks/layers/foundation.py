"""Layer foundation: what the clusters of one account and region stand on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import pulumi

from moka.components.aws import flow_logs
from moka.components.aws.bucket import Bucket, BucketArgs, Delivery, Expiry
from moka.components.aws.endpoints import InterfaceEndpoints, InterfaceEndpointsArgs
from moka.components.aws.flow_logs import FlowLogs, FlowLogsArgs
from moka.components.aws.key import Key, KeyArgs
from moka.components.aws.network import Network, NetworkArgs, TransitGateway
from moka.components.aws.registry import Registry, RegistryArgs
from moka.components.aws.sharing import PRIVATE, Sharing
from moka.endpoint_services import PROMETHEUS
from moka.event_logs import HOT
from moka.names import ACCESS_LOGS, HOME_DATA, JOB_DATA, Data, bucket_name, own_data
from moka.partition import domain, partition
from stacks.settings import Environment
from stacks.settings.environment import Registry as RegistrySettings
from stacks.settings.foundation import Foundation
from stacks.settings.foundation import TransitGateway as TransitGatewaySettings
from stacks.settings.network_use import has_prometheus_endpoint
from stacks.sharing import sharing
from stacks.site import Site


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """How the data of one kind is kept: as long as the settings' retention says, or for good.

    versioned: keep what was overwritten or deleted for a while: nobody could write it again.
    noncurrent_days: that while.
    cheaper_after: days after which it is hardly ever read.
    unfinished_days: days after which an upload in parts is given up.
    sooner: prefix of what is there a second time -> which of the retention's days it is kept.
    """

    versioned: bool = False
    noncurrent_days: int = 7
    cheaper_after: int | None = None
    unfinished_days: int = 7
    sooner: Mapping[str, str] = field(default_factory=dict)

    def expiries(self, data: Data, days: Mapping[str, int]) -> tuple[Expiry, ...]:
        """What goes when. Where two rules fit, S3 goes by the earlier:
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
        """
        whole_bucket = (
            [Expiry(prefix="", days=days[data], cheaper_after=self.cheaper_after)] if data in days else []
        )
        return (
            *whole_bucket,
            *(Expiry(prefix=prefix, days=days[kind]) for prefix, kind in self.sooner.items()),
        )


PURPOSES: Mapping[Data, Purpose] = {
    # The last file of a log is written anew every few seconds: a day is the least that S3 keeps what it was.
    "event-logs": Purpose(
        versioned=True, noncurrent_days=1, cheaper_after=30, sooner={HOT: "event-logs-hot"}
    ),
    "resource-usage": Purpose(versioned=True, cheaper_after=90),
    # Written once, under names that do not come again.
    "job-logs": Purpose(cheaper_after=30),
    "system-logs": Purpose(cheaper_after=30),
    # Whoever staged it can do so again.
    "staging": Purpose(unfinished_days=1),
    # What ran last month is looked for when it is put over.
    "code": Purpose(versioned=True, noncurrent_days=30, unfinished_days=1),
}


@dataclass(frozen=True, kw_only=True)
class NetworkIds:
    """An existing VPC; subnets by zone, as `Network` has them."""

    vpc_id: str
    public_subnets: Mapping[str, str]
    private_subnets: Mapping[str, str]
    pod_subnets: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between foundations.

    network: the VPC to make, or the existing one.
    interface_endpoints: reach AWS's services inside the VPC; only for a VPC to make. prometheus: and Amazon
        Managed Prometheus.
    home: it also holds what the environment has once, event logs and resource usage.
    days: kind of data -> days that it is kept; `access-logs`, `flow-logs` and `event-logs-hot` too.
    sharing: kind of data -> who may use it, and who never may.
    own_keys: job namespaces whose staging and code are in buckets of their own, with a key of their own.
    registry: settings of the registry, where the foundation has it.
    """

    network: NetworkArgs | NetworkIds
    interface_endpoints: bool
    home: bool
    days: Mapping[str, int]
    sharing: Mapping[Data, Sharing] = field(default_factory=dict)
    own_keys: Sequence[str] = ()
    registry: RegistrySettings | None = None
    prometheus: bool = False


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What the layers on a foundation build on.

    public_subnets, private_subnets, pod_subnets: zone -> subnet id; no pod subnets where pods are in the
        nodes' own.
    event_logs_bucket, resource_usage_bucket: only at home.
    own_data: job namespace with a key of its own -> what it has in place of the shared buckets and key:
        `key_arn`, `staging_bucket` and `code_bucket` with their ARNs.
    registry: host that images are pulled from, where the foundation has the environment's registry.
    """

    vpc_id: pulumi.Input[str]
    public_subnets: pulumi.Input[Mapping[str, str]]
    private_subnets: pulumi.Input[Mapping[str, str]]
    pod_subnets: pulumi.Input[Mapping[str, str]]
    key_arn: pulumi.Input[str]
    job_logs_bucket: pulumi.Input[str]
    job_logs_bucket_arn: pulumi.Input[str]
    system_logs_bucket: pulumi.Input[str]
    system_logs_bucket_arn: pulumi.Input[str]
    staging_bucket: pulumi.Input[str]
    staging_bucket_arn: pulumi.Input[str]
    code_bucket: pulumi.Input[str]
    code_bucket_arn: pulumi.Input[str]
    event_logs_bucket: pulumi.Input[str] | None
    event_logs_bucket_arn: pulumi.Input[str] | None
    resource_usage_bucket: pulumi.Input[str] | None
    resource_usage_bucket_arn: pulumi.Input[str] | None
    registry: pulumi.Input[str] | None
    own_data: pulumi.Input[Mapping[str, Mapping[str, pulumi.Input[str]]]] = field(default_factory=dict)


def inputs(site: Site) -> Inputs:
    """What the layer needs for a foundation."""
    settings, foundation = site.settings, site.foundation
    registry = settings.registry
    return Inputs(
        network=_network_args(settings, foundation),
        interface_endpoints=foundation.network is not None and foundation.network.interface_endpoints,
        prometheus=has_prometheus_endpoint(settings, site.name),
        home=site.name == settings.home_foundation,
        days={field.replace("_", "-"): days for field, days in settings.retention},
        sharing={data: sharing(settings, site.name, data) for data in get_args(Data)},
        own_keys=settings.own_key_namespaces,
        registry=registry if registry and registry.foundation == site.name else None,
    )


def deploy(site: Site, inputs: Inputs) -> Outputs:
    """Make the network, the key, the buckets and the repositories of one account and region."""
    name, opts = site.name, site.opts
    sharing = {
        data: inputs.sharing.get(data, PRIVATE) for data in PURPOSES if inputs.home or data not in HOME_DATA
    }
    key = Key(
        name,
        KeyArgs(
            alias=f"{site.settings.prefix}-{name}",
            description=f"Data of {site.settings.prefix} in {site.region}",
            account_id=site.foundation.account,
            region=site.region,
            services=(f"logs.{site.region}.{domain(site.region)}",),
            users=(autoscaling_role_arn(site.foundation.account, site.region),),
            sharing=Sharing.union(sharing.values()),
            retain=site.settings.retain,
        ),
        opts,
    )
    access_logs = Bucket(f"{name}-{ACCESS_LOGS}", _access_logs(site, inputs), opts)
    buckets = {
        data: Bucket(f"{name}-{data}", _data(site, inputs, data, data, key, access_logs, shared), opts)
        for data, shared in sharing.items()
    }
    network = _network(site, inputs, access_logs)
    registry = _registry(site, inputs.registry, key) if inputs.registry else None
    event_logs, resource_usage = buckets.get("event-logs"), buckets.get("resource-usage")
    return Outputs(
        vpc_id=network.vpc_id,
        public_subnets=network.public_subnets,
        private_subnets=network.private_subnets,
        pod_subnets=network.pod_subnets,
        key_arn=key.arn,
        job_logs_bucket=buckets["job-logs"].name,
        job_logs_bucket_arn=buckets["job-logs"].arn,
        system_logs_bucket=buckets["system-logs"].name,
        system_logs_bucket_arn=buckets["system-logs"].arn,
        staging_bucket=buckets["staging"].name,
        staging_bucket_arn=buckets["staging"].arn,
        code_bucket=buckets["code"].name,
        code_bucket_arn=buckets["code"].arn,
        event_logs_bucket=event_logs.name if event_logs else None,
        event_logs_bucket_arn=event_logs.arn if event_logs else None,
        resource_usage_bucket=resource_usage.name if resource_usage else None,
        resource_usage_bucket_arn=resource_usage.arn if resource_usage else None,
        registry=registry.host if registry else None,
        own_data={
            namespace: _own_data(site, inputs, namespace, access_logs) for namespace in inputs.own_keys
        },
    )


def at_home(output: pulumi.Input[str] | None) -> pulumi.Input[str]:
    """An output that only the home foundation has, read from there."""
    assert output is not None, "read from a foundation that is not home"
    return output


def job_data(outputs: Outputs, namespace: str) -> pulumi.Output[Mapping[str, str]]:
    """Where a job namespace has its staging and its code, and the key: as `Outputs.own_data`, or shared."""
    shared = {
        name: getattr(outputs, name)
        for name in ("key_arn", "staging_bucket", "staging_bucket_arn", "code_bucket", "code_bucket_arn")
    }
    return pulumi.Output.all(outputs.own_data, shared).apply(
        lambda values: values[0].get(namespace, values[1])
    )


def _data(
    site: Site,
    inputs: Inputs,
    data: Data,
    purpose: str,
    key: Key,
    access_logs: Bucket,
    shared: Sharing,
) -> BucketArgs:
    """A bucket for data of one kind. purpose: the last part of its name."""
    rules = PURPOSES[data]
    return BucketArgs(
        name=_bucket_name(site, purpose),
        kms_key_arn=key.arn,
        versioned=rules.versioned,
        noncurrent_days=rules.noncurrent_days,
        expiries=rules.expiries(data, inputs.days),
        unfinished_days=rules.unfinished_days,
        sharing=shared,
        access_logs_bucket=access_logs.name,
        retain=site.settings.retain,
    )


def _own_data(
    site: Site, inputs: Inputs, namespace: str, access_logs: Bucket
) -> dict[str, pulumi.Input[str]]:
    """What a job namespace has in place of the shared buckets and key; grants are of the shared ones."""
    name, opts = f"{site.name}-{namespace}", site.opts
    sharing = replace(inputs.sharing.get("staging", PRIVATE), grants={})
    key = Key(
        name,
        KeyArgs(
            alias=f"{site.settings.prefix}-{name}",
            description=f"Data of {namespace} of {site.settings.prefix} in {site.region}",
            account_id=site.foundation.account,
            region=site.region,
            sharing=sharing,
            retain=site.settings.retain,
        ),
        opts,
    )
    outputs: dict[str, pulumi.Input[str]] = {"key_arn": key.arn}
    for data in JOB_DATA:
        purpose = own_data(data, namespace)
        bucket = Bucket(
            f"{site.name}-{purpose}", _data(site, inputs, data, purpose, key, access_logs, sharing), opts
        )
        outputs |= {f"{data}_bucket": bucket.name, f"{data}_bucket_arn": bucket.arn}
    return outputs


def _bucket_name(site: Site, purpose: str) -> str:
    return bucket_name(site.settings.prefix, site.foundation.account, site.region, purpose)


def _network_args(settings: Environment, foundation: Foundation) -> NetworkArgs | NetworkIds:
    """The VPC of a foundation: to be made, or existing."""
    if foundation.network is None:
        existing = foundation.existing_network
        assert existing is not None
        return NetworkIds(
            vpc_id=existing.vpc,
            public_subnets=existing.public_subnets,
            private_subnets=existing.private_subnets,
            pod_subnets=existing.pod_subnets,
        )
    return NetworkArgs(
        region=foundation.region,
        cidr=str(foundation.network.cidr),
        zones=tuple(foundation.network.zones),
        pod_cidrs=tuple(str(cidr) for cidr in foundation.network.pod_cidrs),
        nat=foundation.network.nat,
        transit_gateway=_transit_gateway(foundation.network.transit_gateway),
        retain=settings.retain,
    )


def _transit_gateway(settings: TransitGatewaySettings | None) -> TransitGateway | None:
    if settings is None:
        return None
    return TransitGateway(id=settings.id, cidrs=tuple(str(cidr) for cidr in settings.cidrs))


def autoscaling_role_arn(account: str, region: str) -> str:
    """ARN of the role in which Auto Scaling starts machines, whose disks are encrypted."""
    role = "aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
    return f"arn:{partition(region)}:iam::{account}:role/{role}"


def _access_logs(site: Site, inputs: Inputs) -> BucketArgs:
    """The bucket of access and flow logs. S3 delivers only into a bucket encrypted with a key of its own:
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html
    """
    s3_access_logs = Delivery(
        sid="S3AccessLogs",
        service="logging.s3.amazonaws.com",
        prefix="s3/",
        account_id=site.foundation.account,
        sources=f"arn:{partition(site.region)}:s3:::{_bucket_name(site, '*')}",
    )
    return BucketArgs(
        name=_bucket_name(site, ACCESS_LOGS),
        kms_key_arn=None,
        expiries=(
            Expiry(prefix=s3_access_logs.prefix, days=inputs.days[ACCESS_LOGS], cheaper_after=30),
            Expiry(prefix=flow_logs.PREFIX, days=inputs.days["flow-logs"], cheaper_after=30),
        ),
        # Whom data is shared with need not see who uses it.
        sharing=replace(Sharing.union(inputs.sharing.values()), grants={}),
        deliveries=(s3_access_logs, flow_logs.delivery(site.region, site.foundation.account)),
        retain=site.settings.retain,
    )


def _network(site: Site, inputs: Inputs, access_logs: Bucket) -> Network | NetworkIds:
    """The VPC: the existing one, or one with flow logs and endpoints of AWS's services."""
    if isinstance(inputs.network, NetworkIds):
        return inputs.network
    name, opts = site.name, site.opts
    network = Network(name, inputs.network, opts)
    FlowLogs(name, FlowLogsArgs(vpc_id=network.vpc_id, bucket_arn=access_logs.arn), opts)
    if inputs.interface_endpoints:
        InterfaceEndpoints(
            name,
            InterfaceEndpointsArgs(
                region=site.region,
                vpc_id=network.vpc_id,
                subnets=network.private_subnets,
                cidrs=(inputs.network.cidr, *inputs.network.pod_cidrs),
                accounts=site.settings.accounts,
                more=(PROMETHEUS,) if inputs.prometheus else (),
            ),
            opts,
        )
    return network


def _registry(site: Site, settings: RegistrySettings, key: Key) -> Registry:
    """The environment's registry: with a repository for each chart, too."""
    return Registry(
        site.name,
        RegistryArgs(
            account_id=site.foundation.account,
            region=site.region,
            kms_key_arn=key.arn,
            repositories=(
                *(f"{site.settings.prefix}/{repository}" for repository in settings.repositories),
                *(f"charts/{chart}" for chart in sorted(site.catalog.charts)),
            ),
            pull_through={upstream: cache.secret for upstream, cache in settings.pull_through.items()},
            readers=tuple(settings.readers),
            path=site.settings.role_path,
            permissions_boundary_arn=site.permissions_boundary_arn,
            retain=site.settings.retain,
        ),
        site.opts,
    )
