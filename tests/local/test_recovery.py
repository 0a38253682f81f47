"""What an update that was cut off leaves, and that `moka recover` puts right, on the real engine.

A kill is told by what it leaves: a resource that exists in AWS, and in the state as being created only.
"""

import json
import os
import subprocess

import pytest

from localcloud import commands
from localcloud.engine import Engine
from localcloud.errors import Refusal
from tests.support.cut_off import MADE, client, cut_off, ids, name, network_up, recover
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack, moka

pytestmark = pytest.mark.usefixtures("checkpoints")

QUIET = ("--non-interactive",)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The stack, up; every test leaves it as it was."""
    with network_up(tmp_path_factory.mktemp("recovery")) as stack:
        yield stack


@pytest.fixture
def ec2(network):
    return client(network, "ec2")


def vpcs(ec2) -> list[str]:
    return [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]


def test_what_was_made_and_not_recorded_is_imported_whatever_its_type(network):
    before = ids(network)
    cut_off(network, *MADE)
    state = network.engine.state_file("dev").path
    was = state.read_text()

    shown = recover(network)
    assert shown.returncode == 1
    assert "creating Subnet a: it may exist, as subnet-" in shown.stderr
    assert "Nothing was changed; --yes does it" in shown.stderr
    assert state.read_text() == was
    recovered = recover(network, "--yes", "--json")

    assert recovered.returncode == 0, recovered.stderr
    [report] = json.loads(recovered.stdout)
    assert len(report["imported"]) == len(MADE)
    assert ids(network) == before
    network.expect_no_changes()
    was = state.read_text()
    none = recover(network, "--yes")
    assert (none.returncode, none.stdout) == (0, "")
    assert none.stderr == "dev needs no recovery: nothing is locked, and nothing was cut off.\n"
    assert state.read_text() == was


def test_what_a_plugin_made_that_died_is_found_by_what_an_up_would_create(network):
    before = ids(network)
    made = (
        "Subnet b", "Route out", "Eip spare", "Key spare", "LogGroup flows", "FlowLog flows", "Role flows",
        "RolePolicy flows",
    )  # fmt: skip
    cut_off(network, *made, recorded=False)
    assert "dev needs no recovery" in recover(network).stderr

    recovered = recover(network, "--planned", "--yes", "--json")

    assert recovered.returncode == 0, recovered.stderr
    [report] = json.loads(recovered.stdout)
    assert {urn.rpartition("::")[2] for urn in report["imported"]} == {"b", "out", "spare", "flows"}
    assert len(report["imported"]) == len(made)
    assert ids(network) == before
    network.expect_no_changes()
    assert "dev needs no recovery" in recover(network, "--planned").stderr


def test_an_up_before_the_recovery_is_refused_and_nothing_is_changed(network):
    cut_off(network, "Subnet b")
    cut_off_before = network.engine.state_file("dev").path.read_text()

    checked = moka(network.engine, "recover", "dev", "--check")
    assert checked.returncode == 1
    assert checked.stderr == (
        "An update of dev was cut off while it was creating Subnet b, and its outcome is unknown: "
        "run `make recover STACK=dev`, then this again.\n"
    )
    with pytest.raises(Refusal, match=r"cut off while it was creating b.*run `make recover STACK=dev`"):
        commands.up(network.engine, "dev", ())
    assert network.engine.state_file("dev").path.read_text() == cut_off_before

    assert recover(network, "--yes").returncode == 0
    assert moka(network.engine, "recover", "dev", "--check").returncode == 0
    assert moka(network.engine, "recover", "new", "--check").returncode == 0


def test_a_network_that_every_further_up_refused_comes_up_again(network):
    cut_off(network, "Subnet b", "Route out", "FlowLog flows")
    refused = network.try_run("up", "--yes", "--skip-preview")
    assert refused.returncode != 0
    assert "conflicts with another subnet" in refused.stdout

    assert recover(network, "--yes").returncode == 0

    network.up()
    network.expect_no_changes()


def test_what_a_killed_down_had_deleted_is_not_believed_to_be_there(network, ec2):
    [route] = [r for r in network.state() if name(r) == "Route out"]
    ec2.delete_route(
        RouteTableId=route["outputs"]["routeTableId"],
        DestinationCidrBlock=route["outputs"]["destinationCidrBlock"],
    )
    cut_off(network, "Route out", "Alias data", operation="deleting")

    recovered = recover(network, "--yes")

    assert recovered.returncode == 0, recovered.stderr
    assert {"Route out"} == {*MADE} - {*ids(network)}
    assert network.operations() == {"out": "create"}
    network.up()


def test_the_lock_of_a_pulumi_that_was_killed_is_lifted_and_that_of_others_is_not(network):
    ended = subprocess.Popen(["true"])
    ended.wait()
    folder = network.engine.cloud.state / ".pulumi/locks/organization/small/dev"
    lock = {
        "pid": ended.pid,
        "username": "me",
        "hostname": os.uname().nodename,
        "timestamp": "2026-11-23T06:00:00Z",
    }
    folder.mkdir(parents=True, exist_ok=True)
    theirs = {**lock, "hostname": "elsewhere"}
    (folder / "theirs.json").write_text(json.dumps(theirs))
    cut_off(network, "Subnet b")
    state = network.engine.state_file("dev").path
    was = state.read_text()

    refused = recover(network, "--yes")
    assert refused.returncode == 2
    [line] = refused.stderr.splitlines()
    assert f"dev is being updated by process {ended.pid} of me on elsewhere, since 2026-11-23T06:00" in line
    assert state.read_text() == was
    assert json.loads((folder / "theirs.json").read_text()) == theirs
    (folder / "theirs.json").rename(folder / "ours.json")
    (folder / "ours.json").write_text(json.dumps(lock))
    assert recover(network, "--yes").returncode == 0

    assert list(folder.glob("*.json")) == []
    network.expect_no_changes()


def test_a_stack_that_is_not_there_and_a_state_that_nobody_can_read_are_one_sentence(network):
    unknown = moka(network.engine, "recover", "prd")
    assert unknown.returncode == 2
    [line] = unknown.stderr.splitlines()
    assert line.startswith("There is no stack prd in file://") and line.endswith(
        "it has dev: correct the name."
    )

    path = network.engine.state_file("dev").path
    whole = path.read_text()
    path.write_text(whole[:1000])
    try:
        unreadable = recover(network, "--yes")
        assert unreadable.returncode == 2
        [line] = unreadable.stderr.splitlines()
        assert "cannot be read" in line and "nothing was changed" in line
        assert path.read_text() == whole[:1000]
    finally:
        path.write_text(whole)


def test_locks_in_a_bucket_are_lifted_or_respected_as_well(network):
    s3 = client(network, "s3")
    s3.create_bucket(Bucket="states")
    backend = {"PULUMI_BACKEND_URL": "s3://states?region=us-east-1&awssdk=v2"}
    network.run("stack", "init", **backend)
    ended = subprocess.Popen(["true"])
    ended.wait()
    lock = {
        "pid": ended.pid,
        "username": "me",
        "hostname": os.uname().nodename,
        "timestamp": "2026-11-23T06:00:00Z",
    }
    key = ".pulumi/locks/organization/small/dev/held.json"

    s3.put_object(Bucket="states", Key=key, Body=json.dumps({**lock, "hostname": "elsewhere"}).encode())
    refused = moka(network.engine, "recover", "dev", "--yes", **backend)
    assert refused.returncode == 2
    assert f"dev is being updated by process {ended.pid} of me on elsewhere" in refused.stderr
    unlocked = moka(network.engine, "recover", "dev", "--unlock", "--yes", **backend)
    assert unlocked.returncode == 0, unlocked.stderr
    assert s3.list_objects_v2(Bucket="states", Prefix=key)["KeyCount"] == 0

    s3.put_object(Bucket="states", Key=key, Body=json.dumps(lock).encode())
    lifted = moka(network.engine, "recover", "dev", "--yes", **backend)
    assert lifted.returncode == 0, lifted.stderr
    assert s3.list_objects_v2(Bucket="states", Prefix=key)["KeyCount"] == 0


def test_attributes_that_a_kill_cut_short_are_removed(network):
    [attributes] = network.engine.cloud.home.rglob("dev.json.attrs")
    attributes.write_text("")
    assert "error: EOF" in network.try_run("stack", "ls").stderr

    recovered = recover(network)

    assert f"{attributes} was only partly written and has been removed" in recovered.stderr
    assert network.try_run("stack", "ls").returncode == 0


@pytest.fixture
def neighbour(network, tmp_path):
    """Another project's stack on the same cloud, up."""
    program = 'import pulumi_aws as aws\n\naws.s3.Bucket("data", bucket="neighbour")\n'
    engine = Engine(network.engine.cloud, write_project(tmp_path / "other", program))
    commands.create(engine, "dev")
    stack = PulumiStack(engine, "dev")
    stack.up()
    yield stack
    stack.destroy()


