import json

import pytest

from localcloud.plugins.differences import Kind, differences, path_text
from localcloud.plugins.provider import Naming, Target
from localcloud.plugins.values import (
    UNKNOWN,
    Secret,
    from_wire,
    reveal,
    seal,
    to_wire,
    unknown_in,
    without_nulls,
)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        1.5,
        "text",
        ["a", None, {"b": 1}],
        {"nested": {"list": [1, 2]}},
        UNKNOWN,
        Secret("hidden"),
        {"in": [Secret(UNKNOWN)]},
    ],
)
def test_a_value_comes_back_from_the_wire_as_it_went(value):
    assert from_wire(to_wire({"value": value})) == {"value": value}


def test_an_output_is_its_value_with_its_secrecy():
    marked = {
        "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
        "value": "x",
        "secret": True,
    }
    unmarked = {"4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4"}

    assert from_wire(to_wire({"a": marked, "b": unmarked})) == {"a": Secret("x"), "b": UNKNOWN}


def test_an_output_is_as_secret_as_the_input_of_its_name():
    sealed = seal({"policy": {"a": [1]}, "arn": "arn"}, {"policy": {"a": [Secret(1)]}, "arn": "arn"})

    assert sealed == {"policy": Secret({"a": [1]}), "arn": "arn"}
    assert reveal(sealed) == {"policy": {"a": [1]}, "arn": "arn"}


def test_unknowns_are_found_however_deep():
    assert unknown_in({"a": [{"b": Secret(UNKNOWN)}]})
    assert not unknown_in({"a": [{"b": Secret(1)}]})


def test_members_that_are_null_are_not_there():
    assert without_nulls({"a": None, "b": {"c": None}, "d": [None]}) == {"b": {}, "d": [None]}


def test_differences_are_told_field_by_field():
    old = {"rules": [{"prefix": "a", "days": 1}, {"prefix": "b"}], "tags": {"x": "1", "y": "2"}, "gone": 1}
    new = {"rules": [{"prefix": "a", "days": 2}], "tags": {"x": "1", "io/z": "3"}, "new": UNKNOWN}

    changes = {path_text(path): kind for path, kind in differences(old, new).items()}

    assert changes == {
        "rules[0].days": Kind.UPDATE,
        "rules[1]": Kind.DELETE,
        'tags["io/z"]': Kind.ADD,
        "tags.y": Kind.DELETE,
        "new": Kind.ADD,
        "gone": Kind.DELETE,
    }


def test_a_secret_with_the_same_value_is_no_difference():
    assert differences({"a": Secret("x")}, {"a": "x"}) == {}


def test_values_that_mean_the_same_are_no_difference():
    old, new = {"policy": '{"a": 1, "b": 2}'}, {"policy": '{"b":2,"a":1}'}

    assert differences(old, new, lambda path, old, new: json.loads(old) == json.loads(new)) == {}


def test_a_target_knows_its_type_and_name():
    target = Target("urn:pulumi:local::moka::moka:aws:Network$aws:ec2/vpc:Vpc::net::work")

    assert (target.type, target.name) == ("aws:ec2/vpc:Vpc", "net::work")


def test_names_are_random_but_the_same_for_the_same_seed():
    first, second, third = (Naming(seed=seed).name("logs") for seed in (b"1", b"1", b"2"))

    assert first == second != third
    assert first.startswith("logs-") and len(first) == len("logs-") + 7


def test_a_long_name_is_cut_to_what_is_allowed():
    assert len(Naming(seed=b"1").name("x" * 100, max_length=63)) == 63


def test_the_engines_own_choice_of_a_name_counts():
    assert Naming(seed=b"1", proposed="mine").name("logs") == "mine"
