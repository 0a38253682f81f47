import copy
import json

import pytest
import yaml

from moka.pulumi_cli import State
from stacks import settings
from stacks.settings import Environment
from stacks.slices import LAYERS, Unit
from stacks.state_move import Move, add_units, plan_moves, remove_units, unfinished_urns
from tests.support.pulumi_states import (
    CLUSTER,
    EMPTY,
    FOUNDATION,
    SPARK,
    WHOLE,
    make_provider,
    make_resource,
    make_state,
    provider_reference,
)

LOCAL = settings.path_of("local").read_text()
PARTED = {"shared": {"layers": ["foundation"]}, "spark-a": {"clusters": ["spark-a"]}}


def sliced(slices: dict[str, object]) -> Environment:
    return settings.parse(LOCAL + yaml.safe_dump({"slices": slices}), "stacks/local.yaml")


def two_clusters(home: str) -> Environment:
    """`local` with a second cluster, and a stack for each."""
    text = yaml.safe_load(LOCAL)
    text["clusters"]["spark-b"] = text["clusters"]["spark-a"]
    text["home"] = home
    text["slices"] = {**PARTED, "spark-b": {"clusters": ["spark-b"]}}
    return settings.parse(yaml.safe_dump(text), "stacks/local.yaml")


def names(state: State) -> list[str]:
    return [resource["urn"].split("::moka::")[1] for resource in state["deployment"]["resources"]]


def assert_integrity(state: State) -> None:
    """Assert what the engine requires of a state: what a resource refers to comes before it."""
    earlier: set[str] = set()
    for resource in state["deployment"]["resources"]:
        needs = [*resource.get("dependencies", []), *resource.get("propertyDependencies", {}).get("of", [])]
        needs += [resource["parent"]] if "parent" in resource else []
        needs += [resource["provider"].rpartition("::")[0]] if "provider" in resource else []
        assert set(needs) <= earlier, resource["urn"]
        assert resource["urn"] not in earlier
        earlier.add(resource["urn"])


def move(settings: Environment, states: dict[str, State]) -> dict[str, State]:
    """All states, after all of what is elsewhere has been moved."""
    moves = plan_moves(settings, states)
    after = copy.deepcopy(states)
    for stack in dict.fromkeys(m.target for m in moves):
        incoming = [m for m in moves if m.target == stack]
        after[stack] = add_units(settings, stack, after.get(stack, EMPTY), after, incoming)
    for stack in dict.fromkeys(m.source for m in moves):
        after[stack] = remove_units(settings, after[stack], [m for m in moves if m.source == stack])
    for state in after.values():
        assert_integrity(state)
    return after


def test_what_the_settings_give_to_another_stack_is_to_move_and_nothing_else():
    moves = plan_moves(sliced(PARTED), {"local": WHOLE})

    assert moves == [
        Move(FOUNDATION, "local", "local.shared", FOUNDATION),
        Move(CLUSTER, "local", "local.spark-a", CLUSTER),
        Move(SPARK, "local", "local.spark-a", SPARK),
    ]
    assert plan_moves(settings.load("local"), {"local": WHOLE}) == []


def test_a_unit_that_the_settings_do_not_name_any_more_stays_where_it_is():
    gone = copy.deepcopy(WHOLE)
    gone["deployment"]["resources"][0]["outputs"]["cluster/spark-b"] = {"resources": []}

    assert {m.unit.place for m in plan_moves(sliced(PARTED), {"local": gone})} == {"main", "spark-a"}


