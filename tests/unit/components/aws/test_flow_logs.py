import json

from moka.components.aws.bucket import bucket_policy
from moka.components.aws.flow_logs import FlowLogs, FlowLogsArgs, delivery

BUCKET = "arn:aws:s3:::moka-access-logs"


def test_all_traffic_of_a_network_is_recorded(deploy):
    stack = deploy(lambda: FlowLogs("moka", FlowLogsArgs(vpc_id="vpc-1", bucket_arn=BUCKET)))

    [log] = stack.inputs("aws:ec2/flowLog:FlowLog")
    assert (log["vpcId"], log["trafficType"]) == ("vpc-1", "ALL")
    assert (log["logDestinationType"], log["logDestination"]) == ("s3", BUCKET)


def test_aws_may_deliver_records_of_this_account_and_region_only():
    policy = json.loads(bucket_policy(BUCKET, deliveries=(delivery("eu-west-1", "111122223333"),)))
    by_id = {statement["Sid"]: statement for statement in policy["Statement"]}

    write = by_id["AWSLogDeliveryWrite"]
    assert write["Principal"] == {"Service": "delivery.logs.amazonaws.com"}
    assert write["Resource"] == f"{BUCKET}/AWSLogs/*"
    assert write["Condition"]["StringEquals"]["aws:SourceAccount"] == "111122223333"
    assert write["Condition"]["ArnLike"] == {"aws:SourceArn": "arn:aws:logs:eu-west-1:111122223333:*"}
    assert by_id["AWSLogDeliveryCheck"]["Action"] == ["s3:GetBucketAcl"]
