"""An environment of two clusters in every way of slicing, moved from one to another, and in waves."""

import os
import shutil
import sys
from collections.abc import Iterator
from subprocess import CompletedProcess

import pytest
import yaml

from commands.job import job_target_in
from localcloud.engine import Engine
from stacks import settings, slices
from tests.support.pulumi_stack import PulumiStack, moka, succeeded

WAYS: dict[str, dict[str, object]] = {
    "a stack a cluster": {
        "shared": {"layers": ["foundation"]},
        "spark-a": {"clusters": ["spark-a"]},
        "spark-b": {"clusters": ["spark-b"]},
    },
    "a stack a layer": {layer.replace("_", "-"): {"layers": [layer]} for layer in slices.LAYERS},
    "whole": {},
}
LOCAL = yaml.safe_load(settings.path_of("local").read_text())
WAVES = {"canary": ["spark-b"], "rest": ["spark-a"]}
OF_PULUMI = ("pulumi:pulumi:StackReference", "pulumi:providers:")

Identities = dict[tuple[str, str], str]
"""Id in AWS or Kubernetes of each resource, by its type and logical name."""


class Sliced:
    """An environment on a cloud of its own whose settings a test may change."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.set(slices={}, waves={})

    def moka(self, command: str, *arguments: str, **variables: str) -> CompletedProcess[str]:
        return moka(self.engine, command, "local", *arguments, **variables)

    def set(self, **changes: object) -> None:
        """Write these settings, and the others as `local` has them."""
        cluster = LOCAL["clusters"]["spark-a"]
        self.settings = {**LOCAL, "clusters": {"spark-a": cluster, "spark-b": cluster}, **changes}
        file = self.engine.project / "stacks" / "local.yaml"
        file.write_text(yaml.safe_dump(self.settings, sort_keys=False))
        succeeded(self.moka("stack-files"))

    def stacks(self) -> list[str]:
        """Those that the settings name, in order."""
        return self.moka("rollout").stdout.split()

    def try_rollout(self, verb: str, *options: str) -> CompletedProcess[str]:
        """As the Makefile does it; it may fail."""
        down = ["--down"] if verb == "down" else []
        cloud = [sys.executable, "-m", "localcloud", "--project", str(self.engine.project), verb]
        quiet = ["--stack", "{stack}", "--", "--non-interactive"]
        return self.moka("rollout", *down, *options, "--", *cloud, *quiet)

    def rollout(self, verb: str, *options: str) -> None:
        """The same, which must succeed."""
        succeeded(self.try_rollout(verb, *options))

    def move(self) -> str:
        for stack in self.stacks():
            self.engine.select(stack)
        return succeeded(self.moka("move", "--yes")).stdout

    def identities(self) -> Identities:
        """Of all resources, in whatever stack."""
        return {
            (resource.type, resource.name): resource.id
            for stack in self.engine.stacks()
            for resource in self.engine.resources(stack)
            if not resource.type.startswith(OF_PULUMI)
        }

    def expect_no_changes(self) -> None:
        """A preview of every stack shows no change."""
        for stack in self.stacks():
            PulumiStack(self.engine, stack).expect_no_changes()


@pytest.fixture(scope="module")
def sliced(copied_once: Engine) -> Iterator[Sliced]:
    """Two clusters with a machine or two a group."""
    os.environ["MOKA_MACHINES"] = "3"
    yield Sliced(copied_once)
    del os.environ["MOKA_MACHINES"]


def test_every_way_of_slicing_makes_the_same_resources_and_leaves_nothing(sliced):
    resources = {}
    for way, pieces in WAYS.items():
        sliced.set(slices=pieces)
        sliced.rollout("up")
        sliced.expect_no_changes()
        resources[way] = sliced.identities().keys()
        # What is whole is moved by the tests that follow.
        if way != "whole":
            sliced.rollout("down")
            assert sliced.identities() == {}

    assert resources["a stack a cluster"] == resources["whole"]
    assert resources["a stack a layer"] == resources["whole"]


def test_from_one_way_to_another_and_back_no_resource_is_touched(sliced):
    sliced.set()
    sliced.rollout("up")
    before = sliced.identities()
    for way in ("a stack a cluster", "a stack a layer", "whole", "a stack a cluster"):
        sliced.set(slices=WAYS[way])
        sliced.move()
        assert sliced.identities() == before
        sliced.expect_no_changes()
        assert "is in the stacks that its settings name" in sliced.move()


def test_a_stack_whose_units_belong_elsewhere_now_is_left_alone_until_they_are_moved(sliced):
    before = sliced.identities()
    pieces = {name: dict(piece) for name, piece in WAYS["a stack a cluster"].items()}
    cluster_layers = [layer for layer in slices.LAYERS if layer not in ("foundation", "logs")]
    pieces |= {name: {"clusters": [name], "layers": cluster_layers} for name in ("spark-a", "spark-b")}
    sliced.set(slices={**pieces, "logs": {"layers": ["logs"]}})

    refused = sliced.try_rollout("up")

    assert refused.returncode != 0
    assert "has logs/spark-a, which stacks/local.yaml gives to local.logs: run `make move STACK=local`" in (
        refused.stdout
    )
    assert "Left: " in refused.stderr
    assert sliced.identities() == before


def test_a_move_that_was_cut_off_is_run_again(sliced, tmp_path):
    """At whatever import of a state: pulumi is made to fail at the first, then at the second, and so on."""
    before = sliced.identities()
    sliced.set(slices={})
    sliced.engine.select("local")
    path = sliced.engine.environment()["PATH"]
    imports, wrapper = tmp_path / "imports", tmp_path / "pulumi"
    allowed = 0
    while True:
        imports.write_text("")
        wrapper.write_text(
            "#!/bin/sh\n"
            f'if [ "$2" = import ]; then echo one >> {imports}; fi\n'
            f"if [ $(wc -l < {imports}) -gt {allowed} ]; then echo cut off >&2; exit 1; fi\n"
            f'exec {shutil.which("pulumi", path=path)} "$@"\n'
        )
        wrapper.chmod(0o755)
        move = sliced.moka("move", "--yes", PATH=f"{tmp_path}:{path}")
        if move.returncode == 0:
            break
        assert "cut off" in move.stderr
        assert sliced.identities() == before, "every resource is in one state at least"
        allowed += 1

    assert allowed > 1
    assert sliced.identities() == before
    sliced.expect_no_changes()


def test_a_change_reaches_the_canary_and_then_the_rest(sliced):
    sliced.set(slices=WAYS["a stack a cluster"], waves=WAVES)
    sliced.move()
    changed = {"slices": WAYS["a stack a cluster"], "waves": WAVES, "domain": "new.example"}

    def ui_domains() -> dict[str, str]:
        """Cluster -> where the UIs of its jobs are, as `moka job` is told by the outputs of its stack."""
        return {
            cluster: job_target_in(stack.run("stack", "output", "--json"), cluster).ui_domain
            for cluster in ("spark-a", "spark-b")
            for stack in [PulumiStack(sliced.engine, f"local.{cluster}")]
        }

    sliced.set(**changed)
    sliced.rollout("up", "--wave", "canary")
    assert ui_domains() == {"spark-a": f"spark-a.{LOCAL['domain']}", "spark-b": "spark-b.new.example"}

    sliced.rollout("up", "--wave", "rest")
    assert ui_domains() == {"spark-a": "spark-a.new.example", "spark-b": "spark-b.new.example"}
    sliced.expect_no_changes()


def test_another_cluster_becomes_home_by_the_steps_of_the_documentation(sliced):
    """docs/operations/clusters.md, "Replacing a cluster under load"."""

    def lasting() -> Identities:
        """What AWS has once: the database, and records in DNS."""
        kinds = ("aws:rds/cluster:Cluster", "aws:route53/record:Record")
        return {key: id for key, id in sliced.identities().items() if key[0] in kinds}

    main = {**LOCAL["foundations"]["main"], "dns_zone": "Z0123456789ABCDEFGHIJ"}
    changed = {"slices": WAYS["a stack a cluster"], "waves": WAVES, "foundations": {"main": main}}
    sliced.set(**changed)
    sliced.rollout("up")
    before = lasting()
    assert {kind for kind, _ in before} == {"aws:rds/cluster:Cluster", "aws:route53/record:Record"}

    sliced.set(**changed, home="spark-b")
    for wave in WAVES:
        refused = sliced.try_rollout("up", "--wave", wave)
        assert refused.returncode != 0
        assert (
            "Stack local.spark-a has database/spark-a, which stacks/local.yaml gives to local.spark-b: "
            "run `make move STACK=local`"
        ) in refused.stdout

    assert "database/spark-a: from local.spark-a to local.spark-b, as database/spark-b" in sliced.move()
    sliced.rollout("up", "--wave", "rest")
    sliced.rollout("up")
    assert lasting() == before
    sliced.expect_no_changes()


def test_all_goes_where_clusters_have_stacks_of_their_own(sliced):
    sliced.rollout("down")
    assert sliced.identities() == {}
