"""Previews of this project with its policies, on a laptop cloud where nothing is up."""

import json
from functools import cache

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = f"""import os, runpy, sys
sys.path.insert(0, {str(REPOSITORY)!r})
from tests.local.policies.broken import broken
if names := os.environ.get("BROKEN"):
    broken(names.split(","))
runpy.run_path({str(REPOSITORY / "__main__.py")!r}, run_name="__main__")
"""


@pytest.fixture(scope="session")
def engine_with_breaks(cloud, tmp_path_factory):
    """The engine for this project, of which `BROKEN` breaks what it names."""
    return Engine(cloud, write_project(tmp_path_factory.mktemp("program") / "moka", PROGRAM))


def of_stack(stack):
    """What a stack's file would set."""
    environment, _, piece = stack.partition(".")
    return ["--config", f"moka:environment={environment}", "--config", f"moka:slice={piece}"]


@pytest.fixture(scope="session")
def with_foundation(engine_with_breaks):
    """Bring the foundation up that a slice reads, once, if its environment has slices."""

    @cache
    def up(stack):
        engine_with_breaks.select(stack)
        PulumiStack(engine_with_breaks, stack).run("up", "--yes", "--skip-preview", *of_stack(stack))

    def prepare(stack):
        environment, _, piece = stack.partition(".")
        if piece:
            up(f"{environment}.shared")
        return stack

    return prepare


@pytest.fixture(scope="session")
def previewed(engine_with_breaks, tmp_path_factory):
    """Preview a stack of this project with its policies: what `pulumi` printed and how it ended."""
    folder = tmp_path_factory.mktemp("policies")
    engine = engine_with_breaks
    # Charts cannot be reached here.
    levels = folder / "levels.json"
    levels.write_text(json.dumps({"chart-rendered": "advisory"}))

    def preview(stack="local", *arguments, config=levels, pack=REPOSITORY / "policies", **variables):
        engine.select(stack)
        policies = ["--policy-pack", str(pack), "--policy-pack-config", str(config)]
        return PulumiStack(engine, stack).try_run(
            "preview", *of_stack(stack), *policies, *arguments, **variables
        )

    return preview
