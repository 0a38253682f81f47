import pytest

from stacks import settings, slices
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
    made = sliced("  shared: {layers: [foundation]}\n  spark-a: {clusters: [spark-a]}")

    assert made["shared"].units == {Unit("foundation", "main")}
    assert Unit("history", "spark-a") in made["spark-a"].units
    assert Unit("foundation", "main") not in made["spark-a"].units
    assert made["spark-a"].stack == "local.spark-a"


def test_a_layer_in_no_slice_is_refused():
    with pytest.raises(settings.SettingsError, match="slices: foundation/main is in none"):
        sliced("  spark-a: {clusters: [spark-a]}")


def test_a_layer_in_two_slices_is_refused():
    with pytest.raises(settings.SettingsError, match="slices: spark/spark-a is in all and spark"):
        sliced("  shared: {layers: [foundation]}\n  all: {clusters: [spark-a]}\n  spark: {layers: [spark]}")


def test_a_slice_that_the_settings_do_not_name_is_refused_with_those_they_do():
    chosen = settings.parse(
        f"{LOCAL}\nslices: {{shared: {{layers: [foundation]}}, spark-a: {{clusters: [spark-a]}}}}", "x"
    )
    with pytest.raises(settings.SettingsError, match=r"'spark-b'.*shared, spark-a"):
        slices.slice_named(chosen, "spark-b")
