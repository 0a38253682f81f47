import pytest

from doctor.checks.network import endpoint_services, existing_vpc
from moka.endpoint_services import SERVICES
from tests.support.aws_stubs import client, lines


@pytest.fixture
def ec2():
    return client("ec2")


class ExistingVpc:
    """A VPC in moto: two zones, private subnets of this size."""

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
    existing = ExistingVpc(ec2)

    assert lines(existing_vpc, place(existing.settings())) == [
        f"ok main VPC {existing.vpc} exists.",
        "ok main Its 2 subnets exist in their zones.",
        "ok main Its subnets have addresses for all machines and pods.",
    ]


def test_a_vpc_that_is_not_there_is_a_problem(place, ec2):
    change = ExistingVpc(ec2).settings(vpc="vpc-0123456789abcdef0")

    assert lines(existing_vpc, place(change)) == [
        "problem main VPC vpc-0123456789abcdef0 does not exist in 123456789012, us-east-1. Correct its id."
    ]


def test_subnets_that_are_elsewhere_or_nowhere_are_named_by_their_place_in_the_file(place, ec2):
    existing = ExistingVpc(ec2)
    swapped = {"us-east-1a": existing.subnets["us-east-1b"], "us-east-1b": "subnet-0123456789abcdef0"}

    findings = lines(existing_vpc, place(existing.settings(private_subnets=swapped)))

    assert (
        "problem main existing_network.private_subnets.us-east-1a: subnet "
        f"{existing.subnets['us-east-1b']} is in us-east-1b. Correct the zone." in findings
    )
    assert (
        f"problem main existing_network.private_subnets.us-east-1b: VPC {existing.vpc} has no subnet "
        "subnet-0123456789abcdef0. Correct its id." in findings
    )


def test_subnets_too_small_for_the_pods_are_a_problem(place, ec2):
    existing = ExistingVpc(ec2, size=24)

    findings = lines(existing_vpc, place(existing.settings()))

    # System 2, driver 2, shuffle 2, executor 15 a zone; prefixes of 112, 112, 32 and 64 addresses.
    assert (
        f"problem main Subnet {existing.subnets['us-east-1a']} has 251 free addresses, and all machines "
        "together need 1,493. Take larger subnets (pod_subnets, only for pods), fewer machines, or fewer "
        "pods a machine." in findings
    )


def test_names_that_the_vpc_does_not_resolve_are_a_problem_with_its_command(place, ec2):
    existing = ExistingVpc(ec2)
    ec2.modify_vpc_attribute(VpcId=existing.vpc, EnableDnsHostnames={"Value": False})

    assert (
        f"problem main VPC {existing.vpc} has enableDnsHostnames off, and nodes find the API server by it. "
        f"`aws ec2 modify-vpc-attribute --region us-east-1 --vpc-id {existing.vpc} --enable-dns-hostnames`."
        in lines(existing_vpc, place(existing.settings()))
    )


def test_subnets_without_a_way_out_or_a_tag_for_load_balancers_are_warnings(place, ec2):
    existing = ExistingVpc(ec2, tagged=False, gateway=False)

    findings = [
        line for line in lines(existing_vpc, place(existing.settings())) if line.startswith("warning")
    ]

    subnet = existing.subnets["us-east-1a"]
    assert len(findings) == 4
    assert (
        f"subnet {subnet} has no tag kubernetes.io/role/internal-elb, and gets no load balancers."
        in findings[0]
    )
    assert f"Subnet {subnet} has no default route" in findings[2]


@pytest.fixture
def with_pods(ec2):
    """An existing VPC, settings of it with subnets for pods, and their ids."""
    existing = ExistingVpc(ec2)
    pods = {
        zone: ec2.create_subnet(VpcId=existing.vpc, CidrBlock=f"10.8.{third}.0/20", AvailabilityZone=zone)[
            "Subnet"
        ]["SubnetId"]
        for zone, third in (("us-east-1a", 128), ("us-east-1b", 192))
    }
    return existing.settings(pod_subnets=pods), pods


def reserve(ec2, subnet, *cidrs):
    for cidr in cidrs:
        ec2.create_subnet_cidr_reservation(SubnetId=subnet, Cidr=cidr, ReservationType="prefix")


def test_subnets_of_pods_have_room_that_only_prefixes_are_taken_from(place, ec2, with_pods):
    change, pods = with_pods
    reserve(ec2, pods["us-east-1a"], "10.8.136.0/21", "10.8.132.0/22")

    findings = lines(existing_vpc, place(change))

    assert findings[2:] == [
        # Reserved addresses are not free, but there for pods.
        "ok main Its subnets have addresses for all machines and pods.",
        f"warning main Subnet {pods['us-east-1b']} has no reservation for prefixes: with single addresses in "
        "all parts of it, nodes find no prefix for their pods (InsufficientCidrBlocks) while addresses are "
        "free. `aws ec2 create-subnet-cidr-reservation --region us-east-1 --subnet-id "
        f"{pods['us-east-1b']} --reservation-type prefix --cidr 10.8.200.0/21`, and the same for the other "
        "upper halves.",
    ]


def with_endpoints(written):
    written["foundations"]["main"]["network"]["interface_endpoints"] = True


def offers(**changes):
    """What AWS says of endpoints: all zones and policies, but for changes by the service's name."""
    usual = {
        "AvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1c"],
        "VpcEndpointPolicySupported": True,
    }
    details = [
        {"ServiceName": f"com.amazonaws.us-east-1.{service.name}", **usual, **changes.get(service.name, {})}
        for service in SERVICES
        if changes.get(service.name, {}) is not None
    ]
    return {"ec2": [("describe_vpc_endpoint_services", {}, {"ServiceDetails": details})]}


def test_endpoints_that_aws_has_in_all_zones_are_fine(place):
    assert lines(endpoint_services, place(with_endpoints)) == [
        "ok main AWS has endpoints of all 11 services in us-east-1a, us-east-1b and us-east-1c."
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kms": None}, "AWS has no endpoint com.amazonaws.us-east-1.kms."),
        (
            {"eks": {"AvailabilityZones": ["us-east-1a", "us-east-1b"]}},
            "AWS has no endpoint com.amazonaws.us-east-1.eks in us-east-1c.",
        ),
        (
            {"logs": {"VpcEndpointPolicySupported": False}},
            "Endpoint com.amazonaws.us-east-1.logs takes no policy, and ours lets only the environment's "
            "accounts through.",
        ),
    ],
)
def test_an_endpoint_that_aws_would_not_make_is_a_problem(place, changes, sentence):
    findings = lines(endpoint_services, place(with_endpoints, stubbed=offers(**changes)))

    assert findings == [
        f"problem main {sentence} Set network.interface_endpoints: false, or leave that zone out."
    ]


def test_a_service_without_a_policy_of_ours_needs_none(place):
    stubbed = offers(sts={"VpcEndpointPolicySupported": False})

    assert [line.split()[0] for line in lines(endpoint_services, place(with_endpoints, stubbed=stubbed))] == [
        "ok"
    ]


def test_a_network_without_endpoints_asks_nobody(place):
    def without(written):
        written["foundations"]["main"]["network"]["interface_endpoints"] = False

    assert lines(endpoint_services, place(without, stubbed={"ec2": []})) == []
