"""The aws plugin under the real engine: what a person sees of its answers."""

import json

import pytest

from localcloud.engine import Engine
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = """
import json
import os

import pulumi
import pulumi_aws as aws

changes = json.loads(os.environ.get("CHANGES", "{}"))
vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"Name": changes.get("name", "net"), "io/x": "1"})
subnet = aws.ec2.Subnet("net", vpc_id=vpc.id, cidr_block=changes.get("subnet", "10.0.0.0/24"))
group = aws.ec2.SecurityGroup("net", vpc_id=vpc.id)
aws.ssm.Parameter("word", name="/word", type="SecureString", value=pulumi.Output.secret("hush-hush"))
if changes.get("queue"):
    aws.sqs.Queue("jobs")
if changes.get("typo"):
    def mistype(args):
        return pulumi.ResourceTransformResult({**args.props, "descriptoin": "x"}, args.opts)
    aws.ec2.SecurityGroup("typo", opts=pulumi.ResourceOptions(transforms=[mistype]))
if changes.get("refused"):
    aws.ec2.Subnet("refused", vpc_id=vpc.id, cidr_block="192.168.0.0/24")
pulumi.export("account", aws.get_caller_identity().account_id)
pulumi.export("vpc", vpc.id)
"""


def with_changes(**changes):
    """The variable of the program that changes it."""
    return {"CHANGES": json.dumps(changes)}


def steps(stack, **changes):
    """Operation and fields that a preview shows, by type and name; nothing for what stays the same."""
    return {
        "::".join(step["urn"].split("::")[2:]): (step["op"], step.get("detailedDiff") or {})
        for step in stack.steps(**with_changes(**changes))
    }


@pytest.fixture(scope="module")
def small(cloud, tmp_path_factory):
    """The program, up on the test run's cloud."""
    engine = Engine(cloud, write_project(tmp_path_factory.mktemp("aws") / "small-aws", PROGRAM))
    engine.select("test")
    small = PulumiStack(engine, "test")
    small.up()
    yield small
    small.destroy()


def test_a_preview_after_an_up_shows_no_changes(small):
    assert small.steps() == []


def test_a_refresh_after_an_up_finds_no_changes(small):
    assert "unchanged" in small.run("refresh", "--yes", "--expect-no-changes")


def test_a_preview_names_each_field_that_changes_and_why_something_is_replaced(small):
    changes = steps(small, name="other", subnet="10.0.1.0/24")

    operation, fields = changes["aws:ec2/vpc:Vpc::net"]
    assert operation == "update" and set(fields) == {"tags.Name"}
    replaced, fields = changes["aws:ec2/subnet:Subnet::net"]
    assert replaced in ("replace", "create-replacement", "delete-replaced")
    assert fields == {"cidrBlock": {"kind": "UPDATE_REPLACE", "inputDiff": True}} or set(fields) == {
        "cidrBlock"
    }


def test_a_preview_of_all_that_is_new_makes_nothing(small, aws):
    before = len(aws("ec2").describe_vpcs()["Vpcs"])
    small.engine.select("unborn")

    PulumiStack(small.engine, "unborn").run("preview")

    assert len(aws("ec2").describe_vpcs()["Vpcs"]) == before


def test_a_type_that_is_not_simulated_is_named(small):
    preview = small.try_run("preview", **with_changes(queue=True))

    assert preview.returncode != 0
    assert "aws:sqs/queue:Queue is not simulated by the laptop cloud" in preview.stdout + preview.stderr
    assert "Traceback" not in preview.stdout + preview.stderr


def test_a_property_that_does_not_exist_is_named_with_the_nearest_that_does(small):
    preview = small.try_run("preview", **with_changes(typo=True))

    assert preview.returncode != 0
    assert "descriptoin" in preview.stdout + preview.stderr
    assert "did you mean description?" in preview.stdout + preview.stderr


def test_a_value_that_aws_refuses_is_refused_at_the_preview_with_its_place(small):
    preview = small.try_run("preview", **with_changes(subnet="10.0.0.0/30"))
    output = preview.stdout + preview.stderr

    assert preview.returncode != 0
    assert "resource 'net'" in output
    assert "property cidrBlock" in output
    assert (
        "AWS refuses this: The CIDR '10.0.0.0/30' is invalid (InvalidSubnet.Range): choose a range" in output
    )


def test_what_aws_refuses_is_told_in_one_sentence_and_the_rest_stays(small):
    up = small.try_run("up", "--yes", "--skip-preview", **with_changes(refused=True))

    assert up.returncode != 0
    output = " ".join((up.stdout + up.stderr).split())
    assert "aws:ec2/subnet:Subnet refused: AWS refused CreateSubnet" in output
    assert "(InvalidSubnet.Range): give it a range within one of its VPC's." in output
    assert "Traceback" not in up.stdout + up.stderr
    assert small.steps() == []


def test_a_secret_is_not_in_the_state(small):
    assert "hush-hush" not in small.run("stack", "export")


def test_what_somebody_changed_by_hand_is_found_and_put_right(small, aws):
    vpc = small.outputs()["vpc"]
    ec2 = aws("ec2")
    ec2.create_tags(Resources=[vpc], Tags=[{"Key": "Name", "Value": "by hand"}, {"Key": "new", "Value": "x"}])
    ec2.delete_security_group(
        GroupId=next(
            group["GroupId"]
            for group in ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])[
                "SecurityGroups"
            ]
            if group["GroupName"] != "default"
        )
    )

    small.run("refresh", "--yes", "--skip-preview")
    drift = steps(small)
    assert set(drift["aws:ec2/vpc:Vpc::net"][1]) == {"tags.Name", "tags.new"}
    assert drift["aws:ec2/securityGroup:SecurityGroup::net"][0] == "create"

    small.up()
    tags = {tag["Key"]: tag["Value"] for tag in ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Tags"]}
    assert tags == {"Name": "net", "io/x": "1"}


TWO_PLACES = """
import pulumi
import pulumi_aws as aws

for name, account, region in (("one", "111122223333", "us-east-1"), ("two", "444455556666", "eu-west-1")):
    provider = aws.Provider(name, region=region, allowed_account_ids=[account])
    opts = pulumi.ResourceOptions(provider=provider)
    vpc = aws.ec2.Vpc(name, cidr_block="10.0.0.0/16", opts=opts)
    bucket = aws.s3.Bucket(name, bucket=f"places-{name}", opts=opts)
    rule = aws.ecr.PullThroughCacheRule(
        name, ecr_repository_prefix="quay", upstream_registry_url="quay.io", opts=opts
    )
    pulumi.export(name, {"vpc": vpc.arn, "bucket": bucket.bucket_region, "registry": rule.registry_id})
"""


def test_one_program_may_be_in_two_accounts_and_regions(cloud, project, aws):
    engine = Engine(cloud, project(TWO_PLACES, "places"))
    engine.select("test")
    places = PulumiStack(engine, "test")
    try:
        places.up()
        outputs = places.outputs()

        for name, account, region in (
            ("one", "111122223333", "us-east-1"),
            ("two", "444455556666", "eu-west-1"),
        ):
            assert outputs[name]["vpc"].startswith(f"arn:aws:ec2:{region}:{account}:vpc/")
            assert (outputs[name]["bucket"], outputs[name]["registry"]) == (region, account)
        assert places.steps() == []
        assert "unchanged" in places.run("refresh", "--yes", "--expect-no-changes")
        assert not {f"places-{name}" for name in outputs} & {
            bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]
        }, "the account of whoever names none has neither"
    finally:
        places.destroy()
