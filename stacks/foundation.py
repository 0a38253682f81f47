"""Layer foundation: what the clusters of one account and region stand on."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.aws.bucket import Bucket, BucketArgs, Expiry
from components.aws.key import Key, KeyArgs
from components.aws.network import Network, NetworkArgs


@dataclass(frozen=True, kw_only=True)
class FoundationInputs:
    """What differs between foundations.

    prefix: of names that are unique in AWS, `<organization>-<environment>`.
    account: AWS account id.
    network: the VPC.
    home: it also holds what the environment has once, event logs and resource usage.
    days: purpose of a bucket -> days that what is in it is kept.
    retain: keep and protect what holds data when the stack lets go of it.
    """

    prefix: str
    account: str
    network: NetworkArgs
    home: bool
    days: Mapping[str, int]
    retain: bool


@dataclass(frozen=True, kw_only=True)
class FoundationOutputs:
    """What the layers on a foundation build on.

    public_subnets, private_subnets, pod_subnets: zone -> subnet id; no pod subnets where pods are in the
        nodes' own.
    event_logs_bucket, resource_usage_bucket: at home alone.
    registry: host that images are pulled from, where the foundation has the environment's registry.
    """

    vpc_id: pulumi.Input[str]
    public_subnets: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    private_subnets: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    pod_subnets: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    key_arn: pulumi.Input[str]
    job_logs_bucket: pulumi.Input[str]
    job_logs_bucket_arn: pulumi.Input[str]
    system_logs_bucket: pulumi.Input[str]
    system_logs_bucket_arn: pulumi.Input[str]
    staging_bucket: pulumi.Input[str]
    staging_bucket_arn: pulumi.Input[str]
    event_logs_bucket: pulumi.Input[str] | None
    event_logs_bucket_arn: pulumi.Input[str] | None
    resource_usage_bucket: pulumi.Input[str] | None
    resource_usage_bucket_arn: pulumi.Input[str] | None
    registry: pulumi.Input[str] | None


def deploy(name: str, inputs: FoundationInputs, opts: pulumi.ResourceOptions) -> FoundationOutputs:
    """Make the network, the key and the buckets of one account and region.

    name: the foundation's, part of every resource's identity.
    opts: with the AWS provider of that account and region.
    """
    region = inputs.network.region
    network = Network(name, inputs.network, opts)
    key = Key(
        name,
        KeyArgs(
            alias=f"{inputs.prefix}-{name}",
            description=f"Data of {inputs.prefix} in {region}",
            account_id=inputs.account,
            services=(f"logs.{region}.amazonaws.com",),
            retain=inputs.retain,
        ),
        opts,
    )

    def bucket(purpose: str) -> Bucket:
        return Bucket(
            f"{name}-{purpose}",
            BucketArgs(
                name=f"{inputs.prefix}-{inputs.account}-{region}-{purpose}",
                kms_key_arn=key.arn,
                expiries=(Expiry(prefix="", days=inputs.days[purpose]),),
                retain=inputs.retain,
            ),
            opts,
        )

    job_logs = bucket("job-logs")
    system_logs = bucket("system-logs")
    staging = bucket("staging")
    event_logs = bucket("event-logs") if inputs.home else None
    resource_usage = bucket("resource-usage") if inputs.home else None
    return FoundationOutputs(
        vpc_id=network.vpc_id,
        public_subnets=network.public_subnets,
        private_subnets=network.private_subnets,
        pod_subnets=network.pod_subnets,
        key_arn=key.arn,
        job_logs_bucket=job_logs.name,
        job_logs_bucket_arn=job_logs.arn,
        system_logs_bucket=system_logs.name,
        system_logs_bucket_arn=system_logs.arn,
        staging_bucket=staging.name,
        staging_bucket_arn=staging.arn,
        event_logs_bucket=event_logs.name if event_logs else None,
        event_logs_bucket_arn=event_logs.arn if event_logs else None,
        resource_usage_bucket=resource_usage.name if resource_usage else None,
        resource_usage_bucket_arn=resource_usage.arn if resource_usage else None,
        registry=None,
    )
