"""What holds data or is hard to bring back, with `retain`: nobody takes it down by accident."""

import os
from collections.abc import Iterator

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine, Resource
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = """
from moka.components.aws.addons import Addon
from moka.components.aws.bucket import Bucket, BucketArgs
from moka.components.aws.cluster import Cluster, ClusterArgs
from moka.components.aws.database import Database, DatabaseArgs
from moka.components.aws.key import Key, KeyArgs
from moka.components.aws.network import Network, NetworkArgs
from moka.components.aws.registry import Registry, RegistryArgs

place = {"account_id": "123456789012", "region": "us-east-1"}
zones = ("us-east-1a", "us-east-1b")
services = ("logs.us-east-1.amazonaws.com",)
key = Key("kept", KeyArgs(alias="kept", description="kept", services=services, **place))
network = Network("kept", NetworkArgs(region="us-east-1", cidr="10.0.0.0/16", zones=zones, nat="single"))
Bucket("kept", BucketArgs(name="kept", kms_key_arn=key.arn))
Database(
    "kept-database",
    DatabaseArgs(
        identifier="kept",
        account=place["account_id"],
        region=place["region"],
        engine_version="16.11",
        database_name="kept",
        vpc_id=network.vpc_id,
        subnets=network.private_subnets,
        zones=zones,
        key_arn=key.arn,
        clients={},
    ),
)
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
        vpc_cni=Addon(version="v1.21.1-eksbuild.7"),
        kube_proxy=Addon(version="v1.34.6-eksbuild.2"),
        pod_identity_agent=Addon(version="v1.3.10-eksbuild.3"),
    ),
)
"""

STATEFUL = {
    "aws:ec2/vpc:Vpc",
    "aws:kms/key:Key",
    "aws:s3/bucket:Bucket",
    "aws:ecr/repository:Repository",
    "aws:eks/cluster:Cluster",
    "aws:rds/cluster:Cluster",
    "aws:cloudwatch/logGroup:LogGroup",
}


def urns(stack: PulumiStack) -> set[str]:
    return {resource.urn for resource in stack.engine.resources(stack.name)}


def stateful(stack: PulumiStack) -> dict[str, Resource]:
    """Type -> the resource that is protected."""
    return {r.type: r for r in stack.engine.resources(stack.name) if r.type in STATEFUL}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulumiStack]:
    """The program, up on a cloud of its own."""
    folder = write_project(tmp_path_factory.mktemp("protection") / "kept", PROGRAM)
    engine = Engine(Cloud(folder / "cloud"), folder)
    os.environ["PYTHONPATH"] = str(REPOSITORY)
    try:
        assert commands.up(engine, "test", ("--non-interactive",)) == 0
        yield PulumiStack(engine, "test")
    finally:
        del os.environ["PYTHONPATH"]
        commands.stop(engine)


def test_a_stack_is_not_destroyed(stack):
    before = urns(stack)

    destroy = stack.try_run("destroy", "--yes")

    assert destroy.returncode != 0
    assert "because it is protected" in destroy.stdout
    assert urns(stack) == before


def test_nothing_of_it_is_destroyed_by_itself(stack):
    before, protected = urns(stack), stateful(stack)
    assert set(protected) == STATEFUL

    for resource in protected.values():
        destroy = stack.try_run("destroy", "--yes", "--target", resource.urn, "--target-dependents")
        assert destroy.returncode != 0, resource.urn

    assert urns(stack) == before


def test_nothing_of_it_is_replaced(stack):
    before, protected = urns(stack), [resource.urn for resource in stateful(stack).values()]

    up = stack.try_run("up", "--yes", *(f"--replace={urn}" for urn in protected))

    assert up.returncode != 0
    assert [urn for urn in protected if f'unable to replace resource "{urn}"' not in up.stdout] == []
    assert urns(stack) == before


def test_it_stays_in_aws_when_a_stack_lets_go_of_it_all_the_same(stack):
    arns = {type: resource.outputs["arn"] for type, resource in stateful(stack).items()}
    stack.run("state", "unprotect", "--all", "--yes")

    stack.destroy()

    assert urns(stack) == set()
    aws = aws_clients(stack.engine.cloud)
    vpc = arns["aws:ec2/vpc:Vpc"].rpartition("/")[2]
    assert aws("ec2").describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["State"] == "available"
    assert aws("kms").describe_key(KeyId=arns["aws:kms/key:Key"])["KeyMetadata"]["KeyState"] == "Enabled"
    assert "kept" in [bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]]
    assert aws("ecr").describe_repositories(repositoryNames=["kept"])["repositories"]
    [database] = aws("rds").describe_db_clusters(DBClusterIdentifier="kept")["DBClusters"]
    assert (database["Status"], len(database["DBClusterMembers"])) == ("available", 2)
    assert aws("eks").describe_cluster(name="kept")["cluster"]["status"] == "ACTIVE"