def test_what_is_kept_goes_along_to_another_home_cluster_of_the_foundation_and_nothing_else_of_home_does():
    database, archer = Unit("database", "spark-a"), Unit("archer", "spark-a")
    before, after = "local.spark-a", "local.spark-b"
    source = make_state(
        before,
        {
            str(CLUSTER): {"resources": ["moka:aws:Cluster::spark-a"]},
            str(database): {"endpoint": "here", "resources": ["moka:aws:Database::main-database-1"]},
            str(archer): {"resources": ["moka:kubernetes:Archer::spark-a-archer"]},
        },
        make_provider(before, "aws", "main"),
        make_resource(before, "moka:aws:Cluster::spark-a"),
        make_provider(before, "kubernetes", "spark-a", "moka:aws:Cluster::spark-a"),
        make_resource(before, "moka:aws:Database::main-database-1"),
        make_resource(
            before,
            "moka:aws:Database$aws:rds/cluster:Cluster::main-database-1",
            parent="moka:aws:Database::main-database-1",
            provider=provider_reference(before, "aws", "main"),
            id="moka-local-database-1",
        ),
        make_resource(before, "moka:kubernetes:Archer::spark-a-archer"),
    )
    environment = two_clusters("spark-b")

    assert plan_moves(two_clusters("spark-a"), {before: source}) == []
    assert list(map(str, plan_moves(environment, {before: source}))) == [
        "database/spark-a: from local.spark-a to local.spark-b, as database/spark-b"
    ]

    states = move(environment, {before: source})

    assert names(states[after]) == [
        "pulumi:pulumi:Stack::moka-local.spark-b",
        "pulumi:providers:aws::main",
        "moka:aws:Database::main-database-1",
        "moka:aws:Database$aws:rds/cluster:Cluster::main-database-1",
    ]
    [root, *_] = states[after]["deployment"]["resources"]
    assert root["outputs"] == {
        "database/spark-b": {"endpoint": "here", "resources": ["moka:aws:Database::main-database-1"]}
    }
    assert [name for name in names(states[before]) if "atabase" in name] == []
    [rest, *_] = states[before]["deployment"]["resources"]
    assert set(rest["outputs"]) == {"cluster/spark-a", "archer/spark-a"}
    assert plan_moves(environment, states) == []


def test_each_stack_has_its_units_with_all_below_them_their_providers_and_their_outputs():
    after = move(sliced(PARTED), {"local": WHOLE})

    assert names(after["local.shared"]) == [
        "pulumi:pulumi:Stack::moka-local.shared",
        "pulumi:providers:aws::main",
        "moka:aws:Network::main",
        "moka:aws:Network$aws:ec2/vpc:Vpc::main",
    ]
    root, *_, vpc = after["local.shared"]["deployment"]["resources"]
    assert root["outputs"] == {
        "foundation/main": {"vpc_id": "vpc-1", "resources": ["moka:aws:Network::main"]}
    }
    assert (vpc["id"], vpc["protect"]) == ("vpc-1", True)
    assert set(names(after["local.spark-a"])) >= {
        "moka:aws:Cluster$aws:eks/cluster:Cluster::spark-a",
        "pulumi:providers:kubernetes::spark-a",
        "moka:kubernetes:Chart$kubernetes:helm.sh/v3:Release::spark-a-operator",
    }


def test_a_stack_that_has_given_all_away_is_empty_and_needs_no_provider_any_more():
    assert names(move(sliced(PARTED), {"local": WHOLE})["local"]) == []


def test_there_and_back_again_all_is_as_it_was():
    parted = move(sliced(PARTED), {"local": WHOLE})

    again = move(settings.load("local"), parted)

    assert sorted(names(again["local"])) == sorted(names(WHOLE))
    assert names(again["local.shared"]) == names(again["local.spark-a"]) == []
    assert (
        again["local"]["deployment"]["resources"][0]["outputs"]
        == (WHOLE["deployment"]["resources"][0]["outputs"])
    )


