"""examples/two-accounts.yaml: an environment in two accounts and regions, as moto has them."""

import json
import re

import boto3
import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY
from tests.support.pulumi_stack import PulumiStack

IMAGES = re.compile(r"111122223333\.dkr\.ecr\.us-east-1\.amazonaws\.com/([\w/-]+):")
"""Names of repositories."""

US, EU = ("111122223333", "us-east-1"), ("444455556666", "eu-west-1")


@pytest.fixture
def world(copied, monkeypatch):
    """The example as stacks/world.yaml of a copied project, up with few machines.

    Its images are of a registry of tools, which somebody has made.
    """
    monkeypatch.setenv("MOKA_MACHINES", "3")
    stacks = copied.project / "stacks"
    text = (REPOSITORY / "examples" / "two-accounts.yaml").read_text()
    (stacks / "world.yaml").write_text(text)
    (stacks / "Pulumi.world.yaml").write_text("config:\n  moka:environment: world\n")
    commands.start(copied)
    for name in sorted(set(IMAGES.findall(text))):
        of(copied, US, "ecr").create_repository(repositoryName=name)
    assert commands.up(copied, "world", ("--non-interactive",)) == 0
    return copied


def of(engine, place: tuple[str, str], service: str):
    """A client of one account and region of the cloud."""
    account, region = place
    keys = {"endpoint_url": AwsServer(engine.cloud).url, "region_name": region}
    role = boto3.client("sts", aws_access_key_id="x", aws_secret_access_key="x", **keys).assume_role(
        RoleArn=f"arn:aws:iam::{account}:role/anybody", RoleSessionName="test"
    )["Credentials"]
    return boto3.client(
        service,
        aws_access_key_id=role["AccessKeyId"],
        aws_secret_access_key=role["SecretAccessKey"],
        aws_session_token=role["SessionToken"],
        **keys,
    )


def test_each_account_has_what_is_its_own_and_event_logs_go_home(world):
    assert [of(world, place, "eks").list_clusters()["clusters"] for place in (US, EU)] == [
        ["acme-world-spark-us"],
        ["acme-world-spark-eu"],
    ]
    buckets = {
        place: {bucket["Name"] for bucket in of(world, place, "s3").list_buckets()["Buckets"]}
        for place in (US, EU)
    }
    home = "acme-world-111122223333-us-east-1-event-logs"
    assert home in buckets[US]
    assert not any("event-logs" in name for name in buckets[EU])
    assert "acme-world-444455556666-eu-west-1-staging" in buckets[EU]

    # Jobs in Europe may add to the event logs at home: their role says so, and so does the bucket.
    iam = of(world, EU, "iam")
    [role] = [r for r in iam.list_roles()["Roles"] if r["RoleName"].startswith("spark-eu-spark-jobs")]
    [policy] = iam.list_role_policies(RoleName=role["RoleName"])["PolicyNames"]
    document = iam.get_role_policy(RoleName=role["RoleName"], PolicyName=policy)["PolicyDocument"]
    assert f"arn:aws:s3:::{home}/*" in json.dumps(document)
    shared = of(world, US, "s3").get_bucket_policy(Bucket=home)["Policy"]
    assert "arn:aws:iam::444455556666:role/acme-world/*" in shared

    PulumiStack(world, "world").expect_no_changes()
