import functools

import pulumi
import pytest

from stacks import program, settings, slices
from stacks.layer_table import LAYERS, Layer, check
from stacks.slices import Unit

LOCAL = settings.path_of("local").read_text()


def sliced(text: str) -> dict[str, slices.Slice]:
    return slices.slices(settings.parse(f"{LOCAL}\nslices:\n{text}", "stacks/local.yaml"))


def test_one_stack_deploys_everything_unless_slices_are_named():
    local = settings.load("local")

    assert slices.slice_named(local, "").units == frozenset(slices.units(local))
    assert slices.slice_named(local, "").stack == "local"


def test_history_is_on_the_home_cluster_only():
    local = settings.load("local")

    assert [u.place for u in slices.units(local) if u.layer == "history"] == ["spark-a"]


def test_a_slice_of_a_cluster_holds_all_on_it_but_not_the_foundation():
    pieces = sliced("  shared: {layers: [foundation]}\n  spark-a: {clusters: [spark-a]}")

    assert pieces["shared"].units == {Unit("foundation", "main")}
    assert Unit("history", "spark-a") in pieces["spark-a"].units
    assert Unit("foundation", "main") not in pieces["spark-a"].units
    assert pieces["spark-a"].stack == "local.spark-a"


def test_a_layer_in_no_slice_is_refused():
    with pytest.raises(settings.InvalidDocument, match="slices: foundation/main is in none"):
        sliced("  spark-a: {clusters: [spark-a]}")


def test_a_layer_in_two_slices_is_refused():
    with pytest.raises(settings.InvalidDocument, match="slices: spark/spark-a is in all and spark"):
        sliced("  shared: {layers: [foundation]}\n  all: {clusters: [spark-a]}\n  spark: {layers: [spark]}")


def test_a_slice_that_the_settings_do_not_name_is_refused_with_those_they_do():
    environment = settings.parse(
        f"{LOCAL}\nslices: {{shared: {{layers: [foundation]}}, spark-a: {{clusters: [spark-a]}}}}", "x"
    )
    with pytest.raises(settings.InvalidDocument, match=r"'spark-b'.*shared, spark-a"):
        slices.slice_named(environment, "spark-b")


A_STACK_A_LAYER = "".join(f"  {layer.replace('_', '-')}: {{layers: [{layer}]}}\n" for layer in slices.LAYERS)
LAYERED = settings.parse(f"{LOCAL}\nslices:\n{A_STACK_A_LAYER}", "stacks/local.yaml")


def test_stacks_that_read_each_other_are_refused():
    with pytest.raises(settings.InvalidDocument) as refused:
        sliced(
            "  one: {layers: [foundation, spark]}\n"
            f"  two: {{layers: [{', '.join(x for x in slices.LAYERS if x not in ('foundation', 'spark'))}]}}"
        )

    assert "slices: local.one reads local.two, which reads local.one" in str(refused.value)
    assert "put the layers that are read into a slice" in str(refused.value)


def test_a_stack_reads_those_that_hold_what_its_units_are_given():
    read = slices.references(LAYERED, list(slices.slices(LAYERED).values()))

    assert read["local.foundation"] == []
    assert read["local.spark"] == ["local.archer", "local.cluster", "local.foundation", "local.shuffle"]


@pytest.fixture(scope="module")
def whole_and_layers(deploy):
    """What one stack registers, and by layer what a stack of each one does."""
    whole = settings.load("local")
    exported = {}

    def keep(name, value):
        pulumi.Output.from_input(value).apply(lambda output: exported.update({name: output}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulumi, "export", keep)
        one = deploy(lambda: program.deploy(whole, slices.slice_named(whole, "")))
        patch.setattr(
            pulumi.StackReference, "get_output", lambda _, name: pulumi.Output.from_input(exported[name])
        )
        return one, {
            layer: deploy(functools.partial(program.deploy, LAYERED, slices.slice_named(LAYERED, name)))
            for layer, name in ((layer, layer.replace("_", "-")) for layer in slices.LAYERS)
        }


def test_the_table_says_of_each_layer_what_it_reads(whole_and_layers):
    """Otherwise stacks would come up in an order in which what they read is not there yet."""
    pieces = slices.slices(LAYERED)

    for layer, recorder in whole_and_layers[1].items():
        read = {
            reference["name"].rpartition("/")[2]
            for reference in recorder.inputs("pulumi:pulumi:StackReference")
        }
        stack = pieces[layer.replace("_", "-")].stack
        expected = set(slices.references(LAYERED, list(pieces.values()))[stack])
        assert read == expected, f"{layer}: let `reads` in stacks/layer_table.py say what `inputs` reads"


def test_a_resource_is_the_same_whatever_the_slices_are(whole_and_layers):
    """Or a move to other slices would change it with the next `up`."""
    one, layers = whole_and_layers
    whole = inputs_by_path(one)

    for layer, recorder in layers.items():
        others = inputs_by_path(recorder)
        assert others, layer
        assert {path for path in others if others[path] != whole[path]} == set(), layer


def inputs_by_path(recorder):
    """Inputs of all that a stack registers, by where it is in the tree."""
    return {
        path: request.object
        for path, request in recorder.tree().items()
        if request.type != "pulumi:pulumi:StackReference"
    }


def test_a_row_that_reads_what_comes_after_it_is_refused():
    rows = [Layer(name="traces", scope="cluster", reads=("cluster",), makes="traces")]

    with pytest.raises(ValueError, match="traces reads cluster, and no row before it is called so"):
        check(rows)


def test_a_row_on_a_cluster_that_does_not_read_the_cluster_is_refused():
    rows = [LAYERS["foundation"], Layer(name="traces", scope="cluster", makes="traces")]

    with pytest.raises(ValueError, match="traces is on a cluster: add 'cluster' to what it reads"):
        check(rows)
