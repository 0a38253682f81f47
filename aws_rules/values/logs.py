"""Flow logs and log groups."""

from collections.abc import Iterator

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="log-values",
    authority="AWS",
    decides="how long a log group may keep events, and what a flow log may collect at a time",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
)

RULES = (RULE,)

# fmt: off
RETENTIONS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)
# fmt: on
"""Days."""
INTERVALS = (60, 600)
"""Seconds. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html"""
RESERVED = "aws/"


def retention(request: Request) -> Iterator[ValueVerdict]:
    """How long a group keeps events."""
    days = request.value_at("retentionInDays")
    if isinstance(days, int) and days not in RETENTIONS:
        message = (
            f"1 validation error detected: Value '{days}' at 'retentionInDays' failed to satisfy constraint: "
            f"Member must satisfy enum value set: [{', '.join(map(str, RETENTIONS))}]"
        )
        nearest = min((value for value in RETENTIONS if value >= days), default=RETENTIONS[-1])
        remedy = f"set one of these, such as {nearest}"
        yield request.misfit(RULE, ("retentionInDays",), "InvalidParameterException", message, remedy)


def log_group(request: Request) -> Iterator[ValueVerdict]:
    """The name of a group."""
    name = request.value_at("logGroupName")
    if isinstance(name, str) and name.startswith(RESERVED):
        message = f"Log groups starting with {RESERVED} are reserved for AWS"
        remedy = f"begin it with /{RESERVED} or otherwise"
        yield request.misfit(RULE, ("logGroupName",), "InvalidParameterException", message, remedy)


def flow_log(request: Request) -> Iterator[ValueVerdict]:
    """What a flow log collects at a time."""
    seconds = request.value_at("MaxAggregationInterval")
    if isinstance(seconds, int) and seconds not in INTERVALS:
        message = f"Invalid Flow Log Max Aggregation Interval {seconds}"
        yield request.misfit(RULE, ("MaxAggregationInterval",), "InvalidParameter", message, "set 60 or 600")
