import json
import re
import sys

import pytest
import yaml

from commands import rollout
from stacks import settings
from stacks.settings import Environment, InvalidDocument
from stacks.slices import LAYERS

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
SHARED = {"shared": {"layers": ["foundation"]}}
ONE_EACH = {**SHARED, **{name: {"clusters": [name]} for name in ("a", "b", "c")}}
ON_CLUSTERS = [layer for layer in LAYERS if layer != "foundation"]
WAVES = {"canary": ["b"], "rest": ["a", "c"]}


def environment(**changes: object) -> Environment:
    """`local` with three clusters, `a` home, in a stack each, canary `b`; and some changes."""
    cluster = LOCAL["clusters"]["spark-a"]
    described = {
        **LOCAL,
        "clusters": dict.fromkeys("abc", cluster),
        "home": "a",
        "slices": ONE_EACH,
        "waves": WAVES,
        **changes,
    }
    return settings.parse(yaml.safe_dump(described, sort_keys=False), "stacks/local.yaml")


@pytest.fixture
def known(monkeypatch, tmp_path):
    """Make an environment the one that its settings file describes, in a folder of its own."""

    def known(chosen: Environment) -> None:
        monkeypatch.setattr(rollout, "load", lambda name: chosen)
        monkeypatch.setattr(rollout, "path_of", lambda name: tmp_path / "local.yaml")

    return known


def test_an_environment_without_slices_is_one_stack():
    assert rollout.order(environment(slices={}, waves={})) == ["local"]


def test_each_stack_comes_after_those_that_it_reads_whatever_their_order_in_the_settings():
    layers = {
        "top": {"layers": ["spark", "history", "scheduling", "shuffle", "logs", "metrics"]},
        "ways-in": {"layers": ["access"]},
        "clusters": {"layers": ["cluster"]},
        **SHARED,
    }

    order = rollout.order(environment(slices=layers, waves={}))

    assert order == ["local.shared", "local.clusters", "local.ways-in", "local.top"]


def test_without_a_wave_all_stacks_come_wave_after_wave():
    assert rollout.order(environment()) == ["local.shared", "local.b", "local.a", "local.c"]


def test_down_is_the_other_way_round():
    assert rollout.teardown(environment()) == ["local.c", "local.a", "local.b", "local.shared"]


def test_a_wave_is_the_stacks_of_its_clusters_and_the_first_brings_what_all_stand_on():
    assert rollout.order(environment(), "canary") == ["local.shared", "local.b"]
    assert rollout.order(environment(), "rest") == ["local.a", "local.c"]


def test_a_wave_of_a_cluster_in_several_stacks_has_all_of_them():
    parted = {
        **SHARED,
        "b-cluster": {"clusters": ["b"], "layers": ["cluster"]},
        "b-rest": {"clusters": ["b"], "layers": [x for x in ON_CLUSTERS if x != "cluster"]},
        "others": {"clusters": ["a", "c"]},
    }

    order = rollout.order(environment(slices=parted), "canary")

    assert order == ["local.shared", "local.b-cluster", "local.b-rest"]


def test_a_wave_that_is_taken_down_leaves_what_the_others_stand_on():
    assert rollout.teardown(environment(), "canary") == ["local.b"]


def test_a_wave_that_is_not_named_is_refused_with_those_that_are():
    with pytest.raises(InvalidDocument, match=r"stacks/local.yaml names no wave 'canari'; .* canary, rest"):
        rollout.order(environment(), "canari")


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
        rollout.order(environment(slices=slices), "canary")


def test_a_later_wave_may_read_a_stack_with_clusters_of_an_earlier_one_and_not_the_other_way_round():
    with_data = {
        "b": {"layers": ["foundation", *ON_CLUSTERS], "clusters": ["b"]},
        "others": {"clusters": ["a", "c"]},
    }

    assert rollout.order(environment(slices=with_data), "rest") == ["local.others"]
    with pytest.raises(InvalidDocument, match=r"its stack local\.b has b too"):
        rollout.order(environment(slices=with_data, waves={"first": ["a", "c"], "last": ["b"]}), "first")


def test_one_stack_is_itself_and_belongs_to_no_wave(known):
    known(environment())

    assert rollout.chosen("local.b") == ["local.b"]
    with pytest.raises(InvalidDocument, match=r"local\.b is one stack"):
        rollout.chosen("local.b", "canary")
    with pytest.raises(InvalidDocument, match=r"local.yaml names no slice 'd'; it names shared, a, b, c"):
        rollout.chosen("local.d")


def test_stacks_that_lack_a_pulumi_file_get_one_and_others_stay_as_they_are(known, tmp_path, capsys):
    known(environment())
    (tmp_path / "Pulumi.local.a.yaml").write_text("mine")

    assert rollout.main(["local", "--files"]) == 0

    written = capsys.readouterr().out.splitlines()
    assert written == [f"stacks/Pulumi.local.{name}.yaml" for name in ("shared", "b", "c")]
    config = yaml.safe_load((tmp_path / "Pulumi.local.b.yaml").read_text())["config"]
    assert config == {"moka:environment": "local", "moka:slice": "b"}
    assert (tmp_path / "Pulumi.local.a.yaml").read_text() == "mine"


def test_nothing_runs_while_a_stack_lacks_its_pulumi_file(known, tmp_path, capfd):
    known(environment())
    for name in ("shared", "a"):
        rollout.write_file(tmp_path / f"Pulumi.local.{name}.yaml")

    assert rollout.main(["local", "--", "echo", "ran"]) == 1

    said = capfd.readouterr()
    assert (
        "stacks/Pulumi.local.b.yaml, stacks/Pulumi.local.c.yaml: `make stack-files STACK=local`" in said.err
    )
    assert said.out == ""


def test_a_command_runs_for_each_stack_and_the_first_that_fails_ends_it(known, capfd):
    known(environment())
    rollout.main(["local", "--files"])
    program = "import sys; print('at', sys.argv[1]); sys.exit(3 if sys.argv[1] == 'local.b' else 0)"

    status = rollout.main(["local", "--", sys.executable, "-c", program, "{stack}"])

    said = capfd.readouterr()
    assert status == 3
    assert [line for line in said.out.splitlines() if line.startswith("at")] == [
        "at local.shared",
        "at local.b",
    ]
    assert "local.b failed. Done: local.shared. Left: local.a, local.c." in said.err


def test_what_is_wrong_with_the_settings_is_said_and_nothing_runs(capfd):
    assert rollout.main(["nowhere", "--", "false"]) == 1
    assert "Environment 'nowhere' has no settings" in capfd.readouterr().err


def test_the_stacks_are_told_as_text_and_as_json(known, capsys):
    known(environment())

    assert rollout.main(["local", "--wave", "rest"]) == 0
    assert capsys.readouterr().out == "local.a\nlocal.c\n"
    assert rollout.main(["local", "--wave", "rest", "--down", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ["local.c", "local.a"]
