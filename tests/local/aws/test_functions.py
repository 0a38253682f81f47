"""Every function of the table, called, and its answer held against the SDK's."""

import json

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws.invokes import FUNCTIONS
from localcloud.plugins.values import UNKNOWN
from localcloud.unknowns import clear, noted
from tests.support.sdk_types import unknown_in_function

ROLE_ARN = "arn:aws:iam::123456789012:role/somebody"


@pytest.fixture(scope="module")
def place(base):
    """A VPC with a subnet, and a cluster in it."""
    vpc = base.make("aws:ec2/vpc:Vpc", {"cidrBlock": "10.77.0.0/16", "tags": {"Name": "place"}}, "place")
    subnet = base.make(
        "aws:ec2/subnet:Subnet",
        {"vpcId": vpc.id, "cidrBlock": "10.77.1.0/24", "availabilityZone": "us-east-1b"},
        "place",
    )
    other_zone = {"vpcId": vpc.id, "cidrBlock": "10.77.2.0/24", "availabilityZone": "us-east-1c"}
    other = base.make("aws:ec2/subnet:Subnet", other_zone, "other-place")
    cluster = base.make(
        "aws:eks/cluster:Cluster",
        {
            "name": "place",
            "roleArn": ROLE_ARN,
            "version": "1.34",
            "vpcConfig": {"subnetIds": [subnet.id, other.id]},
            "enabledClusterLogTypes": ["api"],
        },
        "place",
    )
    table = base.make("aws:ec2/routeTable:RouteTable", {"vpcId": vpc.id}, "place")
    association = {"routeTableId": table.id, "subnetId": subnet.id}
    base.make("aws:ec2/routeTableAssociation:RouteTableAssociation", association, "place")
    return {"vpc": vpc.id, "subnet": subnet.id, "table": table.id, "cluster": cluster.id}


STATEMENTS = [
    {
        "sid": "Read",
        "actions": ["s3:GetObject", "s3:ListBucket"],
        "resources": ["*"],
        "principals": [{"type": "Service", "identifiers": ["ec2.amazonaws.com"]}],
        "conditions": [{"test": "Bool", "variable": "aws:SecureTransport", "values": ["true"]}],
    }
]

