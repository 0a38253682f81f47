"""What `moka recover` does about doubles, about what was not made, and about what is somebody else's."""

import json
import subprocess

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from tests.support.cut_off import (
    CLUSTER,
    NETWORK,
    client,
    cut_off,
    ids,
    name,
    network_stack,
    network_up,
    recover,
)
from tests.support.kills import existing_with_cluster
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack, moka

pytestmark = pytest.mark.usefixtures("checkpoints")

SUBNETS = NETWORK.partition("table = ")[0]
"""The VPC of the network, its gateway and its subnets."""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The stack, up; every test leaves it as it was."""
    with network_up(tmp_path_factory.mktemp("recovery")) as stack:
        yield stack


@pytest.fixture
def ec2(network):
    return client(network, "ec2")


def drift(stack: PulumiStack) -> subprocess.CompletedProcess[str]:
    """`make drift`, without the set-up."""
    events = ("pulumi", "preview", "--stack", "{stack}", "--json", "--non-interactive", "--refresh")
    return moka(stack.engine, "drift", stack.name, "--", *events)


def test_two_of_one_name_by_pulumi_are_for_people(network):
    iam = client(network, "iam")
    [role] = [r for r in network.state() if name(r) == "Role flows"]
    trust = role["inputs"]["assumeRolePolicy"]
    tags = [{"Key": key, "Value": value} for key, value in role["outputs"]["tagsAll"].items()]
    iam.create_role(RoleName="flows-0a1b2c3", AssumeRolePolicyDocument=trust, Tags=tags)
    other = [{"Key": "moka:resource", "Value": "flows"}, {"Key": "moka:environment", "Value": "prod"}]
    iam.create_role(RoleName="flows-7654321", AssumeRolePolicyDocument=trust, Tags=other)
    cut_off(network, "RolePolicy flows", "FlowLog flows", "Role flows", recorded=False)

    refused = recover(network, "--planned", "--yes")

    assert refused.returncode == 1
    both = " and ".join(sorted((role["id"], "flows-0a1b2c3")))
    assert (
        f"creating Role flows: it may exist, more than once; as {both}: delete all but one" in refused.stderr
    )
    iam.delete_role(RoleName="flows-0a1b2c3")
    assert recover(network, "--planned", "--yes").returncode == 0
    iam.delete_role(RoleName="flows-7654321")
    network.expect_no_changes()


def test_what_the_next_up_made_a_second_time_is_told_and_deleted_on_request(network, ec2):
    cut_off(network, "LaunchTemplate nodes", "Key spare", "Eip spare")
    network.up()
    assert len(ec2.describe_launch_templates()["LaunchTemplates"]) == 2

    told = recover(network, "--yes")
    assert told.returncode == 1
    assert "Eip spare: it may exist a second time, as eipalloc-" in told.stderr
    assert "Nothing of dev was changed: --delete deletes what exists a second time" in told.stderr
    deleted = recover(network, "--yes", "--delete")
    assert deleted.returncode == 0, deleted.stderr
    network.up()

    assert len(ec2.describe_launch_templates()["LaunchTemplates"]) == 1
    assert len(ec2.describe_addresses()["Addresses"]) == 2
    network.expect_no_changes()


def test_a_vpc_that_was_made_twice_is_told_and_the_one_without_dependents_goes_on_request(
    network, ec2, tmp_path, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    engine = Engine(network.engine.cloud, write_project(tmp_path / "twice", SUBNETS))
    commands.create(engine, "two")
    twice = PulumiStack(engine, "two")
    twice.run("up", "--yes", "--skip-preview", "--target", "urn:pulumi:two::twice::aws:ec2/vpc:Vpc::net")
    surplus = ids(twice)["Vpc net"]
    cut_off(twice, "Vpc net")
    twice.up()

    told = recover(twice, "--yes")
    assert told.returncode == 1
    assert f"creating Vpc net: it may exist a second time, as {surplus}" in told.stderr
    assert recover(twice, "--yes", "--delete").returncode == 0
    twice.up()

    tagged = ec2.describe_vpcs(Filters=[{"Name": "tag:moka:environment", "Values": ["two"]}])["Vpcs"]
    assert [vpc["VpcId"] for vpc in tagged] == [ids(twice)["Vpc net"]] != [surplus]
    twice.expect_no_changes()
    twice.destroy()


def test_what_was_not_made_after_all_is_made_by_the_next_up(network, ec2):
    [template] = ec2.describe_launch_templates()["LaunchTemplates"]
    ec2.delete_launch_template(LaunchTemplateId=template["LaunchTemplateId"])
    cut_off(network, "LaunchTemplate nodes", "RolePolicy flows")
    role = next(r["id"] for r in network.state() if name(r) == "Role flows")

    recovered = recover(network, "--yes")

    assert recovered.returncode == 0, recovered.stderr
    assert "creating LaunchTemplate nodes: it made nothing that the state lacks" in recovered.stderr
    assert f"RolePolicy flows: imported, as {role}:" in recovered.stderr
    assert network.operations() == {"nodes": "create"}
    network.up()


def test_what_has_the_name_and_is_of_another_environment_is_left_alone(network):
    s3 = client(network, "s3")
    theirs = [{"Key": "moka:environment", "Value": "theirs"}, {"Key": "moka:resource", "Value": "data"}]
    s3.put_bucket_tagging(Bucket="cut-off-data", Tagging={"TagSet": theirs})
    cut_off(network, "Bucket data", "BucketPublicAccessBlock data")

    recovered = recover(network, "--yes")

    assert recovered.returncode == 1
    assert "Bucket data: cut-off-data has other tags, so it is somebody else's" in recovered.stderr
    assert "Bucket data" not in ids(network)
    s3.delete_bucket(Bucket="cut-off-data")
    network.up()


def test_on_request_what_was_made_is_deleted_and_made_anew(network, ec2):
    [before] = ec2.describe_flow_logs()["FlowLogs"]
    cut_off(network, "FlowLog flows")

    assert recover(network, "--yes", "--delete").returncode == 0

    assert ec2.describe_flow_logs()["FlowLogs"] == []
    network.up()
    [after] = ec2.describe_flow_logs()["FlowLogs"]
    assert after["FlowLogId"] != before["FlowLogId"]


def test_where_an_up_believed_what_a_killed_down_had_deleted_drift_finds_it_and_refresh_makes_it(tmp_path):
    with network_stack(tmp_path, CLUSTER) as stack:
        stack.up()
        path = "/apis/policy/v1/namespaces/jobs/poddisruptionbudgets/drivers"
        [plane] = ControlPlane.all(stack.engine.cloud)
        plane.api().delete(path)
        cut_off(stack, "PodDisruptionBudget drivers", operation="deleting")
        stack.up()
        assert plane.api().get(path) is None

        found = drift(stack)
        assert found.returncode == 1, found.stderr
        assert "PodDisruptionBudget drivers` is gone" in found.stdout
        stack.run("up", "--yes", "--skip-preview", "--refresh")

        assert plane.api().get(path) is not None
        assert drift(stack).returncode == 0


def test_a_state_that_was_lost_is_rebuilt_from_tags_and_names(tmp_path):
    with network_stack(tmp_path, CLUSTER) as stack:
        stack.up()
        before, once = ids(stack), existing_with_cluster(stack)
        manifest = {"time": "2026-11-23T00:00:00Z", "magic": "", "version": ""}
        empty = {"version": 3, "deployment": {"manifest": manifest}}
        lost = tmp_path / "empty.json"
        lost.write_text(json.dumps(empty))
        stack.run("stack", "import", "--file", str(lost))

        rebuilt = recover(stack, "--rebuild", "--yes")

        assert rebuilt.returncode == 0, rebuilt.stderr
        # The engine makes providers that no program names again by itself.
        assert ids(stack).keys() == {name for name in before if " default" not in name}
        stack.up()
        stack.expect_no_changes()
        assert existing_with_cluster(stack) == once
        stack.destroy()
        assert set(existing_with_cluster(stack).values()) == {0}
