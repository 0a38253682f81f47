"""An environment of two clusters in every way of slicing, moved from one to another, and in waves."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess

import pytest
import yaml

from localcloud.engine import Engine
from stacks import settings, slices

WAYS: dict[str, dict[str, object]] = {
    "whole": {},
    "a stack a cluster": {
        "shared": {"layers": ["foundation"]},
        "spark-a": {"clusters": ["spark-a"]},
        "spark-b": {"clusters": ["spark-b"]},
    },
    "a stack a layer": {layer: {"layers": [layer]} for layer in slices.LAYERS},
}
LOCAL = yaml.safe_load(settings.path_of("local").read_text())
WAVES = {"canary": ["spark-b"], "rest": ["spark-a"]}
OF_PULUMI = ("pulumi:pulumi:StackReference", "pulumi:providers:")

Identity = dict[tuple[str, str], str]
"""Id in AWS or Kubernetes of each resource, by its type and logical name."""


class Sliced:
    """An environment on a cloud of its own whose settings a test may change."""

    def __init__(self, engine: Engine, module: Callable[..., CompletedProcess[str]], pulumi) -> None:
        self.engine, self.module, self.pulumi = engine, module, pulumi
        self.says(slices={}, waves={})

    def says(self, **changes: object) -> None:
        """Let the settings file say this, and as before otherwise."""
        cluster = LOCAL["clusters"]["spark-a"]
        self.settings = {**LOCAL, "clusters": {"spark-a": cluster, "spark-b": cluster}, **changes}
        file = self.engine.project / "stacks" / "local.yaml"
        file.write_text(yaml.safe_dump(self.settings, sort_keys=False))
        assert self.module(self.engine, "commands.rollout", "local", "--files").returncode == 0

    def stacks(self) -> list[str]:
        """Those that the settings name, in order."""
        return self.module(self.engine, "commands.rollout", "local").stdout.split()

    def rollout(self, verb: str, *options: str) -> CompletedProcess[str]:
        """As the Makefile does it."""
        down = ["--down"] if verb == "down" else []
        cloud = [sys.executable, "-m", "localcloud", "--project", str(self.engine.project), verb]
        quiet = ["--stack", "{stack}", "--", "--non-interactive"]
        return self.module(self.engine, "commands.rollout", "local", *down, *options, "--", *cloud, *quiet)

    def done(self, verb: str, *options: str) -> str:
        """The same, without fail: what it said."""
        ran = self.rollout(verb, *options)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def move(self) -> str:
        for stack in self.stacks():
            self.engine.select(stack)
        ran = self.module(self.engine, "commands.move", "local", "--yes")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def there(self) -> Identity:
        """All that is there, in whatever stack."""
        return {
            (resource.type, resource.name): resource.id
            for stack in self.engine.stacks()
            for resource in self.engine.resources(stack)
            if not resource.type.startswith(OF_PULUMI)
        }

    def unchanged(self) -> bool:
        """A preview of every stack shows no change."""
        for stack in self.stacks():
            self.pulumi(self.engine, "preview", "--stack", stack, "--expect-no-changes")
        return True


@pytest.fixture(scope="module")
def sliced(copied_once: Engine, module, pulumi) -> Iterator[Sliced]:
    """Two clusters with a machine or two a group."""
    os.environ["MOKA_MACHINES"] = "3"
    yield Sliced(copied_once, module, pulumi)
    del os.environ["MOKA_MACHINES"]


def test_every_way_of_slicing_makes_the_same_resources_and_leaves_nothing(sliced):
    made = {}
    for way, named in WAYS.items():
        sliced.says(slices=named)
        sliced.done("up")
        assert sliced.unchanged()
        made[way] = sliced.there().keys()
        sliced.done("down")
        assert sliced.there() == {}

    assert made["a stack a cluster"] == made["whole"]
    assert made["a stack a layer"] == made["whole"]


def test_from_one_way_to_another_and_back_no_resource_is_touched(sliced):
    sliced.says()
    sliced.done("up")
    before = sliced.there()
    for way in ("a stack a cluster", "a stack a layer", "whole", "a stack a layer", "a stack a cluster"):
        sliced.says(slices=WAYS[way])
        sliced.move()
        assert sliced.there() == before
        assert sliced.unchanged()
        assert "is in the stacks that its settings name" in sliced.move()


def test_a_stack_whose_units_belong_elsewhere_now_is_left_alone_until_they_are_moved(sliced):
    before = sliced.there()
    parted = {name: dict(piece) for name, piece in WAYS["a stack a cluster"].items()}
    on_it = [layer for layer in slices.LAYERS if layer not in ("foundation", "logs")]
    parted |= {name: {"clusters": [name], "layers": on_it} for name in ("spark-a", "spark-b")}
    sliced.says(slices={**parted, "logs": {"layers": ["logs"]}})

    refused = sliced.rollout("up")

    assert refused.returncode != 0
    assert "has logs/spark-a, which stacks/local.yaml gives to local.logs: `make move STACK=local`" in (
        refused.stdout
    )
    assert "Left: " in refused.stderr
    assert sliced.there() == before


def test_a_move_that_was_cut_off_is_run_again(sliced, tmp_path):
    """At whatever import of a state: pulumi is made to fail at the first, then at the second, and so on."""
    before = sliced.there()
    sliced.says(slices={})
    sliced.engine.select("local")
    path = sliced.engine.environment()["PATH"]
    imports, wrapper = tmp_path / "imports", tmp_path / "pulumi"
    lasted = 0
    while True:
        imports.write_text("")
        wrapper.write_text(
            "#!/bin/sh\n"
            f'if [ "$2" = import ]; then echo one >> {imports}; fi\n'
            f"if [ $(wc -l < {imports}) -gt {lasted} ]; then echo cut off >&2; exit 1; fi\n"
            f'exec {shutil.which("pulumi", path=path)} "$@"\n'
        )
        wrapper.chmod(0o755)
        ran = sliced.module(sliced.engine, "commands.move", "local", "--yes", PATH=f"{tmp_path}:{path}")
        if ran.returncode == 0:
            break
        assert "cut off" in ran.stderr
        assert sliced.there() == before, "every resource is in one state at least"
        lasted += 1

    assert lasted > 1
    assert sliced.there() == before
    assert sliced.unchanged()


def test_a_change_reaches_the_canary_and_then_the_rest(sliced):
    sliced.says(slices=WAYS["a stack a cluster"], waves=WAVES)
    sliced.move()
    changed = {"slices": WAYS["a stack a cluster"], "waves": WAVES, "domain": "new.example"}

    def hosts() -> dict[str, str]:
        """Cluster -> domain of the UIs of its jobs."""
        return {
            resource.name.removesuffix("-spark-operator"): str(resource.inputs["values"])
            for stack in sliced.engine.stacks()
            for resource in sliced.engine.resources(stack)
            if resource.name.endswith("-spark-operator") and "values" in resource.inputs
        }

    sliced.says(**changed)
    sliced.done("up", "--wave", "canary")
    assert {name: "new.example" in values for name, values in hosts().items()} == {
        "spark-a": False,
        "spark-b": True,
    }

    sliced.done("up", "--wave", "rest")
    assert all("new.example" in values for values in hosts().values())
    assert sliced.unchanged()
    sliced.done("down")
    assert sliced.there() == {}
