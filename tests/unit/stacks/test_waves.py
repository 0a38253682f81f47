import re

import pytest

from stacks import waves
from stacks.settings import InvalidDocument
from stacks.slices import LAYERS
from stacks.waves import rollout_order, stack_names, teardown_order
from tests.support.sliced_environment import ONE_EACH, SHARED, sliced_environment

ON_CLUSTERS = [layer for layer in LAYERS if layer != "foundation"]


def test_an_environment_without_slices_is_one_stack():
    assert rollout_order(sliced_environment(slices={}, waves={})) == ["local"]


def test_each_stack_comes_after_those_that_it_reads_whatever_their_order_in_the_settings():
    layers = {
        "top": {"layers": [layer for layer in ON_CLUSTERS if layer not in ("cluster", "shuffle")]},
        "below": {"layers": ["shuffle"]},
        "clusters": {"layers": ["cluster"]},
        **SHARED,
    }

    order = rollout_order(sliced_environment(slices=layers, waves={}))

    assert order == ["local.shared", "local.clusters", "local.below", "local.top"]


def test_without_a_wave_all_stacks_come_wave_after_wave():
    assert rollout_order(sliced_environment()) == ["local.shared", "local.b", "local.a", "local.c"]


def test_stacks_are_destroyed_in_the_reverse_order():
    assert teardown_order(sliced_environment()) == ["local.c", "local.a", "local.b", "local.shared"]


def test_a_wave_is_the_stacks_of_its_clusters_and_the_first_brings_what_all_stand_on():
    assert rollout_order(sliced_environment(), "canary") == ["local.shared", "local.b"]
    assert rollout_order(sliced_environment(), "rest") == ["local.a", "local.c"]


def test_a_wave_of_a_cluster_in_several_stacks_has_all_of_them():
    parted = {
        **SHARED,
        "b-cluster": {"clusters": ["b"], "layers": ["cluster"]},
        "b-rest": {"clusters": ["b"], "layers": [x for x in ON_CLUSTERS if x != "cluster"]},
        "others": {"clusters": ["a", "c"]},
    }

    order = rollout_order(sliced_environment(slices=parted), "canary")

    assert order == ["local.shared", "local.b-cluster", "local.b-rest"]


def test_a_wave_that_is_taken_down_leaves_what_the_others_stand_on():
    assert teardown_order(sliced_environment(), "canary") == ["local.b"]


def test_a_wave_that_is_not_named_is_refused_with_those_that_are():
    with pytest.raises(InvalidDocument, match=r"stacks/local.yaml names no wave 'canari'; .* canary, rest"):
        rollout_order(sliced_environment(), "canari")


@pytest.mark.parametrize(
    "slices, stack, others",
    [
        ({}, "local", "a, c"),
        ({**SHARED, "all": {"clusters": ["a", "b", "c"]}}, "local.all", "a, c"),
        ({**ONE_EACH, "c": {"clusters": ["c", "b"]}, "b": {"clusters": ["a"]}, "a": None}, "local.c", "c"),
    ],
)
def test_a_wave_whose_clusters_share_a_stack_with_others_is_refused(slices, stack, others):
    slices = {name: piece for name, piece in slices.items() if piece}

    with pytest.raises(
        InvalidDocument, match=rf"its stack {re.escape(stack)} has {others} too, .* name slices"
    ):
        rollout_order(sliced_environment(slices=slices), "canary")


def test_a_later_wave_may_read_a_stack_with_clusters_of_an_earlier_one_and_not_the_other_way_round():
    with_data = {
        "b": {"layers": ["foundation", *ON_CLUSTERS], "clusters": ["b"]},
        "others": {"clusters": ["a", "c"]},
    }

    assert rollout_order(sliced_environment(slices=with_data), "rest") == ["local.others"]
    with pytest.raises(InvalidDocument, match=r"its stack local\.b has b too"):
        rollout_order(
            sliced_environment(slices=with_data, waves={"first": ["a", "c"], "last": ["b"]}), "first"
        )


def test_one_stack_is_itself_and_belongs_to_no_wave(monkeypatch):
    monkeypatch.setattr(waves, "load", lambda _: sliced_environment())

    assert stack_names("local.b") == ["local.b"]
    with pytest.raises(InvalidDocument, match=r"local\.b is one stack"):
        stack_names("local.b", "canary")
    with pytest.raises(InvalidDocument, match=r"local.yaml names no slice 'd'; it names shared, a, b, c"):
        stack_names("local.d")
