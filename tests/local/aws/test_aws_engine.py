"""The aws plugin under the real engine: what a person sees of its answers."""

import json

import pytest

from localcloud.engine import Engine

PROGRAM = """
import json
import os

import pulumi
import pulumi_aws as aws

said = json.loads(os.environ["SAID"])
vpc = aws.ec2.Vpc("net", cidr_block="10.0.0.0/16", tags={"Name": said.get("name", "net"), "io/x": "1"})
subnet = aws.ec2.Subnet("net", vpc_id=vpc.id, cidr_block=said.get("subnet", "10.0.0.0/24"))
group = aws.ec2.SecurityGroup("net", vpc_id=vpc.id)
aws.ssm.Parameter("word", name="/word", type="SecureString", value=pulumi.Output.secret("hush-hush"))
if said.get("queue"):
    aws.sqs.Queue("jobs")
if said.get("typo"):
    def mistype(args):
        return pulumi.ResourceTransformResult({**args.props, "descriptoin": "x"}, args.opts)
    aws.ec2.SecurityGroup("typo", opts=pulumi.ResourceOptions(transforms=[mistype]))
if said.get("refused"):
    aws.ec2.Subnet("refused", vpc_id=vpc.id, cidr_block="192.168.0.0/24")
pulumi.export("account", aws.get_caller_identity().account_id)
pulumi.export("vpc", vpc.id)
"""


class Small:
    """The program, and the engine that runs it."""

    def __init__(self, engine, pulumi):
        self.engine, self.pulumi = engine, pulumi

    def run(self, *arguments, **said):
        return self.pulumi.run(self.engine, *arguments, "--stack", "test", SAID=json.dumps(said))

    def done(self, *arguments, **said):
        ran = self.run(*arguments, **said)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def steps(self, **said):
        """What a preview would do, by type and name; nothing for what stays the same."""
        told = json.loads(self.done("preview", "--json", **said))
        return {
            "::".join(step["urn"].split("::")[2:]): (step["op"], step.get("detailedDiff") or {})
            for step in told["steps"]
            if step["op"] != "same"
        }


@pytest.fixture(scope="module")
def small(cloud, tmp_path_factory, pulumi):
    """The program, up on the test run's cloud."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "Pulumi.yaml").write_text("name: small-aws\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    small = Small(Engine(cloud, folder), pulumi)
    small.engine.select("test")
    small.done("up", "--yes", "--skip-preview")
    yield small
    small.done("destroy", "--yes", "--skip-preview")


def test_a_preview_after_an_up_shows_no_changes(small):
    assert small.steps() == {}


def test_a_refresh_after_an_up_finds_no_changes(small):
    assert "unchanged" in small.done("refresh", "--yes", "--expect-no-changes")


def test_a_preview_names_each_field_that_changes_and_why_something_is_replaced(small):
    steps = small.steps(name="other", subnet="10.0.1.0/24")

    operation, fields = steps["aws:ec2/vpc:Vpc::net"]
    assert operation == "update" and set(fields) == {"tags.Name"}
    replaced, fields = steps["aws:ec2/subnet:Subnet::net"]
    assert replaced in ("replace", "create-replacement", "delete-replaced")
    assert fields == {"cidrBlock": {"kind": "UPDATE_REPLACE", "inputDiff": True}} or set(fields) == {
        "cidrBlock"
    }


def test_a_preview_of_all_that_is_new_makes_nothing(small, aws, pulumi):
    before = len(aws("ec2").describe_vpcs()["Vpcs"])
    small.engine.select("unborn")

    pulumi(small.engine, "preview", "--stack", "unborn", SAID="{}")

    assert len(aws("ec2").describe_vpcs()["Vpcs"]) == before


def test_a_type_that_is_not_simulated_is_named(small):
    ran = small.run("preview", queue=True)

    assert ran.returncode != 0
    assert "aws:sqs/queue:Queue is not simulated by the laptop cloud" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_a_property_that_does_not_exist_is_named_with_the_nearest_that_does(small):
    ran = small.run("preview", typo=True)

    assert ran.returncode != 0
    assert "descriptoin" in ran.stdout + ran.stderr
    assert "did you mean description?" in ran.stdout + ran.stderr


def test_what_aws_refuses_is_told_in_one_sentence_and_the_rest_stays(small):
    ran = small.run("up", "--yes", "--skip-preview", refused=True)

    assert ran.returncode != 0
    assert "aws:ec2/subnet:Subnet refused: AWS refused CreateSubnet" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert small.steps() == {}


def test_a_secret_is_not_in_the_state(small):
    assert "hush-hush" not in small.done("stack", "export")


def test_what_somebody_changed_by_hand_is_found_and_put_right(small, aws):
    vpc = json.loads(small.done("stack", "output", "--json"))["vpc"]
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

    small.done("refresh", "--yes", "--skip-preview")
    steps = small.steps()
    assert set(steps["aws:ec2/vpc:Vpc::net"][1]) == {"tags.Name", "tags.new"}
    assert steps["aws:ec2/securityGroup:SecurityGroup::net"][0] == "create"

    small.done("up", "--yes", "--skip-preview")
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


def test_one_program_may_be_in_two_accounts_and_regions(cloud, project, aws, pulumi):
    engine = Engine(cloud, project(TWO_PLACES, "places"))
    engine.select("test")
    places = Small(engine, pulumi)
    try:
        places.done("up", "--yes", "--skip-preview")
        told = json.loads(places.done("stack", "output", "--json"))

        for name, account, region in (
            ("one", "111122223333", "us-east-1"),
            ("two", "444455556666", "eu-west-1"),
        ):
            assert told[name]["vpc"].startswith(f"arn:aws:ec2:{region}:{account}:vpc/")
            assert (told[name]["bucket"], told[name]["registry"]) == (region, account)
        assert places.steps() == {}
        assert "unchanged" in places.done("refresh", "--yes", "--expect-no-changes")
        assert not {f"places-{name}" for name in told} & {
            bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]
        }, "the account of whoever names none has neither"
    finally:
        places.done("destroy", "--yes", "--skip-preview")
