"""What holds data or is hard to bring back, with `retain`: nobody takes it down by accident."""

import os
import subprocess
import sys

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine

PROGRAM = """
from components.aws.addons import Addon
from components.aws.bucket import Bucket, BucketArgs
from components.aws.cluster import Cluster, ClusterArgs
from components.aws.key import Key, KeyArgs
from components.aws.network import Network, NetworkArgs
from components.aws.registry import Registry, RegistryArgs

place = {"account_id": "123456789012", "region": "us-east-1"}
zones = ("us-east-1a", "us-east-1b")
services = ("logs.us-east-1.amazonaws.com",)
key = Key("kept", KeyArgs(alias="kept", description="kept", services=services, **place))
network = Network("kept", NetworkArgs(region="us-east-1", cidr="10.0.0.0/16", zones=zones, nat="single"))
Bucket("kept", BucketArgs(name="kept", kms_key_arn=key.arn))
Registry("kept", RegistryArgs(kms_key_arn=key.arn, repositories=("kept",), **place))
Cluster(
    "kept",
    ClusterArgs(
        name="kept",
        region="us-east-1",
        version="1.34",
        vpc_id=network.vpc_id,
        subnet_ids=network.private_subnets.apply(lambda subnets: list(subnets.values())),
        key_arn=key.arn,
        deployer_arn="arn:aws:iam::123456789012:user/laptop",
        vpc_cni=Addon(version="v1"),
        kube_proxy=Addon(version="v1"),
        pod_identity_agent=Addon(version="v1"),
    ),
)
"""

STATEFUL = {
    "aws:ec2/vpc:Vpc",
    "aws:kms/key:Key",
    "aws:s3/bucket:Bucket",
    "aws:ecr/repository:Repository",
    "aws:eks/cluster:Cluster",
    "aws:cloudwatch/logGroup:LogGroup",
}


class Kept:
    """The program, up on a cloud of its own."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments, "--stack", "test", "--non-interactive"],
            cwd=self.engine.project,
            env=self.engine.environment(),
            capture_output=True,
            text=True,
        )

    def stateful(self) -> dict[str, str]:
        """Type -> URN of what is kept."""
        return {r.type: r.urn for r in self.engine.resources("test") if r.type in STATEFUL}

    def all(self) -> set[str]:
        return {resource.urn for resource in self.engine.resources("test")}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("kept")
    (folder / "Pulumi.yaml").write_text(
        f"name: kept\nruntime:\n  name: python\n  options:\n    virtualenv: {sys.prefix}\n"
    )
    (folder / "__main__.py").write_text(PROGRAM)
    engine = Engine(Cloud(folder / "cloud"), folder)
    os.environ["PYTHONPATH"] = str(REPOSITORY)
    try:
        assert commands.up(engine, "test", ("--non-interactive",)) == 0
        yield Kept(engine)
    finally:
        del os.environ["PYTHONPATH"]
        commands.stop(engine)


def test_a_stack_is_not_destroyed(kept):
    before = kept.all()

    ran = kept.run("destroy", "--yes")

    assert ran.returncode != 0
    assert "because it is protected" in ran.stdout
    assert kept.all() == before


def test_nothing_of_it_is_destroyed_by_itself(kept):
    before, stateful = kept.all(), kept.stateful()
    assert set(stateful) == STATEFUL

    for urn in stateful.values():
        ran = kept.run("destroy", "--yes", "--target", urn, "--target-dependents")
        assert ran.returncode != 0, urn

    assert kept.all() == before


def test_nothing_of_it_is_replaced(kept):
    before, stateful = kept.all(), kept.stateful()

    ran = kept.run("up", "--yes", *(f"--replace={urn}" for urn in stateful.values()))

    assert ran.returncode != 0
    assert [urn for urn in stateful.values() if f'unable to replace resource "{urn}"' not in ran.stdout] == []
    assert kept.all() == before


def test_it_stays_in_aws_when_a_stack_lets_go_of_it_all_the_same(kept, aws_of):
    arns = {r.type: r.outputs["arn"] for r in kept.engine.resources("test") if r.type in STATEFUL}
    kept.run("state", "unprotect", "--all", "--yes")

    ran = kept.run("destroy", "--yes", "--skip-preview")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert kept.all() == set()
    aws = aws_of(kept.engine.cloud)
    vpc = arns["aws:ec2/vpc:Vpc"].rpartition("/")[2]
    assert aws("ec2").describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["State"] == "available"
    assert aws("kms").describe_key(KeyId=arns["aws:kms/key:Key"])["KeyMetadata"]["KeyState"] == "Enabled"
    assert "kept" in [bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]]
    assert aws("ecr").describe_repositories(repositoryNames=["kept"])["repositories"]
    assert aws("eks").describe_cluster(name="kept")["cluster"]["status"] == "ACTIVE"
