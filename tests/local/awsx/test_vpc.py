"""`awsx.ec2.Vpc` as a program has it, by the real engine and SDK."""

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = """
import pulumi
import pulumi_awsx as awsx

vpc = awsx.ec2.Vpc("net", ARGUMENTS)
pulumi.export("vpc", vpc.vpc_id)
pulumi.export("public", vpc.public_subnet_ids)
pulumi.export("private", vpc.private_subnet_ids)
"""
SINGLE = 'nat_gateways={"strategy": "Single"}, tags={"team": "data"}'
MISTAKE = 'nat_gateways={"strategy": "Single"}, ipv6_cidr_block="fd00::/56"'


@pytest.fixture
def stack(tmp_path):
    project = write_project(tmp_path / "small", PROGRAM.replace("ARGUMENTS", SINGLE))
    engine = Engine(Cloud(tmp_path / "cloud"), project)
    commands.create(engine, "dev")
    yield PulumiStack(engine, "dev")
    commands.stop(engine)


def test_it_comes_up_with_its_subnets_and_ways_out_and_goes(stack):
    stack.up()

    outputs, ec2 = stack.outputs(), aws_clients(stack.engine.cloud)("ec2")
    shown = {s["SubnetId"]: s for s in ec2.describe_subnets(SubnetIds=outputs["public"])["Subnets"]}
    assert [shown[id]["CidrBlock"] for id in outputs["public"]] == [
        "10.0.32.0/20", "10.0.96.0/20", "10.0.160.0/20",
    ]  # fmt: skip
    of_vpc = [{"Name": "vpc-id", "Values": [outputs["vpc"]]}]
    [gateway] = ec2.describe_nat_gateways(Filter=of_vpc)["NatGateways"]
    for private in outputs["private"]:
        [table] = ec2.describe_route_tables(Filters=[{"Name": "association.subnet-id", "Values": [private]}])[
            "RouteTables"
        ]
        ways = {route["DestinationCidrBlock"]: route.get("NatGatewayId") for route in table["Routes"]}
        assert ways["0.0.0.0/0"] == gateway["NatGatewayId"]
    urns = {resource["urn"].split("::", 2)[2] for resource in stack.state()}
    subnet = "awsx:ec2:Vpc$aws:ec2/vpc:Vpc$aws:ec2/subnet:Subnet"
    assert f"{subnet}::net-public-1" in urns
    assert f"{subnet}$aws:ec2/natGateway:NatGateway::net-1" in urns
    stack.expect_no_changes()

    program = stack.engine.project / "__main__.py"
    program.write_text(PROGRAM.replace("ARGUMENTS", MISTAKE))
    refused = stack.try_run("preview")
    assert "the laptop cloud does not serve ipv6CidrBlock: subnets have IPv4 addresses only" in refused.stdout

    program.write_text(PROGRAM.replace("ARGUMENTS", SINGLE))
    stack.destroy()
    assert [vpc for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]] == []
