"""Records of a VPC's traffic: which addresses communicated, and what was refused."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from moka.components.aws.bucket import Delivery
from moka.partition import domain, partition

PREFIX = "AWSLogs/"
"""Where AWS puts the records in their bucket."""

INTERVAL_SECONDS = 600
"""How much traffic a record sums up: the longer of the two intervals that AWS has, for fewer records."""


@dataclass(frozen=True, kw_only=True)
class FlowLogsArgs:
    """What differs between networks.

    vpc_id: whose traffic.
    bucket_arn: where records go; its policy must allow `delivery`.
    tags: of every AWS resource that is made here.
    """

    vpc_id: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    tags: dict[str, str] = field(default_factory=dict)


class FlowLogs(pulumi.ComponentResource):
    """Pulumi type `moka:aws:FlowLogs`.

    Makes: ec2.FlowLog of all traffic, Parquet files by the hour, as Athena reads them.
    Outputs: `flow_log_id`.
    """

    flow_log_id: pulumi.Output[str]

    def __init__(self, name: str, args: FlowLogsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:FlowLogs", name, {}, opts)
        flow_log = aws.ec2.FlowLog(
            name,
            vpc_id=args.vpc_id,
            traffic_type="ALL",
            max_aggregation_interval=INTERVAL_SECONDS,
            log_destination_type="s3",
            log_destination=args.bucket_arn,
            destination_options={
                "file_format": "parquet",
                "hive_compatible_partitions": True,
                "per_hour_partition": True,
            },
            tags=args.tags | {"Name": name},
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.flow_log_id = flow_log.id
        self.register_outputs({"flow_log_id": self.flow_log_id})


def delivery(region: str, account_id: str) -> Delivery:
    """What a bucket must let AWS do to receive flow logs of one account and region.

    Just as AWS asks for it: it adds what is missing by itself, and the policy would drift.
    https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-s3-permissions.html
    """
    return Delivery(
        sid="AWSLogDelivery",
        service=f"delivery.logs.{domain(region)}",
        prefix=PREFIX,
        account_id=account_id,
        sources=f"arn:{partition(region)}:logs:{region}:{account_id}:*",
        conditions=(("s3:x-amz-acl", "bucket-owner-full-control"),),
        bucket_actions=("s3:GetBucketAcl",),
    )
