"""What the provider refuses, and how it says so."""

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.provider import InitializationFailed, Naming
from tests.local.aws.tokens import BUCKET, SUBNET, VPC


def test_what_is_missing_and_what_is_unknown_is_told_at_once(bench):
    _, failures = bench.provider.check(
        bench.target(SUBNET), {}, {"cidrBlok": "10.0.0.0/24", "outpostArn": "x"}, Naming()
    )

    reasons = {failure.property: failure.reason for failure in failures}
    assert reasons["vpcId"] == "aws:ec2/subnet:Subnet requires vpcId."
    assert "did you mean cidrBlock?" in reasons["cidrBlok"]
    assert "not simulated" in reasons["outpostArn"]


def test_a_name_inside_a_property_that_does_not_exist_is_told(bench):
    with pytest.raises(Refusal, match="There is no httpToken in metadataOptions"):
        bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"metadataOptions": {"httpToken": "required"}})


def test_a_bucket_with_something_in_it_is_only_deleted_when_told_to(bench):
    bucket = bench.make(BUCKET, {"bucket": "full"})
    bench.provider.api.client("s3").put_object(Bucket="full", Key="x", Body=b"x")

    with pytest.raises(Refusal, match="Bucket full is not empty"):
        bench.delete(bucket)
    forced = bench.change(bucket, {"bucket": "full", "forceDestroy": True})
    bench.delete(forced)
    assert bench.read(forced) is None
    bench.resources.remove(bucket)


def test_a_bucket_that_is_there_already_is_not_taken_over(bench):
    bench.make(BUCKET, {"bucket": "mine"})

    with pytest.raises(Refusal, match="There is a bucket mine already"):
        bench.make(BUCKET, {"bucket": "mine"}, name="second")


def test_an_aws_that_does_not_answer_is_told_with_what_to_do(tmp_path, bench):
    bench.provider = Aws(bench.provider.cloud, "http://127.0.0.1:9")

    with pytest.raises(Refusal, match=r"does not answer; it keeps everything in memory.*make down.*make up"):
        bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})


def test_what_is_there_but_not_finished_is_kept_by_the_engine(bench, monkeypatch):
    real = bench.provider.api.call

    def refusing(service, operation, members, region=""):
        if operation == "modify_vpc_attribute":
            raise Refusal("no")
        return real(service, operation, members, region)

    monkeypatch.setattr(bench.provider.api, "call", refusing)
    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True})
    with pytest.raises(InitializationFailed) as unfinished:
        bench.provider.create(bench.target(VPC), inputs, False, 0)

    assert unfinished.value.id.startswith("vpc-")
    bench.provider.delete(bench.target(VPC, "it", unfinished.value.id), inputs, {}, 0)


def test_a_log_group_that_is_protected_is_not_deleted(bench):
    inputs = {"name": "/audit", "deletionProtectionEnabled": True}
    protected = bench.make("aws:cloudwatch/logGroup:LogGroup", inputs)
    assert bench.read(protected).inputs == protected.inputs

    with pytest.raises(Refusal, match="deletion protection"):
        bench.delete(protected)
    bench.change(protected, {**inputs, "deletionProtectionEnabled": False})
