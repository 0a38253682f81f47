"""The provider's configuration: accounts, regions, default tags."""

import json

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import buckets
from localcloud.plugins.aws.provider import Aws
from tests.local.aws.conftest import two_subnets
from tests.local.aws.tokens import ADDON, BUCKET, CLUSTER, ROLE_ARN, VPC


def test_default_tags_are_on_everything_and_among_no_inputs(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure({"region": "us-east-1", "defaultTags": json.dumps({"tags": {"owner": "data"}})})
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})

    assert vpc.outputs["tagsAll"] == {"owner": "data", "Name": "x"}
    assert bench.read(vpc).inputs["tags"] == {"Name": "x"}
    bench.provider.configure({"defaultTags": json.dumps({"tags": {"owner": "platform"}})})
    assert set(bench.diff(vpc, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}}).kinds) == {("tagsAll",)}
    vpc = bench.change(vpc, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})
    assert bench.read(vpc).outputs["tagsAll"] == {"owner": "platform", "Name": "x"}


def test_a_role_to_take_means_its_account(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure(
        {"assumeRoles": json.dumps([{"roleArn": "arn:aws:iam::111122223333:role/deploy"}])}
    )

    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})

    assert vpc.outputs["ownerId"] == "111122223333"
    assert vpc.outputs["arn"].startswith("arn:aws:ec2:us-east-1:111122223333:vpc/")


def test_an_account_that_is_the_only_one_allowed_is_the_one_that_is_meant(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure({"allowedAccountIds": json.dumps(["111122223333"])})

    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})

    assert vpc.outputs["ownerId"] == "111122223333"
    identity = bench.provider.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})
    assert identity["accountId"] == "111122223333"


def test_a_role_of_an_account_that_is_not_allowed_is_refused(bench):
    provider = Aws(bench.provider.cloud, bench.provider.endpoint)

    with pytest.raises(
        Refusal, match="is in account 111122223333, which is not allowed: correct assumeRoles"
    ):
        provider.configure(
            {
                "allowedAccountIds": json.dumps(["444455556666"]),
                "assumeRoles": json.dumps([{"roleArn": "arn:aws:iam::111122223333:role/deploy"}]),
            }
        )


def test_accounts_share_nothing_but_the_names_of_clusters_and_buckets(bench, cluster):
    first, second = bench.provider, Aws(bench.provider.cloud, bench.provider.endpoint, "eu-west-1")
    second.configure({"allowedAccountIds": json.dumps(["111122223333"]), "region": "eu-west-1"})
    bench.make(BUCKET, {"bucket": "of-the-first"})
    bench.provider = second
    subnets = two_subnets(bench, bench.make(VPC, {"cidrBlock": "10.0.0.0/16"}).id, region="eu-west-1")
    bench.make(BUCKET, {"bucket": "of-the-second"})
    inputs = {"roleArn": ROLE_ARN, "version": "1.34", "vpcConfig": {"subnetIds": subnets}}

    with pytest.raises(Refusal, match="an EKS cluster c in account 123456789012, us-east-1"):
        bench.make(CLUSTER, {"name": "c", **inputs})
    cluster_d = bench.make(CLUSTER, {"name": "d", **inputs})
    bench.make(ADDON, {"clusterName": "d", "addonName": "coredns"})

    assert cluster_d.outputs["arn"] == "arn:aws:eks:eu-west-1:111122223333:cluster/d"
    assert bench.look_up(CLUSTER, "c") is None
    names = buckets(first.cloud, first.endpoint)
    assert "of-the-first" in names["123456789012"] and "of-the-second" in names["111122223333"]
    assert not set(names["123456789012"]) & set(names["111122223333"])


def test_a_resource_can_be_in_a_region_of_its_own(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16", "region": "eu-west-1"})

    assert vpc.outputs["arn"].startswith("arn:aws:ec2:eu-west-1:")
    assert bench.diff(vpc, {"cidrBlock": "10.0.0.0/16"}).replaces == {("region",)}
    assert bench.read(vpc).inputs == vpc.inputs
