"""CloudWatch Logs: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

BASES: Bases = {
    "log_group": lambda w: ("aws:cloudwatch/logGroup:LogGroup", {"name": "/base/flow-logs"}),
}

EXAMPLES = [
    Example(
        "aws:cloudwatch/logGroup:LogGroup",
        lambda w: {
            "name": "/aws/eks/spark-a/cluster",
            "retentionInDays": 30,
            "kmsKeyId": w.output("key", "arn"),
            "tags": TAGS,
        },
        lambda w: {
            "retentionInDays": None,
            "kmsKeyId": w.output("other_key", "arn"),
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "/aws/eks/spark-b/cluster"},
    ),
]


def change_retention(console: Console, resource: Resource) -> None:
    console.client("logs").put_retention_policy(logGroupName=resource.id, retentionInDays=1)


CHANGES_BY_HAND: Changes = {
    "aws:cloudwatch/logGroup:LogGroup": change_retention,
}
