"""Previews of the provider, without the engine: what is known, and that nothing is made."""

from localcloud.plugins.values import UNKNOWN
from tests.local.aws.tokens import SUBNET, VPC


def test_a_preview_knows_the_inputs_and_nothing_that_aws_decides(bench):
    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})
    id, outputs = bench.provider.create(bench.target(VPC), inputs, True, 0)

    assert id == ""
    assert outputs["cidrBlock"] == "10.0.0.0/16" and outputs["tagsAll"] == {"Name": "x"}
    assert outputs["arn"] is UNKNOWN and outputs["defaultSecurityGroupId"] is UNKNOWN
    assert outputs["enableDnsHostnames"] is UNKNOWN, "AWS decides what the program leaves out"


def test_a_preview_makes_and_changes_nothing(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    before = bench.read(vpc)

    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True}, vpc.inputs)
    outputs = bench.provider.update(bench.target(VPC, "it", vpc.id), vpc.inputs, vpc.outputs, inputs, True, 0)

    assert outputs["enableDnsHostnames"] is True and outputs["arn"] == vpc.outputs["arn"]
    assert bench.read(vpc) == before


def test_inputs_that_are_not_known_yet_are_accepted(bench):
    inputs = bench.check(SUBNET, {"vpcId": UNKNOWN, "cidrBlock": UNKNOWN, "tags": {"Name": UNKNOWN}})
    _, outputs = bench.provider.create(bench.target(SUBNET), inputs, True, 0)

    assert outputs["vpcId"] is UNKNOWN and outputs["tagsAll"] == {"Name": UNKNOWN}


def test_an_input_that_becomes_unknown_may_replace(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})

    diff = bench.diff(subnet, {"vpcId": UNKNOWN, "cidrBlock": "10.0.0.0/24"})

    assert diff.replaces == {("vpcId",)}
