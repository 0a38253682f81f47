"""Where a demonstration may be, and what it says of commands that go wrong."""

import json
import os
import re
import subprocess
import sys

import pytest

from demo import stage as stages
from demo.stage import NotShown, Stage, stage
from localcloud.cloud import REPOSITORY

LAPTOP = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:4566",
    "ARCHER_URL": "http://127.0.0.1:8080",
    "MOKA_SCHEDULERS": "moka-local-spark-a=http://127.0.0.1:9080",
}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"AWS_ENDPOINT_URL": ""}, "so it runs on the laptop only: use `make demo`"),
        ({"AWS_ENDPOINT_URL": "https://s3.us-east-1.amazonaws.com"}, "so it runs on the laptop only"),
        ({"ARCHER_URL": ""}, "`local` is not up on the laptop: run `make up`"),
        ({"ARCHER_URL": "https://archer.spark.acme.example"}, "`local` is not up on the laptop"),
        ({"MOKA_SCHEDULERS": ""}, "`local` is not up on the laptop"),
    ],
)
def test_it_is_on_a_laptop_that_is_up_and_nowhere_else(tmp_path, changed, says):
    with pytest.raises(NotShown, match=re.escape(says)):
        stage({**LAPTOP, **changed}, tmp_path / "demo")

    assert not (tmp_path / "demo").exists()
    assert stage(LAPTOP, tmp_path / "demo").schedulers() == {"moka-local-spark-a": "http://127.0.0.1:9080"}


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """A stage on which `moka` is a program that a test writes, in shell."""
    monkeypatch.setattr(stages, "BIN", tmp_path)

    def write(script):
        (tmp_path / "moka").write_text(f"#!/bin/sh\ncd {tmp_path}\n{script}\n")
        (tmp_path / "moka").chmod(0o755)
        return Stage(variables={"PATH": "/bin:/usr/bin"}, folder=tmp_path)

    return write


def test_a_command_is_shown_before_it_runs(shown, capfd, tmp_path):
    shown("echo answer $2").run("moka", "--why", "make demo")

    assert capfd.readouterr().out == f'\n  $ {tmp_path}/moka --why "make demo"\nanswer make demo\n'


def test_a_command_that_ends_badly_ends_the_demo_in_a_sentence(shown, tmp_path):
    with pytest.raises(NotShown, match="moka plan` ended with 2, and the demo with it; it said why"):
        shown("exit 2").run("moka", "plan")


def test_what_takes_a_while_is_asked_again_until_it_is_so(shown, capfd, tmp_path):
    scene = shown("echo . >>asked; echo is so; test $(wc -l <asked) -ge 2")

    scene.wait("It is not so", "moka", "queues")

    assert (tmp_path / "asked").read_text() == ".\n.\n"
    assert capfd.readouterr().out.count("is so") == 1


@pytest.mark.parametrize(("script", "patience"), [("echo away; exit 1", -1), ("echo away >&2; exit 2", 300)])
def test_what_does_not_become_so_is_told_with_the_commands_own_words(shown, monkeypatch, script, patience):
    monkeypatch.setattr(stages, "PATIENCE", patience)

    with pytest.raises(NotShown, match=r"^It is not so, says `.*moka queues`:\naway$"):
        shown(script).wait("It is not so", "moka", "queues")


def test_what_a_scheduler_guarantees_is_told_by_leaf_queue():
    tier = {"queuename": "root.a.b.tier1", "maxRunningApps": 119}
    tier["guaranteedResource"] = {"vcore": 1700, "memory": 3 * 2**29}
    tree = {"queuename": "root", "children": [
        {"queuename": "root.a", "children": [{"queuename": "root.a.b", "children": [
            tier, {"queuename": "root.a.b.tier2"},
        ]}]},
        {"queuename": "root.@recovery@"},
    ]}  # fmt: skip

    assert stages.guarantees("http://there", lambda url: json.dumps(tree).encode()) == {
        "root.a.b.tier1": "1.7 cores and 1.5 GiB, 119 jobs at a time",
        "root.a.b.tier2": "nothing, any number of jobs at a time",
    }


@pytest.mark.parametrize("number", ["9", "10000", "many"])
def test_a_number_of_workflows_that_there_cannot_be_is_refused_before_anything(number):
    result = subprocess.run(
        [sys.executable, "-m", "demo", "--workflows", number],
        cwd=REPOSITORY,
        env={**os.environ, **LAPTOP},
        capture_output=True,
        text=True,
    )

    assert result.returncode == 2
    assert "--workflows" in result.stderr and "Traceback" not in result.stderr
