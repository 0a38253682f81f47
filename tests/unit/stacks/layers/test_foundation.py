import json
from dataclasses import replace
from types import SimpleNamespace

import pulumi
import pytest
import yaml

from moka import catalog
from moka.components.aws.network import NetworkArgs
from stacks import settings
from stacks.layers import foundation
from stacks.layers.foundation import Inputs, NetworkIds
from stacks.settings.environment import Registry
from tests.support.sites import make_site

BUCKET = "aws:s3/bucket:Bucket"
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
DAYS = {
    "event-logs": 30,
    "event-logs-hot": 5,
    "resource-usage": 400,
    "job-logs": 90,
    "system-logs": 90,
    "staging": 7,
    "access-logs": 365,
    "flow-logs": 14,
}
INPUTS = Inputs(
    network=NetworkArgs(region="us-east-1", cidr="10.0.0.0/16", zones=ZONES, pod_cidrs=("100.64.0.0/16",)),
    interface_endpoints=True,
    home=True,
    days=DAYS,
)
EXISTING = NetworkIds(
    vpc_id="vpc-0123456789",
    public_subnets={},
    private_subnets={"us-east-1a": "subnet-a", "us-east-1b": "subnet-b"},
    pod_subnets={},
)


def prod(retain=True):
    """The laptop's settings in another account, under other names."""
    text = settings.path_of("local").read_text().replace("123456789012", "444455556666")
    document = yaml.safe_load(text) | {"organization": "acme", "environment": "prod", "retain": retain}
    return settings.parse(yaml.safe_dump(document), "stacks/prod.yaml")


@pytest.fixture
def layer(deploy):
    """What a foundation makes, with its outputs in `outputs`."""

    def run(retain=True, **changes):
        resolved = []

        def program():
            where = make_site("main", prod(retain), catalog=replace(catalog.read(), charts={}))
            outputs = foundation.deploy(where, replace(INPUTS, **changes))
            pulumi.Output.all(**vars(outputs)).apply(resolved.append)

        recorder = deploy(program)
        recorder.outputs = resolved[0]
        return recorder

    return run


