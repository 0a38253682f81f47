"""A resource of every type, changed or deleted by hand: it is found, and put right."""

import pytest

from localcloud.plugins.aws.tables import all_rows
from tests.local.aws.examples import EXAMPLES, STAYS
from tests.support.manual_changes import CHANGES, Hand, Made


@pytest.fixture
def hand(bench):
    return Hand(bench.provider.cloud, bench.provider.endpoint)


def refreshed(bench, made):
    """The resource as a refresh would leave it in the state."""
    found = bench.read(made)
    assert found is not None
    made.inputs, made.outputs = found.inputs, found.outputs
    return made


def put_right(bench, made, inputs):
    """Do what the engine would do to have what the program says."""
    diff = bench.diff(made, inputs)
    assert diff.kinds, "it is found"
    if not diff.replaces:
        return bench.change(made, inputs)
    bench.delete(made)
    bench.left.remove(made)
    return bench.make(made.type, inputs)


def test_there_is_a_change_by_hand_for_every_type():
    assert set(CHANGES) == set(all_rows())


@pytest.mark.parametrize("example", [each for each in EXAMPLES if CHANGES[each.type]], ids=str)
def test_what_is_changed_by_hand_is_found_and_put_right(bench, world, hand, example):
    inputs = example.inputs(world)
    made = bench.make(example.type, inputs)
    before = bench.read(made)

    CHANGES[example.type](hand, Made(made.type, made.id, made.inputs, made.outputs))
    right = put_right(bench, refreshed(bench, made), inputs)

    after = bench.read(right)
    assert bench.diff(right, inputs).kinds == {}
    assert after.inputs == before.inputs


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.type not in STAYS], ids=str)
def test_what_is_deleted_by_hand_is_found_and_made_anew(bench, world, example):
    inputs = example.inputs(world)
    made = bench.make(example.type, inputs)

    bench.delete(made)
    assert bench.read(made) is None
    bench.left.remove(made)

    again = bench.make(example.type, inputs)
    assert bench.read(again).inputs == made.inputs
