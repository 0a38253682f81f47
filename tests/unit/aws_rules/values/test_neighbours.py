"""Values that have to fit those of other resources: pure, over what AWS shows of these."""

import json

import pytest

from aws_rules.values import endpoints, policies, principals, ranges, routes
from aws_rules.values.request import LATER, Request


def request(service, operation, **members):
    return Request(resource="it", service=service, operation=operation, members=members, region="us-east-1")


def refused(verdicts):
    return [verdict.code for verdict in verdicts]


# https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html#add-cidr-block-restrictions
@pytest.mark.parametrize(
    ("primary", "further", "allowed"),
    [
        ("10.20.0.0/18", "100.64.0.0/16", True),
        ("10.20.0.0/18", "10.64.0.0/16", True),
        ("10.20.0.0/18", "198.20.0.0/16", True),
        ("10.20.0.0/18", "172.16.0.0/16", False),
        ("10.20.0.0/18", "192.168.0.0/20", False),
        ("10.20.0.0/18", "198.19.0.0/16", False),
        ("10.20.0.0/18", "10.20.32.0/20", False),
        ("10.1.0.0/16", "10.0.0.0/20", False),
        ("10.20.0.0/18", "10.0.0.0/20", True),
        ("172.16.0.0/16", "172.31.0.0/16", False),
        ("172.16.0.0/16", "172.20.0.0/16", True),
        ("192.168.0.0/20", "192.168.16.0/20", True),
        ("100.64.0.0/16", "10.0.0.0/16", False),
        ("100.64.0.0/16", "100.65.0.0/16", True),
        ("198.19.0.0/20", "100.64.0.0/16", True),
    ],
)
def test_further_ranges_of_a_vpc_are_those_of_awss_table(primary, further, allowed):
    call = request("ec2", "AssociateVpcCidrBlock", VpcId="vpc-1", CidrBlock=further)

    codes = refused(ranges.further_range(call, primary, [primary]))

    assert codes == ([] if allowed else ["InvalidVpc.Range"])


@pytest.mark.parametrize(
    ("cidr", "allowed"),
    [("100.64.32.0/19", True), ("100.64.0.0/28", True), ("100.64.64.0/28", False), ("100.64.16.0/21", False)],
)
def test_a_reservation_is_within_its_subnet_beside_the_others(cidr, allowed):
    call = request("ec2", "CreateSubnetCidrReservation", SubnetId="subnet-1", Cidr=cidr)

    codes = refused(ranges.reservation_in_subnet(call, "100.64.0.0/18", ["100.64.16.0/20"]))

    assert codes == ([] if allowed else ["InvalidParameterValue"])


def test_the_services_of_a_cluster_are_outside_its_vpc():
    call = request("eks", "CreateCluster", kubernetesNetworkConfig={"serviceIpv4Cidr": "10.0.128.0/20"})

    assert refused(ranges.services_in_vpc(call, ["10.0.0.0/16"])) == ["InvalidParameterException"]
    assert refused(ranges.services_in_vpc(call, ["10.1.0.0/16", "100.64.0.0/16"])) == []


def test_inline_policies_of_a_role_count_together_and_white_space_does_not():
    half = '{"Statement": "' + "x" * 5100 + '"}'
    call = request("iam", "PutRolePolicy", RoleName="r", PolicyName="p", PolicyDocument=half)

    assert refused(policies.inline(call, [half.replace(" ", " " * 3000)])) == []
    assert refused(policies.inline(call, [half, "x" * 40])) == ["LimitExceeded"]


def test_a_role_has_ten_managed_policies_at_most():
    others = [f"arn:aws:iam::aws:policy/{number}" for number in range(10)]
    call = request("iam", "AttachRolePolicy", RoleName="r", PolicyArn="arn:aws:iam::aws:policy/more")
    again = request("iam", "AttachRolePolicy", RoleName="r", PolicyArn=others[0])

    assert refused(policies.attached(call, others[:9])) == []
    assert refused(policies.attached(call, others)) == ["LimitExceeded"]
    assert refused(policies.attached(again, others)) == []


def test_what_is_known_later_fits():
    call = request("ec2", "AssociateVpcCidrBlock", VpcId=LATER, CidrBlock=LATER)

    assert refused(ranges.further_range(call, "10.0.0.0/16", ["10.0.0.0/16"])) == []


EC2 = "com.amazonaws.us-east-1.ec2"


