"""Layer foundation: what the clusters of one account and region stand on."""

from dataclasses import dataclass

import pulumi

from components.aws.bucket import Bucket, BucketArgs, Expiry
from components.aws.key import Key, KeyArgs
from components.aws.network import Network, NetworkArgs

LOG_DAYS = 90
"""Days that logs are kept."""

EVENT_LOG_DAYS = 30
"""Days that the History Server can show a job."""


@dataclass(frozen=True, kw_only=True)
class FoundationInputs:
    """What differs between foundations.

    prefix: of names that are unique in AWS, `<organization>-<environment>`.
    account: AWS account id.
    network: the VPC.
    home: it also holds what the environment has once, the event logs.
    retain: keep and protect what holds data when the stack lets go of it.
    """

    prefix: str
    account: str
    network: NetworkArgs
    home: bool
    retain: bool


@dataclass(frozen=True, kw_only=True)
class FoundationOutputs:
    """What the layers on a foundation build on. Event logs are in the home foundation only."""

    vpc_id: pulumi.Input[str]
    public_subnet_ids: pulumi.Input[list[str]]
    private_subnet_ids: pulumi.Input[list[str]]
    key_arn: pulumi.Input[str]
    logs_bucket: pulumi.Input[str]
    logs_bucket_arn: pulumi.Input[str]
    event_logs_bucket: pulumi.Input[str] | None
    event_logs_bucket_arn: pulumi.Input[str] | None


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

    def bucket(purpose: str, days: int) -> Bucket:
        return Bucket(
            f"{name}-{purpose}",
            BucketArgs(
                name=f"{inputs.prefix}-{inputs.account}-{region}-{purpose}",
                kms_key_arn=key.arn,
                expiries=(Expiry(prefix="", days=days),),
                retain=inputs.retain,
            ),
            opts,
        )

    logs = bucket("logs", LOG_DAYS)
    event_logs = bucket("event-logs", EVENT_LOG_DAYS) if inputs.home else None
    return FoundationOutputs(
        vpc_id=network.vpc_id,
        public_subnet_ids=network.public_subnet_ids,
        private_subnet_ids=network.private_subnet_ids,
        key_arn=key.arn,
        logs_bucket=logs.name,
        logs_bucket_arn=logs.arn,
        event_logs_bucket=event_logs.name if event_logs else None,
        event_logs_bucket_arn=event_logs.arn if event_logs else None,
    )