def test_a_stack_keeps_the_providers_that_the_rest_of_it_needs():
    parted = {
        "ground": {"layers": ["foundation", "cluster"]},
        "local": {"layers": [layer for layer in LAYERS if layer not in ("foundation", "cluster")]},
    }
    whole_named = json.loads(json.dumps(WHOLE).replace("pulumi:local::", "pulumi:local.local::"))
    text = json.dumps(whole_named).replace("moka-local", "moka-local.local")

    after = move(sliced(parted), {"local.local": json.loads(text)})

    assert names(after["local.local"]) == [
        "pulumi:pulumi:Stack::moka-local.local",
        "pulumi:providers:aws::main",
        "pulumi:providers:kubernetes::spark-a",
        "moka:kubernetes:Chart::spark-a-operator",
        "moka:kubernetes:Chart$kubernetes:helm.sh/v3:Release::spark-a-operator",
    ]
    assert set(after["local.local"]["deployment"]["resources"][0]["outputs"]) == {"spark/spark-a"}


def test_what_reads_another_stack_does_not_come_along_and_what_hangs_on_it_does_not_either():
    reads = make_resource("local.spark-a", "pulumi:pulumi:StackReference::organization/moka/local.shared")
    kubernetes = make_provider(
        "local.spark-a",
        "kubernetes",
        "spark-a",
        "pulumi:pulumi:StackReference::organization/moka/local.shared",
    )
    operator = make_resource(
        "local.spark-a",
        "moka:kubernetes:Chart::operator",
        provider=provider_reference("local.spark-a", "kubernetes", "spark-a"),
    )
    outputs = {str(SPARK): {"resources": ["moka:kubernetes:Chart::operator"]}}

    after = move(
        settings.load("local"),
        {"local.spark-a": make_state("local.spark-a", outputs, reads, kubernetes, operator)},
    )

    assert names(after["local"]) == [
        "pulumi:pulumi:Stack::moka-local",
        "pulumi:providers:kubernetes::spark-a",
        "moka:kubernetes:Chart::operator",
    ]


def test_what_comes_into_a_stack_with_that_provider_is_served_by_the_one_that_is_there():
    bucket = make_resource(
        "local.b", "aws:s3/bucket:Bucket::b", provider=provider_reference("local.b", "aws", "main", "theirs")
    )
    target = make_state("local", {}, make_provider("local", "aws", "main", id="ours"))
    states = {
        "local": target,
        "local.b": make_state(
            "local.b",
            {str(CLUSTER): {"resources": ["aws:s3/bucket:Bucket::b"]}},
            make_provider("local.b", "aws", "main", id="theirs"),
            bucket,
        ),
    }

    after = move(settings.load("local"), states)

    assert after["local"]["deployment"]["resources"][-1]["provider"] == provider_reference(
        "local", "aws", "main", "ours"
    )


def test_when_it_was_interrupted_after_any_step_running_it_again_ends_the_same():
    environment = sliced(PARTED)
    moves = plan_moves(environment, {"local": WHOLE})
    complete = move(environment, {"local": WHOLE})
    states = {"local": WHOLE}

    for stack in ("local.shared", "local.spark-a"):
        incoming = [m for m in moves if m.target == stack]
        states[stack] = add_units(environment, stack, EMPTY, states, incoming)

        assert move(environment, states) == complete


@pytest.mark.parametrize(
    "deployment",
    [
        {"pending_operations": [{"type": "creating", "resource": {"urn": "urn:half"}}]},
        {"resources": [{"urn": "urn:half", "type": "aws:s3/bucket:Bucket", "delete": True}]},
    ],
)
def test_urns_of_what_an_update_left_half_done_are_listed(deployment):
    assert list(unfinished_urns({"version": 3, "deployment": deployment})) == ["urn:half"]


def test_a_new_stack_keeps_secrets_as_its_source_does():
    kept = {"type": "service", "state": {"url": "u", "stack": "local"}}
    source = {**WHOLE, "deployment": {**WHOLE["deployment"], "secrets_providers": kept}}
    nothing: State = {"version": 3, "deployment": None}

    result = add_units(
        sliced(PARTED),
        "local.shared",
        nothing,
        {"local": source},
        [Move(FOUNDATION, "local", "local.shared", FOUNDATION)],
    )

    assert result["deployment"]["secrets_providers"]["state"] == {"url": "u", "stack": "local.shared"}