def places(subnets, others=(), *, resolves=True, vpc="vpc-1", state="available", groups=("sg-1",)):
    call = request(
        "ec2",
        "CreateVpcEndpoint",
        VpcId=vpc,
        ServiceName=EC2,
        PrivateDnsEnabled=True,
        SecurityGroupIds=groups,
    )
    described = [
        {"SubnetId": f"subnet-{number}", "AvailabilityZone": zone, "VpcId": "vpc-1"}
        for number, zone in enumerate(subnets)
    ]
    names = [{"ServiceName": other, "PrivateDnsEnabled": True, "State": state} for other in others]
    return [
        (verdict.code, verdict.message)
        for verdict in endpoints.places(
            call, described, {"sg-1": vpc, "sg-2": "vpc-9"}, names, resolves=resolves
        )
    ]


ZONES = ["us-east-1a", "us-east-1b"]


@pytest.mark.parametrize(
    ("verdicts", "code", "words"),
    [
        (places(ZONES, vpc="vpc-2"), "InvalidParameter", "'subnet-0' does not belong to VPC vpc-2"),
        (places(["us-east-1a"] * 2), "DuplicateSubnetsInSameZone", "availability zone of subnet-0"),
        (places(ZONES, resolves=False), "InvalidParameter", "both enableDnsSupport and enableDnsHostnames"),
        (
            places(ZONES, [EC2]),
            "InvalidParameter",
            "already a conflicting DNS domain for ec2.us-east-1.amazonaws.com in the VPC vpc-1",
        ),
        (places(ZONES, groups=["sg-1", "sg-0"]), "InvalidGroup.NotFound", "'sg-0' does not exist"),
        (places(ZONES, groups=["sg-2"]), "InvalidGroup.NotFound", "'sg-2' does not exist"),
    ],
)
def test_an_endpoint_in_subnets_or_with_names_that_its_vpc_cannot_have_is_refused(verdicts, code, words):
    [(actual, message)] = verdicts

    assert actual == code
    assert words in message


def test_an_endpoint_in_a_subnet_a_zone_beside_those_of_other_services_is_not_refused():
    assert places(ZONES, ["com.amazonaws.us-east-1.ecr.dkr"]) == []


def test_the_names_of_an_endpoint_that_is_gone_are_free():
    assert places(ZONES, [EC2], state="deleted") == []


@pytest.mark.parametrize(
    ("gateway", "code"),
    [
        ("igw-1", None),
        ("local", None),
        ("vgw-1", None),
        ("igw-0", "InvalidGatewayID.NotFound"),
        ("igw-2", "InvalidParameterValue"),
        ("igw-3", "InvalidParameterValue"),
    ],
)
def test_a_route_to_the_internet_has_a_gateway_of_its_vpc(gateway, code):
    call = request("ec2", "CreateRoute", RouteTableId="rtb-1", GatewayId=gateway)
    attached = {"igw-1": "vpc-1", "igw-2": "vpc-2", "igw-3": ""}

    assert refused(routes.internet_gateway(call, "vpc-1", attached)) == ([code] if code else [])


@pytest.mark.parametrize(("connectivity", "refusals"), [("public", 1), ("private", 0), (None, 1)])
def test_a_public_nat_gateway_needs_an_internet_gateway(connectivity, refusals):
    call = request("ec2", "CreateNatGateway", SubnetId="subnet-1", ConnectivityType=connectivity)

    assert len(refused(routes.attached_gateway(call, "vpc-1", []))) == refusals
    assert refused(routes.attached_gateway(call, "vpc-1", ["vpc-1"])) == []


def names(*arns):
    statements = [{"Effect": "Allow", "Action": "s3:*", "Principal": {"AWS": arn}} for arn in arns]
    return json.dumps({"Version": "2012-10-17", "Statement": [*statements, {"Principal": "*"}]})


def test_roles_and_users_in_a_policy_that_are_not_there_are_not_known():
    role, user = (f"arn:aws:iam::111122223333:{name}" for name in ("role/team/etl", "user/ana"))
    here, gone = [role, "arn:aws:iam::111122223333:root", "444455556666", "*"], [user]
    call = request("s3", "PutBucketPolicy", Bucket="b", Policy=names(here, gone))

    unknown = [verdict.lacks for verdict in principals.existence(call, lambda arn: arn == role)]

    assert unknown == [
        f"whether principal {user} exists, and AWS refuses a policy with one that does not (MalformedPolicy)"
    ]


@pytest.mark.parametrize("policy", [None, LATER, "no JSON", "[]", '{"Statement": "*"}'])
def test_what_is_no_policy_names_nobody(policy):
    call = request("kms", "PutKeyPolicy", Policy=policy)

    assert list(principals.existence(call, lambda arn: False)) == []
