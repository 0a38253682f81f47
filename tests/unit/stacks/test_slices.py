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


def test_stacks_that_read_each_other_are_refused():
    with pytest.raises(settings.InvalidDocument) as refused:
        sliced(
            "  one: {layers: [foundation, spark]}\n"
            f"  two: {{layers: [{', '.join(x for x in slices.LAYERS if x not in ('foundation', 'spark'))}]}}"
        )

    assert "slices: local.one reads local.two, which reads local.one" in str(refused.value)
    assert "put the layers that are read into a slice" in str(refused.value)


def test_a_stack_reads_those_that_hold_what_its_units_are_given():
    environment = settings.parse(f"{LOCAL}\nslices:\n{A_STACK_A_LAYER}", "stacks/local.yaml")

    read = slices.references(environment, list(slices.slices(environment).values()))

    assert read["local.foundation"] == []
    assert read["local.spark"] == ["local.archer", "local.cluster", "local.foundation", "local.shuffle"]


def test_the_table_says_of_each_layer_what_it_reads(deploy, monkeypatch):
    """Otherwise stacks would come up in an order in which what they read is not there yet."""
    whole = settings.load("local")
    environment = settings.parse(f"{LOCAL}\nslices:\n{A_STACK_A_LAYER}", "stacks/local.yaml")
    exported = {}

    def keep(name, value):
        pulumi.Output.from_input(value).apply(lambda output: exported.update({name: output}))

    monkeypatch.setattr(pulumi, "export", keep)
    deploy(lambda: program.deploy(whole, slices.slice_named(whole, "")))
    monkeypatch.setattr(
        pulumi.StackReference, "get_output", lambda _, name: pulumi.Output.from_input(exported[name])
    )

    for layer in slices.LAYERS:
        piece = slices.slice_named(environment, layer.replace("_", "-"))
        recorder = deploy(functools.partial(program.deploy, environment, piece))
        read = {
            reference["name"].rpartition("/")[2]
            for reference in recorder.inputs("pulumi:pulumi:StackReference")
        }
        pieces = list(slices.slices(environment).values())
        expected = set(slices.references(environment, pieces)[piece.stack])
        assert read == expected, f"{layer}: let `reads` in stacks/layer_table.py say what `inputs` reads"


def test_a_row_that_reads_what_comes_after_it_is_refused():
    rows = [Layer(name="traces", scope="cluster", reads=("cluster",), makes="traces")]

    with pytest.raises(ValueError, match="traces reads cluster, and no row before it is called so"):
        check(rows)


def test_a_row_on_a_cluster_that_does_not_read_the_cluster_is_refused():
    rows = [LAYERS["foundation"], Layer(name="traces", scope="cluster", makes="traces")]

    with pytest.raises(ValueError, match="traces is on a cluster: add 'cluster' to what it reads"):
        check(rows)
