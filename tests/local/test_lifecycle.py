"""A small program's life on the laptop cloud, by the real engine."""

import os
import signal
import time

import pytest

from localcloud import commands
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from localcloud.errors import Refusal
from tests.support.cut_off import recover
from tests.support.pulumi_stack import PulumiStack

pytestmark = pytest.mark.usefixtures("checkpoints")

PROGRAM = """
import pulumi
import pulumi_aws as aws

config = pulumi.Config()
stack = pulumi.get_stack()
bucket = aws.s3.Bucket(
    "data", bucket=config.get("bucket") or f"small-{stack}", force_destroy=True,
    tags={"team": config.get("team") or "one"},
)
group = aws.cloudwatch.LogGroup("logs", name=f"/small/{stack}", retention_in_days=7)
pulumi.export("bucket", bucket.id)
"""

CLUSTER = """
import json
import pulumi
import pulumi_aws as aws

stack = pulumi.get_stack()
trust = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
role = aws.iam.Role("role", assume_role_policy=json.dumps(trust))
permissions = aws.iam.RolePolicyAttachment(
    "role", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
network = aws.ec2.Vpc("network", cidr_block="10.9.0.0/16")
subnets = [
    aws.ec2.Subnet(f"subnet-{n}", vpc_id=network.id, cidr_block=f"10.9.{n}.0/24",
                   availability_zone=f"us-east-1{'ab'[n]}")
    for n in range(2)
]
cluster = aws.eks.Cluster(
    "cluster", name=f"cut-{stack}", role_arn=role.arn, version="1.34",
    vpc_config={"subnet_ids": [s.id for s in subnets]},
    opts=pulumi.ResourceOptions(depends_on=[permissions]),
)
pulumi.export("endpoint", cluster.endpoint)
"""


@pytest.fixture
def dev(cloud, project):
    """Stack `dev` of the small program, up; destroyed afterwards, with any other stack."""
    engine = Engine(cloud, project(PROGRAM))
    engine.select("dev")
    dev = PulumiStack(engine, "dev")
    dev.up()
    yield dev
    for name in engine.stacks():
        PulumiStack(engine, name).destroy()


def tags(aws, bucket):
    return {t["Key"]: t["Value"] for t in aws("s3").get_bucket_tagging(Bucket=bucket)["TagSet"]}


def test_after_up_a_preview_shows_no_change(dev):
    assert dev.operations() == {}


def test_a_changed_tag_is_updated_in_place(dev, aws):
    dev.run("config", "set", "team", "two")
    assert dev.operations() == {"data": "update"}

    dev.up()

    assert tags(aws, "small-dev")["team"] == "two"


def test_a_preview_changes_nothing(dev, aws):
    dev.run("config", "set", "team", "three")
    dev.operations()

    assert tags(aws, "small-dev")["team"] == "one"


def test_a_changed_name_replaces(dev, aws):
    dev.run("config", "set", "bucket", "small-renamed")
    assert dev.operations()["data"] in ("replace", "create-replacement", "delete-replaced")

    dev.up()

    names = [b["Name"] for b in aws("s3").list_buckets()["Buckets"]]
    assert "small-renamed" in names
    assert "small-dev" not in names


def test_drift_made_by_hand_is_found_by_refresh_and_put_right_by_up(dev, aws):
    aws("s3").put_bucket_tagging(
        Bucket="small-dev", Tagging={"TagSet": [{"Key": "team", "Value": "somebody"}]}
    )
    aws("logs").delete_log_group(logGroupName="/small/dev")

    dev.run("refresh", "--yes", "--skip-preview")
    assert dev.operations() == {"data": "update", "logs": "create"}
    dev.up()

    assert tags(aws, "small-dev")["team"] == "one"
    assert aws("logs").describe_log_groups(logGroupNamePrefix="/small/dev")["logGroups"]


def test_what_was_made_by_hand_is_imported_and_then_unchanged(dev, aws):
    aws("logs").create_log_group(logGroupName="/small/byhand")
    program = dev.engine.project / "__main__.py"
    dev.run(
        "import", "aws:cloudwatch/logGroup:LogGroup", "byhand", "/small/byhand",
        "--yes", "--generate-code=false", "--protect=false",
    )  # fmt: skip
    program.write_text(PROGRAM + '\naws.cloudwatch.LogGroup("byhand", name="/small/byhand")\n')

    assert dev.operations() == {}


def test_two_stacks_side_by_side_do_not_touch_each_other(dev, aws):
    dev.engine.select("other")
    other = PulumiStack(dev.engine, "other")
    other.up()
    other.destroy()

    names = [b["Name"] for b in aws("s3").list_buckets()["Buckets"]]
    assert "small-dev" in names
    assert "small-other" not in names
    assert dev.operations() == {}


def test_up_goes_on_after_it_was_killed_while_a_cluster_was_made(cloud, project, aws):
    engine = Engine(cloud, project(CLUSTER, "cut"))
    engine.select("dev")
    dev = PulumiStack(engine, "dev")
    first = dev.start("up", "--yes", "--skip-preview")
    under_way = cloud.clusters / "cut-dev"
    while not under_way.exists():
        assert first.poll() is None, "pulumi ended before it could be killed"
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()

    cut_off = engine.cut_off("dev")
    # As `make recover` does: EKS goes on with what it was asked for.
    commands.start(engine)
    recovered = recover(dev, "--yes")
    dev.up()

    assert f"dev is locked by process {first.pid} " in recovered.stderr
    assert [urn.rsplit("::", 1)[-1] for urn in cut_off] == ["cluster"]
    assert "cut-dev" in aws("eks").list_clusters()["clusters"]
    plane = ControlPlane(cloud, "cut-dev")
    assert plane.ended() == []
    assert dev.outputs()["endpoint"] == plane.endpoint
    assert dev.operations() == {}
    dev.destroy()
    assert not under_way.exists()


def test_a_stack_that_another_pulumi_is_working_on_is_refused(dev, tmp_path):
    program = dev.engine.project / "__main__.py"
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    program.write_text(f"open({str(gate)!r}).read()\n{PROGRAM}")
    running = dev.start("up", "--yes", "--skip-preview")
    refused = pytest.raises(Refusal, match=f"process {running.pid}, which is running")
    with gate.open("w"), refused:  # the gate opens once the program reads: the stack is locked by then
        commands.up(dev.engine, "dev", ())
    running.communicate()
    assert running.returncode == 0
    program.write_text(PROGRAM)
