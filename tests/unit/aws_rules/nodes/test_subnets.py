"""Subnets in which machines and pods have addresses, and those that EKS or the VPC CNI cannot use."""

import pytest

from aws_rules.nodes.addresses import PodNetwork
from aws_rules.nodes.instance_types import assumed
from aws_rules.nodes.subnets import group_subnets, pod_subnets
from aws_rules.rule import Unknown

ZONE = "topology.kubernetes.io/zone"


def subnet(name, zone="us-east-1a", vpc="vpc-1", *, assigns=False):
    return {"SubnetId": name, "AvailabilityZone": zone, "VpcId": vpc, "MapPublicIpOnLaunch": assigns}


@pytest.mark.parametrize(
    ("subnets", "public", "code"),
    [
        ([subnet("a", vpc="vpc-2")], [], "InvalidParameterException"),
        ([subnet("a"), subnet("b")], ["b"], "Ec2SubnetInvalidConfiguration"),
    ],
)
def test_subnets_of_another_vpc_or_without_public_addresses_are_refused(subnets, public, code):
    [violation] = group_subnets("group", "g", subnets, "vpc-1", public)

    assert violation.code == code


def test_private_subnets_and_public_ones_that_assign_addresses_are_not_refused():
    subnets = [subnet("a"), subnet("b", assigns=True)]

    assert list(group_subnets("group", "g", subnets, "vpc-1", ["b"])) == []


SUBNETS = {"pods-a": subnet("pods-a"), "other": subnet("other", vpc="vpc-2")}


@pytest.mark.parametrize(
    ("zone", "configured", "words"),
    [
        ("us-east-1b", {"us-east-1a": "pods-a"}, 'ENIConfig.crd.k8s.amazonaws.com "us-east-1b" not found'),
        ("us-east-1a", {}, 'ENIConfig.crd.k8s.amazonaws.com "us-east-1a" not found'),
        ("us-east-1b", {"us-east-1b": "pods-a"}, "not in the same availability zone"),
        ("us-east-1a", {"us-east-1a": "other"}, "is not in the VPC of the node, vpc-1"),
        ("us-east-1a", {"us-east-1a": "gone"}, "The subnet ID 'gone' does not exist"),
    ],
)
def test_a_zone_without_a_subnet_for_its_pods_gets_no_nodes(zone, configured, words):
    network = PodNetwork(pod_subnets=configured, label=ZONE)

    [violation] = pod_subnets("group", [zone], network, SUBNETS, "vpc-1")

    assert words in violation.message
    assert "Failed to attach any ENIs for custom networking" in violation.message


def test_nodes_that_no_label_tells_of_their_zone_ask_for_the_default_configuration():
    network = PodNetwork(pod_subnets={"us-east-1a": "pods-a"})

    [violation] = pod_subnets("group", ["us-east-1a"], network, SUBNETS, "vpc-1")

    assert 'ENIConfig.crd.k8s.amazonaws.com "default" not found' in violation.message
    assert "ENI_CONFIG_LABEL_DEF" in violation.remedy


@pytest.mark.parametrize(
    "network",
    [
        PodNetwork(),
        PodNetwork(pod_subnets={"us-east-1a": "pods-a"}, label=ZONE),
        PodNetwork(pod_subnets={"default": "pods-a"}),
    ],
)
def test_zones_whose_pods_have_a_subnet_are_not_refused(network):
    assert list(pod_subnets("group", ["us-east-1a"], network, SUBNETS, "vpc-1")) == []


def test_a_label_that_is_not_known_is_not_refused():
    network = PodNetwork(pod_subnets={"blue": "pods-a"}, label="example.com/colour")

    [unknown] = pod_subnets("group", ["us-east-1a"], network, SUBNETS, "vpc-1")

    assert isinstance(unknown, Unknown)


@pytest.mark.parametrize(
    ("name", "architecture", "vcpus", "gib"),
    [
        ("r99gd.4xlarge", "arm64", 16, 128),
        ("m99i.xlarge", "x86_64", 4, 16),
        ("c99a.large", "x86_64", 2, 4),
        ("x99i-flex.2xlarge", "x86_64", 8, 128),
    ],
)
def test_a_type_of_a_new_family_is_taken_for_what_its_name_says(name, architecture, vcpus, gib):
    attributes = assumed(name)

    assert attributes["ProcessorInfo"]["SupportedArchitectures"] == [architecture]
    assert attributes["VCpuInfo"]["DefaultVCpus"] == vcpus
    assert attributes["MemoryInfo"]["SizeInMiB"] == gib * 1024
