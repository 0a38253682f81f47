"""Every type of the table through its life, without the engine: made, read, changed, deleted."""

import pytest

from localcloud.plugins.aws.tables import all_rows
from localcloud.plugins.differences import path_text
from tests.local.aws.examples import EXAMPLES, STAYS
from tests.support.sdk_types import strangers_of_type


def dotted(path):
    return ".".join(step for step in path if isinstance(step, str))


def merged(inputs, change):
    return {name: value for name, value in {**inputs, **change}.items() if value is not None}


@pytest.fixture(params=EXAMPLES, ids=str)
def example(request):
    return request.param


def test_every_type_of_the_table_has_an_example():
    assert {example.type for example in EXAMPLES} == set(all_rows())


def test_a_resource_lives_from_its_creation_to_its_end(bench, world, example):
    inputs = example.inputs(world)
    made = bench.make(example.type, inputs)

    assert bench.diff(made, inputs).kinds == {}, "a program run again changes nothing"
    found = bench.read(made)
    assert found is not None and found.id == made.id
    assert found.inputs == made.inputs, "a refresh finds nothing"
    assert found.outputs == made.outputs, "a refresh finds nothing"
    assert strangers_of_type(example.type, made.outputs) == [], "the SDK knows all of it"

    change = example.change(world)
    if change:
        wanted = merged(inputs, change)
        diff = bench.diff(made, wanted)
        assert {path[0] for path in diff.kinds} == set(change) and not diff.replaces
        made = bench.change(made, wanted)
        assert bench.diff(made, wanted).kinds == {}
        found = bench.read(made)
        assert found is not None
        assert found.inputs == made.inputs, "what was changed is there"
        assert found.outputs == made.outputs

    bench.left.clear()
    bench.delete(made)
    if example.type not in STAYS:
        assert bench.read(made) is None
    bench.delete(made)


def test_what_is_imported_needs_no_change(bench, world, example):
    inputs = example.inputs(world)
    made = bench.make(example.type, inputs)

    found = bench.found(example.type, example.imported(made))

    assert found is not None and found.id == made.id
    program = {name: value for name, value in made.inputs.items() if name in inputs}
    named = {name: made.inputs[name] for name in made.inputs.get("__defaults", ()) if "ame" in name}
    checked = bench.check(example.type, {**program, **named}, found.inputs)
    diff = bench.provider.diff(
        bench.target(example.type, "it", found.id), found.inputs, found.outputs, checked
    )
    kind = all_rows()[example.type]
    unseen = kind.arguments | kind.unanswered
    left = {path_text(path) for path in diff.kinds if not {path[0], dotted(path)} & unseen}
    assert left == set()


@pytest.mark.parametrize("example", [each for each in EXAMPLES if each.replace], ids=str)
def test_what_cannot_change_in_place_is_replaced(bench, world, example):
    replace = example.replace(world)
    inputs = example.inputs(world)
    made = bench.make(example.type, inputs)

    diff = bench.diff(made, merged(inputs, replace))

    assert {path[0] for path in diff.replaces} == set(replace)