# Function -> arguments, and what must be in the answer.
CALLS = {
    "aws:index/getCallerIdentity:getCallerIdentity": lambda p: ({}, {"accountId": "123456789012"}),
    "aws:index/getRegion:getRegion": lambda p: ({}, {"region": "us-east-1", "name": "us-east-1"}),
    "aws:index/getPartition:getPartition": lambda p: (
        {},
        {"partition": "aws", "dnsSuffix": "amazonaws.com", "reverseDnsPrefix": "com.amazonaws"},
    ),
    "aws:index/getAvailabilityZones:getAvailabilityZones": lambda p: (
        {"state": "available", "excludeNames": ["us-east-1e", "us-east-1f"]},
        {"names": ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"]},
    ),
    "aws:ec2/getAmi:getAmi": lambda p: (
        {
            "mostRecent": True,
            "owners": ["amazon"],
            "filters": [{"name": "name", "values": ["al2023-ami-2023.*-kernel-6.1-arm64"]}],
        },
        {"architecture": "arm64", "rootDeviceType": "ebs", "state": "available"},
    ),
    "aws:ec2/getVpc:getVpc": lambda p: (
        {"tags": {"Name": "place"}},
        {"id": p["vpc"], "cidrBlock": "10.77.0.0/16", "default": False, "enableDnsSupport": True},
    ),
    "aws:ec2/getSubnet:getSubnet": lambda p: (
        {"id": p["subnet"]},
        {"vpcId": p["vpc"], "availabilityZone": "us-east-1b", "cidrBlock": "10.77.1.0/24"},
    ),
    "aws:ec2/getRouteTable:getRouteTable": lambda p: (
        {"subnetId": p["subnet"]},
        {"id": p["table"], "vpcId": p["vpc"], "subnetId": p["subnet"]},
    ),
    "aws:ec2/getRouteTables:getRouteTables": lambda p: (
        {"filters": [{"name": "association.subnet-id", "values": [p["subnet"]]}]},
        {"ids": [p["table"]]},
    ),
    "aws:ec2/getSubnets:getSubnets": lambda p: (
        {"filters": [{"name": "cidr-block", "values": ["10.77.1.0/24"]}]},
        {"ids": [p["subnet"]]},
    ),
    "aws:ecr/getAuthorizationToken:getAuthorizationToken": lambda p: (
        {"registryId": "123456789012"},
        {"userName": "AWS"},
    ),
    "aws:ec2/getInstanceType:getInstanceType": lambda p: (
        {"instanceType": "r8g.4xlarge"},
        {"defaultVcpus": 16, "memorySize": 131072, "supportedArchitectures": ["arm64"]},
    ),
    "aws:ec2/getInstanceTypes:getInstanceTypes": lambda p: (
        {"filters": [{"name": "instance-type", "values": ["m7g.large"]}]},
        {"instanceTypes": ["m7g.large"]},
    ),
    "aws:eks/getCluster:getCluster": lambda p: (
        {"name": "place"},
        {"version": "1.34", "endpoint": "https://127.0.0.1:6443", "enabledClusterLogTypes": ["api"]},
    ),
    "aws:eks/getAddonVersion:getAddonVersion": lambda p: (
        {"addonName": "kube-proxy", "kubernetesVersion": "1.34", "mostRecent": True},
        {"version": "v1.34.0-eksbuild.2"},
    ),
    "aws:iam/getPolicyDocument:getPolicyDocument": lambda p: ({"statements": STATEMENTS}, {}),
    "aws:ssm/getParameter:getParameter": lambda p: (
        {"name": "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/recommended/image_id"},
        {"type": "String"},
    ),
}

# Needs a control plane that runs.
ELSEWHERE = {"aws:eks/getClusterAuth:getClusterAuth"}


def test_every_function_of_the_table_is_called():
    assert set(CALLS) | ELSEWHERE == set(FUNCTIONS)


@pytest.mark.parametrize("function", sorted(CALLS))
def test_a_function_answers_what_is_there_in_the_words_of_the_sdk(bench, place, function):
    arguments, expected = CALLS[function](place)

    answer = bench.provider.invoke(function, arguments)

    assert answer | expected == answer
    assert unknown_in_function(function, answer) == []


def test_a_policy_document_is_written_as_aws_reads_it(bench):
    answer = bench.provider.invoke("aws:iam/getPolicyDocument:getPolicyDocument", {"statements": STATEMENTS})

    assert json.loads(answer["json"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "Read",
                "Effect": "Allow",
                "Action": ["s3:ListBucket", "s3:GetObject"],
                "Resource": "*",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Condition": {"Bool": {"aws:SecureTransport": "true"}},
            }
        ],
    }


def test_what_is_found_twice_is_an_error_that_says_so(bench, place):
    with pytest.raises(Refusal, match="must match exactly one"):
        bench.provider.invoke(
            "aws:ec2/getVpc:getVpc", {"filters": [{"name": "state", "values": ["available"]}]}
        )


def test_a_function_that_is_not_simulated_is_named(bench):
    with pytest.raises(Refusal, match="aws:rds/getCluster:getCluster is not simulated"):
        bench.provider.invoke("aws:rds/getCluster:getCluster", {})


IMAGES_OF_UBUNTU = {
    "filters": [{"name": "name", "values": ["ubuntu/images/hvm-ssd/ubuntu-noble-24.04-arm64-*"]}]
}


def test_an_image_of_others_that_is_not_known_is_made_up_and_listed(bench):
    clear(bench.provider.cloud)

    shown = bench.provider.invoke("aws:ec2/getAmi:getAmi", {"owners": ["099720109477"], **IMAGES_OF_UBUNTU})

    assert shown["architecture"] == "arm64" and shown["ownerId"] == "099720109477"
    assert any("ubuntu-noble-24.04-arm64" in sentence for sentence in noted(bench.provider.cloud))


def test_an_image_of_ones_own_that_is_not_there_and_one_of_many_are_errors(bench):
    with pytest.raises(Refusal, match="returned no results: change owners"):
        bench.provider.invoke("aws:ec2/getAmi:getAmi", {"owners": ["self"]})
    with pytest.raises(Refusal, match="set mostRecent to true"):
        bench.provider.invoke("aws:ec2/getAmi:getAmi", {"owners": ["amazon"]})


def test_a_parameter_that_is_not_there_is_an_error(bench):
    with pytest.raises(Refusal, match="aws:ssm/getParameter:getParameter: AWS refused GetParameter"):
        bench.provider.invoke("aws:ssm/getParameter:getParameter", {"name": "/nowhere"})


def test_a_function_of_what_is_not_known_yet_answers_nothing(bench):
    assert bench.provider.invoke("aws:eks/getCluster:getCluster", {"name": UNKNOWN}) == {}
