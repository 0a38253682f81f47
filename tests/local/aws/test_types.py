"""Every type of the table through its life, without the engine: made, read, changed, deleted."""

import pytest

from localcloud.plugins.aws.tables import all_rows
from localcloud.plugins.differences import path_text
from tests.local.aws.examples import EXAMPLES, STAYS
from tests.support.sdk_types import unknown_in_type


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
    resource = bench.make(example.type, inputs)

    assert bench.diff(resource, inputs).kinds == {}, "a program run again changes nothing"
    live = bench.read(resource)
    assert live is not None and live.id == resource.id
    assert live.inputs == resource.inputs, "a refresh finds nothing"
    assert live.outputs == resource.outputs, "a refresh finds nothing"
    assert unknown_in_type(example.type, resource.outputs) == [], "the SDK knows all of it"

    change = example.change(world)
    if change:
        changed = merged(inputs, change)
        diff = bench.diff(resource, changed)
        assert {path[0] for path in diff.kinds} == set(change) and not diff.replaces
        resource = bench.change(resource, changed)
        assert bench.diff(resource, changed).kinds == {}
        live = bench.read(resource)
        assert live is not None
        assert live.inputs == resource.inputs, "what was changed is there"
        assert live.outputs == resource.outputs

    bench.resources.clear()
    bench.delete(resource)
    if example.type not in STAYS:
        assert bench.read(resource) is None
    bench.delete(resource)


def test_what_is_imported_needs_no_change(bench, world, example):
    inputs = example.inputs(world)
    resource = bench.make(example.type, inputs)

    live = bench.look_up(example.type, example.imported(resource))

    assert live is not None and live.id == resource.id
    program = {name: value for name, value in resource.inputs.items() if name in inputs}
    defaults = {
        name: resource.inputs[name] for name in resource.inputs.get("__defaults", ()) if "ame" in name
    }
    checked = bench.check(example.type, {**program, **defaults}, live.inputs)
    diff = bench.provider.diff(bench.target(example.type, "it", live.id), live.inputs, live.outputs, checked)
    kind = all_rows()[example.type]
    unseen = kind.arguments | kind.write_only
    differences = {path_text(path) for path in diff.kinds if not {path[0], dotted(path)} & unseen}
    assert differences == set()


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.replace], ids=str)
def test_what_cannot_change_in_place_is_replaced(bench, world, example):
    replace = example.replace(world)
    inputs = example.inputs(world)
    resource = bench.make(example.type, inputs)

    diff = bench.diff(resource, merged(inputs, replace))

    assert {path[0] for path in diff.replaces} == set(replace)
