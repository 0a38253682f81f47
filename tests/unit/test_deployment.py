"""An environment comes up in process as it does on the engine, and a sabotage of it is refused."""

from dataclasses import replace

import pytest

from doctor.account import Place
from doctor.leftovers import known, left, standing
from moka.components.aws.network import Network
from tests.support.calendar import TODAY
from tests.support.deployment import EXAMPLES, Refused, gone, put

FOUNDATION = ("foundation", "cluster")


@pytest.fixture(scope="module")
def account(up):
    return up("local", layers=FOUNDATION)


def test_what_the_program_makes_is_in_aws(account):
    [vpc] = account.of("Vpc").values()
    [cluster] = account.client("eks").list_clusters()["clusters"]

    assert account.client("ec2").describe_vpcs(VpcIds=[vpc.id])["Vpcs"][0]["CidrBlock"] == "10.0.0.0/16"
    assert account.outputs["cluster/spark-a"]["name"] == cluster
    assert "vpc-cni" in account.client("eks").list_addons(clusterName=cluster)["addons"]
    assert {group.name for group in account.machines} >= {"system-us-east-1a", "shuffle-us-east-1b"}


def test_transforms_reach_what_components_make(account):
    [cluster] = account.client("eks").list_clusters()["clusters"]
    described = account.client("eks").describe_cluster(name=cluster)["cluster"]

    assert described["accessConfig"]["bootstrapClusterCreatorAdminPermissions"] is False
    assert described["zonalShiftConfig"] == {"enabled": True}


def test_of_an_environment_that_is_up_nothing_is_left_over_that_no_stack_has(account):
    place = Place(
        name="main",
        settings=account.settings,
        clients=lambda service, _: account.client(service, "main"),
        today=TODAY,
    )
    resources = [
        {"type": one.type, "id": one.id, "outputs": one.outputs} for one in account.resources.values()
    ]
    vpc, role = account.of("Vpc")["main"], account.of("Role")["spark-a-node"]

    def left_without(*missing):
        have = [resource for resource in resources if resource["id"] not in missing]
        return [thing.what for thing in left(standing(place), known([{"deployment": {"resources": have}}]))]

    assert left_without() == []
    assert left_without(vpc.id) == [f"vpc/{vpc.id}"]
    assert left_without(role.id) == [f"role/moka-local/{role.id}"]


def test_every_taggable_resource_says_in_aws_what_it_is_called_in_the_state(account):
    tagged = {
        urn: resource.outputs["tagsAll"]
        for urn, resource in account.resources.items()
        if "tagsAll" in resource.outputs
    }
    of_eks = {urn.split("::")[2].rsplit("$", 1)[-1] for urn in tagged if "$aws:" in urn}

    assert len(tagged) > 50
    assert {"aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup", "aws:iam/role:Role"} <= of_eks
    for urn, tags in tagged.items():
        assert tags.get("moka:resource") == urn.rsplit("::", 1)[-1], urn
        assert tags.get("moka:environment") == "local", urn


def test_a_second_time_nothing_changes_and_then_what_was_changed(account):
    before = {urn: resource.id for urn, resource in account.resources.items()}
    account.deploy()
    assert {urn: resource.id for urn, resource in account.resources.items()} == before

    account.deploy(settings=put("foundations.main.network.nat", "zonal"))
    assert len(account.of("NatGateway")) == 3

    account.deploy()
    assert len(account.of("NatGateway")) == 3, "settings stay as they were changed"

    account.deploy(settings=put("foundations.main.network.nat", "single"))
    states = account.client("ec2").describe_nat_gateways()["NatGateways"]
    assert [gateway["State"] for gateway in states].count("available") == 1


def test_one_change_of_settings_arguments_or_inputs_is_made(up):
    account = up(
        layers=("foundation",),
        settings=put("foundations.main.network.zones", ["us-east-1a", "us-east-1b"]),
        arguments={Network: lambda args: replace(args, nat="zonal")},
        inputs={"VpcEndpoint::main-ecr-api": {"policy": None}, "Route::main-private-us-east-1a": gone},
    )

    assert len(account.of("NatGateway")) == 2
    assert "policy" not in account.of("VpcEndpoint")["main-ecr-api"].inputs
    routes = account.of("Route").keys()
    assert "main-private-us-east-1b" in routes and "main-private-us-east-1a" not in routes


def test_what_aws_refuses_is_raised_with_its_words(up):
    with pytest.raises(Refused, match=r"aws:ec2/subnet:Subnet main-private-us-east-1a: .*InvalidSubnet"):
        up(layers=("foundation",), inputs={"Subnet::main-private-us-east-1a": {"cidrBlock": "10.9.0.0/18"}})


def test_a_change_that_meets_nothing_is_a_mistake(up):
    with pytest.raises(AssertionError, match="Route::nowhere"):
        up(layers=("foundation",), inputs={"Route::nowhere": gone})


def test_two_accounts_are_two_accounts(up):
    account = up(EXAMPLES / "two-accounts.yaml", layers=("foundation",))

    assert {name: network(account, name)["OwnerId"] for name in ("us", "eu")} == {
        "us": "111122223333",
        "eu": "444455556666",
    }


def network(account, foundation):
    named = {"Filters": [{"Name": "tag:Name", "Values": [foundation]}]}
    [vpc] = account.client("ec2", foundation).describe_vpcs(**named)["Vpcs"]
    return vpc