def rules(recorder, bucket: str) -> dict:
    lifecycle = recorder.by_name("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
    return {rule["id"]: rule for rule in lifecycle[f"main-{bucket}"]["rules"]}


def test_every_kind_of_data_has_a_bucket_whose_name_says_whose_and_where_it_is(layer):
    buckets = {bucket["bucket"] for bucket in layer().inputs(BUCKET)}

    assert buckets == {
        f"acme-prod-444455556666-us-east-1-{purpose}"
        for purpose in (
            *("event-logs", "resource-usage", "job-logs", "system-logs", "staging", "code"),
            "access-logs",
        )
    }


def test_what_the_environment_has_once_is_at_home_alone(layer):
    away = layer(home=False)

    assert not {"main-event-logs", "main-resource-usage"} & away.by_name(BUCKET).keys()
    assert away.outputs["event_logs_bucket"] is None
    assert away.outputs["resource_usage_bucket_arn"] is None


def test_data_goes_after_the_days_of_the_settings(layer):
    recorder = layer()

    for purpose in ("event-logs", "resource-usage", "job-logs", "system-logs", "staging"):
        assert rules(recorder, purpose)["expire-all"]["expiration"] == {"days": DAYS[purpose]}
    assert rules(recorder, "access-logs")["expire-s3"]["expiration"] == {"days": 365}
    assert rules(recorder, "access-logs")["expire-AWSLogs"]["expiration"] == {"days": 14}


def test_what_nobody_could_write_again_is_versioned(layer):
    assert layer().by_name("aws:s3/bucketVersioning:BucketVersioning").keys() == {
        "main-code",
        "main-event-logs",
        "main-resource-usage",
    }


def test_logs_move_to_a_cheaper_class_but_what_is_read_or_goes_soon_does_not(layer):
    recorder = layer()

    moved = {
        purpose
        for purpose in ("event-logs", "resource-usage", "job-logs", "system-logs", "staging")
        if rules(recorder, purpose)["expire-all"].get("transitions")
    }
    assert moved == {"resource-usage", "job-logs", "system-logs"}


def test_event_logs_are_in_the_list_of_jobs_for_days_and_kept_cheaply_for_months(layer):
    kept = rules(layer(days={**DAYS, "event-logs": 90}), "event-logs")

    assert kept["expire-hot"]["filter"] == {"prefix": "hot/"}
    assert kept["expire-hot"]["expiration"] == {"days": 5}
    assert kept["expire-all"]["expiration"] == {"days": 90}
    assert kept["expire-all"]["transitions"] == [{"days": 30, "storageClass": "STANDARD_IA"}]


def test_what_a_growing_event_log_was_is_kept_for_a_day_and_other_data_for_a_week(layer):
    recorder = layer()

    for purpose, days in (("event-logs", 1), ("resource-usage", 7)):
        versions = rules(recorder, purpose)["former-versions"]["noncurrentVersionExpiration"]
        assert versions == {"noncurrentDays": days}


def test_who_used_data_is_recorded_for_every_bucket_but_the_one_of_records(layer):
    recorder = layer()

    recorded = recorder.by_name("aws:s3/bucketLogging:BucketLogging")
    assert recorded.keys() == recorder.by_name(BUCKET).keys() - {"main-access-logs"}
    assert {logging["targetBucket"] for logging in recorded.values()} == {"main-access-logs-id"}


def test_records_of_access_are_encrypted_in_the_one_way_that_s3_can_deliver(layer):
    encryption = layer().by_name(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    )

    used = {
        name: configuration["rules"][0]["applyServerSideEncryptionByDefault"]["sseAlgorithm"]
        for name, configuration in encryption.items()
    }
    assert used.pop("main-access-logs") == "AES256"
    assert set(used.values()) == {"aws:kms"}


def test_the_bucket_of_records_takes_them_from_aws_for_this_environment_only(layer):
    policies = layer().by_name("aws:s3/bucketPolicy:BucketPolicy")
    by_id = {
        statement["Sid"]: statement
        for statement in json.loads(policies["main-access-logs"]["policy"])["Statement"]
    }

    assert by_id["S3AccessLogsWrite"]["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "444455556666"},
        "ArnLike": {"aws:SourceArn": "arn:aws:s3:::acme-prod-444455556666-us-east-1-*"},
    }
    assert by_id["AWSLogDeliveryWrite"]["Condition"]["StringEquals"]["aws:SourceAccount"] == "444455556666"


def test_traffic_is_recorded_and_aws_is_reached_inside_the_network(layer):
    recorder = layer()

    [log] = recorder.inputs("aws:ec2/flowLog:FlowLog")
    assert log["vpcId"] == "main-id"
    [group] = recorder.inputs("aws:ec2/securityGroup:SecurityGroup")
    assert group["ingress"][0]["cidrBlocks"] == ["10.0.0.0/16", "100.64.0.0/16"]


def test_interface_endpoints_can_be_left_out(layer):
    endpoints = layer(interface_endpoints=False).inputs("aws:ec2/vpcEndpoint:VpcEndpoint")

    assert [endpoint["vpcEndpointType"] for endpoint in endpoints] == ["Gateway"]


@pytest.mark.parametrize(("region", "there"), [("us-east-1", True), ("eu-west-1", False)])
def test_managed_prometheus_is_reached_inside_the_network_of_its_region(region, there):
    text = settings.path_of("local").read_text()
    workspace = f"arn:aws:aps:{region}:123456789012:workspace/ws-0a1b"
    write = f"{{remote_write: {{workspace: '{workspace}'}}}}"
    text += f"\nmetrics: {{destination: {write}, workspace_rules: false}}\n"
    environment = settings.parse(text, "stacks/local.yaml")

    [(name, home)] = environment.foundations.items()
    site = SimpleNamespace(settings=environment, foundation=home, name=name)

    assert foundation.inputs(site).prometheus is there


def test_subnets_are_told_by_zone(layer):
    outputs = layer().outputs

    assert outputs["private_subnets"] == {zone: f"main-private-{zone}-id" for zone in ZONES}
    assert outputs["public_subnets"] == {zone: f"main-public-{zone}-id" for zone in ZONES}
    assert outputs["pod_subnets"] == {zone: f"main-pods-{zone}-id" for zone in ZONES}


def test_a_network_that_is_there_already_is_used_and_nothing_is_made_in_it(layer):
    recorder = layer(network=EXISTING)

    assert not any(typ.startswith("aws:ec2/") for typ in recorder.types())
    assert recorder.outputs["vpc_id"] == "vpc-0123456789"
    assert recorder.outputs["private_subnets"] == {"us-east-1a": "subnet-a", "us-east-1b": "subnet-b"}
    assert recorder.outputs["pod_subnets"] == {}


def test_disks_of_machines_that_auto_scaling_starts_are_encrypted_with_the_key(layer):
    [key] = layer().inputs("aws:kms/key:Key")

    by_id = {statement["Sid"]: statement for statement in json.loads(key["policy"])["Statement"]}
    assert by_id["Users"]["Condition"]["ArnEquals"]["aws:PrincipalArn"] == [
        "arn:aws:iam::444455556666:role/aws-service-role/autoscaling.amazonaws.com/"
        "AWSServiceRoleForAutoScaling"
    ]


def test_images_are_pulled_from_the_foundation_that_has_the_registry(layer):
    registry = Registry.model_validate(
        {"foundation": "main", "repositories": ["spark"], "pull_through": {"quay.io": {}}}
    )
    recorder = layer(registry=registry)

    assert recorder.outputs["registry"] == "444455556666.dkr.ecr.us-east-1.amazonaws.com"
    [repository] = recorder.inputs("aws:ecr/repository:Repository")
    assert repository["name"] == "acme-prod/spark"
    assert layer().outputs["registry"] is None


# What holds data, or what nobody could bring back as it was.
STATEFUL = {BUCKET, "aws:kms/key:Key", "aws:ec2/vpc:Vpc", "aws:ecr/repository:Repository"}


@pytest.mark.parametrize("retain", [True, False])
def test_what_holds_data_is_protected_and_kept_as_the_settings_say(layer, retain):
    registry = Registry(foundation="main", repositories=["spark"])
    network = NetworkArgs(region="us-east-1", cidr="10.0.0.0/16", zones=ZONES, retain=retain)
    recorder = layer(registry=registry, network=network, retain=retain)

    stateful = [request for request in recorder.tree().values() if request.type in STATEFUL]
    assert {request.type for request in stateful} == STATEFUL
    assert {(request.protect, request.retainOnDelete) for request in stateful} == {(retain, retain)}
