"""`moka leftovers` against moto's server, with a program in place of pulumi that prints states."""

import json
import os
import sys

import boto3
import pytest

from tests.support.moto_server import moto_server

PULUMI = f"""#!{sys.executable}
import json, pathlib, sys

states = json.loads(pathlib.Path("states.json").read_text())
_, verb, *arguments = sys.argv[1:]
if verb == "ls":
    print(json.dumps([{{"name": f"organization/moka/{{name}}"}} for name in states]))
else:
    print(json.dumps(states[arguments[arguments.index("--stack") + 1]]))
"""


@pytest.fixture(scope="module")
def server():
    with moto_server() as url:
        yield url


@pytest.fixture
def vpc(server):
    """The id of a VPC of `local`."""
    ec2 = boto3.Session("test", "test").client("ec2", region_name="us-east-1", endpoint_url=server)
    tags = [{"Key": "moka:environment", "Value": "local"}]
    made = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=[{"ResourceType": "vpc", "Tags": tags}])
    yield made["Vpc"]["VpcId"]
    ec2.delete_vpc(VpcId=made["Vpc"]["VpcId"])


@pytest.fixture
def volume(server):
    """The id of a volume of the EBS driver that names no cluster."""
    ec2 = boto3.Session("test", "test").client("ec2", region_name="us-east-1", endpoint_url=server)
    tags = {
        "ebs.csi.aws.com/cluster": "true",
        "kubernetes.io/created-for/pvc/namespace": "jobs",
        "kubernetes.io/created-for/pvc/name": "scratch",
    }
    made = ec2.create_volume(
        AvailabilityZone="us-east-1a",
        Size=1,
        TagSpecifications=[
            {"ResourceType": "volume", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )
    yield made["VolumeId"]
    ec2.delete_volume(VolumeId=made["VolumeId"])


@pytest.fixture
def leftovers(moka, server, tmp_path, monkeypatch):
    """Run it, with these resources in the state of stack `local`."""
    (tmp_path / "pulumi").write_text(PULUMI)
    (tmp_path / "pulumi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.chdir(tmp_path)

    def run(*arguments, resources=()):
        states = {"local": {"deployment": {"resources": list(resources)}}, "other": None}
        (tmp_path / "states.json").write_text(json.dumps(states))
        return moka("leftovers", "local", *arguments)

    return run


def test_what_no_stack_has_is_listed_and_is_the_exit_status(leftovers, vpc):
    result = leftovers()

    assert result.status == 1
    assert result.out.splitlines() == [
        f"left  main  ec2 vpc/{vpc}",
        "",
        "Of local no stack knows 1: 0 kept, 1 left.",
    ]


def test_where_stacks_have_everything_nothing_is_left(leftovers, vpc):
    result = leftovers(resources=[{"type": "aws:ec2/vpc:Vpc", "id": vpc}])

    assert (result.status, result.out) == (0, "Nothing of local is left in AWS that no stack knows.\n")


def test_scripts_get_them_as_json(leftovers, vpc):
    [thing] = json.loads(leftovers("--json").out)

    assert thing["arn"].endswith(f":vpc/{vpc}")
    assert (thing["foundation"], thing["status"]) == ("main", "left")


def test_a_volume_that_may_be_anothers_is_listed_and_is_no_failure(leftovers, volume):
    result = leftovers()

    assert result.status == 0
    assert result.out.splitlines() == [
        f"unsure  main  ec2 volume/{volume} (jobs/scratch)",
        "",
        "Of local no stack knows 1: 0 kept, 0 left, 1 unsure.",
    ]


def test_where_aws_does_not_answer_it_cannot_be_told_and_nothing_is_called_clean(leftovers, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    result = leftovers()

    assert (result.status, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1


def test_without_the_states_of_its_stacks_it_cannot_be_told(leftovers, tmp_path):
    (tmp_path / "pulumi").write_text("#!/bin/sh\necho 'error: no backend' >&2; exit 255\n")

    result = leftovers()

    assert (result.status, result.out) == (2, "")
    assert result.err == "pulumi stack ls --json failed: error: no backend\n"
