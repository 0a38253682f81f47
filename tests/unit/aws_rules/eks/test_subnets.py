"""Subnets in which EKS makes a control plane."""

import pytest

from aws_rules.eks.subnets import cluster_subnets, other_subnets


def subnet(zone, vpc="vpc-1", free=11, zone_id="use1-az1"):
    return {
        "SubnetId": f"subnet-{zone}",
        "AvailabilityZone": zone,
        "AvailabilityZoneId": zone_id,
        "VpcId": vpc,
        "AvailableIpAddressCount": free,
    }


TWO = [subnet("us-east-1a"), subnet("us-east-1b")]


@pytest.mark.parametrize(
    ("subnets", "groups", "words"),
    [
        (TWO[:1], [], "Subnets specified must be in at least two different AZs"),
        ([TWO[0], subnet("us-east-1b", vpc="vpc-2")], [], "must be in the same VPC"),
        ([TWO[0], subnet("us-east-1b", free=5)], [], "subnet-us-east-1b has 5 free IP addresses"),
        ([*TWO, subnet("us-east-1e", zone_id="use1-az3")], [], "because us-east-1e, the targeted"),
        (TWO, [{"GroupId": "sg-1", "VpcId": "vpc-2"}], "Security groups [sg-1] are not in the VPC"),
    ],
)
def test_subnets_and_groups_that_eks_does_not_take_are_refused(subnets, groups, words):
    [violation] = cluster_subnets("EKS cluster main", "main", subnets, groups)

    assert words in violation.message


def test_a_control_plane_stays_in_the_zones_in_which_it_was_made():
    zones = {"us-east-1a", "us-east-1b"}
    third = subnet("us-east-1c")

    for subnets in ([*TWO, third], [TWO[0], third], TWO[:1]):
        [violation] = other_subnets("EKS cluster main", zones, subnets)
        assert "exact set of AZs 'us-east-1a,us-east-1b' in which subnets were provided" in violation.message
    assert list(other_subnets("EKS cluster main", zones, [*TWO, subnet("us-east-1b")])) == []


def test_small_subnets_of_two_zones_are_enough():
    assert (
        list(cluster_subnets("EKS cluster main", "main", TWO, [{"GroupId": "sg-1", "VpcId": "vpc-1"}])) == []
    )
