"""What is a difference between the program and AWS, and what is none."""

import json

from localcloud.plugins.differences import path_text
from localcloud.plugins.values import Secret
from tests.local.aws.tokens import ROLE, SUBNET, VPC, trust

FULL = "arn:aws:iam::aws:policy/IAMFullAccess"


def test_a_policy_written_otherwise_is_the_same_policy(bench):
    role = bench.make(ROLE, {"assumeRolePolicy": trust("ec2")})

    policy = json.dumps(json.loads(trust("ec2")), indent=4, sort_keys=True)

    assert bench.diff(role, {"assumeRolePolicy": policy}).kinds == {}


def test_the_order_of_what_has_none_is_no_difference(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    tables = [bench.make("aws:ec2/routeTable:RouteTable", {"vpcId": vpc.id}, name=n).id for n in "ab"]
    inputs = {"vpcId": vpc.id, "serviceName": "com.amazonaws.us-east-1.s3"}
    endpoint = bench.make("aws:ec2/vpcEndpoint:VpcEndpoint", {**inputs, "routeTableIds": tables})

    assert bench.diff(endpoint, {**inputs, "routeTableIds": tables[::-1]}).kinds == {}


def test_a_subnet_may_be_in_a_further_range_of_its_vpc(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    range_ = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
    bench.make(range_, {"vpcId": vpc.id, "cidrBlock": "100.64.0.0/16"})

    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "100.64.0.0/18"})

    assert subnet.outputs["cidrBlock"] == "100.64.0.0/18"
    assert bench.read(vpc).inputs == vpc.inputs, "the range is no drift of the VPC"


def test_what_somebody_changed_by_hand_is_in_the_inputs_after_a_refresh(bench):
    role = bench.make(ROLE, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})
    iam = bench.provider.api.client("iam")
    iam.update_assume_role_policy(RoleName=role.id, PolicyDocument=trust("lambda"))
    iam.put_role_permissions_boundary(RoleName=role.id, PermissionsBoundary=FULL)
    iam.tag_role(RoleName=role.id, Tags=[{"Key": "b", "Value": "2"}])

    role.inputs, role.outputs = (live := bench.read(role)).inputs, live.outputs
    diff = bench.diff(role, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})

    assert {path_text(path) for path in diff.kinds} == {"assumeRolePolicy", "permissionsBoundary", "tags.b"}
    role = bench.change(role, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})
    assert "permissionsBoundary" not in bench.read(role).outputs
    assert bench.read(role).outputs["tagsAll"] == {"a": "1"}


def test_a_secret_stays_one(bench):
    parameter = bench.make(
        "aws:ssm/parameter:Parameter", {"name": "/s", "type": "SecureString", "value": Secret("hush")}
    )

    assert parameter.outputs["value"] == Secret("hush")
    assert bench.read(parameter).outputs["value"] == Secret("hush")
    assert bench.read(parameter).inputs["value"] == Secret("hush")
