"""Flow logs of EC2: an example of every type, and how it is changed by hand."""

from tests.local.aws.examples.example import OTHER_TAGS, ROLE_ARN, TAGS, Changes, Example, add_tag

EXAMPLES = [
    Example(
        "aws:ec2/flowLog:FlowLog",
        lambda w: {
            "vpcId": w.vpc,
            "trafficType": "ALL",
            "logDestinationType": "s3",
            "logDestination": w.output("access_logs", "arn"),
            "maxAggregationInterval": 60,
            "destinationOptions": {
                "fileFormat": "parquet",
                "hiveCompatiblePartitions": True,
                "perHourPartition": True,
            },
            "tags": TAGS,
        },
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"trafficType": "REJECT"},
    ),
    Example(
        "aws:ec2/flowLog:FlowLog",
        lambda w: {
            "subnetId": w.subnet,
            "trafficType": "REJECT",
            "logDestination": w.output("log_group", "arn"),
            "iamRoleArn": ROLE_ARN,
        },
        replace=lambda w: {"iamRoleArn": ROLE_ARN + "-else"},
        label="-log-group",
    ),
]


CHANGES_BY_HAND: Changes = {
    "aws:ec2/flowLog:FlowLog": add_tag,
}