def test_a_down_beside_another_stack_is_refused_before_the_recovery_and_leaves_nothing_after_it(
    network, neighbour, ec2, capfd
):
    cut_off(network, "Subnet b", "NatGateway nat", "RouteTableAssociation a", "Route out")
    state = network.engine.state_file("dev").path
    was = state.read_text()

    with pytest.raises(
        Refusal, match=r"creating .*, and its outcome is unknown: run `make recover STACK=dev`"
    ):
        commands.down(network.engine, "dev", QUIET)
    assert state.read_text() == was
    assert recover(network, "--yes").returncode == 0
    assert commands.down(network.engine, "dev", QUIET) == 0

    assert "keeps running, as these stacks have resources: organization/other/dev." in capfd.readouterr().out
    assert vpcs(ec2) == []
    assert ec2.describe_addresses()["Addresses"] == []
    neighbour.expect_no_changes()


def test_a_down_of_the_only_stack_goes_ahead_and_where_it_cannot_end_says_why(network, capfd):
    network.up()
    cut_off(network, "Subnet b")

    assert commands.down(network.engine, "dev", QUIET) != 0

    output = capfd.readouterr().out
    assert "has dependencies and cannot be deleted" in output
    assert "`make recover STACK=dev` finds out" in output
    assert recover(network, "--yes").returncode == 0
    assert commands.down(network.engine, "dev", QUIET) == 0
    assert "All processes have ended." in capfd.readouterr().out
