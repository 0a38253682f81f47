import pytest

from doctor.checks.ranges import free_ranges
from tests.support.aws_stubs import client, lines

OWN_TAGS = [{"Key": "moka:environment", "Value": "trial"}]
FREE = "ok main No other network has addresses of 10.8.0.0/18, 100.64.0.0/16."


@pytest.fixture
def ec2():
    return client("ec2")


def test_ranges_that_nobody_has_are_free(place):
    assert lines(free_ranges, place()) == [
        "ok main No other network has addresses of 10.8.0.0/18, 100.64.0.0/16."
    ]


def test_another_vpc_with_addresses_of_ours_is_a_warning(place, ec2):
    vpc = ec2.create_vpc(CidrBlock="10.8.32.0/20")["Vpc"]["VpcId"]

    assert lines(free_ranges, place()) == [
        f"warning main 10.8.0.0/18 overlaps with 10.8.32.0/20 of {vpc}. They can never be connected: if they "
        "should, choose another range now."
    ]


def test_our_own_vpc_is_not_in_its_own_way(place, ec2):
    ec2.create_vpc(CidrBlock="10.8.0.0/18", TagSpecifications=[{"ResourceType": "vpc", "Tags": OWN_TAGS}])

    assert lines(free_ranges, place()) == [
        "ok main No other network has addresses of 10.8.0.0/18, 100.64.0.0/16."
    ]


def test_a_route_into_our_range_tells_that_somebody_has_it_and_a_summary_route_does_not(place, ec2):
    vpc = ec2.create_vpc(CidrBlock="172.16.0.0/16")["Vpc"]["VpcId"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    hub = ec2.create_transit_gateway()["TransitGateway"]["TransitGatewayId"]
    for destination in ("10.0.0.0/8", "10.8.16.0/20"):
        ec2.create_route(RouteTableId=table, DestinationCidrBlock=destination, TransitGatewayId=hub)

    assert lines(free_ranges, place()) == [
        f"warning main 10.8.0.0/18 overlaps with 10.8.16.0/20 of what {hub} leads to. They can never be "
        "connected: if they should, choose another range now."
    ]
