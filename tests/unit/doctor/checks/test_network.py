import pytest

from doctor.checks import network, ranges
from tests.support.aws_stubs import client, lines

OURS = [{"Key": "moka:environment", "Value": "trial"}]


@pytest.fixture
def ec2():
    return client("ec2")


def test_ranges_that_nobody_has_are_free(place):
    assert lines(ranges.free, place()) == ["ok main Nobody else has addresses of 10.8.0.0/18, 100.64.0.0/16."]


def test_another_vpc_with_addresses_of_ours_is_a_warning(place, ec2):
    vpc = ec2.create_vpc(CidrBlock="10.8.32.0/20")["Vpc"]["VpcId"]

    assert lines(ranges.free, place()) == [
        f"warning main 10.8.0.0/18 overlaps with 10.8.32.0/20 of {vpc}. They can never be connected: if they "
        "should, choose another range now."
    ]


def test_our_own_vpc_is_not_in_its_own_way(place, ec2):
    ec2.create_vpc(CidrBlock="10.8.0.0/18", TagSpecifications=[{"ResourceType": "vpc", "Tags": OURS}])

    assert lines(ranges.free, place()) == ["ok main Nobody else has addresses of 10.8.0.0/18, 100.64.0.0/16."]


def test_a_route_into_our_range_tells_that_somebody_has_it_and_a_summary_route_does_not(place, ec2):
    vpc = ec2.create_vpc(CidrBlock="172.16.0.0/16")["Vpc"]["VpcId"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    hub = ec2.create_transit_gateway()["TransitGateway"]["TransitGatewayId"]
    for destination in ("10.0.0.0/8", "10.8.16.0/20"):
        ec2.create_route(RouteTableId=table, DestinationCidrBlock=destination, TransitGatewayId=hub)

    assert lines(ranges.free, place()) == [
        f"warning main 10.8.0.0/18 overlaps with 10.8.16.0/20 of what {hub} leads to. They can never be "
        "connected: if they should, choose another range now."
    ]


class Existing:
    """A VPC that is there: two zones, private subnets of this size."""

    def __init__(self, ec2, size=20, tagged=True, gateway=True):
        self.ec2 = ec2
        self.vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
        ec2.modify_vpc_attribute(VpcId=self.vpc, EnableDnsHostnames={"Value": True})
        tags = [{"Key": "kubernetes.io/role/internal-elb", "Value": "1"}] if tagged else []
        self.subnets = {
            zone: ec2.create_subnet(
                VpcId=self.vpc,
                CidrBlock=f"10.8.{third}.0/{size}",
                AvailabilityZone=zone,
                TagSpecifications=[{"ResourceType": "subnet", "Tags": tags}] if tags else [],
            )["Subnet"]["SubnetId"]
            for zone, third in (("us-east-1a", 0), ("us-east-1b", 64))
        }
        if gateway:
            out = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
            ec2.attach_internet_gateway(VpcId=self.vpc, InternetGatewayId=out)
            where = [{"Name": "vpc-id", "Values": [self.vpc]}]
            [table] = ec2.describe_route_tables(Filters=where)["RouteTables"]
            ec2.create_route(
                RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", GatewayId=out
            )

    def settings(self, **more):
        def change(written):
            foundation = written["foundations"]["main"]
            foundation.pop("network")
            foundation["existing_network"] = {"vpc": self.vpc, "private_subnets": self.subnets, **more}

        return change


def test_an_existing_network_that_is_as_the_settings_say_is_fine(place, ec2):
    there = Existing(ec2)

    assert lines(network.existing, place(there.settings())) == [
        f"ok main There is VPC {there.vpc}.",
        "ok main Its 2 subnets are there, in their zones.",
        "ok main Its subnets have addresses for all machines and pods.",
    ]


def test_a_vpc_that_is_not_there_is_a_problem(place, ec2):
    change = Existing(ec2).settings(vpc="vpc-0123456789abcdef0")

    assert lines(network.existing, place(change)) == [
        "problem main There is no VPC vpc-0123456789abcdef0 in 123456789012, us-east-1. Correct its id."
    ]


def test_subnets_that_are_elsewhere_or_nowhere_are_named_by_their_place_in_the_file(place, ec2):
    there = Existing(ec2)
    swapped = {"us-east-1a": there.subnets["us-east-1b"], "us-east-1b": "subnet-0123456789abcdef0"}

    told = lines(network.existing, place(there.settings(private_subnets=swapped)))

    assert (
        "problem main existing_network.private_subnets.us-east-1a: subnet "
        f"{there.subnets['us-east-1b']} is in us-east-1b. Correct the zone." in told
    )
    assert (
        f"problem main existing_network.private_subnets.us-east-1b: VPC {there.vpc} has no subnet "
        "subnet-0123456789abcdef0. Correct its id." in told
    )


def test_subnets_too_small_for_the_pods_are_a_problem(place, ec2):
    there = Existing(ec2, size=24)

    told = lines(network.existing, place(there.settings()))

    # System 2, driver 2, shuffle 2, executor 15 a zone; prefixes of 112, 112, 32 and 64 addresses.
    assert (
        f"problem main Subnet {there.subnets['us-east-1a']} has 251 free addresses, and with all machines "
        "there 1,493 are needed. Take larger subnets (pod_subnets, for pods alone), fewer machines, or fewer "
        "pods a machine." in told
    )


def test_names_that_the_vpc_does_not_resolve_are_a_problem_with_its_command(place, ec2):
    there = Existing(ec2)
    ec2.modify_vpc_attribute(VpcId=there.vpc, EnableDnsHostnames={"Value": False})

    assert (
        f"problem main VPC {there.vpc} has enableDnsHostnames off, and nodes find the API server by it. `aws "
        f"ec2 modify-vpc-attribute --region us-east-1 --vpc-id {there.vpc} --enable-dns-hostnames`."
        in lines(network.existing, place(there.settings()))
    )


def test_subnets_without_a_way_out_or_a_tag_for_load_balancers_are_warnings(place, ec2):
    there = Existing(ec2, tagged=False, gateway=False)

    told = [line for line in lines(network.existing, place(there.settings())) if line.startswith("warning")]

    subnet = there.subnets["us-east-1a"]
    assert len(told) == 4
    assert (
        f"subnet {subnet} has no tag kubernetes.io/role/internal-elb, and gets no load balancers." in told[0]
    )
    assert f"Subnet {subnet} has no default route" in told[2]
