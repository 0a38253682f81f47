"""A resource of every type, changed or deleted by hand: it is found, and put right."""

import pytest

from localcloud.plugins.aws.tables import all_rows
from tests.local.aws.examples import CHANGES_BY_HAND, EXAMPLES, STAYS
from tests.local.aws.examples.example import Console


@pytest.fixture
def console(bench):
    return Console(bench.provider.cloud, bench.provider.endpoint)


def refresh(bench, resource):
    """The resource as a refresh would leave it in the state."""
    live = bench.read(resource)
    assert live is not None
    resource.inputs, resource.outputs = live.inputs, live.outputs
    return resource


def correct(bench, resource, inputs):
    """Do what the engine would do to have what the program says."""
    diff = bench.diff(resource, inputs)
    assert diff.kinds, "it is found"
    if not diff.replaces:
        return bench.change(resource, inputs)
    bench.delete(resource)
    bench.resources.remove(resource)
    return bench.make(resource.type, inputs)


def test_there_is_a_change_by_hand_for_every_type():
    assert set(CHANGES_BY_HAND) == set(all_rows())


@pytest.mark.parametrize("example", [e for e in EXAMPLES if CHANGES_BY_HAND[e.type]], ids=str)
def test_what_is_changed_by_hand_is_found_and_put_right(bench, world, console, example):
    inputs = example.inputs(world)
    resource = bench.make(example.type, inputs)
    before = bench.read(resource)

    CHANGES_BY_HAND[example.type](console, resource)
    corrected = correct(bench, refresh(bench, resource), inputs)

    after = bench.read(corrected)
    assert bench.diff(corrected, inputs).kinds == {}
    assert after.inputs == before.inputs


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.type not in STAYS], ids=str)
def test_what_is_deleted_by_hand_is_found_and_made_anew(bench, world, example):
    inputs = example.inputs(world)
    resource = bench.make(example.type, inputs)

    bench.delete(resource)
    assert bench.read(resource) is None
    bench.resources.remove(resource)

    again = bench.make(example.type, inputs)
    assert bench.read(again).inputs == resource.inputs
