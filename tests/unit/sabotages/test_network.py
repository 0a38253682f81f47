"""Networks and clusters that AWS refuses, or that give no nodes: one change each, in its words."""

import json

import boto3
import pytest

from tests.support.deployment import Refused, few_groups, put

LAYERS = ("foundation", "cluster")
GROUP = "NodeGroup::spark-a-executor-amd64"


def in_public_subnet(inputs):
    """A group in a subnet whose default route leads to the internet gateway."""
    names = [{"Name": "tag:Name", "Values": ["main-public-us-east-1a"]}]
    [subnet] = boto3.client("ec2", region_name="us-east-1").describe_subnets(Filters=names)["Subnets"]
    return {**inputs, "subnetIds": [subnet["SubnetId"]]}


def without_a_zone(inputs):
    """The VPC CNI without its subnet in a zone."""
    configuration = json.loads(inputs["configurationValues"])
    del configuration["eniConfig"]["subnets"]["us-east-1b"]
    return {**inputs, "configurationValues": json.dumps(configuration)}


def in_one_zone(inputs):
    """A control plane in one subnet."""
    config = inputs["vpcConfig"]
    return {**inputs, "vpcConfig": {**config, "subnetIds": config["subnetIds"][:1]}}


SABOTAGES = {
    "a VPC without host names": (
        {"Vpc::main": {"enableDnsHostnames": False}},
        "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames",
        "set both of the VPC",
    ),
    "a control plane in one zone": (
        {"Cluster::spark-a-eksCluster": in_one_zone},
        "Subnets specified must be in at least two different AZs",
        "name subnets of two zones",
    ),
    "nodes in a public subnet that assigns no addresses": (
        {GROUP: in_public_subnet},
        "does not automatically assign public IP addresses",
        "set mapPublicIpOnLaunch",
    ),
    "a zone without a subnet for its pods": (
        {"Addon::spark-a-vpc-cni": without_a_zone},
        'ENIConfig.crd.k8s.amazonaws.com "us-east-1b" not found',
        "add us-east-1b to eniConfig.subnets",
    ),
    "an instance type in the launch template too": (
        {"LaunchTemplate::spark-a-executor-amd64": {"instanceType": "r6i.4xlarge"}},
        "Cannot specify instance types in launch template and API request",
        "leave instanceType out of the template",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_network_or_a_cluster_that_aws_would_not_have_is_refused(up, name):
    inputs, words, remedy = SABOTAGES[name]

    with pytest.raises(Refused) as refused:
        up("local", layers=LAYERS, settings=few_groups, inputs=inputs)

    assert words in str(refused.value)
    assert remedy in str(refused.value)


def test_public_nodes_that_get_addresses_and_types_of_a_new_family_are_not_refused(up):
    def settings(file):
        few_groups(file)
        put("clusters.spark-a.node_groups.executor-amd64.instance_types", ["r99i.4xlarge"])(file)

    account = up(
        "local",
        layers=LAYERS,
        settings=settings,
        inputs={GROUP: in_public_subnet, "Subnet::main-public-us-east-1a": {"mapPublicIpOnLaunch": True}},
    )

    [group] = [group for group in account.machines if group.name == "executor-amd64"]
    assert [(kind.name, kind.vcpus) for kind in group.instance_types] == [("r99i.4xlarge", 16)]
    assert all("r99i.4xlarge" in unknown for unknown in account.unknowns)
    assert account.unknowns


def test_a_zone_that_is_appended_is_for_nodes_and_leaves_the_control_plane_where_it_is(up):
    def two_zones(file):
        few_groups(file)
        del file["clusters"]["spark-a"]["node_groups"]["system"]["zones"]
        put("foundations.main.network.zones", ["us-east-1a", "us-east-1b"])(file)

    account = up("local", layers=LAYERS, settings=two_zones)
    eks = account.client("eks")
    [name] = eks.list_clusters()["clusters"]
    subnets = set(eks.describe_cluster(name=name)["cluster"]["resourcesVpcConfig"]["subnetIds"])

    account.deploy(settings=put("foundations.main.network.zones", ["us-east-1a", "us-east-1b", "us-east-1c"]))

    assert set(eks.describe_cluster(name=name)["cluster"]["resourcesVpcConfig"]["subnetIds"]) == subnets
    assert "system-us-east-1c" in eks.list_nodegroups(clusterName=name)["nodegroups"]
