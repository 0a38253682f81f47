"""`moka move`, with a program in place of pulumi that keeps each stack's state in a file."""

import json
import os
import sys

import pytest
import yaml

from commands import move
from stacks import settings
from tests.support.pulumi_states import WHOLE

PULUMI = f"""#!{sys.executable}
import json, pathlib, sys

states = {{path.stem: path for path in pathlib.Path("states").glob("*.json")}}
_, verb, *arguments = sys.argv[1:]
stack = arguments[arguments.index("--stack") + 1] if "--stack" in arguments else None
file = pathlib.Path("states") / f"{{stack}}.json"
with open("calls", "a") as calls:
    print(verb, stack, file=calls)
match verb:
    case "ls":
        print(json.dumps([{{"name": f"organization/moka/{{name}}"}} for name in (*states, "other")]))
    case "init":
        file.write_text(json.dumps({{"version": 3, "deployment": {{"manifest": {{}}}}}}))
    case "export":
        print(file.read_text())
    case "import":
        file.write_text(sys.stdin.read())
"""


@pytest.fixture
def states(tmp_path, monkeypatch):
    """A folder of states: `local` is deployed whole, and its settings name two slices."""
    sliced = {"shared": {"layers": ["foundation"]}, "spark-a": {"clusters": ["spark-a"]}}
    text = settings.path_of("local").read_text() + yaml.safe_dump({"slices": sliced})
    monkeypatch.setattr(move, "load", lambda _: settings.parse(text, "stacks/local.yaml"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pulumi").write_text(PULUMI)
    (tmp_path / "pulumi").chmod(0o755)
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "local.json").write_text(json.dumps(WHOLE))
    return tmp_path / "states"


def test_without_yes_it_only_shows_what_would_move(moka, states, tmp_path):
    result = moka("move", "local")

    assert (result.status, result.out.splitlines()) == (
        0,
        [
            "foundation/main: from local to local.shared",
            "cluster/spark-a: from local to local.spark-a",
            "spark/spark-a: from local to local.spark-a",
            "Nothing was moved; --yes moves it.",
        ],
    )
    assert (tmp_path / "calls").read_text().splitlines() == ["ls None", "export local"]


def test_all_stacks_that_gain_are_written_before_any_that_loses(moka, states, tmp_path):
    result = moka("move", "local", "--yes")

    assert (result.status, result.out.splitlines()[3:]) == (
        0,
        [
            "local.shared has foundation/main.",
            "local.spark-a has cluster/spark-a, spark/spark-a.",
            "local is empty: `pulumi stack rm local` forgets it.",
            "Moved. `make preview STACK=local` shows no change.",
        ],
    )
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call for call in calls if not call.startswith("export")] == [
        "ls None",
        "init local.shared",
        "import local.shared",
        "init local.spark-a",
        "import local.spark-a",
        "import local",
    ]
    assert moka("move", "local").out == (
        "Everything deployed of local is in the stacks that its settings name.\n"
    )


def test_a_stack_whose_update_was_cut_off_is_left_alone(moka, states):
    whole = json.loads((states / "local.json").read_text())
    whole["deployment"]["pending_operations"] = [{"type": "creating", "resource": {"urn": "urn:half"}}]
    (states / "local.json").write_text(json.dumps(whole))

    result = moka("move", "local", "--yes")

    assert (result.status, result.err) == (
        1,
        "An update of local was cut off at urn:half: bring local up with the previous settings first; "
        "nothing was moved.\n",
    )


def test_what_pulumi_refuses_is_reported_in_its_own_words(moka, states, tmp_path):
    (tmp_path / "pulumi").write_text("#!/bin/sh\necho error: no backend >&2; exit 255\n")

    result = moka("move", "local")

    assert (result.status, result.err) == (1, "pulumi stack ls --json failed: error: no backend\n")


def test_wrong_settings_are_reported(moka):
    result = moka("move", "nowhere")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("Environment 'nowhere' has no settings")
